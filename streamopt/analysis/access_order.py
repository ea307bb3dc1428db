"""The order in which an access walks its array: what decides whether a channel can be a FIFO.

A channel can be a FIFO if both sides touch every element exactly once (Cond. 1 of [1] section
3.1) and in the same order (Cond. 2). An access whose subscripts are plain iterators, each over
the whole of its dimension, touches every element once per value of the loops that it does not
use; those loops are a reduction of the producer, or reuse inside the consumer, and do not reach
the channel. The order is then given by the relative order of the loops that index the array.

References
----------
[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from collections.abc import Mapping, Sequence
from math import prod

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access
from streamopt.ir.graph import Node
from streamopt.ir.program import Array
from streamopt.ir.window import Window


def access_order(
    access: Access,
    order: Sequence[str],
    trip_counts: Mapping[str, int],
    shape: tuple[int, ...],
) -> tuple[int, ...] | None:
    """Return the dimensions of the array, slowest varying first, or None if it can't stream.

    Two sides of a channel fit a FIFO if both orders are equal and not None, and the unroll
    factors of the loops are equal dimension by dimension.

    Parameters
    ----------
    access
        Write or read access function.
    order
        Loops of the node, outermost tile loop first.
    trip_counts
        Trip count of every loop in ``order``.
    shape
        Extents of the array in elements.

    Returns
    -------
    tuple of int or None
        A permutation of the dimensions whose extent is above 1 (a dimension of one element is
        walked in no order, whether its subscript is the constant 0 or a loop of one iteration).
        None where a subscript is not a plain iterator over the whole dimension, or where two
        dimensions share an iterator. A subscript such as ``2 * i`` is refused even where it has
        one value: loops are coupled by position, so the two sides could differ in lanes.

    Examples
    --------
    >>> from streamopt.ir.affine import Affine
    >>> from streamopt.ir.expression import Access
    >>> transposed = Access("A", (Affine.iterator("j"), Affine.iterator("i")))
    >>> access_order(transposed, ("i", "j"), {"i": 4, "j": 8}, (8, 4))
    (1, 0)
    """
    if len(access.subscripts) != len(shape):
        return None
    positions: dict[int, int] = {}
    for dimension, (subscript, extent) in enumerate(zip(access.subscripts, shape, strict=True)):
        iterator = subscript.as_iterator()
        if subscript.terms and iterator is None:
            return None
        if extent == 1 and _is_zero(subscript, trip_counts):
            continue
        if iterator is None or trip_counts[iterator] != extent:
            return None
        positions[dimension] = order.index(iterator)
    if len(set(positions.values())) != len(positions):
        return None
    return tuple(sorted(positions, key=positions.__getitem__))


def taken_order(
    node: Node, access: Access, order: Sequence[str], shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the dimensions in the order in which a node takes an array, as `access_order`.

    None also where the order doesn't complete the rows of a window on it.

    Parameters
    ----------
    access
        How the node takes elements (`Node.taken_of`).
    order
        Loops of the node, outermost tile loop first.
    shape
        Extents of the array in elements.
    """
    noted = node.noted(access.array)
    if noted is None:
        return access_order(access, order, node.trip_counts, shape)
    if isinstance(noted, Window) and not completes_rows(node, noted, order):
        return None
    return access_order(access, order, node.trip_counts | noted.extents, shape)


def completes_rows(node: Node, window: Window, order: Sequence[str]) -> bool:
    """Return whether all of a row has come when the next iteration of its loop begins.

    Outside of the loop of rows are only loops of dimensions without windows, for each of which the
    rows are taken anew; and none at all where some rows are taken before the nest.
    """
    trips = node.built_trip_counts
    outside = order[: order.index(window.row_loop)]
    plain = () if window.prefilled else window.plain_loops
    return all(name in plain or trips[name] == 1 for name in outside)


def _is_zero(subscript: Affine, trip_counts: Mapping[str, int]) -> bool:
    return subscript.bounds(trip_counts) == (0, 0)


def full_depth_elems(array: Array, lanes: tuple[int, ...]) -> int:
    """Return the elements of the fullest lane: the product of extents over lanes, rounded up.

    With this depth no producer ever waits for its consumer, so no schedule can deadlock, and the
    processes may run one after another, as in C simulation. The published designs use it.

    Parameters
    ----------
    lanes
        Streams along each dimension of the array.

    Examples
    --------
    >>> from streamopt.ir.program import Array, Role
    >>> full_depth_elems(Array("E", (180, 190), Role.INTERNAL), (6, 5))
    1140
    """
    return prod(-(-extent // split) for extent, split in zip(array.shape, lanes, strict=True))


def as_digits(
    access: Access, shape: tuple[int, ...], trip_counts: Mapping[str, int]
) -> tuple[Access, tuple[int, ...]]:
    """Return an access to an array, and its shape, with a dimension for each digit of a subscript.

    So a full layer reads its weights behind a feature map of 5 x 5 pixels that was flattened. The
    elements stay where they are, row by row. A subscript that doesn't count through its whole
    dimension in digits stays as it is.

    Examples
    --------
    >>> flat = Affine.iterator("c").scaled(25) + Affine.iterator("h").scaled(5)
    >>> read = Access("W", (flat + Affine.iterator("w"),))
    >>> found, shape = as_digits(read, (400,), {"c": 16, "h": 5, "w": 5})
    >>> str(found), shape
    ('W[c][h][w]', (16, 5, 5))
    """
    subscripts: list[Affine] = []
    extents: list[int] = []
    for subscript, extent in zip(access.subscripts, shape, strict=True):
        loops = _whole_digits(subscript, extent, trip_counts)
        subscripts += map(Affine.iterator, loops) if loops else [subscript]
        extents += [trip_counts[name] for name in loops] or [extent]
    return Access(access.array, tuple(subscripts)), tuple(extents)


def _whole_digits(value: Affine, extent: int, trip_counts: Mapping[str, int]) -> list[str]:
    """Return the iterators that are the digits of a subscript, the highest first; none if not."""
    found: list[str] = []
    weight = 1
    for atom, factor in sorted(value.terms, key=lambda term: term[1]):
        if not isinstance(atom, Iter) or factor != weight:
            return []
        found.append(atom.name)
        weight *= trip_counts[atom.name]
    return found[::-1] if weight == extent and not value.constant else []
