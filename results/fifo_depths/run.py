"""Least FIFO depths against all tokens of a lane, for every program's opt5 schedule.

Run ``python results/fifo_depths/run.py [--slack SHARE] [--only WORD]``; writes rows.csv beside it.
"""

from __future__ import annotations

import argparse
import csv
import tomllib
from pathlib import Path
from time import perf_counter
from typing import Any

import streamopt as so

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"


def row(program: str, tiling_limit: int, slack: float) -> dict[str, Any]:
    """Return cycles, bits and block RAMs of one program with full and with least depths."""
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    solution = so.solve(
        graph, space=so.Space(tiling_limit=tiling_limit), effort=so.Effort(fifos=None)
    )
    full = so.evaluate(graph, solution.schedule)
    started = perf_counter()
    schedule, plan = so.size_fifos(graph, solution.schedule, so.FifoSizing(slack))
    seconds = perf_counter() - started
    least = so.evaluate(graph, schedule)
    return {
        "program": program,
        "fifos": len(full.network.fifos),
        "full_cycles": full.trace.cycles,
        "least_cycles": least.trace.cycles,
        "full_bits": plan.full_bits,
        "least_bits": plan.bits,
        "full_bram18": full.resources.total.bram18,
        "least_bram18": least.resources.total.bram18,
        "trials": plan.runs,
        "none_can_be_lowered_alone": plan.is_least,
        "seconds": f"{seconds:.2f}",
    }


def main() -> None:
    """Size the FIFOs of all programs and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slack", type=float, default=0.0)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    options = parser.parse_args()
    text = (HERE.parent / "levels" / "experiment.toml").read_text(encoding="utf-8")
    limits = tomllib.loads(text)["tiling_limits"]
    rows: list[dict[str, Any]] = []
    for path in sorted(GRAPHS.glob("*/*.json")):
        program = f"{path.parent.name}/{path.stem}"
        if options.only in program:
            rows.append(row(program, limits.get(program, limits["default"]), options.slack))
            print(" ".join(str(value) for value in rows[-1].values()), flush=True)
    if rows and not options.only:
        with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
