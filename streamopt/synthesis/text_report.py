"""``csynth.rpt`` of a design: tables of text.

Columns are found by their headers, which stand in two or three lines, and loops are inside the rows
above them that are indented less.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError
from streamopt.synthesis.numbers import count, release
from streamopt.synthesis.report import ReportedLoop, ReportedModule, SynthesisReport

_TITLE = re.compile(r"^== Synthesis Summary Report of '(.+?)'", re.M)
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
    modules = _modules(text)
    if not modules:
        message = "the table of loops and resources is missing, or was cut off"
        hint = "let csynth_design end, and give the file as it wrote it"
        raise SynthesisReportError(Diagnostic("E863", message, SourceLoc(file), hint))
    version, part = _fact(text, "Version"), _fact(text, "Target device")
    return SynthesisReport(title[1], modules, release(version), part)


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


def _modules(text: str) -> tuple[ReportedModule, ...]:
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
    return ReportedLoop(
        row[_NAME].strip().removeprefix("o ").lstrip("+- ").strip(),
        count(row.get("Trip Count")),
        count(row.get("Latency (cycles)")),
        count(row.get("Interval")) if pipelined else None,
        count(row.get("Iteration Latency")),
        inner,
    )
