"""Parallelism exploration: degrees to unroll factors, and the cap that the DSPs allow.

Degrees go through three stages: allocation from latencies, upscaling, downscaling. The text of the
paper has lost its formulas; the factors of stage two are those of its code.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section VI.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.perf.paper.dsp import accumulates_products
from streamopt.strategies.codo.coupling import coupled, own_factors
from streamopt.strategies.codo.estimate import DesignEstimate, NestModel, UnrollChoice, nest_choices
from streamopt.strategies.codo.loop_orders import work

CAP_GROWTH = Fraction(17, 16)
"""From one parallelism cap to the next."""
LANES_GROWTH = Fraction(33, 32)
"""From one number of lanes of the longest nest to the next that is tried."""


@dataclass(frozen=True, slots=True)
class Explored:
    """A design that the scheduler came to."""

    cap: int
    """The parallelism degree that no nest exceeds but by what FIFOs ask of it."""
    degrees: tuple[tuple[str, Mapping[str, int]], ...]
    """By node, after each stage: allocation, upscaling, downscaling."""
    choices: Mapping[str, UnrollChoice]
    cycles: int
    dsps: int


class Explorer:
    """The scheduler on a graph of decided loop orders and channels."""

    def __init__(
        self,
        graph: Graph,
        orders: Mapping[str, tuple[str, ...]],
        fifos: Collection[str],
        models: Mapping[str, NestModel],
    ) -> None:
        self._graph, self._orders, self._models = graph, orders, models
        self._estimate = DesignEstimate(graph, orders, fifos)
        self._coupled = coupled(graph, fifos)
        group, factors = self._coupled.group, self._coupled.factors
        self._choices = {
            node.name: nest_choices(
                node,
                orders[node.name],
                {name: factors[group[node.name, name]] for name in node.trip_counts},
                self._coupled.fifo_loops[node.name],
                models[node.name],
            )
            for node in graph.nodes
        }
        place = {node.name: at for at, node in enumerate(graph.nodes)}
        moved = [node for node in graph.nodes if self._may_have_lanes(node)]
        streaming = [node for node in moved if not isinstance(node, SequentialNode)]
        heavy = [node for node in streaming if accumulates_products(node)] or moved
        self._bottlenecks = tuple(node.name for node in heavy)
        self._moved = tuple(node.name for node in moved)
        ranked = sorted(graph.nodes, key=lambda node: (-work(node), place[node.name]))
        self._heaviest_first = tuple(node.name for node in ranked)
        self._groups = {
            node.name: tuple(group[node.name, loop] for loop in node.trip_counts)
            for node in graph.nodes
        }
        self._moving = {
            group[name, loop] for name, loops in self._coupled.fifo_loops.items() for loop in loops
        }
        self._known: dict[tuple[int, ...], dict[str, UnrollChoice]] = {}
        self._best_known: dict[tuple[object, ...], UnrollChoice] = {}
        self._dsps_known: dict[tuple[str, UnrollChoice], int] = {}

    def _may_have_lanes(self, node: Node) -> bool:
        """Return whether degrees matter to a node: to sequential ones not always."""
        return not isinstance(node, SequentialNode) or self._choices[node.name].distinct_lanes != (
            1,
        )

    def caps(self) -> tuple[int, ...]:
        """Return the caps to grow through, ascending.

        All up to where steps of `CAP_GROWTH` are above 1, then in such steps, and those at which
        the longest nest gets more lanes.
        """
        cycles = self._cycles({})
        longest = max(cycles, key=lambda name: cycles[name], default=None)
        if longest is None:
            return (1,)
        most = max(own.distinct_lanes[-1] for own in self._choices.values())
        found = {1, *_thinned(self._choices[longest].distinct_lanes)}
        cap = 1
        while cap < most:
            cap = min(most, max(cap + 1, int(cap * CAP_GROWTH)))
            found.add(cap)
        return tuple(sorted(found))

    def explored(self, cap: int) -> Explored:
        """Return the design of the three stages under a cap."""
        degrees = allocated(self._cycles({}), cap)
        stages = [("initial allocation", degrees)]
        for _ in range(MOST_ROUNDS):
            raised = upscaled(degrees, self._cycles(degrees), self._bottlenecks, cap)
            if raised == degrees:
                break
            degrees = raised
        stages.append(("upscaling", degrees))
        for _ in range(MOST_ROUNDS):
            lowered = downscaled(degrees, self._cycles(degrees))
            if lowered == degrees:
                break
            degrees = lowered
        stages.append(("downscaling", degrees))
        return self._design(cap, tuple(stages))

    def conflicts(self, found: Explored) -> tuple[str, ...]:
        """Return the nests that neighbours keep n times slower than their degree allows.

        The heaviest first.
        """
        degrees = found.degrees[-1][1]
        slow: list[str] = []
        for name in self._heaviest_first:
            node, own = self._graph.node(name), found.choices[name]
            if not self._coupled.fifo_loops[name]:
                continue
            order, model = self._orders[name], self._models[name]
            alone = nest_choices(node, order, own_factors(node), (), model)
            if own.cycles >= BALANCE * alone.best(degrees[name], {}).cycles:
                slow.append(name)
        return tuple(slow)

    def _design(self, cap: int, stages: tuple[tuple[str, Mapping[str, int]], ...]) -> Explored:
        choices = self._assigned(stages[-1][1])
        dsps = sum(self._dsps(name, own) for name, own in choices.items())
        cycles = self._estimate.cycles(choices)
        return Explored(cap, stages, choices, cycles, dsps)

    def _dsps(self, name: str, choice: UnrollChoice) -> int:
        key = (name, choice)
        if key not in self._dsps_known:
            model, order = self._models[name], self._orders[name]
            nest = choice.unrolled
            own = model.used_dsps(order, choice.factors, choice.ii)
            self._dsps_known[key] = own if nest is None else nest.shared_dsps
        return self._dsps_known[key]

    def _cycles(self, degrees: Mapping[str, int]) -> dict[str, int]:
        """Return the cycles of the nests that may have lanes; others are as long at any degree."""
        found = self._assigned(degrees)
        return {name: found[name].cycles for name in self._moved}

    def _assigned(self, degrees: Mapping[str, int]) -> dict[str, UnrollChoice]:
        """Return the strategy of every nest; the degree of one that isn't named is 1.

        The heaviest decides first. What it unrolls of a FIFO's dimensions is propagated; what it
        leaves there others may unroll, and then it takes its other loops anew.
        """
        key = tuple(degrees.get(name, 1) for name in self._heaviest_first)
        if key in self._known:
            return self._known[key]
        decided: dict[int, int] = {}
        for name, degree in zip(self._heaviest_first, key, strict=True):
            choice = self._best(name, degree, decided)
            for group, own in zip(self._groups[name], choice.factors, strict=True):
                if group in self._moving and own > 1:
                    decided[group] = own
        decided = dict.fromkeys(self._moving, 1) | decided
        found = {
            name: self._best(name, degree, decided)
            for name, degree in zip(self._heaviest_first, key, strict=True)
        }
        self._known[key] = found
        return found

    def _best(self, name: str, degree: int, decided: Mapping[int, int]) -> UnrollChoice:
        """Return a nest's strategy where some groups of loops have their factors."""
        groups = enumerate(self._groups[name])
        fixed = {at: decided[own] for at, own in groups if own in decided}
        choices = self._choices[name]
        degree = choices.reached(degree)
        key = (name, degree, *fixed.items())
        if key not in self._best_known:
            self._best_known[key] = choices.best(degree, fixed)
        return self._best_known[key]


def _thinned(lanes: Sequence[int]) -> list[int]:
    """Return the numbers, ascending, that are far enough from the one before."""
    found: list[int] = []
    for own in lanes:
        if not found or own >= found[-1] * LANES_GROWTH:
            found.append(own)
    return found


BALANCE = Fraction(9, 5)
"""The threshold n of the paper."""
MOST_ROUNDS = 3
"""Rounds of a stage at most: ``adjust-cnt`` of the code."""


def allocated(untiled_cycles: Mapping[str, int], cap: int) -> dict[str, int]:
    """Return degrees in proportion to latencies, 1 at least and the cap for the longest (PA).

    Parameters
    ----------
    untiled_cycles
        By node, without unrolling.

    Examples
    --------
    >>> allocated({"conv": 800, "pool": 200, "relu": 100}, 8)
    {'conv': 8, 'pool': 2, 'relu': 1}
    """
    longest = max(untiled_cycles.values(), default=1)
    return {name: max(1, cap * own // longest) for name, own in untiled_cycles.items()}


def upscaled(
    degrees: Mapping[str, int], cycles: Mapping[str, int], bottlenecks: Collection[str], cap: int
) -> dict[str, int]:
    """Return the degrees after one round of stage two (UP).

    A bottleneck nest that takes at least n times as long as the fastest of them gets twice its
    degree, four times where it takes more than 3 n times as long; the cap at most.

    Examples
    --------
    >>> upscaled({"a": 4, "b": 2}, {"a": 100, "b": 180}, {"a", "b"}, 8)
    {'a': 4, 'b': 4}
    """
    least = min((cycles[name] for name in bottlenecks), default=0)
    found = dict(degrees)
    for name in bottlenecks:
        if cycles[name] >= BALANCE * least:
            factor = 4 if cycles[name] > 3 * BALANCE * least else 2
            found[name] = max(degrees[name], min(cap, degrees[name] * factor))
    return found


def downscaled(degrees: Mapping[str, int], cycles: Mapping[str, int]) -> dict[str, int]:
    """Return the degrees after one round of stage three (DP).

    A nest that is at least n times as fast as the longest has its degree divided by n, rounded up.

    Examples
    --------
    >>> downscaled({"a": 9, "b": 9}, {"a": 180, "b": 100})
    {'a': 9, 'b': 5}
    """
    longest = max(cycles.values(), default=0)
    return {
        name: max(1, -(-degree * BALANCE.denominator // BALANCE.numerator))
        if cycles[name] * BALANCE <= longest
        else degree
        for name, degree in degrees.items()
    }
