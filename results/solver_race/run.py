"""Race solvers to a proof at opt5: model build, search and read-back, in one process.

Run ``python results/solver_race/run.py [--repeats N] [--time-limit S] [PROGRAM ...]``. The ways
take turns, so that a machine that changes its speed treats all alike; medians and ratios to the
first way are printed and written to rows.csv.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import streamopt as so

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
WAYS = (
    ("cpsat", "compact"),
    ("highs", "compact"),
    ("scip", "compact"),
    ("scipy", "compact"),
    ("scip", "paper"),
)
POLYBENCH = ("gemm", "2mm", "3mm", "atax", "bicg", "gesummv", "mvt")


@dataclass(frozen=True, slots=True)
class Finish:
    """Median seconds of one way on one program, and what the last run proved."""

    seconds: float
    cycles: int
    proof: str


def race(program: str, repeats: int, limit: float) -> dict[tuple[str, str], Finish]:
    """Return how each way did on one program."""
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    seconds: dict[tuple[str, str], list[float]] = {way: [] for way in WAYS}
    ends: dict[tuple[str, str], tuple[int, str]] = {}
    for turn in range(repeats + 1):
        for solver, formulation in WAYS:
            found = so.solve(
                graph, solver=solver, formulation=formulation, time_limit_seconds=limit
            )
            ends[solver, formulation] = (found.objective_cycles, found.proof.value)
            if turn:  # the first turn loads the libraries
                seconds[solver, formulation].append(found.solve_seconds)
    return {way: Finish(median(seconds[way]), *ends[way]) for way in WAYS}


def main() -> None:
    """Race and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("programs", nargs="*", default=[f"polybench/{name}" for name in POLYBENCH])
    options = parser.parse_args()
    rows: list[dict[str, str]] = []
    for program in options.programs:
        finishes = race(program, options.repeats, options.time_limit)
        first = finishes[WAYS[0]].seconds
        for (solver, formulation), finish in finishes.items():
            rows.append(
                {
                    "program": program,
                    "solver": solver,
                    "formulation": formulation,
                    "seconds": f"{finish.seconds:.4f}",
                    "ratio": f"{finish.seconds / first:.2f}",
                    "objective_cycles": str(finish.cycles),
                    "proof": finish.proof,
                }
            )
            so_far = " ".join(f"{value:>18}" for value in rows[-1].values())
            print(so_far)
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
