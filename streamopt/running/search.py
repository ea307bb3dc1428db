"""The search of a run: the schedule that an earlier one found is never lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from streamopt.evaluation.design import Evaluation, evaluated
from streamopt.evaluation.fifo_sizing import FifoSizing, sized
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.formats.schedule_json import load_result_json, save_schedule_json
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortPlan
from streamopt.ir.schedule import Schedule
from streamopt.pipeline.flat_records import (
    evaluation_record,
    record,
    share_record,
    warning_records,
    whole_record,
)
from streamopt.pipeline.reading import load_schedule
from streamopt.pipeline.solving import solve
from streamopt.report.proof import proof_words
from streamopt.running.outcome import KEPT, SCHEDULE, RunInterruptedError
from streamopt.running.request import Request
from streamopt.solvers.result import Stop
from streamopt.strategies.solution import Solution

PROBLEM = "problem"
"""Member of a schedule's file: the digest of its problem."""


@dataclass(frozen=True, slots=True)
class Found:
    """A schedule with what is known of it, as a file keeps it."""

    schedule: Schedule
    row: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Found | None:
        """Return the schedule of a file; None if there is no such file."""
        if not path.is_file():
            return None
        return cls(load_schedule(path), load_result_json(path))

    def save(self, path: Path) -> None:
        """Write the schedule; raises FrontendError (E116)."""
        save_schedule_json(path, self.schedule, self.row)

    @property
    def words(self) -> str:
        """Return its cycles and its bound."""
        cycles = self.row.get("simulated_cycles")
        simulated = f"{int(cycles):,} cycles simulated, " if cycles else ""
        modelled, bound = int(self.row["objective_cycles"]), int(self.row["bound_cycles"])
        return f"{simulated}{modelled:,} modelled, bound {bound:,}"


def kept_before(folder: Path, problem: str) -> Found | None:
    """Return the better of the schedules that earlier searches for a problem left."""
    found = [Found.load(folder / name) for name in (KEPT, SCHEDULE)]
    known = [each for each in found if each is not None and each.row.get(PROBLEM) == problem]
    return min(known, key=_modelled, default=None)


@dataclass(frozen=True, slots=True)
class Question:
    """A problem to search, with what is known of it."""

    graph: Graph
    ports: tuple[PortPlan, ...]
    problem: str
    """Its digest."""
    before: Found | None = None
    """A schedule of an earlier search: it stays if the search finds no faster one."""


def searched(request: Request, question: Question) -> tuple[Found, dict[str, Any]]:
    """Return the best schedule, and the facts of its design.

    Every incumbent is written at once, so that the last one stays however the search ends.

    Raises
    ------
    RunInterruptedError
        If the user pressed Ctrl-C; what was found is kept.
    StreamoptError
        As `streamopt.solve`.
    """
    options, place, before = request.options, request.folder / KEPT, question.before
    fifos = request.effort.fifos
    sizing = None if fifos is None else replace(fifos, on_progress=options.listener.fifos)
    last: list[Found] = []

    def keep(incumbent: Solution) -> None:
        row = {**record(incumbent), "final": False, PROBLEM: question.problem}
        found = Found(incumbent.schedule, row)
        if before is None or _modelled(found) < _modelled(before):
            found.save(place)
            last[:] = [found]

    effort = replace(
        request.effort, fifos=sizing, on_progress=options.listener.search, on_incumbent=keep
    )
    try:
        solution = solve(
            question.graph,
            level=request.level,
            dsp=request.dsp,
            time_limit=request.time_limit,
            space=replace(options.space, ports=question.ports),
            budget=request.budget,
            effort=effort,
        )
    except KeyboardInterrupt:
        raise _interrupted(last[0] if last else before) from None
    found = _solved(solution, question.problem)
    if solution.stop is Stop.INTERRUPTED:
        best = min([found] + ([] if before is None else [before]), key=_modelled)
        if best is found:
            Found(found.schedule, {**found.row, "final": False}).save(place)
        raise _interrupted(best)
    if before is not None and before.schedule != found.schedule:
        older, facts = taken(request, question.graph, before)
        if facts["simulated_cycles"] < solution.simulated_cycles:
            return older, facts
    assert solution.evaluation is not None
    return found, _facts(found.row, solution.evaluation, warning_records(solution.warnings))


def _modelled(found: Found) -> int:
    return int(found.row["objective_cycles"])


def _solved(solution: Solution, problem: str) -> Found:
    row = {**whole_record(solution), "final": True, PROBLEM: problem}
    return Found(solution.schedule, row)


def _interrupted(found: Found | None) -> RunInterruptedError:
    if found is None:
        return RunInterruptedError("before a first schedule", "the same command begins again")
    hint = "the same command searches on; with --from write it takes what was found"
    return RunInterruptedError(f"kept {found.words}", hint)


def taken(request: Request, graph: Graph, found: Found) -> tuple[Found, dict[str, Any]]:
    """Return a schedule that was kept, with small FIFOs, and the facts of its design."""
    from streamopt.transforms.apply import planned_graph
    from streamopt.warnings.cycles import recorded_warnings
    from streamopt.warnings.solution import design_warnings

    on = request.device
    schedule = with_visit_lengths(graph, found.schedule, on)
    if request.effort.fifos is not None and not found.row.get("final"):
        sizing = FifoSizing(request.effort.fifos.slack, on, request.options.listener.fifos)
        schedule, _ = sized(graph, schedule, sizing)
    design = evaluated(graph, schedule, on)
    row = {**found.row, **evaluation_record(design), "final": True}
    planned = planned_graph(graph, schedule)
    warned = (*recorded_warnings(row, design), *design_warnings(planned, design))
    return Found(schedule, row), _facts(row, design, warning_records(warned))


def _facts(
    row: Mapping[str, Any], design: Evaluation, warned: list[dict[str, str]]
) -> dict[str, Any]:
    told = design.headline
    return {
        **share_record(design),
        "level": row["level"],
        "fit": row.get("fit") or "",
        "simulated_cycles": design.trace.cycles,
        "times": told.times,
        "region": told.region,
        "shares": told.shares,
        "arguments": told.uncounted,
        "proof": proof_words(row),
        "objective_cycles": row["objective_cycles"],
        "bound_cycles": row["bound_cycles"],
        "gap": row["gap"],
        "warnings": warned,
    }
