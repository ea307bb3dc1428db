"""A sequential node as built: phases with lanes, in one flattened pipeline, on banks of their own.

The pipeline starts an iteration of one phase a cycle. A visit has as many iterations as tiles, or
more where the next visit needs what it computes later than that: the iterations that are left over
are *bubbles* ([1]).

Arrays that the node writes are in memories inside it: copies of the whole array, each split for the
reads that it serves, and *slices*, which hold only those elements that are read soon, such as one
row. A write goes to every memory that will be read for it. An input whose banks suffice is read
where it is, and an output whose banks suffice is written where it goes.

[1] Morvan, Derrien and Quinton, Polyhedral bubble insertion, IEEE TCAD 32(3), 2013.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Condition, Index, all_of, of_affine
from streamopt.ir.stepping.edges import EdgeRead, FixedLane, divided
from streamopt.ir.stepping.steps import Phase, StepLoop

_ORIGIN = Affine()


@dataclass(frozen=True, slots=True)
class HeldDimension:
    """A dimension of an array that a memory inside a node keeps."""

    dimension: int
    """Of the array."""
    modulus: int = 0
    """Places along it, which elements share modulo; 0 for a place of each element's own."""
    divisor: int = 1
    """Neighbours that share a place."""
    skew: tuple[tuple[int, int, int], ...] = ()
    """Triples (another dimension, factor, divisor): places move on with its quotients as well, so
    that neighbours along any of them are in different ones."""

    def place(self, subscripts: Sequence[Affine]) -> Affine:
        """Return where an element of the array is along it."""
        found = subscripts[self.dimension]
        for other, factor, divisor in self.skew:
            moved = subscripts[other]
            found += (moved.floordiv(divisor) if divisor > 1 else moved).scaled(factor)
        found = found.floordiv(self.divisor) if self.divisor > 1 else found
        return found.mod(self.modulus) if self.modulus else found

    def extent(self, shape: Sequence[int]) -> int:
        """Return the places that it has for an array of a shape."""
        return self.modulus or -(-shape[self.dimension] // self.divisor)


@dataclass(frozen=True, slots=True)
class HeldArray:
    """A memory inside the node with elements of one array."""

    name: str
    """Unique in the node."""
    array: str
    """Of the graph: one that the node writes, or one that it only reads."""
    held: tuple[HeldDimension, ...]
    """By dimension of the memory."""
    shape: tuple[int, ...]
    """Places along each of its dimensions; ``(1,)`` for a scalar."""
    factors: tuple[int, ...]
    """Cyclic partition factors."""
    start: Condition | None = None
    """Which elements it holds before the first iteration, over iterators ``d0``, ``d1``, ..., the
    subscripts in the array; None for all."""
    is_outside: bool = False
    """Whether it is the array itself, as it comes from another node or goes to one: an input that
    is read where it is, or an output that is written where it goes."""
    only: tuple[int, FixedLane] | None = None
    """A dimension of the array, and of lanes along it, in tiles, the one whose elements it holds;
    ``start`` says the same."""

    def places(self, access: Access) -> tuple[Affine, ...]:
        """Return the subscripts in the memory of an element of the array."""
        return tuple(own.place(access.subscripts) for own in self.held) or (_ORIGIN,)

    def lane_places(self, access: Access, at: FixedLane) -> tuple[Affine, ...]:
        """Return the subscripts in the memory for one lane, over the tile of its loop."""
        return tuple(
            divided(place) for place in self.places(access.substitute({at.loop: at.place}))
        )

    def only_lane(self, lanes: Sequence[int]) -> FixedLane | None:
        """Return the lane of a copy that touches it; None if it isn't one in each tile.

        Parameters
        ----------
        lanes
            Of the copy, by dimension of the array.
        """
        if self.only is None or lanes[self.only[0]] != self.only[1].count:
            return None
        return replace(self.only[1], loop=f"d{self.only[0]}")

    def keeps_all(self, shape: Sequence[int]) -> bool:
        """Return whether each element of an array of a shape has a place of its own."""
        if self.start is not None:
            return False
        if not self.held:
            return prod(shape) == 1
        return {own.dimension for own in self.held if not own.modulus} == {*range(len(shape))}


@dataclass(frozen=True, slots=True)
class Mirror:
    """A write that goes to a memory."""

    statement: int
    """Place of the statement in its phase."""
    memory: str
    """Name of the `HeldArray`."""
    guard: Condition | None = None
    """Where it does, beside the statement's guard; None for everywhere."""
    lane: FixedLane | None = None
    """The only lane of a loop that writes to it; None for all."""


@dataclass(frozen=True, slots=True)
class ReuseChain:
    """Registers from which reads at constant distances along the innermost tile loop are served.

    Only the foremost elements are fetched; the others were fetched so many tiles before. A visit
    has ``warm_up`` iterations more, ahead of the first, in which nothing but fetches happens.
    """

    memory: str
    """Name of the `HeldArray`, or of the input, that is read."""
    loop: str
    """The innermost tile loop."""
    reads: tuple[Access, ...]
    """Accesses that it serves."""
    warm_up: int


@dataclass(frozen=True, slots=True)
class LanedPhase:
    """A phase with lanes.

    An iterator is ``tile * lanes + lane`` (aligned: an element is in the same bank in every visit).
    Tile loops of sums come first, each of their iterations a visit of its own.
    """

    phase: Phase
    tiles: tuple[StepLoop, ...]
    """Tile loops, outermost first, named like the loops they tile; bounds are in tiles, over the
    iterators of loops around and earlier tiles, and hold every lane that has work."""
    lanes: tuple[tuple[str, int], ...]
    """By loop, lanes above 1."""
    reads: tuple[tuple[Access, str], ...]
    """Pairs (access, memory): the `HeldArray` that serves each read of an array that the node
    writes."""
    mirrors: tuple[Mirror, ...]
    chains: tuple[ReuseChain, ...] = ()
    like: str = ""
    """The phase whose operators it uses in turn, or some of them; empty if it has its own."""
    # least_cycles, last_cycles: from the start of a visit to that of the next one at least, so that
    # all is there in time; ``last_cycles`` of one in the last iteration of the innermost loop
    # around, too, which for one of a sum is its innermost tile loop
    least_cycles: int = 1
    last_cycles: int = 1
    edges: tuple[EdgeRead, ...] = ()
    """Reads of single lanes that other memories serve than those of all other lanes."""

    @property
    def warm_up(self) -> int:
        """Return the iterations ahead of the first in which it only fetches."""
        return max((chain.warm_up for chain in self.chains), default=0)

    @property
    def guard(self) -> Condition | None:
        """Return where lanes have work, over the iterators of its loops; None for everywhere."""
        parts = [part for loop in self.phase.loops for part in self._unsure(loop)]
        return all_of(parts) if parts else None

    def _unsure(self, loop: StepLoop) -> Iterator[Condition]:
        """Yield the bounds of a loop that its tile loop alone doesn't keep."""
        lanes, tiles = dict(self.lanes), [tile.name for tile in self.tiles]
        count, earlier = lanes.get(loop.name, 1), tiles[: tiles.index(loop.name)]

        def is_kept(bound: Affine) -> bool:
            names = {*bound.iterators()} & {*tiles}
            if count == 1:
                return names <= {*earlier} and not names & {*lanes}
            whole = (bound.constant, *(factor for _, factor in bound.terms))
            return not names and all(number % count == 0 for number in whole)

        iterator = Index(Affine.iterator(loop.name))
        for bound in loop.lower:
            if not is_kept(bound):
                yield Compare(CompareOp.GE, iterator, of_affine(bound))
        for bound in loop.upper:
            if not is_kept(bound):
                yield Compare(CompareOp.LT, iterator, of_affine(bound))


@dataclass(frozen=True, slots=True)
class LanedRepeat:
    """A loop whose iterations run in order, as built."""

    loop: StepLoop
    items: tuple[LanedItem, ...]


LanedItem: TypeAlias = LanedRepeat | LanedPhase


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy of an array into memories inside the node, or out of one."""

    array: str
    """As the node has it; one that it begins with comes from another one."""
    memories: tuple[str, ...]
    """Names of memories inside."""
    lanes: tuple[int, ...]
    """Elements along each dimension that are copied at once: aligned tiles, the last one
    partial."""


@dataclass(frozen=True, slots=True)
class SteppedNest:
    """The hardware of a sequential node."""

    node: str
    """Name of the node."""
    items: tuple[LanedItem, ...]
    memories: tuple[HeldArray, ...]
    ii: int = 1
    """Cycles between the starts of two iterations; more than 1 where a bank is asked too often."""
    # brought, handed: copies before its iterations, and after them
    brought: tuple[Transfer, ...] = ()
    handed: tuple[Transfer, ...] = ()

    @property
    def phases(self) -> tuple[LanedPhase, ...]:
        """Return the phases in order."""
        return tuple(phase for phase, _ in walk_laned(self.items))

    def memory(self, name: str) -> HeldArray:
        """Return the memory of that name; raises KeyError."""
        for memory in self.memories:
            if memory.name == name:
                return memory
        raise KeyError(name)


def walk_laned(
    items: tuple[LanedItem, ...], around: tuple[StepLoop, ...] = ()
) -> Iterator[tuple[LanedPhase, tuple[StepLoop, ...]]]:
    """Yield every phase with the loops in order around it, outermost first."""
    for item in items:
        if isinstance(item, LanedPhase):
            yield item, around
        else:
            yield from walk_laned(item.items, (*around, item.loop))
