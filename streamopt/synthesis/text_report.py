"""``csynth.rpt`` of a design, and ``<function>_csynth.rpt`` of one function: tables of text.

Columns are found by their headers, which stand in two or three lines, and loops are inside the rows
above them that are indented less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError
from streamopt.synthesis.numbers import count, nanoseconds, release
from streamopt.synthesis.report import ReportedLoop, ReportedModule, SynthesisReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["read_text_report"]

_TITLE = re.compile(r"^== (Synthesis Summary Report of|(?:Vitis )?.*HLS Report for) '(.+?)'", re.M)
_FACT = r"^\s*\* {}:[ \t]*(.*)$"
_SUMMARY = "Performance & Resource Estimates"
_NAME = "name"
DEEPEST = 64


def read_text_report(text: str, file: str) -> SynthesisReport:
    """Return the report in a text.

    Raises
    ------
    SynthesisReportError
        E862 if it is no report of synthesis, E863 if a table that every report has is missing.
    """
    title = _TITLE.search(text)
    if title is None:
        message = "this is no report of synthesis"
        hint = "give csynth.rpt or csynth.xml of solution/syn/report"
        raise SynthesisReportError(Diagnostic("E862", message, SourceLoc(file), hint))
    is_whole, top = title[1].startswith("Synthesis"), title[2]
    modules = _of_design(text) if is_whole else _of_function(text, top)
    if not modules:
        message = "the table of loops and resources is missing, or was cut off"
        hint = "let csynth_design end, and give the file as it wrote it"
        raise SynthesisReportError(Diagnostic("E863", message, SourceLoc(file), hint))
    timing = _table(text, "+ Timing:")
    target = nanoseconds(timing[0].get("Target")) if timing else None
    version, part = _fact(text, "Version"), _fact(text, "Target device")
    return SynthesisReport(top, modules, release(version), part, target)


def _fact(text: str, name: str) -> str:
    found = re.search(_FACT.format(name), text, re.M)
    return found[1].strip() if found else ""


def _table(text: str, mark: str) -> list[Mapping[str, str]]:
    """Return the rows of the first table behind a mark, by header; the first column is `_NAME`."""
    start = text.find(mark)
    lines = [line.strip() for line in text[start:].splitlines()[1:]] if start >= 0 else []
    first = next((at for at, line in enumerate(lines) if line.startswith("+-")), len(lines))
    blocks: list[list[list[str]]] = [[]]
    for line in lines[first + 1 :]:
        if line.startswith("+-"):
            blocks.append([])
        elif line.startswith("|"):
            blocks[-1].append(line.strip("|").split("|"))
        else:
            break
    if len(blocks) < 3 or not blocks[0]:  # a table that was cut off has no last line
        return []
    header, width = blocks[0], len(blocks[0][-1])
    names = [
        " ".join(row[at].strip() for row in header if len(row) == width).strip()
        for at in range(width)
    ]
    names[0] = _NAME
    return [
        dict(zip(names, row, strict=True))
        for block in blocks[1:]
        for row in block
        if len(row) == width
    ]


@dataclass(frozen=True, slots=True)
class _Level:
    """A row with its depth in a tree of rows: those below are inside."""

    indent: int
    row: Mapping[str, str]

    @property
    def is_module(self) -> bool:
        """Return whether it is a function; loops have another mark."""
        return self.row[_NAME].strip().startswith("+")


def _of_design(text: str) -> tuple[ReportedModule, ...]:
    """Return the modules of ``csynth.rpt``, whose table has them with their loops."""
    rows = [_Level(_indent(row[_NAME]), row) for row in _table(text, _SUMMARY)]
    found: list[ReportedModule] = []
    for at, level in enumerate(rows):
        if level.is_module:
            below = takewhile(lambda row, top=level.indent: row.indent > top, rows[at + 1 :])
            name = level.row[_NAME].strip().strip("+* ")
            found.append(_module(name, level.row, _loops(_own(below))))
    return tuple(found)


def _own(rows: Iterable[_Level]) -> tuple[_Level, ...]:
    """Return the loops of a module, of which those that stayed in it stand behind its modules."""
    kept: list[_Level] = []
    module: int | None = None
    for row in rows:
        if module is not None and row.indent > module:
            continue
        module = row.indent if row.is_module else None
        if not row.is_module:
            kept.append(row)
    return tuple(kept)


def _indent(name: str) -> int:
    """Return the level of a row; nests of no source are as deep as `DEEPEST`."""
    return min(len(name) - len(name.lstrip()), DEEPEST)


def _module(name: str, row: Mapping[str, str], loops: tuple[ReportedLoop, ...]) -> ReportedModule:
    def used(column: str) -> int:
        return count(row.get(column)) or 0  # a dash stands for none

    return ReportedModule(
        name,
        count(row.get("Latency (cycles)")),
        None,
        used("DSP"),
        used("BRAM"),
        used("URAM"),
        used("LUT"),
        used("FF"),
        loops,
    )


def _loops(rows: Sequence[_Level]) -> tuple[ReportedLoop, ...]:
    """Return the outermost of the loops in rows, with those inside them."""
    found: list[ReportedLoop] = []
    at = 0
    while at < len(rows):
        level = rows[at]
        inside = at + 1
        while inside < len(rows) and rows[inside].indent > level.indent:
            inside += 1
        found.append(_loop(level.row, _loops(rows[at + 1 : inside])))
        at = inside
    return tuple(found)


def _loop(row: Mapping[str, str], inner: tuple[ReportedLoop, ...]) -> ReportedLoop:
    pipelined = row.get("Pipelined", "").strip().startswith("yes")
    ii = row.get("Interval") or row.get("Initiation Interval achieved")
    latency = row.get("Latency (cycles)") or row.get("Latency (cycles) max")
    return ReportedLoop(
        row[_NAME].strip().removeprefix("o ").lstrip("+- ").strip(),
        count(row.get("Trip Count")),
        count(latency),
        count(ii) if pipelined else None,
        count(row.get("Iteration Latency")),
        inner,
    )


def _of_function(text: str, name: str) -> tuple[ReportedModule, ...]:
    """Return the module of ``<function>_csynth.rpt``."""
    totals = [row for row in _table(text, "== Utilization") if row[_NAME].strip() == "Total"]
    if not totals:
        return ()
    timing = _table(text, "+ Timing:")
    module = _module(name, {**totals[0], "BRAM": totals[0].get("BRAM_18K", "")}, _nest(text))
    clock = nanoseconds(timing[0].get("Estimated")) if timing else None
    return (replace(module, latency_cycles=_latency_cycles(text), clock_ns=clock),)


def _latency_cycles(text: str) -> int | None:
    """Return the most cycles, the second cell of the last row of the table of latencies."""
    _, _, section = text.partition("+ Latency:")
    section, _, _ = section.partition("+ Detail:")
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if "|" in line]
    return count(rows[-1][1]) if rows and len(rows[-1]) > 2 else None


def _nest(text: str) -> tuple[ReportedLoop, ...]:
    """Return the loops of ``* Loop:``, whose headers span several columns in their first line."""
    start = text.find("* Loop:")
    if start < 0:
        return ()
    rows: list[_Level] = []
    for line in text[start:].splitlines()[1:]:
        stripped = line.strip()
        if not stripped.startswith(("|", "+-")):
            break
        cells = stripped.strip("|").split("|")
        if len(cells) == len(_LOOP_COLUMNS) and cells[0].strip().startswith(("-", "+")):
            row = dict(zip(_LOOP_COLUMNS, cells, strict=True))
            rows.append(_Level(_indent(cells[0]), row))
    return _loops(rows)


_LOOP_COLUMNS: tuple[str, ...] = (
    _NAME,
    "Latency (cycles) min",
    "Latency (cycles) max",
    "Iteration Latency",
    "Initiation Interval achieved",
    "Initiation Interval target",
    "Trip Count",
    "Pipelined",
)
"""Of the table of loops of one function."""
