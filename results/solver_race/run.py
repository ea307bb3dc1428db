"""Race ways to a proof at opt5: model build, search and read-back, in one process.

Run ``python results/solver_race/run.py [--repeats N] [--time-limit S] [--ways N] [PROGRAM ...]``.
The ways take turns, so that a machine that changes its speed treats all alike; medians and
ratios to the first way are printed and written to rows.csv, geometric means below.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.formulation.compact import model as compact
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.registry import get
from streamopt.space.assemble import baseline, evaluate
from streamopt.space.decisions import decision_space
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
    ("auto", "compact"),
    ("cpsat", "compact"),
    ("cpsat", UNPRUNED),
    ("highs", "compact"),
    ("scip", "compact"),
    ("scipy", "compact"),
    ("scip", "paper"),
)
PROGRAMS = sorted(str(path.relative_to(GRAPHS).with_suffix("")) for path in GRAPHS.rglob("*.json"))

Way = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Finish:
    """Seconds of one way on one program, and what was proved."""

    seconds: float
    cycles: int | None
    proof: str


def finish(graph: Graph, way: Way, tiling_limit: int, limit: float) -> Finish:
    """Return how one way does in one run."""
    solver, formulation = way
    if formulation == UNPRUNED:
        return unpruned(graph, solver, tiling_limit, limit)
    found = so.solve(
        graph,
        dsp=DSP_LIMIT,
        tiling_limit=tiling_limit,
        solver=solver,
        formulation=formulation,
        time_limit_seconds=limit,
    )
    return Finish(found.solve_seconds, found.objective_cycles, found.proof.value)


def unpruned(graph: Graph, solver: str, tiling_limit: int, limit: float) -> Finish:
    """Solve the paper's program with a binary for every (loop order, unroll factors) of a node.

    It is linear, so CP-SAT takes it; nothing is left out but what exceeds the DSPs on its own.
    """
    started = perf_counter()
    level = LEVELS[LevelName.OPT5]
    space = decision_space(graph, level, dsp_limit=DSP_LIMIT, tiling_limit=tiling_limit)
    horizon = evaluate(graph, baseline(graph)).latency_cycles
    program = compact.build(space, node_rows(space, prune=False), horizon_cycles=horizon)
    options = SolveOptions(time_limit_seconds=limit, threads=1)
    result = get(solver).solve(program.formulation.model, options)
    cycles = None
    if result.values:
        schedule = compact.read_back(program, result.values)
        cycles = evaluate(graph, schedule).latency_cycles
    return Finish(perf_counter() - started, cycles, result.proof.value)


def race(program: str, ways: tuple[Way, ...], repeats: int, limit: float) -> dict[Way, Finish]:
    """Return how each way did on one program."""
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    tiling_limit = TILING_LIMITS.get(Path(program).name, 16)
    runs: dict[Way, list[Finish]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            runs[way].append(finish(graph, way, tiling_limit, limit))
    return {
        way: Finish(median(run.seconds for run in all_), all_[-1].cycles, all_[-1].proof)
        for way, all_ in runs.items()
    }


def load_libraries(ways: tuple[Way, ...]) -> None:
    """Solve something small in every way, so that no race pays for imports."""
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "atax.json"))
    for way in ways:
        finish(graph, way, 16, 10.0)


def geometric_means(rows: list[dict[str, str]], ways: tuple[Way, ...]) -> None:
    """Print geometric mean and maximum of every way."""
    for solver, formulation in ways:
        own = [r for r in rows if (r["solver"], r["formulation"]) == (solver, formulation)]
        seconds = [float(row["seconds"]) for row in own]
        ratio = exp(mean(log(float(row["ratio"])) for row in own))
        proved = sum(row["proof"] == "optimal" for row in own)
        print(
            f"{solver:>6} {formulation:>9}: geomean {exp(mean(map(log, seconds))):8.3f} s, "
            f"max {max(seconds):8.3f} s, ratio {ratio:7.2f}, proved {proved} of {len(own)}"
        )


def main() -> None:
    """Race and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--ways", type=int, default=len(WAYS), help="only the first N ways")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    ways = WAYS[: options.ways]
    load_libraries(ways)
    rows: list[dict[str, str]] = []
    for program in options.programs:
        finishes = race(program, ways, options.repeats, options.time_limit)
        first = finishes[ways[0]].seconds
        for (solver, formulation), end in finishes.items():
            rows.append(
                {
                    "program": program,
                    "solver": solver,
                    "formulation": formulation,
                    "seconds": f"{end.seconds:.4f}",
                    "ratio": f"{end.seconds / first:.2f}",
                    "objective_cycles": "" if end.cycles is None else str(end.cycles),
                    "proof": end.proof,
                }
            )
            print(" ".join(f"{value:>18}" for value in rows[-1].values()), flush=True)
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    geometric_means(rows, ways)


if __name__ == "__main__":
    main()
