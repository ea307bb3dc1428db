"""Permutation maps: a target nest walks an array as its reference nest does.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section IV-B and
figure 6.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from streamopt.ir.ordering import topological_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.expression import Access

__all__ = ["depth_map", "dimension_depths", "mapped_chain", "permuted"]

Order = tuple[str, ...]


def dimension_depths(access: Access, order: Sequence[str]) -> tuple[int | None, ...]:
    """Return the depth of the loop that moves in each dimension of an array (figure 6, step 1).

    None for a dimension in which no loop moves alone.

    Examples
    --------
    >>> from streamopt.ir.affine import Affine
    >>> from streamopt.ir.expression import Access
    >>> out = Access("out", tuple(map(Affine.iterator, ("n", "co", "h", "w"))))
    >>> dimension_depths(out, ("n", "h", "w", "co", "ci", "kh", "kw"))
    (0, 3, 1, 2)
    """
    names = (subscript.as_iterator() for subscript in access.subscripts)
    return tuple(None if name is None else order.index(name) for name in names)


def depth_map(
    reference: Sequence[int | None], target: Sequence[int | None]
) -> tuple[tuple[int, int], ...]:
    """Return pairs (depth in the target, depth in the reference) by dimension (figure 6, step 3).

    The loop at the first depth belongs at the second. Step 2 of the figure splits loops so that
    both nests are as deep; here depths of the reference count the loops that move in the array
    alone, which is the same order.

    Examples
    --------
    >>> depth_map((0, 3, 1, 2), (0, 1, 2, 3))
    ((0, 0), (1, 3), (2, 1), (3, 2))
    """
    moving = sorted(depth for depth in reference if depth is not None)
    return tuple(
        (here, moving.index(there))
        for here, there in zip(target, reference, strict=True)
        if here is not None and there is not None
    )


def mapped_chain(order: Order, pairs: Sequence[tuple[int, int]]) -> Order:
    """Return the loops of a target nest that a map moves, in the order of their new depths."""
    return tuple(order[here] for here, _ in sorted(pairs, key=lambda pair: pair[1]))


def permuted(order: Order, chains: Sequence[Order]) -> Order | None:
    """Return the order nearest to a given one with every chain in its order (figure 6, step 4).

    None where chains contradict each other.

    Examples
    --------
    >>> permuted(("n", "c", "h", "w"), [("n", "h", "w", "c")])
    ('n', 'h', 'w', 'c')
    >>> permuted(("i", "j"), [("i", "j"), ("j", "i")]) is None
    True
    """
    place_of = {name: place for place, name in enumerate(order)}
    pairs = [(place_of[a], place_of[b]) for chain in chains for a, b in pairwise(chain)]
    places = topological_order(len(order), pairs)
    return tuple(order[place] for place in places) if len(places) == len(order) else None
