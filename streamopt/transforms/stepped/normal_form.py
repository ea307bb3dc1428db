"""Statements of a phase that update one element one after another: each of them always.

Before::

    T[i][w] = max(T[i][w], T[i][w - 1])
    if w >= 2: T[i][w] = max(T[i][w], x[i])
    if w == 1: T[i][1] = y[i]

After::

    T[i][w] = max(T[i][w], T[i][w - 1])
    T[i][w] = max(T[i][w], x[i]) if w >= 2 else T[i][w]
    T[i][w] = y[i] if w == 1 else T[i][w]

so that only the last one goes to memory. And what was just written under a guard is taken as a
value, so that the memory can be read before it is there::

    if j == 0: p[i][0] = y[i]              if j == 0: p[i][0] = y[i]
    p[i][j + 1] = p[i][j] + a     ->       p[i][j + 1] = (j == 0 ? y[i] : p[i][j]) + a
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.analysis.phase_reads import is_overwritten, may_be_stale, reads_of
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.stepping.steps import Phase, Repeat, Steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import StepItem


def normalized(steps: Steps) -> Steps:
    """Return an order with the statements of its phases as above."""
    return replace(steps, items=_items(steps.items))


def _items(items: Sequence[StepItem]) -> tuple[StepItem, ...]:
    return tuple(
        replace(item, statements=_statements(item))
        if isinstance(item, Phase)
        else Repeat(item.loop, _items(item.items))
        for item in items
    )


def _statements(phase: Phase) -> tuple[Statement, ...]:
    found: list[Statement] = []
    always: set[Access] = set()
    always_run = [each for each in phase.statements if each.guard is None]
    targets = [each.target for each in always_run]
    known = [a for each in always_run for a in (each.target, *reads_of(each))]
    for statement in phase.statements:
        one = _taking_values(_spelled_alike(statement, targets, known), found)
        if one.guard is not None and one.target in always:
            kept = ir.Select(one.guard, one.value, ir.Read(one.target))
            one = replace(one, value=kept, guard=None)
        if one.guard is None:
            always.add(one.target)
        found.append(one)
    return tuple(one for at, one in enumerate(found) if not _is_dead(at, found))


def _is_dead(number: int, statements: Sequence[Statement]) -> bool:
    """Return whether nobody sees what a statement writes: a later one overwrites it unread."""
    later = statements[number + 1 :]
    return is_overwritten(number, statements) and not any(
        access.array == statements[number].target.array
        for each in later
        for access in reads_of(each)
    )


def _spelled_alike(
    statement: Statement, targets: Iterable[Access], known: Iterable[Access]
) -> Statement:
    """Return a statement whose accesses are written like others to which its guard makes them."""
    guard = statement.guard
    told = {name: Affine.of(number) for name, number in told_iterators(guard).items()}
    if not told:
        return statement

    def alike(access: Access, others: Iterable[Access]) -> Access:
        return next((one for one in others if _are_equal(one, access, told)), access)

    leaf = ir.moved_leaf(lambda access: alike(access, known))
    return statement.rewritten(leaf, alike(statement.target, targets))


def _taking_values(statement: Statement, before: Sequence[Statement]) -> Statement:
    """Return a statement that takes the simple values that earlier ones wrote under a guard."""

    def leaf(part: ir.Expression) -> ir.Expression:
        if isinstance(part, ir.Read) and part.access != statement.target:
            writer = _guarded_writer(part.access, before)
            if writer is not None and writer.guard is not None:
                return ir.Select(writer.guard, writer.value, part)
        return part

    return replace(statement, value=ir.rewrite(statement.value, leaf))


def _guarded_writer(access: Access, before: Sequence[Statement]) -> Statement | None:
    """Return the one statement that may write an element, if its guard makes it the element."""
    writers = [one for one in before if may_be_stale(access, (one.target,))]
    if len(writers) != 1 or any(one.target == access for one in before):
        return None
    (writer,) = writers
    told = {name: Affine.of(number) for name, number in told_iterators(writer.guard).items()}
    is_simple = not ir.children(writer.value) and not any(
        read.array == one.target.array for read in reads_of(writer) for one in before
    )
    is_affine = writer.guard is not None and ir.is_affine_condition(writer.guard)
    return writer if is_affine and is_simple and _are_equal(writer.target, access, told) else None


def told_iterators(guard: ir.Condition | None) -> dict[str, int]:
    """Return the iterators whose number a guard tells, with it."""
    found: dict[str, int] = {}
    for apart in ir.equations(guard):
        if apart.is_linear and len(apart.factors) == 1:
            ((name, factor),) = apart.factors.items()
            if apart.constant % factor == 0:
                found[name] = -apart.constant // factor
    return found


def _are_equal(one: Access, other: Access, told: Mapping[str, Affine]) -> bool:
    if one.array != other.array:
        return False
    pairs = zip(one.subscripts, other.subscripts, strict=True)
    return all((a - b).substitute(told) == Affine() for a, b in pairs)
