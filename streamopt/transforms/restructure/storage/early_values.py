"""Scalars that a branch computes for itself, computed whether it is taken or not.

A statement under a condition on data keeps what it doesn't write, so that what a branch needs would
be handed from iteration to iteration. Hardware computes it either way.
"""

from collections.abc import Sequence
from dataclasses import replace

from streamopt.analysis.instances import StatementInstance
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Condition,
    Expression,
    is_affine_condition,
    walk,
)
from streamopt.transforms.restructure.flat_source import FlatSource, Uses, uses_of

_MAY_FAIL = {BinaryOp.DIV, BinaryOp.MOD, BinaryOp.SHL, BinaryOp.SHR}
"""Of integers, for some operands."""


def with_early_values(body: FlatSource) -> FlatSource:
    """Compute scalars that only a branch uses without asking whether it is taken.

    Before: ``for i: if (a[i] > 0) { t = b[i] * c[i]; s = s + t; }``
    After:  ``for i: { t = b[i] * c[i]; if (a[i] > 0) s = s + t; }``

    Legal for private variables that each iteration assigns before it reads them, where nothing can
    fail and nothing is read that a condition on data decides the writing of.
    """
    uses, statements = uses_of(body.statements), [*body.statements]
    for name, writers in uses.writers.items():
        if not body.is_private(name) or body.variables[name].shape:
            continue
        asked = _asked(name, [statements[at] for at in uses.users(name)])
        if asked and all(_is_safe(statements[at], statements, uses, body) for at in writers):
            for at in writers:
                statements[at] = _without(asked, statements[at])
    return replace(body, statements=tuple(statements))


def _asked(name: str, users: Sequence[StatementInstance]) -> tuple[Condition, ...]:
    """Return the conditions of a branch outside of which nobody uses a variable's value."""
    first = users[0]
    is_assigned = first.target.array == name and all(a.array != name for a in first.reads)
    is_inside = all(
        one.loops[: len(first.loops)] == first.loops
        and one.guards[: len(first.guards)] == first.guards
        for one in users
    )
    return first.guards if is_assigned and is_inside else ()


def _without(asked: Sequence[Condition], writer: StatementInstance) -> StatementInstance:
    """Return a statement that asks no data of those conditions, its outermost ones."""
    kept = (condition for condition in asked if is_affine_condition(condition))
    return replace(writer, guards=(*kept, *writer.guards[len(asked) :]))


def _is_safe(
    writer: StatementInstance,
    statements: Sequence[StatementInstance],
    uses: Uses,
    body: FlatSource,
) -> bool:
    arrays = {access.array for access in writer.reads} - {writer.target.array}
    makers = (statements[at] for array in arrays for at in uses.writers.get(array, ()))
    is_made = all(is_affine_condition(asked) for maker in makers for asked in maker.guards)
    return is_made and not any(_may_fail(part, body) for part in walk(writer.assign.value))


def _may_fail(part: Expression, body: FlatSource) -> bool:
    if not isinstance(part, Binary) or part.op not in _MAY_FAIL:
        return False
    element = expression_type(part, lambda name: body.variables[name].element)
    return element is None or not element.is_float
