"""rivals.svg: cycles over the bound of the DSPs, of every strategy, on the 17 programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measured import TITLES, WAYS, Measured, number

from streamopt.report.charts import COLOURS, SERIES, chart_bytes, mark_ratios, new_figure

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_chart"]

STYLES = {
    "pom": SERIES[2],
    "scalehls": SERIES[3],
    "hida": SERIES[4],
    "codo": SERIES[7],
    "opt5": SERIES[0],
    "opt6": SERIES[1],
    "opt6 raw": SERIES[5],
    "rtl": (COLOURS["ink"], "x"),
}
OURS = ("opt5", "opt6", "opt6 raw")
FAINT, STRONG = 5.5, 8.0


def write_chart(found: Measured, path: Path) -> None:
    """Draw a line of points for every program of graphs."""
    programs = sorted(found.programs("graphs"), key=lambda name: not name.startswith("polybench"))
    title = "Cycles over the bound of 2560 DSPs: further left is better"
    figure, axes = new_figure(9.0, 1.6 + 0.3 * len(programs), title)
    for way in STYLES:
        _draw(axes, found, programs, way)
    mark_ratios(axes, [name.partition("/")[2] for name in programs])
    figure.legend(ncols=4, fontsize=9, frameon=False, loc="outside lower center")
    path.write_bytes(chart_bytes(figure, "svg"))


def _draw(axes: Any, found: Measured, programs: list[str], way: str) -> None:
    published = {
        row["program"]: row["rtl_cycles"] for row in found.published["streamhls_rtl_cycles"]
    }
    ratios: list[float] = []
    for program in programs:
        cycles = number(published.get(program)) if way == "rtl" else found.value(program, way)
        ratios.append(_over_bound(found, program, cycles))
    colour, marker = STYLES[way]
    axes.plot(
        ratios,
        range(len(programs)),
        linestyle="",
        marker=marker,
        color=colour.light,
        markersize=STRONG if way in OURS else FAINT,
        label="Stream-HLS, published" if way == "rtl" else TITLES[way],
        zorder=3,
    )


def _over_bound(found: Measured, program: str, cycles: float | None) -> float:
    bounds = (found.row(program, way).get("roofline_cycles") for way in WAYS)
    bound = next((float(text) for text in bounds if text), 0.0)
    return cycles / bound if cycles and bound else float("nan")
