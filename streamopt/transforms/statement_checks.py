"""What every statement must satisfy, wherever it stands: subscripts in range, types that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.ranges import is_inside
from streamopt.errors import Diagnostic
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    affine_conjuncts,
    conditional_reads,
    walk,
)
from streamopt.ir.expression_type import expression_type
from streamopt.transforms.fixed_point_checks import fixed_point_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Nest, Program, Statement

__all__ = ["OUTSIDE", "statement_problems", "statement_reads"]

OUTSIDE = "E214"
"""Code of a subscript that is outside its array."""

_INTEGER_OPS = {
    BinaryOp.MOD,
    BinaryOp.SHL,
    BinaryOp.SHR,
    BinaryOp.AND,
    BinaryOp.OR,
    BinaryOp.XOR,
}


def statement_reads(statement: Statement) -> Iterator[tuple[Access, tuple[Condition, ...]]]:
    """Yield every read of a statement with the affine conditions under which it happens."""
    guard = statement.guard
    under = affine_conjuncts(guard) if guard is not None else ()
    if guard is not None:
        yield from conditional_reads(guard)
    if statement.start is not None:
        yield from conditional_reads(statement.start)
    yield from conditional_reads(statement.value, under)


def statement_problems(program: Program, nest: Nest, statement: Statement) -> Iterator[Diagnostic]:
    """Yield E214, E215 and E219 of one statement."""
    loc = statement.loc or nest.loc
    guard = statement.guard
    under = affine_conjuncts(guard) if guard is not None else ()
    if statement.reduction is not None:
        under = ()
    accesses = [(statement.target, under), *statement_reads(statement)]
    for access, conditions in dict.fromkeys(accesses):
        shape = program.array(access.array).shape
        if not is_inside(access, nest.trip_counts, conditions, shape):
            extents = " x ".join(map(str, shape)) or "a scalar"
            message = f"{access} in node '{nest.name}' reaches outside {access.array} ({extents})"
            yield Diagnostic(OUTSIDE, message, loc, "change the loops, the subscript or the guard")
    for expression in statement.expressions:
        for part in walk(expression):
            if isinstance(part, Binary) and part.op in _INTEGER_OPS:
                element = expression_type(part, lambda name: program.array(name).element)
                if element is not None and not element.is_integer:
                    message = f"{part.op} in node '{nest.name}' needs integers, not {element}"
                    yield Diagnostic("E215", message, loc, "convert the operands: `int32_t(x)`")
    yield from fixed_point_problems(program, nest, statement)
