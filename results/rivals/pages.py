"""README.md and rivals.svg: tables of the measured rows and the published figures, no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beside_published import published_sections
from chart import write_chart
from measured import OURS, RIVALS, TITLES, WAYS, Measured, mean

from streamopt.report.text_tables import markdown_section, markdown_table
from streamopt.sweeping.pages import rows_without_design

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from measured import Row

__all__ = ["write_pages"]

SUITES = {
    "graphs": "The 17 programs of Stream-HLS",
    "pom": "POM's image filters and stencils",
    "PolyBench": "PolyBench, C text, MEDIUM, 32-bit floats",
}
AS_BUILT = ("opt6", "opt6 raw")
SLR_LUTS = 434_560
"""Of the U280."""
HEAD = """# Strategies of other systems on the same programs

`python results/rivals/run.py` measures and writes this page, `python results/rivals/verify.py`
compiles and runs the designs' C++. All strategies decide for the same graphs, the U280 at 3.33 ns
and 2560 DSPs as built; opt5 counts DSPs as the paper does. opt6 keeps to the vendor's shares of one
SLR (70 % of its LUTs, 50 % of its FFs, 80 % of the rest, so 2406 DSPs); the column *raw SLR* is of
designs that may take all of one, which nobody has routed. Other strategies' have no limit but DSPs.
*LUT* is the share of an SLR's. All designs are
timed by the same simulator and the same rules, on chip arrays, least FIFO depths. Intervals are
cycles between frames, simulated with three. HIDA, ScaleHLS, CODO and POM are our implementations
of the published strategies, not the tools: what was taken of their papers and code, and what not,
is in `models/formulations/`. Each decides by its own model for its own kind of hardware; this
page says what its decisions come to in ours.

opt6 had its default effort, opt5 20 s. Image filters are 256 x 256 instead of
4096 x 4096, stencils of one dimension 256 points and steps, of two 64 x 64 points and 64 steps.
{there} of {rows} rows of experiment.toml are there, {done} with a design. `*`: over a limit of the
device. The column `run` of rows.csv and `environment.json` tell the code that a row is of; other
work shared the machine's two cores.

![cycles over the bound](rivals.svg)
"""
REASONS = """CODO's design of blur takes 462 k LUTs, more than an SLR has; opt6 in a raw SLR is
as quick. opt5 has fewer cycles than opt6 on five kernels of PolyBench: it knows no limit on LUTs,
and counts DSPs as the paper does.
"""


def write_pages(folder: Path) -> None:
    """Write README.md and rivals.svg beside the rows."""
    found = Measured(folder)
    done = sum(row["status"] == "done" for row in found.rows)
    asked = _asked(folder)
    head = HEAD.format(there=len(found.rows), rows=asked, done=done)
    sections = [
        head,
        _winners(found),
        _where_ours_is_not_best(found),
        *(_suite(found, kind) for kind in SUITES),
        _as_written(found),
        _means(found),
        *published_sections(found),
        _verification(found),
        rows_without_design(found.rows),
    ]
    (folder / "README.md").write_text("\n".join(filter(None, sections)), encoding="utf-8")
    write_chart(found, folder / "rivals.svg")


def _asked(folder: Path) -> int:
    from streamopt.sweeping.documents import read_experiment
    from streamopt.sweeping.points import points_of

    file = folder / "experiment.toml"
    return len(points_of(read_experiment(file), file))


def _winners(found: Measured) -> str:
    """Return in how many programs each way has the least cycles, and the ratios to opt6."""
    lines: list[list[str]] = []
    for way in WAYS:
        cells = [TITLES[way]]
        for kind in SUITES:
            programs = found.programs(kind)
            least = sum(_is_least(found, program, way) for program in programs)
            ratios = [
                theirs / ours
                for program in programs
                if (theirs := found.value(program, way)) and (ours := found.value(program, "opt6"))
            ]
            cells += [f"{least} of {len(programs)}", mean(ratios)]
        lines.append(cells)
    columns = ["strategy"]
    for kind in SUITES:
        columns += [f"{kind}: least cycles", "cycles over opt6's"]
    note = (
        "Ratios are geometric means over the programs for which both have a design. Where several"
        " have the least cycles, all count, but for opt6 in the raw SLR, which is nobody's rival;"
        " POM's designs of loops as written don't.\n"
    )
    return markdown_section("Who wins where", columns, lines, words=1) + f"\n{note}"


def _is_least(found: Measured, program: str, way: str) -> bool:
    """Return whether no other way has fewer cycles; the raw SLR is no rival of any."""
    own = found.value(program, way)
    rivals = [other for other in WAYS if other not in AS_BUILT] + ["opt6"] * (way not in AS_BUILT)
    cycles = (found.value(program, other) for other in rivals)
    return own is not None and all(own <= other for other in cycles if other is not None)


def _where_ours_is_not_best(found: Measured) -> str:
    lines: list[list[str]] = []
    for kind in SUITES:
        for program in found.programs(kind):
            row, best = found.row(program, "opt6"), found.best_rival(program)
            ours = found.value(program, "opt6")
            if best is None or not row or (ours is not None and ours <= best[1]):
                continue
            cells = [program, best[0], f"{best[1]:.0f}"]
            cells += ["-", "-"] if ours is None else [f"{ours:.0f}", f"{ours / best[1]:.2f}"]
            told = row["message"] if ours is None else f"{row['stop']}, {row['message']}"
            lines.append([*cells, row.get("solve_seconds") or "-", told])
    columns = ["program", "best rival", "its cycles", "opt6", "ratio", "s", "opt6 said"]
    if not lines:
        return "## Where opt6 is not the best\n\nNowhere.\n"
    return markdown_section("Where opt6 is not the best", columns, lines, words=2) + f"\n{REASONS}"


def _suite(found: Measured, kind: str) -> str:
    cycles, intervals = ([_line(found, program, member) for program in found.programs(kind)]
                         for member in ("simulated_cycles", "interval_cycles"))  # fmt: skip
    columns = ["program", *(TITLES[way] for way in WAYS)]
    shares = [[*line, *_lut_shares(found, program)]
              for line, program in zip(cycles, found.programs(kind), strict=True)]  # fmt: skip
    wide = [*columns, *(f"LUT, {TITLES[way]}" for way in AS_BUILT)]
    return (
        markdown_section(f"{SUITES[kind]}: cycles", wide, shares, words=1)
        + "\n"
        + markdown_section(f"{SUITES[kind]}: cycles between frames", columns, intervals, words=1)
    )


def _lut_shares(found: Measured, program: str) -> list[str]:
    """Return the shares of an SLR's LUTs that designs of opt6 take."""
    cells = (found.row(program, way).get("lut") for way in AS_BUILT)
    return [f"{int(cell) / SLR_LUTS:.0%}" if cell else "-" for cell in cells]


def _line(found: Measured, program: str, member: str) -> list[str]:
    cells = [_short(program)]
    for way in WAYS:
        row = found.row(program, way)
        text = row.get(member) or ("" if not row else row["status"].replace("_", " "))
        cells.append(f"{text or '-'}{'*' if row.get('over') else ''}")
    return cells


def _as_written(found: Measured) -> str:
    lines = [
        [_short(row["program"]), *(row[name] or "-" for name in ("simulated_cycles", "dsps")),
         row["steps"] or row["message"] or "none"]
        for row in found.as_written
    ]  # fmt: skip
    text = (
        "The first stage of POM works on loops as they are written; `so.schedule(file).auto_dse()`"
        " does so, where the rows above are of the graph.\n"
    )
    columns = ["program", "cycles", "DSP", "steps"]
    table = markdown_table(columns, lines, words=1)
    return f"## POM on loops as written\n\n{text}\n{table}" if lines else ""


def _means(found: Measured) -> str:
    """Return what designs take: medians say what is usual, where means would say what is odd."""
    lines: list[list[str]] = []
    for kind in SUITES:
        for way in WAYS:
            rows = [found.row(program, way) for program in found.programs(kind)]
            rows = [row for row in rows if row.get("simulated_cycles")]
            if rows:
                fifos = sum(int(row["fifo_channels"]) for row in rows)
                channels = sum(int(row["channels"]) for row in rows)
                lines.append([
                    kind, TITLES[way], str(len(rows)), _median(rows, "dsps"),
                    _median(rows, "bram18"), _median(rows, _seconds(way)),
                    max((row[_seconds(way)] for row in rows), key=float),
                    f"{fifos} of {channels}",
                ])  # fmt: skip
    columns = ["suite", "strategy", "designs", "DSP, median", "BRAM18, median", "search s, median",
               "search s, most", "FIFO edges"]  # fmt: skip
    return markdown_section("What designs take", columns, lines, words=2)


def _seconds(way: str) -> str:
    return "solve_seconds" if way in OURS else "design_seconds"


def _median(rows: Sequence[Row], member: str) -> str:
    values = sorted((row[member] for row in rows), key=float)
    return values[len(values) // 2]


def _verification(found: Measured) -> str:
    lines: list[list[str]] = []
    for way in RIVALS:
        rows = [row for row in found.verified if row["strategy"] == way]
        verdicts = [row["verdict"] for row in rows]
        names = ("pass", "refused", "unbounded", "fail", "timed_out", "crashed")
        lines.append([TITLES[way], str(len(rows)), *(str(verdicts.count(name)) for name in names)])
    columns = ["strategy", "rows", "pass", "refused", "no bound", "fail", "timed out", "crashed"]
    text = markdown_section("Verified", columns, lines, words=1)
    failed = [
        f"- {row['program']}, {TITLES[row['strategy']]}: {row['verdict'].replace('_', ' ')}:"
        f" {row['reason']}\n"
        for row in found.verified
        if row["verdict"] != "pass"
    ]
    intro = (
        "\nThe emitted C++ is compiled, run and compared with the source program; PolyBench at size"
        " MINI, in double precision where single precision has no finite bound of the error; *no"
        " bound* has none in either. verified.csv has a row for each.\n\n"
    )
    return text + intro + "".join(failed)


def _short(program: str) -> str:
    return program.rpartition("/")[2]
