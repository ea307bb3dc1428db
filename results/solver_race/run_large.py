"""Gaps of the default way on large chains, trees and series-parallel graphs.

Run ``python results/solver_race/run_large.py [--nodes N ...] [--time-limit S] [--seeds K]``;
rows go to large_rows.csv: gap after each limit, seconds, and the peak memory of the process so far.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from large_graphs import SHAPES, large_graph

import streamopt as so

HERE = Path(__file__).parent
DSPS_A_NODE = 12
LEAST_DSPS = 2560


def main() -> None:
    """Solve and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    rows: list[dict[str, str]] = []
    for nodes in options.nodes:
        for shape in SHAPES:
            for seed in range(options.seeds):
                graph = large_graph(shape, nodes, seed)
                found = so.solve(
                    graph,
                    dsp=max(LEAST_DSPS, DSPS_A_NODE * nodes),
                    time_limit_seconds=options.time_limit,
                )
                rows.append(
                    {
                        "shape": shape,
                        "nodes": str(len(graph.nodes)),
                        "seed": str(seed),
                        "time_limit": f"{options.time_limit:g}",
                        "objective_cycles": str(found.objective_cycles),
                        "bound_cycles": str(found.bound_cycles),
                        "gap": f"{found.gap:.4f}",
                        "seconds": f"{found.solve_seconds:.2f}",
                        "peak_mb": str(getrusage(RUSAGE_SELF).ru_maxrss // 1024),
                    }
                )
                print(" ".join(f"{value:>15}" for value in rows[-1].values()), flush=True)
                write(rows)


def write(rows: list[dict[str, str]]) -> None:
    """Write the rows so far: a run that is stopped keeps them."""
    with (HERE / "large_rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
