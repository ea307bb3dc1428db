"""README.md and figure3.svg: tables of rows.csv, nodes.csv and the published figures, no others."""

from __future__ import annotations

import csv
from math import exp, log
from typing import TYPE_CHECKING, TypeAlias

from streamopt.report.charts import COLOURS, chart_bytes, new_figure
from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.pages import rows_without_design

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["write_pages"]

Rows: TypeAlias = "list[dict[str, str]]"

DEVICE_DSPS = 9024
LIMITS = ("220", "2560", "9024")
LEVELS = ("opt1", "opt2", "opt3", "opt4", "opt5")
ACCURACY = ("model", "vitis", "ours", "simulated")
RIVALS = ("hida", "scalehls", "pom")
HEAD = """# The tables of Stream-HLS, ours beside the published

`python results/paper/run.py` measures and writes this page. *Published* figures are those of
Basalama and Cong, FPGA 2025 (`../published/`): RTL simulation of what Vitis HLS made, three digits.
*Ours* are of rows.csv and nodes.csv; environment.json tells where and with what they were measured.
Cycles of ours are simulated by streamopt, which is no RTL simulation: `../rtl_accuracy/` compares
both on published designs. An optimum is often reached by several schedules, so ours need not be the
published one, and HIDA, ScaleHLS and POM are ours of their strategies on our graphs and back end,
with DSPs as built. Times of ours are of one thread on the machine of environment.json, the
published of theirs; each stands against ours at opt5 and the same limit. In table 9 and figure 3 a
node's cycles of ours hold what it waits for others. opt6 is within the shares of one SLR that the
vendor's guideline leaves (`--fit slr`), so with 2406 DSPs at most: its rows at 2560 and at 9024
DSPs are one design. What is missing is "-";
{there} of {rows} rows are there.
"""


class Measured:
    """The files that tables are made of."""

    def __init__(self, folder: Path) -> None:
        self.rows = _read(folder / "rows.csv")
        self.nodes = _read(folder / "nodes.csv")
        published = folder.parent / "published"
        self.published = {
            number: _read(published / f"streamhls_table{number}.csv") for number in (5, 7, 8, 9, 10)
        }

    def row(self, program: str, way: str, dsp: str) -> dict[str, str]:
        """Return the row of ours, empty if there is none."""
        for row in self.rows:
            is_way = way in (row["level"], row["strategy"])
            if row["program"] == program and is_way and row["dsp_limit"] == dsp:
                return row
        return {}

    def cycles(self, program: str, way: str, dsp: str) -> float | None:
        """Return simulated cycles of ours; None where there is no design."""
        text = self.row(program, way, dsp).get("simulated_cycles")
        return float(text) if text else None


def write_pages(folder: Path) -> None:
    """Write README.md and figure3.svg beside the rows."""
    found = Measured(folder)
    done = sum(row["status"] == "done" for row in found.rows)
    sections = [
        HEAD.format(there=done, rows=len(found.rows)),
        _accuracy(found),
        _frameworks(found),
        _search_times(found),
        _nodes(found),
        _levels(found),
    ]
    if found.nodes:
        (folder / "figure3.svg").write_bytes(_traces(found.nodes))
        sections.append(
            "## Figure 3: 3mm in five designs\n\nBars are from the first to the last cycle of a"
            " node in our simulation (nodes.csv).\n\n![When each node of 3mm works](figure3.svg)\n"
        )
    sections.append(rows_without_design(found.rows))
    (folder / "README.md").write_text("\n".join(filter(None, sections)), encoding="utf-8")


def _accuracy(found: Measured) -> str:
    lines: list[list[str]] = []
    ratios: dict[str, list[float]] = {}
    for each in found.published[5]:
        program, level, rtl = each["program"], each["level"], float(each["rtl_cycles"])
        ours = found.row(program, level, "2560")
        model = ours.get("objective_cycles")
        figures = {
            "model": float(each["model_cycles"]),
            "vitis": float(each["vitis_cycles"]),
            "ours": float(model) if model else None,
            "simulated": found.cycles(program, level, "2560"),
        }
        lines.append(
            [program, level, _cycles(rtl), *(_with_ratio(v, rtl) for v in figures.values())]
        )
        for name, value in figures.items():
            if value is not None:
                ratios.setdefault(f"{level} {name}", []).append(value / rtl)
    for level in ("opt1", "opt5"):
        means = [_mean(ratios.get(f"{level} {name}", [])) for name in ACCURACY]
        lines.append(["geometric mean", level, "", *means])
    columns = ["program", "level", "published RTL", "published model", "Vitis HLS report",
               "our model", "our simulation"]  # fmt: skip
    return markdown_section("Table 5: predictions against RTL simulation", columns, lines, words=2)


def _frameworks(found: Measured) -> str:
    published = {
        (row["program"], row["framework"], row["dsp_limit"]): row["rtl_cycles"]
        for row in found.published[7]
    }
    programs = list(dict.fromkeys(row["program"] for row in found.published[7]))
    ways = [("streamhls", "opt5", limit) for limit in LIMITS]
    ways += [("", "opt6", limit) for limit in LIMITS]
    ways += [(rival, rival, "9024") for rival in RIVALS]
    ways += [(name, "", "") for name in ("allo", "heterocl", "vitis")]
    lines: list[list[str]] = []
    for name, way, limit in ways:
        theirs = [_number(published.get((p, name, limit))) for p in programs]
        ours = [found.cycles(p, way, limit) if way else None for p in programs]
        title = f"{name or 'streamopt'} {way if way != name else ''}".strip()
        title += f", {limit} DSPs" if limit else ""
        if name:
            lines.append([f"{title}: published", *map(_cycles, theirs), _faster(theirs, found)])
        if way:
            lines.append([f"{title}: ours", *map(_cycles, ours), _faster(ours, found)])
    columns = ["design", *(p.rpartition("/")[2] for p in programs), "ours at opt5, 2560 is faster"]
    return markdown_section("Table 7: cycles of other frameworks", columns, lines, words=1)


def _faster(theirs: Sequence[float | None], found: Measured) -> str:
    """Return the geometric mean of cycles over those of ours at opt5 and 2560 DSPs."""
    programs = list(dict.fromkeys(row["program"] for row in found.published[7]))
    ours = [found.cycles(program, "opt5", "2560") for program in programs]
    return _mean([t / o for t, o in zip(theirs, ours, strict=True) if t and o])


def _search_times(found: Measured) -> str:
    lines: list[list[str]] = []
    ratios: dict[str, list[float]] = {}
    for each in found.published[8]:
        program, name, limit = each["program"], each["framework"], each["dsp_limit"]
        ours = found.row(program, "opt5" if name == "streamhls" else name, limit)
        optimal = found.row(program, "opt5", limit)
        seconds = optimal.get("solve_seconds")
        share = f"{100 * int(ours['dsps']) / DEVICE_DSPS:.1f}" if ours.get("dsps") else "-"
        theirs = float(each["dse_seconds"])
        ratio = f"{theirs / max(1e-4, float(seconds)):.0f}x" if seconds else "-"
        if seconds:
            ratios.setdefault(name, []).append(theirs / max(1e-4, float(seconds)))
        cells = [each["dse_seconds"], f"{float(seconds):.3f}" if seconds else "-", ratio]
        shares = [each["dsps_percent"], share]
        lines.append([program, name, limit, *cells, *shares, optimal.get("proof") or "-"])
    lines += [["geometric mean", name, "", "", "", _mean(r, 0), "", "", ""]
              for name, r in ratios.items()]  # fmt: skip
    columns = ["program", "strategy", "DSP limit", "published s", "ours at opt5, s", "faster",
               "published DSPs %", "our DSPs %", "proof of ours at opt5"]  # fmt: skip
    return markdown_section("Table 8: seconds of the search, and DSPs", columns, lines, words=3)


def _nodes(found: Measured) -> str:
    ways = {"streamhls": "opt5"}
    lines: list[list[str]] = []
    for each in found.published[9]:
        name, node, limit = each["framework"], each["node"], each["dsp_limit"]
        ours = [
            row
            for row in found.nodes
            if (row["way"], row["dsp_limit"]) == (ways.get(name, name), limit)
            and node in (row["node"], "total")
        ]
        latency = dsps = "-"
        if ours:
            first = 0 if node == "total" else int(ours[0]["start_cycles"])
            latency = _cycles(max(int(row["end_cycles"]) for row in ours) - first)
            dsps = str(sum(int(row["dsps"]) for row in ours))
        theirs = _cycles(float(each["latency_cycles"]))
        lines.append([f"{name}, {limit} DSPs", node, theirs, latency, each["dsps"], dsps])
    lines.sort(key=lambda line: line[0])
    columns = ["design", "node", "published cycles", "our cycles", "published DSPs", "our DSPs"]
    return markdown_section("Table 9: 3mm node by node", columns, lines, words=2)


def _levels(found: Measured) -> str:
    programs = list(dict.fromkeys(row["program"] for row in found.published[10]))
    theirs = {
        (row["program"], row["level"]): float(row["rtl_cycles"]) for row in found.published[10]
    }
    ours = {(p, lv): found.cycles(p, lv, "2560") for p in programs for lv in LEVELS}
    lines: list[list[str]] = []
    for program in programs:
        for name, table in (("published", theirs), ("ours", ours)):
            first = table[program, "opt1"]
            cells = [_with_speedup(table[program, level], first) for level in LEVELS]
            lines.append([program, name, *cells])
    for name, table in (("published", theirs), ("ours", ours)):
        means = [
            _mean([first / now for p in programs
                   if (first := table[p, "opt1"]) and (now := table[p, level])])
            for level in LEVELS
        ]  # fmt: skip
        lines.append(["geometric mean", name, *means])
    columns = ["program", "", *LEVELS]
    return markdown_section(
        "Table 10: levels of optimization at 2560 DSPs", columns, lines, words=2
    )


def _traces(nodes: Rows) -> bytes:
    ways = list(dict.fromkeys((row["way"], row["dsp_limit"]) for row in nodes))
    ways = [way for way in ways if way[0].startswith("opt")]
    figure, first = new_figure(9.0, 1.25 * len(ways) + 0.8, "")
    first.remove()
    panels = figure.subplots(len(ways), 1)
    for axes, (way, limit) in zip(panels, ways, strict=True):
        own = [row for row in nodes if (row["way"], row["dsp_limit"]) == (way, limit)]
        for place, row in enumerate(own):
            start, end = int(row["start_cycles"]), int(row["end_cycles"])
            axes.barh(place, end - start, left=start, height=0.6, color=COLOURS["work"].light)
        axes.set_yticks(range(len(own)), [row["node"] for row in own])
        axes.invert_yaxis()
        last = max(int(row["end_cycles"]) for row in own)
        axes.set_xlim(0, last * 1.01)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_title(f"{way}, {limit} DSPs: {last:,} cycles", loc="left", fontsize=9)
    return chart_bytes(figure, "svg")


def _read(path: Path) -> Rows:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _cycles(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _with_ratio(value: float | None, rtl: float) -> str:
    return "-" if value is None else f"{value:.0f} ({value / rtl:.2f}x)"


def _with_speedup(value: float | None, first: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f} ({first / value:.2f}x)" if first else f"{value:.0f}"


def _mean(ratios: Iterable[float], digits: int = 2) -> str:
    """Return a geometric mean with how many it is of."""
    logs = [log(ratio) for ratio in ratios]
    return f"{exp(sum(logs) / len(logs)):.{digits}f}x of {len(logs)}" if logs else "-"
