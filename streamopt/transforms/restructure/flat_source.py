"""Statements of a source in their loops, with its variables: the value that the passes work on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from streamopt.analysis.dependence import StatementRead
from streamopt.analysis.instances import StatementInstance
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Expression,
    Read,
    moved_leaf,
    rewrite,
    rewrite_condition,
)
from streamopt.ir.program import Statement
from streamopt.ir.source import RangeLoop, Variable

MAX_DEPTH = 200
"""Of expressions put into others: what recursion in later stages can take."""


@dataclass(frozen=True, slots=True)
class FlatSource:
    """Statements in program order, and variables by name."""

    statements: tuple[StatementInstance, ...]
    variables: Mapping[str, Variable]

    def is_private(self, name: str) -> bool:
        """Return whether nobody outside sees what a variable holds."""
        variable = self.variables[name]
        return not variable.is_argument and not variable.is_constant


@dataclass(frozen=True, slots=True)
class Uses:
    """Where variables are used, by name; statements by their places, in order."""

    writers: Mapping[str, Sequence[int]]
    touches: Mapping[str, Sequence[tuple[StatementRead, Access]]]
    """Reads with their accesses."""

    def users(self, name: str) -> tuple[int, ...]:
        """Return the statements that touch a variable, in order."""
        readers = (touch.statement for touch, _ in self.touches.get(name, ()))
        return tuple(sorted({*self.writers.get(name, ()), *readers}))


def uses_of(statements: Sequence[StatementInstance]) -> Uses:
    """Return where the variables of statements are used."""
    writers: dict[str, list[int]] = {}
    touches: dict[str, list[tuple[StatementRead, Access]]] = {}
    for at, instance in enumerate(statements):
        writers.setdefault(instance.target.array, []).append(at)
        for number, access in enumerate(instance.reads):
            touches.setdefault(access.array, []).append((StatementRead(at, number), access))
    return Uses(writers, touches)


def with_accesses(
    instance: StatementInstance,
    read: Callable[[int, Access], Expression],
    write: Callable[[Access], Access],
) -> StatementInstance:
    """Return a statement with other accesses.

    Parameters
    ----------
    read
        From the place of a read among the statement's reads, and the access, to what stands
        there instead.
    """
    count = 0

    def leaf(part: Expression) -> Expression:
        nonlocal count
        if not isinstance(part, Read):
            return part
        count += 1
        return read(count - 1, part.access)

    guards = tuple(rewrite_condition(guard, leaf) for guard in instance.guards)
    value = rewrite(instance.assign.value, leaf)
    assign = replace(instance.assign, target=write(instance.target), value=value)
    return replace(instance, assign=assign, guards=guards)


def with_affines(
    instance: StatementInstance, moved: Callable[[Affine], Affine]
) -> StatementInstance:
    """Return a statement with all its subscripts and indices replaced; its loops stay."""

    def access_of(access: Access) -> Access:
        return replace(access, subscripts=tuple(map(moved, access.subscripts)))

    leaf = moved_leaf(access_of, moved)
    value = rewrite(instance.assign.value, leaf)
    assign = replace(instance.assign, target=access_of(instance.target), value=value)
    guards = tuple(rewrite_condition(guard, leaf) for guard in instance.guards)
    return replace(instance, assign=assign, guards=guards)


def with_values(instance: StatementInstance, values: Mapping[str, Affine]) -> StatementInstance:
    """Return a statement with affine values instead of iterators; all its loops are still there."""

    def moved(loop: RangeLoop) -> RangeLoop:
        lower, upper = (
            tuple(bound.substitute(values) for bound in side) for side in (loop.lower, loop.upper)
        )
        value = loop.value.substitute(values) if loop.value else None
        return replace(loop, lower=lower, upper=upper, value=value)

    changed = with_affines(instance, lambda value: value.substitute(values))
    return replace(changed, loops=tuple(map(moved, instance.loops)))


def ordered_statement(statement: Statement, names: Sequence[str]) -> Statement:
    """Return the statement with every sum of iterators ordered as ``names``."""

    def access_of(access: Access) -> Access:
        return Access(access.array, tuple(s.ordered(names) for s in access.subscripts))

    leaf = moved_leaf(access_of, lambda index: index.ordered(names))
    return statement.rewritten(leaf, access_of(statement.target))
