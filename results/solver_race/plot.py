"""Charts of the race: reads rows.csv and large_rows.csv, writes SVG files beside them.

Run ``python results/solver_race/plot.py [--format svg]``:

- proved: the share of (program, level) that each way has proved by a time;
- programs: times over that of the first way, program by program, at opt5;
- large: the gap that is left on large graphs, by time, shape and size.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from streamopt.report.charts import COLOURS, FORMATS, SERIES, chart_bytes, new_figure

HERE = Path(__file__).parent
STYLES = tuple((colour.light, marker) for colour, marker in SERIES)
NAMES = {
    "search/compact": "exact search (default)",
    "cpsat/compact": "CP-SAT, compact",
    "highs/compact": "HiGHS, compact",
    "scip/compact": "SCIP, compact",
    "scipy/compact": "SciPy, compact",
    "race/compact": "search and CP-SAT at once",
    "cpsat/unpruned": "CP-SAT, paper's linear form",
    "scip/paper": "SCIP, paper's MINLP",
}
SHAPES = {"chain": "chain", "tree": "tree", "series_parallel": "series-parallel"}
SIZES = ((100, "50 nodes", "-"), (500, "200 nodes", "--"), (10**6, "1000 nodes", ":"))
GRID: dict[str, Any] = {
    "visible": True,
    "which": "major",
    "color": COLOURS["grid"].light,
    "linewidth": 0.6,
}
OPTIMAL = "optimal"

Rows = list[dict[str, str]]


def read(name: str) -> Rows:
    """Return the rows of a file beside this one; none if it isn't there."""
    path = HERE / name
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def way_of(row: dict[str, str]) -> str:
    """Return the way that made a row."""
    return f"{row['solver']}/{row['formulation']}"


def _log_axis(axes: Any) -> None:
    """Make the x axis logarithmic, with plain numbers at 1, 2 and 5 where decades are few."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    few = high < 300 * low
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter("{x:g}")


def proved_chart(rows: Rows) -> Any:
    """Return the shares that are proved by a time, of the problems that all ways state."""
    ways = list(dict.fromkeys(map(way_of, rows)))
    asked = {way: {(r["program"], r["level"]) for r in rows if way_of(r) == way} for way in ways}
    common = {problem for problem in asked[ways[0]] if all(problem in a for a in asked.values())}
    levels = ", ".join(sorted({level for _, level in common}))
    title = f"Proved optimal by a time: {len(common)} problems, {levels}"
    figure, axes = new_figure(8.0, 4.6, title)
    limit = max(float(row["time_limit"]) for row in rows)
    for way, (colour, marker) in zip(ways, STYLES, strict=False):
        times = sorted(
            float(row["seconds"])
            for row in rows
            if way_of(row) == way
            and (row["program"], row["level"]) in common
            and row["proof"] == OPTIMAL
        )
        shares = [100 * (place + 1) / len(common) for place in range(len(times))]
        end = max([limit, *times])
        name = f"{NAMES.get(way, way)}: {len(times)}"
        axes.step(
            [*times, end],
            [*shares, shares[-1] if shares else 0],
            where="post",
            color=colour,
            linewidth=1.8,
            marker=marker,
            markevery=max(1, len(times) // 8),
            markersize=5,
            label=name,
        )
    _log_axis(axes)
    axes.set_ylim(0, 102)
    axes.set_xlabel("seconds for building, solving and reading back")
    axes.set_ylabel("problems proved, %")
    axes.grid(**GRID)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def programs_chart(rows: Rows, level: str = "opt5") -> Any:
    """Return the times over that of the first way, program by program."""
    here = [row for row in rows if row["level"] == level]
    ways = list(dict.fromkeys(map(way_of, here)))
    programs = sorted({row["program"] for row in here}, reverse=True)
    title = f"Time over that of the default way, at {level}"
    figure, axes = new_figure(8.0, 1.4 + 0.3 * len(programs), title)
    spread = 0.6 / max(1, len(ways) - 1)
    for place, (way, (colour, marker)) in enumerate(zip(ways, STYLES, strict=False)):
        for is_proved in (True, False):
            own = [r for r in here if way_of(r) == way and (r["proof"] == OPTIMAL) == is_proved]
            shift = 0.3 - spread * place
            axes.plot(
                [float(row["ratio"]) for row in own],
                [programs.index(row["program"]) + shift for row in own],
                linestyle="",
                marker=marker,
                markersize=5.5,
                markerfacecolor=colour if is_proved else "none",
                markeredgecolor=colour,
                label=NAMES.get(way, way) if is_proved else "_",
            )
    hollow = {"marker": "o", "linestyle": "", "markerfacecolor": "none"}
    axes.plot([], [], markeredgecolor=COLOURS["soft"].light, label="no proof in time", **hollow)
    _log_axis(axes)
    axes.set_yticks(range(len(programs)), [name.partition("/")[2] for name in programs])
    axes.set_ylim(-0.6, len(programs) - 0.4)
    for between in range(1, len(programs)):
        axes.axhline(between - 0.5, color=COLOURS["grid"].light, linewidth=0.8, zorder=0)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("times as long")
    axes.grid(axis="x", **GRID)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def large_chart(rows: Rows) -> Any:
    """Return the gaps of large graphs over the time that they had."""
    from matplotlib.ticker import NullFormatter

    figure, axes = new_figure(8.0, 4.6, "Gap left on large graphs")
    curves: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for row in rows:
        size = next(p for p, (most, _, _) in enumerate(SIZES) if int(row["nodes"]) <= most)
        point = (float(row["limit_seconds"]), 100 * float(row["gap"]))
        curves.setdefault((row["shape"], size, row["seed"]), []).append(point)
    colours = dict(zip(SHAPES, STYLES[1:], strict=False))
    labels: set[str] = set()
    for (shape, size, _), points in sorted(curves.items()):
        colour, marker = colours.get(shape, STYLES[0])
        label = f"{SHAPES.get(shape, shape)}, {SIZES[size][1]}"
        seconds, gaps = zip(*sorted(points), strict=True)
        axes.plot(
            seconds,
            gaps,
            color=colour,
            linestyle=SIZES[size][2],
            linewidth=1.5,
            marker=marker,
            markersize=4 + 2.5 * size,
            label="_" if label in labels else label,
        )
        labels.add(label)
    _log_axis(axes)
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.6)
    most = max(10.0, *(1.3 * gap for curve in curves.values() for _, gap in curve))
    axes.set_ylim(-0.12, most)
    axes.set_yticks([gap for gap in (0, 1, 2, 5, 10, 20, 50, 100) if gap <= most])
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("seconds of processor time")
    axes.set_ylabel("gap, %")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(**GRID)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def main() -> None:
    """Draw the charts that there are rows for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=FORMATS, default="svg")
    form = parser.parse_args().format
    rows, large = read("rows.csv"), read("large_rows.csv")
    charts: dict[str, Any] = {}
    if rows:
        charts["proved"] = proved_chart(rows)
        charts["programs"] = programs_chart(rows)
    if large:
        charts["large"] = large_chart(large)
    for name, figure in charts.items():
        (HERE / f"{name}.{form}").write_bytes(chart_bytes(figure, form))
        print(f"wrote {name}.{form}")


if __name__ == "__main__":
    main()
