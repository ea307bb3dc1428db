"""The parallelism strategies of one nest: vectors of unroll factors, best first.

Of those within a parallelism degree the fastest by the model is taken, and among equals the one
that touches FIFOs least: its loops that move in no FIFO come first ([1] section VI, stage one).

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.graph import Node
    from streamopt.strategies.codo.estimate import NestModel

    Integers = npt.NDArray[np.int64]

__all__ = ["NestChoices", "UnrollChoice", "nest_choices"]

MOST_VECTORS = 50_000
"""Of one nest; beyond it, loops keep the largest factor below each power of two."""


@dataclass(frozen=True, slots=True)
class UnrollChoice:
    """Unroll factors of a nest, in program order of its loops, and its cycles by the model."""

    factors: tuple[int, ...]
    lanes: int
    ii: int
    cycles: int


@dataclass(frozen=True, slots=True, eq=False)
class NestChoices:
    """All vectors of a nest, best first.

    Attributes
    ----------
    factors
        Shape (vectors, loops), in program order of the loops.
    distinct_lanes
        Ascending.
    """

    factors: Integers
    lanes: Integers
    ii: Integers
    cycles: Integers
    distinct_lanes: tuple[int, ...]

    def reached(self, degree: int) -> int:
        """Return the most lanes of a vector within a degree: degrees between are no different."""
        return self.distinct_lanes[bisect_right(self.distinct_lanes, degree) - 1]

    def best(self, degree: int, fixed: Mapping[int, int]) -> UnrollChoice:
        """Return the best vector of at most ``degree`` lanes.

        Parameters
        ----------
        fixed
            Factors that are decided, by place of the loop; they may be more than the degree.
        """
        found = self.lanes <= max(degree, prod(fixed.values()))
        for place, factor in fixed.items():
            found &= self.factors[:, place] == factor
        at = int(found.argmax())
        factors = tuple(self.factors[at].tolist())
        return UnrollChoice(factors, int(self.lanes[at]), int(self.ii[at]), int(self.cycles[at]))


def nest_choices(
    node: Node,
    order: Sequence[str],
    allowed: Mapping[str, Sequence[int]],
    fifo_loops: Collection[str],
    model: NestModel,
) -> NestChoices:
    """Return the strategies of a nest.

    Parameters
    ----------
    order
        Its loops, outermost first.
    allowed
        Unroll factors by loop, with 1.
    fifo_loops
        Those that move in an array that streams.
    """
    names = list(node.trip_counts)
    axes = [np.array(own, dtype=np.int64) for own in _thinned(allowed, names)]
    grid = np.meshgrid(*axes, indexing="ij") if axes else [np.ones(1, dtype=np.int64)]
    factors = np.stack([axis.ravel() for axis in grid], axis=1)[:, : len(names)]
    by_name = dict(zip(names, factors.T, strict=True))
    built, size = node.built_trip_counts, len(factors)
    ii = _intervals(node, order, by_name, model, size)
    tiles = _product([-(-built[name] // by_name[name]) for name in names], size)
    cycles = tiles * ii + model.depth_cycles
    fifo_lanes = _product([by_name[name] for name in names if name in fifo_loops], size)
    widest = factors.max(axis=1, initial=1)
    lanes = _product(list(by_name.values()), size)
    place = np.lexsort((np.arange(size), widest, fifo_lanes, lanes, cycles))
    return NestChoices(
        factors[place], lanes[place], ii[place], cycles[place], tuple(np.unique(lanes).tolist())
    )


def _thinned(allowed: Mapping[str, Sequence[int]], names: Sequence[str]) -> list[list[int]]:
    found = [sorted(allowed[name]) for name in names]
    if prod(map(len, found)) <= MOST_VECTORS:
        return found
    return [[*{factor.bit_length(): factor for factor in own}.values()] for own in found]


def _intervals(
    node: Node,
    order: Sequence[str],
    factors: Mapping[str, Integers],
    model: NestModel,
    size: int,
) -> Integers:
    """Return the II: what an update asks for until its element comes again."""
    terms, distance = np.ones(size, dtype=np.int64), np.ones(size, dtype=np.int64)
    comes_again = np.zeros(size, dtype=np.bool_)
    for name in reversed(order):
        tiles = -(-node.built_trip_counts[name] // factors[name])
        if name in node.reduction_loops:
            terms *= factors[name]
            comes_again |= tiles > 1
        else:
            distance = np.where(comes_again, distance, distance * tiles)
    pairs = np.stack([terms, np.where(comes_again, distance, 0)], axis=1)
    kinds, kind_of = np.unique(pairs, axis=0, return_inverse=True)
    ii = np.array([model.ii(*kind) for kind in kinds.tolist()], dtype=np.int64)
    return ii[kind_of.ravel()]


def _product(columns: Sequence[Integers], size: int) -> Integers:
    found = np.ones(size, dtype=np.int64)
    for column in columns:
        found = found * column
    return found
