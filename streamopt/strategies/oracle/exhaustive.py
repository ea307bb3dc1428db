"""The oracle: looks at every schedule of a small space, by walking loops.

Times, streams and DSPs are those of `loop_walk_evaluator`, which shares no code with the
performance model, the decision space or the formulations.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

from streamopt.errors import Diagnostic, SolverError
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import Schedule
from streamopt.space.level import Level
from streamopt.space.objective import FewestDsps, Interval, Latency, Objective
from streamopt.strategies.oracle.loop_walk_evaluator import (
    Factors,
    LoopKey,
    Oracle,
    Order,
    unroll_choices,
)
from streamopt.strategies.paper_only import check_published

LATENCY = Latency()
MAX_POINTS = 100_000
"""Schedules that are looked at by default: seconds, or minutes where nodes run for 1e7 cycles."""


@dataclass(frozen=True, slots=True)
class OracleResult:
    """The best schedule of a space, and its costs."""

    schedule: Schedule | None
    """None if no schedule fits the limits; its costs are then 0."""
    latency_cycles: int
    dsps: int
    points: int
    """Schedules looked at, with those that don't fit the DSPs."""
    interval_cycles: int = 0


def exhaustive(
    graph: Graph,
    *,
    level: Level,
    dsp_limit: int,
    tiling_limit: int,
    max_points: int = MAX_POINTS,
    objective: Objective = LATENCY,
) -> OracleResult:
    """Return the best schedule; of equal ones the first one met.

    For the latency, of schedules of equal latency one with the fewest DSPs is best.

    Raises
    ------
    SolverError
        If the space has more points than ``max_points`` (E510), or the level is opt6 (E523).
    """
    check_published(level, "the exhaustive search", "leave --solver out")
    oracle = Oracle(graph)
    choices = unroll_choices(graph, tiling_limit) if level.tiles else []
    tilings = prod(len(factors) for _, factors in choices)
    every = _order_count(graph) if level.permutes else 1
    _check_size(graph, every if level.untiled_first else every * tilings, max_points)
    orders = list(_all_orders(graph)) if level.permutes else [_program_orders(graph)]
    if level.untiled_first:
        orders = _best_untiled(oracle, graph, orders)
        _check_size(graph, len(orders) * tilings, max_points)
    return _best(oracle, orders, _tilings(graph, choices), _OracleTask(objective, dsp_limit))


@dataclass(frozen=True, slots=True)
class _OracleTask:
    """The objective and the limit on DSPs."""

    objective: Objective
    dsp_limit: int

    @property
    def most_cycles(self) -> int | None:
        """Return the latency that must be kept, if one must."""
        wanted = self.objective
        return wanted.within_cycles if isinstance(wanted, FewestDsps) else None

    def rank(self, cycles: int, dsps: int, interval: int) -> tuple[int, int]:
        """Return the key to minimize; the second number breaks ties of the first."""
        match self.objective:
            case Interval():
                return interval, 0
            case FewestDsps():
                return dsps, 0
            case _:
                return cycles, dsps


def _best(
    oracle: Oracle,
    orders: Sequence[dict[str, Order]],
    tilings: Iterable[dict[str, Factors]],
    wanted: _OracleTask,
) -> OracleResult:
    found: tuple[int, int] | None = None
    where: tuple[dict[str, Order], dict[str, Factors]] | None = None
    points, target = 0, wanted.most_cycles
    for factors in tilings:
        points += len(orders)
        dsps = oracle.dsps(factors)
        if dsps > wanted.dsp_limit:
            continue
        for choice in orders:
            cycles = oracle.latency(choice, factors)
            if target is not None and cycles > target:
                continue
            rank = wanted.rank(cycles, dsps, oracle.interval(choice, factors))
            if found is None or rank < found:
                found, where = rank, (choice, factors)
    if found is None or where is None:
        return OracleResult(None, 0, 0, points)
    costs = (oracle.latency(*where), oracle.dsps(where[1]))
    return OracleResult(oracle.schedule(*where), *costs, points, oracle.interval(*where))


def _best_untiled(
    oracle: Oracle, graph: Graph, orders: Sequence[dict[str, Order]]
) -> list[dict[str, Order]]:
    cycles = [oracle.latency(choice, _ones(graph)) for choice in orders]
    least = min(cycles)
    return [choice for choice, taken in zip(orders, cycles, strict=True) if taken == least]


def _check_size(graph: Graph, points: int, max_points: int) -> None:
    if points > max_points:
        raise SolverError(
            Diagnostic(
                "E510",
                f"the space of {graph.name} has {points} points, more than {max_points}",
                hint="use a solver, or a lower level",
            )
        )


def _ones(graph: Graph) -> dict[str, Factors]:
    return {node.name: dict.fromkeys(node.trip_counts, 1) for node in graph.nodes}


def _program_orders(graph: Graph) -> dict[str, Order]:
    return {node.name: tuple(node.trip_counts) for node in graph.nodes}


def _order_count(graph: Graph) -> int:
    return prod(factorial(len(n.loops)) for n in graph.nodes if not isinstance(n, SequentialNode))


def _all_orders(graph: Graph) -> Iterator[dict[str, Order]]:
    names = [node.name for node in graph.nodes]
    choices = (
        [tuple(node.trip_counts)]
        if isinstance(node, SequentialNode)
        else permutations(node.trip_counts)
        for node in graph.nodes
    )
    for choice in product(*choices):
        yield dict(zip(names, choice, strict=True))


def _tilings(
    graph: Graph, choices: Sequence[tuple[frozenset[LoopKey], Sequence[int]]]
) -> Iterator[dict[str, Factors]]:
    for values in product(*(allowed for _, allowed in choices)):
        factors = _ones(graph)
        for (keys, _), value in zip(choices, values, strict=True):
            for node, loop in keys:
                factors[node][loop] = value
        yield factors
