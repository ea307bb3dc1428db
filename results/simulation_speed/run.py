"""Cost of simulation against tokens and cycles, each network in a process of its own.

Run ``python results/simulation_speed/run.py [--repeats N]``. Networks take turns, so that a machine
that changes its speed treats all alike. Seconds are processor time of ``streamopt.sim.simulate``
alone, medians; ratios are to the chain of 10000 tokens. Peak memory is that of the whole process.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.ir.element import ElementType
from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Network,
    Pipeline,
    PipelineTiming,
    Port,
    Process,
)
from streamopt.ir.program import Loop
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.sim import simulate
from streamopt.target.device import Target
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
DEEP_ELEMS = 1 << 30
PROCESSES = 5
BASE = "chain, 10^4 tokens"

Design = tuple[Network, dict[str, PipelineTiming]]


def kernel(graph: str, level: str) -> Design:
    """Return the schedule of least latency of a graph, lowered, timed by the rules."""
    read = so.dataflow(so.load(GRAPHS / graph))
    network = lower(so.apply(read, so.solve(read, level=level).schedule))
    return network, pipeline_timings(network, Target.named("u280"))


def chain(tokens: int, depth_elems: int) -> Design:
    """Return processes in a row that hand on every token in every cycle."""
    names = [f"n{at}" for at in range(PROCESSES)]
    fifos = [f"f{at}" for at in range(PROCESSES - 1)]
    processes: list[Process] = []
    for at, name in enumerate(names):
        reads = [Port(AccessMode.READ, fifo, (), "x") for fifo in fifos[max(at - 1, 0) : at]]
        writes = [Port(AccessMode.WRITE, fifo, (), "x") for fifo in fifos[at : at + 1]]
        nest = Pipeline(name, (Loop("i", tokens),), (), (*reads, *writes), ())
        processes.append(Process(name, (nest,)))
    made = tuple(Fifo(fifo, ElementType.FLOAT, (), depth_elems) for fifo in fifos)
    timings = {name: PipelineTiming(1, 5 + at) for at, name in enumerate(names)}
    return Network("chain", tuple(processes), (), made), timings


NETWORKS: dict[str, Callable[[], Design]] = {
    "3mm, opt1": lambda: kernel("polybench/3mm.json", "opt1"),
    "3mm, opt5": lambda: kernel("polybench/3mm.json", "opt5"),
    "atax, opt5": lambda: kernel("polybench/atax.json", "opt5"),
    BASE: lambda: chain(10**4, DEEP_ELEMS),
    "chain, 10^5 tokens": lambda: chain(10**5, DEEP_ELEMS),
    "chain, 10^6 tokens": lambda: chain(10**6, DEEP_ELEMS),
    "chain, 10^7 tokens": lambda: chain(10**7, DEEP_ELEMS),
    "chain, 10^5 tokens, depth 128": lambda: chain(10**5, 128),
    "chain, 10^5 tokens, depth 2": lambda: chain(10**5, 2),
    "chain, 10^5 tokens, flushable": lambda: chain(10**5, DEEP_ELEMS),
    "chain, 10^5 tokens, depth 2, flushable": lambda: chain(10**5, 2),
}


def measure(name: str) -> dict[str, float]:
    """Return the figures of one network, simulated in this process."""
    network, timings = NETWORKS[name]()
    begun = time.process_time()
    trace = simulate(network, timings, flushable=name.endswith("flushable"))
    seconds = time.process_time() - begun
    return {
        "cycles": trace.cycles,
        "tokens": sum(fifo.tokens for fifo in trace.fifos),
        "seconds": seconds,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def elsewhere(name: str) -> dict[str, float]:
    """Return the figures of one network, simulated in a process of its own."""
    command = [sys.executable, __file__, "--network", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure, print and write all networks, or one."""
    parser = argparse.ArgumentParser(description="Cost of simulation against tokens and cycles.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--network", choices=list(NETWORKS))
    given = parser.parse_args()
    if given.network:
        print(json.dumps(measure(given.network)))
        return
    runs = [{name: elsewhere(name) for name in NETWORKS} for _ in range(given.repeats)]
    base = median(run[BASE]["seconds"] for run in runs)
    rows = [
        {
            "network": name,
            "cycles": int(runs[0][name]["cycles"]),
            "tokens": int(runs[0][name]["tokens"]),
            "seconds": f"{median(run[name]['seconds'] for run in runs):.3f}",
            "ratio": f"{median(run[name]['seconds'] for run in runs) / base:.2f}",
            "peak_bytes": max(int(run[name]["peak_bytes"]) for run in runs),
        }
        for name in NETWORKS
    ]
    with (HERE / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        peak = int(row["peak_bytes"]) / 2**20
        print(
            f"{row['network']:40} {row['cycles']:>9} cycles {row['tokens']:>9} tokens "
            f"{row['seconds']:>8} s {row['ratio']:>8}x {peak:6.0f} MiB"
        )


if __name__ == "__main__":
    main()
