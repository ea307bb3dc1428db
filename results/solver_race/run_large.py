"""Gaps of the default way on large chains, trees, series-parallel graphs and transformers.

Run ``python results/solver_race/run_large.py [--nodes N ...] [--limits S ...] [--seeds K ...]``;
rows go to large_rows.csv: the gap after each limit, in seconds of processor time of the one thread
that searches, so that what else the machine does counts little; the elapsed time then; and the peak
memory of the process so far. A graph ends with its last limit, or when it is proved. A transformer
has 2560 DSPs; 12 layers are ``--shapes transformer --nodes 384 --seeds 0``.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from large_graphs import SHAPES, TRANSFORMER, large_graph

import streamopt as so

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.solvers.base import Progress

HERE = Path(__file__).parent
DSPS_A_NODE = 12
LEAST_DSPS = 2560


class _Watch:
    """The points of one search, and what was known at each limit."""

    def __init__(self, limits: list[float]) -> None:
        self._limits = sorted(limits)
        self._processor, self._clock = process_time(), perf_counter()
        self._last: tuple[float, float] | None = None
        self.rows: list[dict[str, str]] = []

    def __call__(self, progress: Progress) -> None:
        """Note a point; end the search after the last limit, as Ctrl-C does."""
        spent = process_time() - self._processor
        while self._limits and spent >= self._limits[0]:
            self.note(self._limits.pop(0))
        if progress.incumbent is not None and progress.bound is not None:
            self._last = progress.incumbent, progress.bound
        if not self._limits:
            raise KeyboardInterrupt

    def finish(self) -> None:
        """Note the end for the limits that were not reached."""
        for limit in self._limits:
            self.note(limit)

    def note(self, limit: float) -> None:
        """Note what is known after a limit."""
        incumbent, bound = self._last or (0.0, 0.0)
        self.rows.append(
            {
                "limit_seconds": f"{limit:g}",
                "objective_cycles": f"{incumbent:.0f}",
                "bound_cycles": f"{bound:.0f}",
                "gap": f"{1 - bound / max(1.0, incumbent):.4f}",
                "processor_seconds": f"{process_time() - self._processor:.2f}",
                "elapsed_seconds": f"{perf_counter() - self._clock:.2f}",
                "peak_mb": str(getrusage(RUSAGE_SELF).ru_maxrss // 1024),
            }
        )


def _solved(graph: Graph, limits: list[float], dsps: int) -> list[dict[str, str]]:
    watch = _Watch(limits)
    so.solve(
        graph,
        dsp=dsps,
        effort=so.Effort(fifos=None, on_progress=watch),
    )
    watch.finish()
    return watch.rows


def main() -> None:
    """Solve and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--shapes", nargs="+", choices=(*SHAPES, TRANSFORMER), default=list(SHAPES))
    parser.add_argument("--limits", type=float, nargs="+", default=[10.0, 60.0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--out", type=Path, default=HERE / "large_rows.csv")
    options = parser.parse_args()
    rows: list[dict[str, str]] = []
    for nodes in options.nodes:
        for seed in options.seeds:
            for shape in options.shapes:
                graph = large_graph(shape, nodes, seed)
                name = {"shape": shape, "nodes": str(len(graph.nodes)), "seed": str(seed)}
                each = 0 if shape == TRANSFORMER else DSPS_A_NODE
                for found in _solved(graph, options.limits, max(LEAST_DSPS, each * nodes)):
                    rows.append({**name, **found})
                    print(" ".join(f"{value:>15}" for value in rows[-1].values()), flush=True)
                write(rows, options.out)


def write(rows: list[dict[str, str]], path: Path) -> None:
    """Write the rows so far: a run that is stopped keeps them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
