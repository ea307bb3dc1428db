"""Sequential nests in the reference interpreter: in order, one scalar at a time.

Every design keeps the order of a sequential nest. Where what the nest reads is known exactly, and
it calls no function that platforms round differently, the exact interpreter's bits are the ones to
expect: the bound is 0. Elsewhere the nest runs on scalars that carry their bounds
(`streamopt.verification.reference.bounded_scalar`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Call, Function, reads, walk
from streamopt.verification.exact.interpreter import run_nest
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.bounded_scalar import (
    BOUNDED_OPERATIONS,
    BoundedScalar,
    UnsureError,
    bounded,
    parts,
)

if TYPE_CHECKING:
    from streamopt.ir.program import Array, Nest, Program

__all__ = ["execute_in_order"]

_SAME_EVERYWHERE = {
    Function.SQRT,
    Function.ABS,
    Function.MAX,
    Function.MIN,
    Function.FLOOR,
    Function.CEIL,
}


def execute_in_order(program: Program, nest: Nest, state: dict[str, Bounded]) -> None:
    """Run one sequential nest on flat values with bounds, which it replaces."""
    touched = _touched(nest)
    arrays = [array for array in program.arrays if array.name in touched]
    written = {statement.target.array for statement in nest.statements}
    outside = {source for _, source in nest.carries} | (touched - written)
    known = not any(state[name].bound.any() for name in outside)
    if known and _is_same_everywhere(nest):
        scalars = {array.name: _exact_scalars(state[array.name], array) for array in arrays}
        run_nest(program, nest, scalars)
        for name in written:
            value = np.array([float(scalar) for scalar in scalars[name]])
            bound = np.where(np.isnan(value), np.inf, 0.0)
            state[name] = Bounded(value, bound, 0.0)
        return
    try:
        scalars = {array.name: _bounded_scalars(state[array.name], array) for array in arrays}
        run_nest(program, nest, scalars, BOUNDED_OPERATIONS)
    except UnsureError:
        for name in written:
            unknown = np.full(state[name].value.shape, np.nan)
            state[name] = Bounded(unknown, np.full(unknown.shape, np.inf), 0.0)
        return
    for name in written:
        value, bound = parts(scalars[name])
        state[name] = Bounded(value, bound, 0.0)


def _touched(nest: Nest) -> set[str]:
    names = {name for pair in nest.carries for name in pair}
    for statement in nest.statements:
        names.add(statement.target.array)
        names.update(a.array for e in statement.expressions for a in reads(e))
    return names


def _is_same_everywhere(nest: Nest) -> bool:
    return all(
        part.function in _SAME_EVERYWHERE
        for statement in nest.statements
        for expression in statement.expressions
        for part in walk(expression)
        if isinstance(part, Call)
    )


def _exact_scalars(values: Bounded, array: Array) -> list[Any]:
    flat = np.nan_to_num(values.value) if not array.element.is_float else values.value
    typed = flat.astype(array.element.dtype)
    rounded = array.element in (ElementType.FLOAT, ElementType.HALF)
    return [*typed] if rounded else typed.tolist()


def _bounded_scalars(values: Bounded, array: Array) -> list[BoundedScalar | int]:
    pairs = zip(values.value.tolist(), values.bound.tolist(), strict=True)
    return [bounded(value, bound, array.element) for value, bound in pairs]
