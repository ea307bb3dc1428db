"""Race ways to a proof: model build, search and read-back, in one process, at every level.

Run ``python results/solver_race/run.py [--repeats N] [--time-limit S] [--ways SOLVER/FORM ...]
[--levels LEVEL ...] [--programs NAME ...]`` and then ``python results/solver_race/plot.py``.
The ways take turns, so that a machine that changes its speed treats all alike; medians and
ratios to the first way are printed and written to rows.csv as they come, geometric means below.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from math import exp, log
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.formulation.compact import model as compact
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.registry import available, get
from streamopt.space.assemble import baseline, evaluate
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
DSP_LIMIT = 2560
TILING_LIMITS = {"residual_block": 8, "dwsconv_block": 8, "multi_head_attention": 1}
UNPRUNED = "unpruned"
WAYS = (
    "auto/compact",
    "cpsat/compact",
    "highs/compact",
    "scip/compact",
    "cpsat/unpruned",
    "scip/paper",
)
LEVEL_NAMES = ("opt2", "opt3", "opt4", "opt5")
PROGRAMS = sorted(str(path.relative_to(GRAPHS).with_suffix("")) for path in GRAPHS.rglob("*.json"))
PACKAGES = ("streamopt", "pyomo", "ortools", "highspy", "pyscipopt", "numpy", "scipy")


@dataclass(frozen=True, slots=True)
class Finish:
    """Seconds of one way on one program at one level, and what was proved."""

    seconds: float
    cycles: int | None
    bound_cycles: int | None
    proof: str
    stop: str


def can(way: str, level: str) -> bool:
    """Return whether a way states a level: opt4 is two programs, which only one form has."""
    return not LEVELS[LevelName(level)].untiled_first or way.endswith("/compact")


def finish(graph: Graph, way: str, level: str, tiling_limit: int, limit: float) -> Finish:
    """Return how one way does in one run."""
    solver, _, formulation = way.partition("/")
    if formulation == UNPRUNED:
        return unpruned(graph, solver, level, tiling_limit, limit)
    found = so.solve(
        graph,
        level=level,
        dsp=DSP_LIMIT,
        time_limit=limit,
        space=so.Space(tiling_limit=tiling_limit),
        effort=so.Effort(solver=solver, formulation=formulation, fifos=None),
    )
    return Finish(
        found.solve_seconds,
        found.latency_cycles,
        found.bound,
        found.proof.value,
        found.stop.value,
    )


def unpruned(graph: Graph, solver: str, level: str, tiling_limit: int, limit: float) -> Finish:
    """Solve the paper's program with a binary for every (loop order, unroll factors) of a node.

    It is linear, so CP-SAT takes it; nothing is left out but what exceeds the DSPs on its own.
    """
    started = perf_counter()
    allowed = LEVELS[LevelName(level)]
    space = decision_space(
        graph, SpaceOptions(allowed, dsp_limit=DSP_LIMIT, tiling_limit=tiling_limit)
    )
    horizon = evaluate(graph, baseline(graph)).latency_cycles
    program = compact.build(space, node_rows(space, prune=False), horizon_cycles=horizon)
    left = max(1e-3, limit - (perf_counter() - started))
    options = SolveOptions(time_limit_seconds=left, threads=1)
    result = get(solver).solve(program.formulation.model, options)
    cycles = None
    if result.values:
        schedule = compact.read_back(program, result.values)
        cycles = evaluate(graph, schedule).latency_cycles
    bound = None if result.bound is None else round(result.bound)
    seconds = perf_counter() - started
    return Finish(seconds, cycles, bound, result.proof.value, result.stop.value)


def race(
    program: str, level: str, ways: tuple[str, ...], repeats: int, limit: float
) -> dict[str, Finish]:
    """Return how each way did on one program at one level: the run of median time."""
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    tiling_limit = TILING_LIMITS.get(Path(program).name, 16)
    runs: dict[str, list[Finish]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            runs[way].append(finish(graph, way, level, tiling_limit, limit))
    middle = {way: median(run.seconds for run in all_) for way, all_ in runs.items()}
    return {
        way: min(all_, key=lambda run: abs(run.seconds - middle[way])) for way, all_ in runs.items()
    }


def rows_of(
    program: str, level: str, finishes: dict[str, Finish], limit: float
) -> list[dict[str, str]]:
    """Return one row a way; ratios are to the first way."""
    first = next(iter(finishes.values())).seconds
    rows: list[dict[str, str]] = []
    for way, end in finishes.items():
        solver, _, formulation = way.partition("/")
        gap = ""
        if end.cycles is not None and end.bound_cycles is not None:
            gap = f"{(end.cycles - end.bound_cycles) / max(1, end.cycles):.4f}"
        rows.append(
            {
                "program": program,
                "level": level,
                "solver": solver,
                "formulation": formulation,
                "time_limit": f"{limit:g}",
                "seconds": f"{end.seconds:.4f}",
                "ratio": f"{end.seconds / first:.2f}",
                "objective_cycles": "" if end.cycles is None else str(end.cycles),
                "bound_cycles": "" if end.bound_cycles is None else str(end.bound_cycles),
                "gap": gap,
                "proof": end.proof,
                "stop": end.stop,
            }
        )
    return rows


def load_libraries(ways: tuple[str, ...]) -> None:
    """Solve something small in every way, so that no race pays for imports."""
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "atax.json"))
    for way in ways:
        finish(graph, way, LevelName.OPT5, 16, 10.0)


def installed(ways: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ways whose solver is there, and say which are left out."""
    missing = {status.name for status in available() if not status.installed}
    for way in ways:
        if way.partition("/")[0] in missing:
            print(f"{way} is left out: its solver is not installed")
    return tuple(way for way in ways if way.partition("/")[0] not in missing)


def geometric_means(rows: list[dict[str, str]], ways: tuple[str, ...]) -> None:
    """Print geometric mean and maximum of every way at every level."""
    for level in dict.fromkeys(row["level"] for row in rows):
        for way in ways:
            own = [
                row
                for row in rows
                if row["level"] == level and f"{row['solver']}/{row['formulation']}" == way
            ]
            if not own:
                continue
            seconds = [float(row["seconds"]) for row in own]
            ratio = exp(mean(log(float(row["ratio"])) for row in own))
            proved = sum(row["proof"] == "optimal" for row in own)
            print(
                f"{level} {way:>15}: geomean {exp(mean(map(log, seconds))):8.3f} s, "
                f"max {max(seconds):8.3f} s, ratio {ratio:7.2f}, proved {proved} of {len(own)}"
            )


def write(rows: list[dict[str, str]]) -> None:
    """Write the rows so far: a run that is stopped keeps them."""
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_environment(loads: tuple[float, float, float], seconds: float) -> None:
    """Write what the rows were made with, and how busy the machine was before."""
    environment = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load_before": [round(load, 2) for load in loads],
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "run_seconds": round(seconds),
        "command": " ".join(["python results/solver_race/run.py", *sys.argv[1:]]),
        **{name: version(name) for name in PACKAGES if find_spec(name)},
    }
    text = json.dumps(environment, indent=2)
    (HERE / "environment.json").write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Race and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=5.0)
    parser.add_argument("--ways", nargs="+", default=WAYS, help="solver/formulation")
    parser.add_argument("--levels", nargs="+", default=LEVEL_NAMES)
    parser.add_argument("--programs", nargs="+", default=PROGRAMS)
    options = parser.parse_args()
    started, loads = perf_counter(), os.getloadavg()
    ways = installed(tuple(options.ways))
    load_libraries(ways)
    rows: list[dict[str, str]] = []
    for level in options.levels:
        for program in options.programs:
            able = tuple(way for way in ways if can(way, level))
            finishes = race(program, level, able, options.repeats, options.time_limit)
            new = rows_of(program, level, finishes, options.time_limit)
            for row in new:
                print(" ".join(f"{value:>14}" for value in row.values()), flush=True)
            rows += new
            write(rows)
    write_environment(loads, perf_counter() - started)
    geometric_means(rows, ways)


if __name__ == "__main__":
    main()
