"""Channels of arrays off the chip, where the search chooses them: (O29).

The channels of all arrays follow from one number, the cycles in which each is to be moved. The
first round has the least that a design can take; where it takes much longer, or has no room for so
many ports, later rounds have fewer channels, whose ports leave more to the design. Then single
arrays have more channels or fewer, as long as the design gets better for it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isqrt
from typing import Protocol, TypeVar

from streamopt.evaluation.least_cycles import least_cycles
from streamopt.evaluation.open_channels import (
    is_open,
    open_channels,
    open_cycles,
    with_every_channel,
    with_parts,
)
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.ports import PortPlan
from streamopt.perf.pipelines.bandwidth import transfer_ii
from streamopt.perf.resources.network import word_port_bram18
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.result import Stop
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.opt6.graph_variant import CLOSE, GraphVariant
from streamopt.strategies.opt6.simulated_design import Region, SimulatedDesign
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution
from streamopt.transforms.ports.movers import mover_of

SHARES = (0.75, 0.6, 0.6)
"""Of the effort that is left, for each round."""
LONGER = (0.25, 0.7)
"""Of the cycles of the best design: the time for transfers in later rounds."""
SLOWER = 1.25
"""Than the channels of the rounds before, at least, is a time that is worth a round."""


class ChannelSearch(Protocol):
    """A search whose channels follow from a time for transfers."""

    @property
    def rank(self) -> tuple[float, int]:
        """Return the rank of its best design."""
        ...

    @property
    def transfer_cycles(self) -> int:
        """Return the cycles that the channels of its best design take at least."""
        ...


S = TypeVar("S", bound=ChannelSearch)


def first_transfer_cycles(problem: Problem, region: Region) -> int:
    """Return the cycles that neither the work on the region nor transfers by its ports are below.

    Quicker transfers help no design, and their ports take from it.
    """
    limits, on = region.limits, region.on
    work = least_cycles(problem.graph, problem.space.dsp_limit, on, luts=limits.luts)
    ports = limits.bram18 // max(1, word_port_bram18(on.memories))
    return max(work.cycles, open_cycles(problem.graph, problem.ports, on, ports))


def quickest_round(run: Run, searched: Callable[[Run, int], S], region: Region) -> S:
    """Return the search with the best design.

    Parameters
    ----------
    searched
        Searches within the effort of a run, with channels for transfers within so many cycles, or
        for the least.
    """
    problem, best = run.problem, None
    within = first_transfer_cycles(problem, region)
    times = _Times(open_cycles(problem.graph, problem.ports, region.on, most_ports=1))
    for share, longer in zip(SHARES, (*LONGER, 1.0), strict=True):
        own = share if within < times.most_cycles or best is not None else 1.0
        part = run.part(problem, most=own * max(0.0, run.clock.left()))
        part.on_incumbent = _better_ones(run, best)
        found = searched(part, within)
        if best is None or found.rank < best.rank:
            best = found
        times = times.after(max(within, found.transfer_cycles), has_design=best.rank[0] <= 1.0)
        if part.stop is Stop.INTERRUPTED:
            run.stop = run.clock.interrupt()
            break
        within = times.next(int(longer * best.rank[1]))
        if not within or run.clock.should_stop():
            break
    assert best is not None
    return best


@dataclass(frozen=True, slots=True)
class _Times:
    """The times for transfers that rounds had."""

    most_cycles: int
    """With one channel an array."""
    slowest_cycles: int = 0
    """The longest one."""
    short_cycles: int = 0
    """The longest one of those for whose ports no design had room."""
    has_design: bool = False

    def after(self, cycles: int, *, has_design: bool) -> "_Times":
        """Return the times with that of one more round."""
        slowest = max(self.slowest_cycles, cycles)
        short = self.short_cycles if has_design else slowest
        return _Times(self.most_cycles, slowest, short, has_design)

    def next(self, wanted_cycles: int) -> int:
        """Return the time for another round, 0 if there is none that is worth it.

        Without a design so far it is that of one channel an array; with the first one after such
        rounds, one between theirs and its own.
        """
        if not self.has_design:
            return self.most_cycles if self.slowest_cycles < self.most_cycles else 0
        if self.short_cycles:
            between = isqrt(self.short_cycles * self.slowest_cycles)
            return between if between >= SLOWER * self.short_cycles else 0
        return wanted_cycles if wanted_cycles >= SLOWER * self.slowest_cycles else 0


def _better_ones(run: Run, best: ChannelSearch | None) -> Callable[[Solution], None] | None:
    """Return a listener that hears of incumbents that are better than an earlier round's."""
    listener = run.on_incumbent
    if listener is None or best is None:
        return listener
    most = best.rank[1]
    return lambda found: listener(found) if found.latency_cycles < most else None


def bound_of_designs(
    variant: GraphVariant,
    best: SimulatedDesign,
    closed_cycles: int,
    labels: int,
    clock: SearchClock,
) -> int:
    """Return the bound on all designs of a variant, of which one has the least closed form.

    Beside its neighbors a sequential node may be quicker than alone, as which it is costed. Where
    a design is below the bound for that reason, the bound is that of the operations alone.
    """
    found, on, limits = variant.bound_cycles, variant.region.on, variant.region.limits
    if is_open(variant.ports, on):
        found = _bound_of_choices(variant, closed_cycles, labels, clock)
    if found > closed_cycles and not _is_as_costed(variant, best, closed_cycles):
        found = least_cycles(variant.graph, limits.dsps, on, luts=limits.luts).cycles
    return min(found, closed_cycles)


def _is_as_costed(variant: GraphVariant, best: SimulatedDesign, closed_cycles: int) -> bool:
    """Return whether no sequential node of a design with that closed form is below its cost."""
    in_order = [node for node in variant.graph.nodes if isinstance(node, SequentialNode)]
    predicted = best.evaluation.predicted
    if not in_order or predicted is None:
        return not in_order
    plans = {plan.node: plan for plan in best.chosen.schedule.nodes}
    runs = {own.node: own.last_write_cycles - own.start_cycles for own in predicted.nodes}
    costs = {
        node.name: variant.builder.cost(variant.graph, node, plans[node.name]).timing.last_write
        for node in in_order
    }
    return predicted.latency_cycles == closed_cycles and all(
        runs[name] >= cycles for name, cycles in costs.items()
    )


def _bound_of_choices(
    variant: GraphVariant, horizon_cycles: int, labels: int, clock: SearchClock
) -> int:
    """Return the bound of a variant that holds whatever channels its open ports have.

    It is that of movers with all channels, each for itself, and no less than (B5).
    """
    on, ports = variant.region.on, variant.ports
    found = open_cycles(variant.graph, ports, on)
    free = GraphVariant(
        replace(variant.problem, ports=with_every_channel(ports, on)),
        variant.names,
        variant.options,
        variant.builder,
        partial_tiles=variant.problem.space.partial_tiles,
    )
    if found < (1.0 - CLOSE) * horizon_cycles:
        with suppress(SearchTooLargeError, SearchStoppedError):
            free.raise_bound(horizon_cycles, labels, clock)
    return max(found, free.bound_cycles)


def settled(
    start: SimulatedDesign, variant: GraphVariant, clock: SearchClock
) -> Iterator[SimulatedDesign]:
    """Yield better and better designs of a schedule, with other channels for its open ports.

    First all channels go that its lanes don't use.

    Raises
    ------
    SearchStoppedError
        If the time is up.
    """
    moves = _Moves(start, variant)
    best, parts = start, moves.used
    rank = (start.rank, moves.count(moves.given))
    while True:
        found: list[tuple[tuple[tuple[float, int], int], dict[str, int], SimulatedDesign]] = []
        for other in moves.near(parts):
            clock.check()
            tried = variant.judged(best.chosen, moves.ports(other))
            found.append(((tried.rank, moves.count(other)), other, tried))
        least = min(found, key=lambda one: one[0], default=None)
        if least is None or least[0] >= rank:
            return
        rank, parts, best = least
        yield best


class _Moves:
    """Other channels for the open ports of a schedule.

    Attributes
    ----------
    given
        Channels of each array as they are.
    used
        The fewest with which transfers take no longer.
    """

    def __init__(self, start: SimulatedDesign, variant: GraphVariant) -> None:
        graph, self._variant, self._on = variant.graph, variant, variant.region.on
        self._most, rate = open_channels(graph, variant.ports, self._on)
        self.given = {
            port.array: len(port.channels)
            for port in start.chosen.schedule.ports
            if port.is_open and mover_of(graph, port.array) is not None
        }
        self._steps = {
            name: _useful_parts(start, graph, name, rate, self._most) for name in self.given
        }
        self.used = {
            name: max((n for n in self._steps[name] if n <= most), default=1)
            for name, most in self.given.items()
        }

    def count(self, parts: Mapping[str, int]) -> int:
        """Return the ports of all arrays."""
        return sum(parts.values())

    def ports(self, parts: Mapping[str, int]) -> tuple[PortPlan, ...]:
        """Return ports with so many channels."""
        return with_parts(self._variant.graph, self._variant.ports, self._on, parts)

    def near(self, parts: Mapping[str, int]) -> Iterator[dict[str, int]]:
        """Yield the parts, and those of one array a step up, down, or at another one's expense."""
        yield dict(parts)
        for name in parts:
            yield from self._within(self._step(parts, name, -1))
            more = self._step(parts, name, 1)
            yield from self._within(more)
            for other in parts:
                if other != name and more:
                    yield from self._within(self._step(more, other, -1))

    def _within(self, parts: dict[str, int]) -> Iterator[dict[str, int]]:
        if parts and self.count(parts) <= max(self._most, self.count(self.given)):
            yield parts

    def _step(self, parts: Mapping[str, int], name: str, by: int) -> dict[str, int]:
        """Return parts with the next useful number of an array; nothing where there is none."""
        beyond = [n for n in self._steps[name] if (n - parts[name]) * by > 0]
        return {**parts, name: min(beyond, key=lambda n: n * by)} if beyond else {}


def _useful_parts(
    start: SimulatedDesign, graph: Graph, array: str, bytes_per_cycle: float, most: int
) -> list[int]:
    """Return the numbers of channels of which none with fewer is as quick for a mover's lanes."""
    mover = mover_of(graph, array)
    assert mover is not None
    lanes = start.chosen.schedule.node(mover.name).lanes
    bits = graph.array(array).element.outside_bits
    fewest: dict[int, int] = {}
    for parts in range(1, most + 1):
        fewest.setdefault(transfer_ii(lanes, bits, [bytes_per_cycle] * parts), parts)
    return list(fewest.values())
