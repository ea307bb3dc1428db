"""Designs of every strategy on the same graphs: rows.csv, environment.json, chart and page.

Run ``python results/strategies/run.py [--programs WORD,WORD] [--page]``; rows of programs that are
not named stay, and ``--page`` only writes the chart and the page from the rows.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import streamopt as so
from streamopt.report.charts import chart_bytes, new_figure

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
PUBLISHED = HERE.parent / "published" / "streamhls_rtl_cycles.csv"
DSP_LIMIT = 2560
LEVELS = ("opt5", "opt6")
STRATEGIES = ("hida", "scalehls", "codo")
PACKAGES = ("streamopt", "ortools", "numpy", "scipy")
KEPT = [
    "program",
    "strategy",
    "simulated_cycles",
    "roofline_cycles",
    "dsps",
    "bram18",
    "uram",
    "lut",
    "over",
    "proof",
    "fifo_channels",
    "channels",
    "message",
]
COLUMNS = {
    "hida": "HIDA",
    "scalehls": "ScaleHLS",
    "codo": "CODO",
    "rtl": "Stream-HLS, published",
    "opt5": "opt5",
    "opt6": "opt6",
}

Row = dict[str, Any]


def measured(program: str) -> list[Row]:
    """Return the rows of one program, a level of ours counting as a strategy."""
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    rows = so.records(graph, levels=LEVELS, strategies=STRATEGIES, dsp=DSP_LIMIT)
    for row in rows:
        row["program"] = program
        row["strategy"] = row.get("strategy") or row["level"]
    return [{name: row.get(name, "") for name in KEPT} for row in rows]


def kept() -> list[Row]:
    """Return the rows that are in the file."""
    path = HERE / "rows.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(rows: list[Row]) -> None:
    """Write all rows, by program."""
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, KEPT, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["program"]))


def write_environment() -> None:
    """Say which code measured, on what."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, cwd=HERE, capture_output=True, text=True, check=True)
    environment = {
        "command": " ".join(["python results/strategies/run.py", *sys.argv[1:]]),
        "commit": commit.stdout.strip(),
        "cpus": os.cpu_count(),
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }
    text = json.dumps(environment, indent=2)
    (HERE / "environment.json").write_text(f"{text}\n", encoding="utf-8")


def over_bound(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Return cycles over the bound of the DSPs, by program and column."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        published = {row["program"]: int(row["rtl_cycles"]) for row in csv.DictReader(file)}
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        bound = int(row["roofline_cycles"])
        shares = found.setdefault(row["program"], {"rtl": published[row["program"]] / bound})
        if row["simulated_cycles"]:
            shares[row["strategy"]] = int(row["simulated_cycles"]) / bound
    return found


def geomeans(shares: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the geometric mean of each column over the programs that every column has."""
    whole = [row for row in shares.values() if COLUMNS.keys() <= row.keys()]
    return {name: geometric_mean(row[name] for row in whole) for name in COLUMNS}


def write_chart(shares: dict[str, dict[str, float]]) -> None:
    """Draw one group of bars a program."""
    figure, axes = new_figure(
        9.0, 3.4, f"Cycles over the bound of {DSP_LIMIT} DSPs: less is better"
    )
    colours = ("#c9ced6", "#a9b1bd", "#8792a2", "#5b6b82", "#6aa6d8", "#d1495b")
    groups = {**shares, "all/geomean": geomeans(shares)}
    width = 0.8 / len(COLUMNS)
    for place, (name, label) in enumerate(COLUMNS.items()):
        at = [group + (place - 2.5) * width for group in range(len(groups))]
        heights = [row.get(name, float("nan")) for row in groups.values()]
        axes.bar(at, heights, width, label=label, color=colours[place])
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(groups)), [name.partition("/")[2] for name in groups])
    axes.legend(ncols=6, fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    (HERE / "strategies.svg").write_bytes(chart_bytes(figure, "svg"))


def page(rows: list[Row], shares: dict[str, dict[str, float]]) -> str:
    """Return the tables of the page."""
    cycles = {(row["program"], row["strategy"]): row for row in rows}
    names = [name for name in COLUMNS if name != "rtl"]
    lines = ["| program | bound | " + " | ".join(COLUMNS.values()) + " |"]
    lines.append("| --- |" + " ---: |" * (len(COLUMNS) + 1))
    for program, row in shares.items():
        bound = int(cycles[program, names[0]]["roofline_cycles"])
        cells = [
            f"{round(row[name] * bound)}{'*' if _over(cycles.get((program, name))) else ''}"
            if name in row
            else "-"
            for name in COLUMNS
        ]
        lines.append(f"| {program.partition('/')[2]} | {bound} | " + " | ".join(cells) + " |")
    means = geomeans(shares)
    ratios = " | ".join(f"{means[name]:.2f}" for name in COLUMNS)
    return "\n".join([*lines, f"| geomean over the bound | 1 | {ratios} |"])


def _over(row: Row | None) -> bool:
    return row is not None and bool(row["over"])


TEXT = """# Strategies of other systems on the same graphs

`python results/strategies/run.py` measures and writes this page; `--programs` chooses. Every
strategy decides for the same graph, the U280 at 3.33 ns and {limit} DSPs as built; opt5 counts
DSPs as the paper does. All designs are then timed by the same simulator and the same rules, on
chip arrays, least FIFO depths. *bound* is multiply-accumulates x 5 / {limit} cycles; opt6 may be
below it, because it may make operators of LUTs. *Stream-HLS, published*: RTL simulation of the
published designs, `results/published/streamhls_rtl_cycles.csv`. `*`: over a limit of the device.

HIDA, ScaleHLS and CODO are our implementations of the published strategies, not the tools: what
was taken from their papers and code, what was left out, and which published figures they meet is
in `models/formulations/hida.md`, `scalehls.md` and `codo.md`. Each decides by its own model for
its own kind of hardware; this page says what its decisions come to in ours.

![cycles over the bound](strategies.svg)

{table}
"""


def main() -> None:
    """Measure what is asked for, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="polybench", help="words in names, by commas")
    parser.add_argument("--page", action="store_true", help="only the chart and the page")
    options = parser.parse_args()
    if not options.page:
        for path in sorted(GRAPHS.glob("*/*.json")):
            program = f"{path.parent.name}/{path.stem}"
            if any(word in program for word in options.programs.split(",")):
                others = [row for row in kept() if row["program"] != program]
                write_rows(others + measured(program))
        write_environment()
    rows = kept()
    shares = over_bound(rows)
    write_chart(shares)
    text = TEXT.format(limit=DSP_LIMIT, table=page(rows, shares))
    (HERE / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
