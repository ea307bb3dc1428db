"""Level opt6: the graph in several forms, each solved under honest costs, the best one simulated.

A form is the graph after some rewrites. What the search of one form returns is lowered and
simulated; what it takes of the device beyond the limits is taken off its budget, and it is
searched again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.pipeline.costing import honest_costs
from streamopt.pipeline.evaluating import Evaluation, evaluate, target
from streamopt.strategies.choose import choose
from streamopt.transforms.rewrites import REWRITES, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["solve_beyond"]

MOST_MENDS = 4
"""Searches of one form with a smaller budget."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """A solution that was simulated."""

    solution: Solution
    evaluation: Evaluation

    @property
    def cycles(self) -> int:
        """Return the simulated cycles."""
        return self.evaluation.trace.cycles


def solve_beyond(
    request: Request, solver: str, options: SolveOptions, on_incumbent: OnIncumbent = None
) -> Solution:
    """Return the schedule of fewest simulated cycles of all forms of the graph."""
    tried: list[_Tried] = []
    for names, graph in forms(request.graph):
        on = target()
        asked = replace(request, graph=graph, tiling_limit=1, costs=honest_costs(graph, on))
        found = _within_budget(asked, names, solver, options)
        tried.append(found)
    best = min(tried, key=lambda one: one.cycles)
    return best.solution


def forms(graph: Graph) -> Iterator[tuple[tuple[str, ...], Graph]]:
    """Yield the different forms of a graph, by the rewrites that make them."""
    seen: list[Graph] = []
    names = tuple(REWRITES)
    folds = names[:-1]
    for kept in (names, *((*folds[:count], names[-1]) for count in range(len(folds))), ()):
        form = rewritten(graph, kept)
        if form not in seen:
            seen.append(form)
            yield kept, form


def _within_budget(
    request: Request, names: tuple[str, ...], solver: str, options: SolveOptions
) -> _Tried:
    """Return the solution of one form that fits the DSPs when all of them are counted."""
    limit = request.dsp_limit
    bound = 0
    for _ in range(MOST_MENDS):
        found = choose(replace(request, dsp_limit=limit), solver, "compact", options)
        bound = bound or found.bound_cycles
        schedule = replace(found.schedule, rewrites=())
        evaluation = evaluate(request.graph, schedule)
        used = evaluation.resources.total.dsps
        solution = replace(found, request=request, bound_cycles=bound, schedule=schedule)
        print(names, limit, used, found.objective_cycles, found.proof, found.solve_seconds, evaluation.trace.cycles, evaluation.resources.total)
        tried = _Tried(solution, evaluation)
        if used <= request.dsp_limit:
            break
        limit -= used - request.dsp_limit
    return tried
