"""How arrays are split into banks, so that all lanes of an iteration find theirs at once.

A lane knows its bank beforehand only where the tile loops move its element by whole rounds of the
cyclic partition: ``A[4 * i + lane]`` in 4 or 2 banks, but not ``A[i + k + lane]`` in any.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node, SequentialNode

Factors = Mapping[str, int]
Use = tuple[Access, Node, Factors]

PORTS = 2
"""Of a block RAM."""
CACHED_PLACES = 256
"""Asked for with one number of banks after another."""


def fullest_bank(
    subscript: Affine,
    node: Node,
    factors: Factors,
    banks: int,
    starts: tuple[int, ...] = (0,),
) -> int:
    """Return the most elements of one bank that an iteration touches along a dimension.

    All that it touches, where tile loops move it by other amounts than whole rounds of the banks.

    Parameters
    ----------
    starts
        Constants of subscripts that differ in nothing else, of which all elements are asked for.
    """
    if not subscript.is_linear:
        return len(starts) * touched_elems(subscript, node, factors)
    is_plain = subscript.as_iterator() is not None and len(starts) == 1
    if is_plain and moves_by(subscript, node, factors, banks):
        return -(-touched_elems(subscript, node, factors) // banks)
    lanes = tuple((by, factors[name]) for name, by in subscript.factors.items())
    touched = _places(lanes, starts)
    if not moves_by(subscript, node, factors, banks):
        return len(touched)
    return int(np.bincount(touched % banks).max())


def inside_elems(subscript: Affine, node: Node, factors: Factors, size_elems: int) -> int:
    """Return the most elements along a dimension that an iteration touches inside of an array.

    Lanes of padding are left out where all iterations have the same ones.
    """
    trips = node.built_trip_counts
    if not subscript.is_linear or any(trips[n] > factors[n] for n in subscript.iterators()):
        return touched_elems(subscript, node, factors)
    lanes = tuple((by, factors[name]) for name, by in subscript.factors.items())
    places = _places(lanes, (subscript.constant,))
    return int(np.count_nonzero((places >= 0) & (places < size_elems)))


@lru_cache(maxsize=CACHED_PLACES)
def _places(
    lanes: tuple[tuple[int, int], ...], starts: tuple[int, ...] = (0,)
) -> npt.NDArray[np.int64]:
    """Return the different places that lanes lead to from starts, given as pairs (step, count)."""
    places = np.array(starts, dtype=np.int64)
    for by, count in lanes:
        places = np.unique(places[:, None] + by * np.arange(count))
    return places


def writes_of(graph: Graph, array: str, factors: Mapping[str, Factors]) -> list[Use]:
    """Return the write of every streaming node into an array."""
    return [
        (node.write, node, factors[node.name])
        for node in graph.writers(array)
        if not isinstance(node, SequentialNode)
    ]


def cyclic_factors(
    shape: tuple[int, ...], uses: Sequence[Use], banks: Callable[[Affine, Node, Factors], int]
) -> tuple[int, ...]:
    """Return, per dimension, the most banks that a use asks for along it."""
    return tuple(
        min(extent, max((banks(a.subscripts[at], n, f) for a, n, f in uses), default=1))
        for at, extent in enumerate(shape)
    )


def touched_elems(subscript: Affine, _: Node, factors: Factors) -> int:
    """Return a bank for each element that one tile iteration touches along a dimension."""
    return prod(factors[name] for name in subscript.iterators())


def moves_by(subscript: Affine, node: Node, factors: Factors, banks: int) -> bool:
    """Return whether tile loops move a subscript by whole rounds of the banks."""
    if banks == 1:
        return True
    trips = node.built_trip_counts
    return subscript.is_linear and not any(
        trips[name] > factors[name] and by * factors[name] % banks
        for name, by in subscript.factors.items()
    )
