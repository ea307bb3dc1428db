"""Figures of the README are those of the rows in results/."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import mean

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")
STRATEGIES = {"HIDA": "hida", "ScaleHLS": "scalehls", "CODO": "codo", "`opt5`": "opt5",
              "`opt6`": "opt6"}  # fmt: skip
BOUND, PUBLISHED, FIVE_DSPS = "DSP bound", "Stream-HLS", "`opt6`, 5 DSPs a MAC"


def rows(path: str) -> list[dict[str, str]]:
    with (TOP / "results" / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(first: str, text: str) -> list[dict[str, str]]:
    """Return the Markdown table whose first column has this name."""
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def measured() -> list[dict[str, str]]:
    """Return the table as the rows of the measurements give it."""
    found: dict[str, dict[str, str]] = {}
    names = {name: column for column, name in STRATEGIES.items()}
    for row in rows("strategies/rows.csv"):
        line = found.setdefault(row["program"], {BOUND: row["roofline_cycles"]})
        line[names[row["strategy"]]] = row["simulated_cycles"]
    for row in rows("published/streamhls_rtl_cycles.csv"):
        if (row["level"], row["dsp_limit"]) == ("opt5", "2560") and row["program"] in found:
            found[row["program"]][PUBLISHED] = row["rtl_cycles"]
    for row in rows("beyond/designs.csv"):
        if row["binding"] == "dsp" and row["program"] in found:
            found[row["program"]][FIVE_DSPS] = row["simulated_cycles"]
    return [{"program": name.partition("/")[2], **found[name]} for name in sorted(found)]


def test_cycles_of_every_program_and_strategy() -> None:
    shown = table("program", README)
    assert set(shown[0]) == {"program", BOUND, PUBLISHED, FIVE_DSPS, *STRATEGIES}
    assert shown == measured()


def test_a_changed_cell_is_found() -> None:
    shown = table("program", README.replace(" 27530 |", " 27531 |"))
    assert shown != measured()


def test_opt6_is_the_same_on_both_pages() -> None:
    free = {r["program"]: r["simulated_cycles"]
            for r in rows("beyond/designs.csv") if r["binding"] == "free"}  # fmt: skip
    for row in rows("strategies/rows.csv"):
        if row["strategy"] == "opt6":
            assert row["simulated_cycles"] == free[row["program"]], row["program"]


def test_error_of_the_simulator() -> None:
    said = re.search(
        r"co-simulation of (\d+) published designs with a mean error of ([\d.]+) %", README
    )
    assert said is not None
    errors = [abs(float(row["source_only_error"])) for row in rows("rtl_accuracy/rows.csv")]
    assert (said[1], said[2]) == (str(len(errors)), f"{100 * mean(errors):.2f}")
