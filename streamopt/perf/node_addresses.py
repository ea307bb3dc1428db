"""DSPs of a streaming node's addresses, for many schedules of it at once and without lowering.

The rule is that of `streamopt.perf.addresses.address_multipliers`; evidence is there. Products are
told apart by a hash of what the rule compares as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.operations import accumulates
from streamopt.perf.access_distance import update_distances
from streamopt.perf.addresses import needs_multiplier

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access
    from streamopt.ir.program import Array
    from streamopt.perf.node_operators import NodeOperators

    Integers = npt.NDArray[np.int64]
    Truths = npt.NDArray[np.bool_]
    Hashes = npt.NDArray[np.uint64]

__all__ = ["address_dsps", "lane_factors"]

_BASE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number, so that no digit is lost: the golden ratio in 64 bits."""


def lane_factors(
    access: Access, array: Array, factors: Mapping[str, Integers]
) -> tuple[Integers, ...]:
    """Return the cyclic factor of each dimension that one access asks of its memory."""
    found: list[Integers] = []
    for subscript, extent in zip(access.subscripts, array.shape, strict=True):
        lanes = np.ones_like(next(iter(factors.values())))
        for name in subscript.iterators():
            lanes = lanes * factors[name]
        found.append(np.minimum(lanes, extent))
    return tuple(found)


def address_dsps(
    operators: NodeOperators,
    arrays: Mapping[str, Array],
    order: Sequence[str],
    factors: Mapping[str, Integers],
    banks: Mapping[str, Sequence[Integers]],
) -> Integers:
    """Return the DSPs of a node's addresses, shape (schedules,).

    Parameters
    ----------
    arrays
        By name, those that it touches.
    order
        All loops of the node, outermost tile loop first; the same for all schedules.
    factors
        Unroll factors of every loop, shape (schedules,).
    banks
        The arrays that lie in memory outside of the node: cyclic factor of each dimension, with
        `lane_factors` as a good guess where it is not known yet. All others are streams.
    """
    if not order:
        return np.zeros(1, dtype=np.int64)
    loops = _Loops(operators, order, factors)
    found: list[_Product] = []
    for access, split in _memory_accesses(operators, arrays, factors, banks):
        shape = arrays[access.array].shape
        if len(shape) < 2:
            continue
        extents = [-(-extent // factor) for extent, factor in zip(shape, split, strict=True)]
        found += _products(access.subscripts, extents, loops)
    total = np.zeros_like(factors[order[0]])
    for place, product in enumerate(found):
        new = product.is_built.copy()
        for earlier in found[:place]:
            new &= ~(earlier.is_built & (earlier.key == product.key))
        total += new & ~product.in_luts
    return total


@dataclass(frozen=True, slots=True)
class _Product:
    """A product of an address: equal keys are one multiplier."""

    is_built: Truths
    key: Hashes
    in_luts: Truths


class _Loops:
    """Which tile loops move, and which of them is the innermost of a sum."""

    def __init__(
        self, operators: NodeOperators, order: Sequence[str], factors: Mapping[str, Integers]
    ) -> None:
        node = operators.node
        trips = node.built_trip_counts
        self.none = np.zeros_like(factors[order[0]], dtype=np.bool_)
        self._moves = {name: trips[name] > factors[name] for name in order}
        self._innermost = dict.fromkeys(order, self.none)
        self._numbers: dict[Affine, int] = {}
        if operators.sum is None:
            return
        outer = update_distances(node.write.subscripts, trips, order, factors) > 0
        for name in reversed(order):
            self._innermost[name] = outer & self._moves[name]
            outer = outer & ~self._moves[name]

    def number(self, subscript: Affine) -> np.uint64:
        """Return a number above 0 for a subscript, the same for equal ones."""
        return np.uint64(self._numbers.setdefault(subscript, len(self._numbers) + 1))

    def moves(self, subscript: Affine) -> Truths:
        """Return whether a tile loop changes a subscript."""
        return self._any(self._moves, subscript)

    def runs_innermost(self, subscript: Affine) -> Truths:
        """Return whether the innermost tile loop of a sum changes a subscript."""
        return self._any(self._innermost, subscript)

    def _any(self, truths: Mapping[str, Truths], subscript: Affine) -> Truths:
        found = self.none
        for name in subscript.iterators():
            found = found | truths[name]
        return found


def _memory_accesses(
    operators: NodeOperators,
    arrays: Mapping[str, Array],
    factors: Mapping[str, Integers],
    banks: Mapping[str, Sequence[Integers]],
) -> Iterator[tuple[Access, Sequence[Integers]]]:
    """Yield the accesses with an address, in program order, each with its memory's factors."""
    node = operators.node
    for access in node.reads:
        if access.array in banks:
            yield access, banks[access.array]
        elif any(loop.trip_count > 1 for loop in node.loops if loop.name not in access.iterators()):
            yield access, lane_factors(access, arrays[access.array], factors)
    if accumulates(node):
        yield node.write, lane_factors(node.write, arrays[node.write.array], factors)
    if node.write.array in banks:
        yield node.write, banks[node.write.array]


def _products(
    subscripts: Sequence[Affine], extents: Sequence[Integers], loops: _Loops
) -> Iterator[_Product]:
    prefix = np.zeros_like(loops.none, dtype=np.uint64)
    for subscript, added, extent in zip(subscripts, subscripts[1:], extents[1:], strict=False):
        prefix = np.where(loops.moves(subscript), prefix * _BASE + loops.number(subscript), prefix)
        key = (prefix * _BASE + extent.astype(np.uint64)) * _BASE
        is_built = (prefix != 0) & _multiplies(extent)
        yield _Product(is_built, key, loops.runs_innermost(added))
        prefix = np.where(prefix != 0, key, 0)


def _multiplies(extents: Integers) -> Truths:
    values, places = np.unique(extents, return_inverse=True)
    return np.array([needs_multiplier(int(value)) for value in values])[places]
