"""One design of one program, measured: cycles, resources, streaming edges, search, verification."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.pipeline.flat_records import choice_record
from streamopt.sweeping.limited import GivenUpError, within

if TYPE_CHECKING:
    from keep import Row

    from streamopt.evaluation.design import Evaluation
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule
    from streamopt.strategies.solution import Solution

__all__ = [
    "CONV",
    "DSPS",
    "GRAPHS",
    "KERNELS",
    "POLYBENCH",
    "PROGRAMS",
    "Asked",
    "measured",
    "source",
]

DSPS = 2560
ROOT = Path(__file__).parents[2]
GRAPHS = ROOT / "graphs"
POLYBENCH = ROOT / "tests" / "polybench" / "kernels"
PROGRAMS = tuple(
    sorted(str(path.relative_to(GRAPHS).with_suffix("")) for path in GRAPHS.rglob("*.json"))
)
KERNELS = tuple(sorted(path.name for path in POLYBENCH.iterdir() if path.is_dir()))
CONV = "conv_block"
ALL = so.Space()
NO_LIMITS = so.Budget()
MOST_SECONDS = 120.0
"""Of a search at the default effort, on a busy machine."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A design to be found.

    Attributes
    ----------
    program
        ``suite/name`` of a graph, the block of `CONV`, or ``NAME.c@SIZE`` for PolyBench's C text in
        single precision, in double precision with ``:DOUBLE`` behind.
    budget
        Limits on the design as built; for opt1 to opt5 the paper's problem has none.
    time_limit_seconds
        Of the search; None for the default effort.
    verify_seconds
        For which the emitted C++ may be compiled, run and compared with the interpreter; 0 for no
        verification.
    """

    program: str
    level: str = "opt6"
    space: so.Space = ALL
    tiling_limit: int | None = None
    dsps: int = DSPS
    budget: so.Budget = NO_LIMITS
    time_limit_seconds: float | None = None
    verify_seconds: float = 0.0

    @property
    def patience_seconds(self) -> float:
        """Return after how long a measurement is given up."""
        return (self.time_limit_seconds or MOST_SECONDS) + self.verify_seconds + 240.0


def source(name: str) -> Program:
    """Return the program of a name."""
    if name == CONV:
        from conv import conv_block

        return conv_block()
    file, _, size = name.partition("@")
    if not size:
        return so.load(GRAPHS / f"{name}.json")
    path = POLYBENCH / Path(file).stem / file
    size, _, element = size.partition(":")
    defines = {f"{size}_DATASET": "", f"DATA_TYPE_IS_{element or 'FLOAT'}": ""}
    return so.load(path, options=so.SourceOptions(define=defines, include=[POLYBENCH]))


def measured(asked: Asked) -> Row:
    """Return the row of a design.

    Raises
    ------
    StreamoptError
        If there is none.
    """
    program = source(asked.program)
    graph = so.dataflow(program)
    started, working = perf_counter(), process_time()
    solution = so.solve(
        graph,
        level=asked.level,
        dsp=asked.dsps,
        time_limit=asked.time_limit_seconds,
        budget=asked.budget,
        space=replace(asked.space, tiling_limit=asked.tiling_limit or asked.space.tiling_limit),
    )
    seconds, cpu_seconds = perf_counter() - started, process_time() - working
    found = so.evaluate(graph, solution.schedule)
    row = _row(solution, found)
    sequential = sum(isinstance(node, SequentialNode) for node in graph.nodes)
    row |= {"sequential_nodes": str(sequential), "source_nodes": str(len(graph.nodes))}
    row |= {"solve_seconds": f"{seconds:.1f}", "solve_cpu_seconds": f"{cpu_seconds:.1f}"}
    if not asked.verify_seconds:
        return row
    return row | _verified(program, solution.schedule, asked.verify_seconds)


def _row(solution: Solution, found: Evaluation) -> Row:
    record, found_least = so.record(solution), choice_record(solution)
    used = found.resources.total
    values = {
        "simulated_cycles": found.trace.cycles,
        "mac_bound_cycles": record["roofline_cycles"],
        "dsps": used.dsps,
        "bram18": used.bram18,
        "uram": used.uram,
        "luts": used.luts,
        "ffs": used.ffs,
        "over": ", ".join(_over(solution, found)),
        "dsp_limit": solution.problem.space.dsp_limit,
        "fifo_edges": len(solution.schedule.fifos),
        "edges": len(solution.schedule.channels),
        "rewrites": " ".join(solution.schedule.rewrites),
        "nodes": len(found.network.processes),
        "objective_cycles": record["objective_cycles"],
        "bound_cycles": record["bound_cycles"],
        "gap": record["gap"],
        "search_gap": found_least.get("search_gap", record["gap"]),
        "proof": record["proof"],
        "stop": record["stop"],
        "search_seconds": f"{solution.solve_seconds:.1f}",
        "clock_risks": len(found.clock_risks),
    }
    return {name: str(value) for name, value in values.items()}


def _over(solution: Solution, found: Evaluation) -> tuple[str, ...]:
    """Return the resources of which a design takes more than its limits, or than one SLR has."""
    if not solution.limits:
        return found.resources.total.over(replace(found.target.slr, dsps=DSPS))
    pairs = zip(solution.limits, solution.used, strict=True)
    return tuple(limit.resource for limit, used in pairs if used > limit.most)


def _verified(program: Program, schedule: Schedule, patience_seconds: float) -> Row:
    started = perf_counter()
    try:
        word = within(patience_seconds, _verdict, program, schedule)
    except GivenUpError as error:
        word = str(error)
    return {"verified": word, "verify_seconds": f"{perf_counter() - started:.1f}"}


def _verdict(program: Program, schedule: Schedule) -> str:
    with TemporaryDirectory() as folder:
        so.write(program, schedule, Path(folder) / "made")
        verdict = so.verify(Path(folder) / "made")
    if verdict.unchecked and not verdict.is_wrong:
        return "unchecked"
    return "pass" if verdict.passed else "fail"
