"""MLIR's affine expressions, maps and integer sets as `streamopt.ir.affine` values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from streamopt.frontends.mlir.bindings import ir
from streamopt.frontends.mlir.syntax import AffineMap, Constraint, IntegerSet
from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["affine_map", "integer_set"]

_SET = re.compile(r"affine_set<(.*?) : \((.*)\)>", re.DOTALL)
_LARGEST = 2**40


def affine_map(value: Any) -> AffineMap:
    """Return an ``ir.AffineMap`` as a plain value."""
    results = tuple(_affine(result, 0) for result in value.results)
    return AffineMap(int(value.n_dims), int(value.n_symbols), results)


def integer_set(attribute: Any) -> IntegerSet:
    """Return an ``affine_set`` attribute as a plain value.

    The bindings have no access to what is inside, so its text is read again, as a map.
    """
    match = _SET.fullmatch(str(attribute))
    if match is None or not match[2].strip():
        return IntegerSet(0, 0, ())
    parts = re.split(r"(>=|==) 0(?:, |$)", match[2])
    signature, texts, kinds = match[1], parts[0::2], parts[1::2]
    expressions = ", ".join(text.strip() for text in texts[: len(kinds)])
    mapped = affine_map(ir.AffineMapAttr.parse(f"affine_map<{signature} -> ({expressions})>").value)
    constraints = tuple(
        Constraint(value, kind == "==") for value, kind in zip(mapped.results, kinds, strict=True)
    )
    return IntegerSet(mapped.dims, mapped.symbols, constraints)


def _affine(expression: Any, depth: int) -> Affine | None:
    """Return an expression; None where it isn't affine or is out of all proportion."""
    if depth > 100:
        return None
    if isinstance(expression, ir.AffineConstantExpr):
        number = int(expression.value)
        return Affine.of(number) if abs(number) <= _LARGEST else None
    if isinstance(expression, ir.AffineDimExpr):
        return Affine.iterator(f"d{expression.position}")
    if isinstance(expression, ir.AffineSymbolExpr):
        return Affine.iterator(f"s{expression.position}")
    left = _affine(expression.lhs, depth + 1)
    right = _affine(expression.rhs, depth + 1)
    if left is None or right is None:
        return None
    for kind, combine in _OPERATIONS.items():
        if isinstance(expression, kind):
            return combine(left, right)
    return None


def _product(left: Affine, right: Affine) -> Affine | None:
    if not right.terms:
        return left.scaled(right.constant)
    return right.scaled(left.constant) if not left.terms else None


def _divided(left: Affine, right: Affine) -> Affine | None:
    return left.floordiv(right.constant) if _is_divisor(right) else None


def _divided_up(left: Affine, right: Affine) -> Affine | None:
    if not _is_divisor(right):
        return None
    return (left + Affine.of(right.constant - 1)).floordiv(right.constant)


def _remainder(left: Affine, right: Affine) -> Affine | None:
    return left.mod(right.constant) if _is_divisor(right) else None


def _is_divisor(value: Affine) -> bool:
    return not value.terms and value.constant > 0


_OPERATIONS: Mapping[Any, Callable[[Affine, Affine], Affine | None]] = {
    ir.AffineAddExpr: lambda left, right: left + right,
    ir.AffineMulExpr: _product,
    ir.AffineFloorDivExpr: _divided,
    ir.AffineCeilDivExpr: _divided_up,
    ir.AffineModExpr: _remainder,
}
