"""What was measured and published, as tables look it up."""

from __future__ import annotations

import csv
from math import exp, log
from typing import TYPE_CHECKING, TypeAlias

from named_programs import NAMES, suite

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["OURS", "RIVALS", "TITLES", "WAYS", "Measured", "Row", "mean", "number"]

Row: TypeAlias = "dict[str, str]"

RIVALS = ("hida", "scalehls", "codo", "pom")
OURS = ("opt5", "opt6", "opt6 raw")
WAYS = (*RIVALS, *OURS)
TITLES = {
    "hida": "HIDA",
    "scalehls": "ScaleHLS",
    "codo": "CODO",
    "pom": "POM",
    "streamhls": "Stream-HLS",
    "opt5": "opt5",
    "opt6": "opt6",
    "opt6 raw": "opt6, raw SLR",
}
DSPS = "2560"


class Measured:
    """The files that tables are made of."""

    def __init__(self, folder: Path) -> None:
        self.rows = _read(folder / "rows.csv")
        self.verified = _read(folder / "verified.csv")
        self.as_written = _read(folder / "as_written.csv")
        published = folder.parent / "published"
        self.published = {path.stem: _read(path) for path in sorted(published.glob("*.csv"))}
        self._by_key = {(row["program"], _way(row), row["dsp_limit"]): row for row in self.rows}

    def row(self, program: str, way: str, dsps: str = DSPS) -> Row:
        """Return a row, empty if there is none."""
        return self._by_key.get((program, way, dsps), {})

    def value(
        self, program: str, way: str, dsps: str = DSPS, member: str = "simulated_cycles"
    ) -> float | None:
        """Return a member of a row; None where there is no design."""
        return number(self.row(program, way, dsps).get(member))

    def programs(self, kind: str) -> list[str]:
        """Return the programs of a suite that have a row, in order."""
        there = {row["program"] for row in self.rows}
        return [name for name in NAMES if suite(name) == kind and name in there]

    def best_rival(self, program: str) -> tuple[str, float] | None:
        """Return the rival with the least cycles, and them; None where all refuse."""
        found = [
            (cycles, TITLES[way])
            for way in RIVALS
            if (cycles := self.value(program, way)) is not None
            and not self.row(program, way).get("over")
        ]
        found += [
            (float(row["simulated_cycles"]), "POM, loops as written")
            for row in self.as_written
            if row["program"] == program and row["simulated_cycles"]
        ]
        return (min(found)[1], min(found)[0]) if found else None


def _way(row: Row) -> str:
    """Return the strategy or level of a row, with the part of the device if that is all of it."""
    way = row["level"] or row["strategy"]
    return f"{way} raw" if row["fit"] == "raw" else way


def number(text: str | None) -> float | None:
    """Return the number of a cell, None of an empty one."""
    return float(text) if text else None


def mean(ratios: Iterable[float], digits: int = 2) -> str:
    """Return a geometric mean with how many it is of."""
    logs = [log(ratio) for ratio in ratios]
    return f"{exp(sum(logs) / len(logs)):.{digits}f} of {len(logs)}" if logs else "-"


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
