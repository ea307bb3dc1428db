"""Conditions for sets of isl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.operators import CompareOp, LogicOp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.expression import Condition

MOST_PARTS = 4
"""Of a condition; a set of more is taken larger."""


def condition_of_set(points: Any, among: Any, names: Sequence[str]) -> tuple[Condition | None, Any]:
    """Return a condition for points of a set, and the points for which it holds.

    These are more where the points make no simple condition; None for a condition that all points
    satisfy.

    Parameters
    ----------
    among
        The set that they are of.
    names
        Of its dimensions.
    """
    simple = points.gist(among).remove_divs().coalesce()
    if simple.n_basic_set() > MOST_PARTS:
        simple = _as_set(simple.simple_hull()).gist(among)
    held = simple.intersect(among)
    if among.is_subset(held):
        return None, among
    pieces: list[Any] = []
    simple.foreach_basic_set(pieces.append)
    parts = [
        ir.all_of(tuple(_compared(each, names) for each in piece.get_constraints()))
        for piece in pieces
    ]
    return (parts[0] if len(parts) == 1 else ir.Logic(LogicOp.OR, tuple(parts))), held


def equalities_of(points: Any) -> Any:
    """Return the points for which all equations between dimensions hold that a set's points do."""
    return _as_set(points.affine_hull().remove_divs())


def _as_set(piece: Any) -> Any:
    import islpy as isl

    return isl.Set.from_basic_set(piece)


def _compared(constraint: Any, names: Sequence[str]) -> Condition:
    """Return a constraint with the positive terms on its left."""
    import islpy as isl

    factors = [
        constraint.get_coefficient_val(isl.dim_type.set, at).to_python() for at in range(len(names))
    ]
    constant = constraint.get_constant_val().to_python()
    left, right = Affine(), Affine()
    for name, factor in zip(names, factors, strict=True):
        if factor > 0:
            left += Affine.iterator(name).scaled(factor)
        else:
            right += Affine.iterator(name).scaled(-factor)
    right -= Affine.of(constant)
    if not left.terms:
        left, right = left - Affine.of(right.constant), right - Affine.of(right.constant)
    op = CompareOp.EQ if constraint.is_equality() else CompareOp.GE
    return ir.Compare(op, ir.of_affine(left), ir.of_affine(right))
