"""Why limits on resources leave no design, in the user's words, with the least that do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.space.assemble import assemble_rows
from streamopt.space.rows import node_rows
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.resources.relaxation import least_usage
from streamopt.strategies.resources.splitting import chosen_usage, single

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.resources.limits import Limit, Limits
    from streamopt.strategies.solution import Request

__all__ = ["limits_missed"]

LARGEST_USERS = 3
"""Nodes that are named as those that take most."""


@dataclass(frozen=True, slots=True)
class _Least:
    """The least of one resource that was found, and what takes it.

    Attributes
    ----------
    is_least
        Whether nothing takes less.
    nodes
        Pairs (node, amount with the channels to it), the most first.
    """

    limit: Limit
    amount: int
    is_least: bool
    nodes: tuple[tuple[str, int], ...]


def limits_missed(request: Request, limits: Limits, options: SolveOptions) -> InfeasibleError:
    """Return the error of limits that no design keeps (E405).

    It says of which resources each design takes more, how much the least is, which nodes take
    it, and what to give.
    """
    name = request.graph.name
    try:
        found = list(_leasts(request, limits, SearchClock(options)))
    except (SearchStoppedError, SearchTooLargeError):
        found = []
    short = [least for least in found if least.amount > least.limit.most]
    if not short:
        all_limits = ", ".join(f"{limit.option} {limit.most}" for limit in limits.each)
        return InfeasibleError(
            Diagnostic(
                "E405",
                f"no design of {name} at {request.level} keeps all limits together: {all_limits}",
                hint="; ".join(map(_alone, found)) or "raise one of them",
            )
        )
    return InfeasibleError(
        *(
            Diagnostic(
                "E405",
                f"{name} can't be built with {least.limit.most} {least.limit.resource} at "
                f"{request.level}: {'the least is' if least.is_least else 'one takes'} "
                f"{least.amount} ({', '.join(f'{node} {used}' for node, used in least.nodes)})",
                hint=f"give {least.limit.option} {least.amount} or more",
            )
            for least in short
        )
    )


def _alone(least: _Least) -> str:
    return f"{least.limit.option} {least.amount} alone could be kept"


def _leasts(request: Request, limits: Limits, clock: SearchClock) -> Iterator[_Least]:
    """Yield the least of each resource that has a limit, whatever it takes of the others."""
    space = request.space()
    rows = node_rows(space, prune=False)
    rows = limits.costing.with_usage(rows, clock.should_stop)
    for place, limit in enumerate(limits.each):
        found = least_usage(space, rows, place, clock.should_stop)
        schedule = assemble_rows(request.graph, rows, found.chosen)
        exact = limits.costing.with_usage(single(rows, found.chosen), clock.should_stop)
        first = dict.fromkeys(found.chosen, 0)
        parts = chosen_usage(request.graph, exact, first, schedule.fifos)
        ranked = sorted(((int(own[place]), name) for name, own in parts.items()), reverse=True)
        used = limits.costing.usage(schedule)[place]
        nodes = tuple((name, amount) for amount, name in ranked[:LARGEST_USERS] if amount)
        yield _Least(limit, used, found.is_exact and found.amount == used, nodes)
