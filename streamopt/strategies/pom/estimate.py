"""The estimator of the second stage: cycles and DSPs of a nest with its tiles unrolled.

It is that of ScaleHLS, which POM calls. A nest takes ``B + II (N - 1) + 2`` cycles for N
iterations of B cycles, and ``ceil(n / II)`` units for n operations of a kind. The interval is at
least ``ceil(accesses of the fullest bank / 2)``, and ``ceil(cycles of the chain / distance)`` for
each reduction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.analysis.operations import BEFORE
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.network import Operation
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.operation_graph import chain_cycles
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.strategies.pom.nest import FusedNest, NestStatement

LOAD_CYCLES = 2
STORE_CYCLES = 1
LOOP_CYCLES = 2
"""To enter and to leave a loop."""
PORTS = 2
"""Accesses to one bank in a cycle."""
MOST_BANKS = 512
"""Of one array: what the partition (16, 32) comes to that is written into the published code."""

_MOST_KEPT = 4096
"""Answers of the model of banks that are remembered: a design asks again at other limits."""

Elements: TypeAlias = "list[NDArray[np.int64]]"


@dataclass(frozen=True, slots=True)
class NestEstimate:
    """Cycles and DSPs of a nest."""

    cycles: int
    dsps: int
    ii: int
    """Cycles between the starts of two iterations of the pipelined tile loops."""


@dataclass(frozen=True, slots=True)
class EstimateLimits:
    """Cycles that an estimate must stay below, and DSPs that it may take."""

    cycles: int
    dsps: int


def estimated(nest: FusedNest, tiles: tuple[int, ...], target: Target) -> NestEstimate:
    """Return the estimate of a nest whose innermost tiles have some sizes.

    Parameters
    ----------
    tiles
        For each loop of the nest, a divisor of its trip count.
    """
    fixed, starts, ii = _free_of_banks(nest, tiles, target)
    ii = max(ii, _ports_ii(nest, tiles))
    return NestEstimate(fixed + ii * starts, _dsps(nest, tiles, ii, target), ii)


def estimated_within(
    nest: FusedNest, tiles: tuple[int, ...], target: Target, limits: EstimateLimits
) -> NestEstimate | None:
    """Return `estimated` if it keeps the limits, without banks where they can't matter."""
    fixed, starts, least = _free_of_banks(nest, tiles, target)
    ii = least
    while fixed + ii * starts < limits.cycles and _dsps(nest, tiles, ii, target) > limits.dsps:
        ii += 1
    if fixed + ii * starts >= limits.cycles:
        return None
    found = max(least, _ports_ii(nest, tiles))
    cycles = fixed + found * starts
    if found < ii or cycles >= limits.cycles:
        return None
    return NestEstimate(cycles, _dsps(nest, tiles, found, target), found)


def _free_of_banks(nest: FusedNest, tiles: tuple[int, ...], target: Target) -> tuple[int, int, int]:
    """Return cycles besides starts, starts after the first one, and the interval of chains."""
    chains = [_StatementChain(statement, nest, tiles, target) for statement in nest.statements]
    body = LOAD_CYCLES + max(chain.cycles for chain in chains) + STORE_CYCLES
    ii = max(chain.ii for chain in chains)
    return body + LOOP_CYCLES, nest.iterations // prod(tiles) - 1, ii


def _dsps(nest: FusedNest, tiles: tuple[int, ...], ii: int, target: Target) -> int:
    counts: Counter[tuple[Operator, ElementType]] = Counter()
    for statement in nest.statements:
        for operation, lanes in zip(statement.operations, statement.lanes, strict=True):
            counts[operation.operator, operation.element] += prod(tiles[at] for at in lanes)
    units = ((kind, ceil(count / ii)) for kind, count in counts.items())
    return sum(count * target.operator(*kind).dsps for kind, count in units)


class _StatementChain:
    """Operators of one statement after each other.

    Attributes
    ----------
    cycles
        From its loads to its store; lanes of a reduction add one after another.
    ii
        So that a partial value is stored before it is loaded again.
    """

    def __init__(
        self, statement: NestStatement, nest: FusedNest, tiles: tuple[int, ...], target: Target
    ) -> None:
        added = [n for n in statement.operations if BEFORE in n.operands]
        adding = sum(_cycles(operation, target) for operation in added)
        places = [statement.loops.index(name) for name in statement.reductions]
        more = prod(tiles[place] for place in places) - 1
        chain = chain_cycles(statement.operations, lambda operation: _cycles(operation, target))
        self.cycles = chain + more * adding
        left = [count // tile for count, tile in zip(nest.trip_counts, tiles, strict=True)]
        carrying = [place for place in places if left[place] > 1]
        distance = prod(left[max(carrying) + 1 :]) if carrying else 0
        held = LOAD_CYCLES + (more + 1) * adding + STORE_CYCLES
        self.ii = ceil(held / distance) if distance else 1


def _cycles(operation: Operation, target: Target) -> int:
    registers = target.operator(operation.operator, operation.element).latency_cycles
    return registers + 1 if registers else 0


def _ports_ii(nest: FusedNest, tiles: tuple[int, ...]) -> int:
    accesses = [access for statement in nest.statements for access in statement.accesses]
    numbers = {name: f"a{at}" for at, name in enumerate(dict.fromkeys(a.array for a in accesses))}
    anonymous = (Access(numbers[a.array], a.subscripts) for a in accesses if a.subscripts)
    return _bank_ii(tuple(dict.fromkeys(anonymous)), tiles)


@lru_cache(maxsize=_MOST_KEPT)
def _bank_ii(accesses: tuple[Access, ...], tiles: tuple[int, ...]) -> int:
    """Return the interval that banks allow, from what one iteration touches."""
    touched: dict[str, dict[Access, Elements]] = {}
    for access in accesses:
        own = touched.setdefault(access.array, {})
        own.setdefault(_offsetless(access), []).append(_elements(access, tiles))
    return max((_array_ii(own) for own in touched.values()), default=1)


def _elements(access: Access, tiles: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the elements of an access in one iteration; lanes that share one count once."""
    used = access.iterators()
    apart = [tile if f"l{at}" in used else 1 for at, tile in enumerate(tiles)]
    count = prod(apart)
    axes = np.indices(apart, np.int64).reshape(len(tiles), count)
    lanes = {f"l{at}": axis for at, axis in enumerate(axes)}
    places = (np.asarray(subscript.evaluate(lanes)) for subscript in access.subscripts)
    return np.stack([np.broadcast_to(place, count) for place in places], 1)


def _array_ii(touched: Mapping[Access, Elements]) -> int:
    together = [_distinct(np.concatenate(own)) for own in touched.values()]
    # elements that two access functions share in the first tile differ in others
    sizes = partition(together)
    banks = np.ravel_multi_index(tuple((np.concatenate(together) % np.array(sizes)).T), sizes)
    return ceil(int(np.bincount(banks).max()) / PORTS)


def _distinct(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each row once; as one number a row, which sorts much faster than rows do."""
    least = elements.min(axis=0)
    spans = tuple(int(size) for size in elements.max(axis=0) - least + 1)
    numbers = np.ravel_multi_index(tuple((elements - least).T), spans)
    return elements[np.unique(numbers, return_index=True)[1]]


def partition(touched: Sequence[NDArray[np.int64]]) -> tuple[int, ...]:
    """Return in how many banks each dimension of an array is split cyclically.

    It is as many as one access function touches indices of the dimension at a time; then the
    outermost are halved until there are `MOST_BANKS` in all.

    Parameters
    ----------
    touched
        For each access function, elements that one iteration touches: a row for each. Functions
        that are constants apart count as one.
    """
    sizes = [
        max(len(np.unique(elements[:, at])) for elements in touched)
        for at in range(touched[0].shape[1])
    ]
    while prod(sizes) > MOST_BANKS:
        outermost = next(at for at, size in enumerate(sizes) if size > 1)
        sizes[outermost] = ceil(sizes[outermost] / 2)
    return tuple(sizes)


def _offsetless(access: Access) -> Access:
    """Return an access function without its constant offsets."""
    zero = dict.fromkeys(access.iterators(), 0)
    subscripts = (s - Affine.of(s.evaluate(zero)) for s in access.subscripts)
    return Access(access.array, tuple(subscripts))
