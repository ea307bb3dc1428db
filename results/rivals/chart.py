"""rivals.svg: cycles over the bound of the DSPs, of every strategy, on the 17 programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measured import TITLES, WAYS, Measured, number

from streamopt.report.charts import chart_bytes, new_figure

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_chart"]

COLOURS = {
    "pom": "#dfe3e8",
    "scalehls": "#c3c9d2",
    "hida": "#a3acb9",
    "codo": "#7f8a9a",
    "rtl": "#5b6b82",
    "opt5": "#6aa6d8",
    "opt6": "#d1495b",
    "opt6 raw": "#e9a3ac",
}
PER_PANEL = 9


def write_chart(found: Measured, path: Path) -> None:
    """Draw a group of bars for every program of graphs, in panels below each other."""
    programs = sorted(found.programs("graphs"), key=lambda name: not name.startswith("polybench"))
    panels = [programs[at : at + PER_PANEL] for at in range(0, len(programs), PER_PANEL)]
    figure, first = new_figure(9.0, 2.4 * len(panels) + 1.0, "")
    first.remove()
    every = figure.subplots(len(panels), 1, squeeze=False, sharey=True)[:, 0]
    for axes, group in zip(every, panels, strict=True):
        _draw(axes, found, group)
    every[0].set_title(
        "Cycles over the bound of 2560 DSPs: less is better", loc="left", fontsize=10
    )
    every[-1].legend(
        ncols=4, fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.3)
    )
    path.write_bytes(chart_bytes(figure, "svg"))


def _draw(axes: Any, found: Measured, programs: list[str]) -> None:
    published = {
        row["program"]: row["rtl_cycles"] for row in found.published["streamhls_rtl_cycles"]
    }
    width = 0.84 / len(COLOURS)
    for place, (way, colour) in enumerate(COLOURS.items()):
        heights: list[float] = []
        for program in programs:
            rtl = way == "rtl"
            cycles = number(published.get(program)) if rtl else found.value(program, way)
            heights.append(_over_bound(found, program, cycles))
        at = [group + (place - (len(COLOURS) - 1) / 2) * width for group in range(len(programs))]
        label = "Stream-HLS, published" if way == "rtl" else TITLES[way]
        axes.bar(at, heights, width, label=label, color=colour)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlim(-0.6, PER_PANEL - 0.4)
    names = [program.rpartition("/")[2].replace("_", "\n") for program in programs]
    axes.set_xticks(range(len(programs)), names, fontsize=8)


def _over_bound(found: Measured, program: str, cycles: float | None) -> float:
    bounds = (found.row(program, way).get("roofline_cycles") for way in WAYS)
    bound = next((float(text) for text in bounds if text), 0.0)
    return cycles / bound if cycles and bound else float("nan")
