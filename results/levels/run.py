"""Solve every program at every level: writes rows.csv and environment.json beside this file.

Run ``python results/levels/run.py [--solver NAME] [--time-limit S] [--only WORD]`` and then
``python results/levels/make_table.py``.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.progress import Progress

import streamopt as so

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
PACKAGES = ("streamopt", "pyomo", "ortools", "highspy", "numpy", "scipy")


def points(experiment: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    """Return (program, level, DSP limit, tiling limit) of every row."""
    limits = experiment["tiling_limits"]
    found: list[tuple[str, str, int, int]] = []
    for path in sorted(GRAPHS.glob("*/*.json")):
        program = f"{path.parent.name}/{path.stem}"
        tiling = limits.get(program, limits["default"])
        for level in experiment["levels"]:
            found.append((program, level, experiment["dsp_limit"], tiling))
        for more in experiment["more"]:
            if more["suite"] == path.parent.name:
                found += [
                    (program, level, dsp, tiling)
                    for level in more["levels"]
                    for dsp in more["dsp_limits"]
                ]
    return found


def main() -> None:
    """Solve all points and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solver", default="cpsat")
    parser.add_argument("--time-limit", type=float, default=300.0)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    options = parser.parse_args()
    experiment = tomllib.loads((HERE / "experiment.toml").read_text(encoding="utf-8"))
    todo = [point for point in points(experiment) if options.only in point[0]]
    rows: list[dict[str, Any]] = []
    with Progress() as progress:
        for program, level, dsp, tiling in progress.track(todo, description="solving"):
            solution = so.solve(
                so.dataflow(so.load(GRAPHS / f"{program}.json")),
                level=level,
                dsp=dsp,
                time_limit=options.time_limit,
                space=so.Space(tiling_limit=tiling),
                effort=so.Effort(solver=options.solver),
            )
            rows.append({"program": program, **so.record(solution)})
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    environment = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "command": " ".join(["python results/levels/run.py", *sys.argv[1:]]),
        **{name: version(name) for name in PACKAGES},
    }
    text = json.dumps(environment, indent=2)
    (HERE / "environment.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
