"""Local buffers of a node: the elements of an array that are alive at a time, by loop order.

A partial value is alive from its first term to its last, an element of a stream from its take to
its last use: both as long as the outermost loop runs that returns to the element. Loops outside of
it stand still meanwhile, so a dimension that they index needs no more than their lanes. What
remains of the subscripts differs from the whole by a constant, and no two elements that are alive
meet.

Factors are integers, or integer arrays of one entry a schedule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access
from streamopt.ir.graph import Node
from streamopt.ir.scheduled import ScheduledNode

LUTRAM_WORDS = 128
"""Words of a bank up to which the vendor's tool builds it from LUTs, if nothing is said; as
``lutram_words`` of all devices."""


@dataclass(frozen=True, slots=True)
class LocalBuffer:
    """A buffer for the elements of one access that are alive."""

    shape: tuple[int, ...]
    factors: tuple[int, ...]
    """Banks along each dimension: a lane finds its elements in its own."""
    subscripts: tuple[Affine, ...]
    """Where an element lies: over iterators of the node, and ``NAME.lane`` for the lane of a loop
    whose tile stands still."""
    in_bram: bool
    """Whether it is bound to block RAM (`is_bound_to_bram`)."""


def local_buffer(
    scheduled: ScheduledNode, access: Access, array_shape: Sequence[int]
) -> LocalBuffer:
    """Return the buffer that keeps what an access touches while it is alive."""
    node, factors = scheduled.node, {loop.name: loop.unroll for loop in scheduled.loops}
    order = [loop.name for loop in scheduled.loops]
    still = still_loops(node, access, order, factors)
    shape = alive_shape(node, access, array_shape, factors, still)
    pairs = [*zip(access.subscripts, shape, array_shape, strict=True)]
    lanes = {
        name: Affine.iterator(f"{name}.lane") if factors[name] > 1 else Affine()
        for name, stands in still.items()
        if stands
    }
    split = bank_counts(access, shape, factors)
    sizes = (shape, split), (array_shape, bank_counts(access, array_shape, factors))
    in_bram = is_bound_to_bram(*(bank_words(*size) for size in sizes))
    subscripts = (
        _from_zero(node, subscript, lanes, factors) if alive < whole else subscript
        for subscript, alive, whole in pairs
    )
    places = tuple(subscripts) or (Affine(),)
    return LocalBuffer(shape or (1,), split or (1,), places, in_bram)


def is_bound_to_bram(words: Any, array_words: Any) -> Any:
    """Return whether a smaller buffer stays in block RAM, as LUTs are scarcer.

    Parameters
    ----------
    words, array_words
        Of a bank, and of one that had its share of the whole array.
    """
    return (words > 1) & (words <= LUTRAM_WORDS) & (array_words > LUTRAM_WORDS)


def bank_counts(
    access: Access, shape: Sequence[Any], factors: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Return the banks along each dimension of a memory that is split by an access's lanes."""
    lanes = (prod(factors[name] for name in s.iterators()) for s in access.subscripts)
    return tuple(
        extent - (extent - count) * (count < extent)
        for extent, count in zip(shape, lanes, strict=True)
    )


def bank_words(shape: Sequence[Any], banks: Sequence[Any]) -> Any:
    """Return the words of a bank."""
    return prod(-(-extent // count) for extent, count in zip(shape, banks, strict=True))


def still_loops(
    node: Node, access: Access, order: Sequence[str], factors: Mapping[str, Any]
) -> dict[str, Any]:
    """Return by loop whether its tiles stand still while an element of an access is alive.

    Parameters
    ----------
    order
        The node's loops from the outermost in.
    factors
        Lanes of each loop.
    """
    trips = node.built_trip_counts
    own = {
        name
        for subscript in access.subscripts
        if _tells_apart(subscript, node)
        for name in subscript.iterators()
    }
    found: dict[str, Any] = {}
    returns: Any = False
    for name in order:
        moves = factors[name] < trips[name]
        found[name] = moves > returns
        if name not in own:
            returns = returns | moves
    return found


def alive_shape(
    node: Node,
    access: Access,
    array_shape: Sequence[int],
    factors: Mapping[str, Any],
    still: Mapping[str, Any],
) -> tuple[Any, ...]:
    """Return the extent of each dimension of a buffer; the array's where no less is known.

    Parameters
    ----------
    still
        By loop whether its tiles stand still.
    """
    reaches = (_reach(node, subscript, factors, still) for subscript in access.subscripts)
    return tuple(
        whole if reach is None else reach + 1 - (reach + 1 - whole) * (reach >= whole)
        for reach, whole in zip(reaches, array_shape, strict=True)
    )


def _tells_apart(subscript: Affine, node: Node) -> bool:
    """Return whether each value of a subscript belongs to one of every iterator in it."""
    most = 0
    for atom, by in sorted(subscript.terms, key=lambda term: abs(term[1])):
        if not isinstance(atom, Iter) or abs(by) <= most:
            return False
        most += abs(by) * (node.trip_counts[atom.name] - 1)
    return True


def _reach(
    node: Node, subscript: Affine, factors: Mapping[str, Any], still: Mapping[str, Any]
) -> Any:
    """Return the distance from the first to the last element; None if they may be the same."""
    if not _tells_apart(subscript, node):
        return None
    reach: Any = 0
    for atom, by in subscript.terms:
        assert isinstance(atom, Iter), "digits tell nothing apart"
        trips, lanes = node.trip_counts[atom.name], factors[atom.name]
        reach = reach + abs(by) * (trips - 1 - (trips - lanes) * still[atom.name])
    return reach


def _from_zero(
    node: Node, subscript: Affine, lanes: Mapping[str, Affine], factors: Mapping[str, int]
) -> Affine:
    """Return a subscript without tiles that stand still, at least 0."""
    found = Affine()
    for atom, by in subscript.terms:
        assert isinstance(atom, Iter), "digits tell nothing apart"
        count = factors[atom.name] if atom.name in lanes else node.trip_counts[atom.name]
        found += lanes.get(atom.name, Affine.iterator(atom.name)).scaled(by)
        found += Affine.of(max(0, -by) * (count - 1))
    return found
