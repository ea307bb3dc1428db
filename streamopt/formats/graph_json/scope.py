"""The names in one statement, the array elements made of them, and its problems."""

import ast
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.formats.names import did_you_mean
from streamopt.ir.affine import Affine, NotAffine
from streamopt.ir.expression import (
    Access,
    BinaryOp,
    Condition,
    Expression,
    conjuncts,
    is_affine_condition,
    negated,
)
from streamopt.ir.program import Array

_OPERATORS: Mapping[type[ast.operator], BinaryOp] = {
    ast.Add: BinaryOp.ADD,
    ast.Sub: BinaryOp.SUB,
    ast.Mult: BinaryOp.MUL,
    ast.Div: BinaryOp.DIV,
    ast.FloorDiv: BinaryOp.DIV,
    ast.Mod: BinaryOp.MOD,
}
_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum // or % a constant"


@dataclass(frozen=True, slots=True)
class StatementScope:
    """The names that one statement can use."""

    text: str
    """The statement, on one line of ASCII."""
    loc: SourceLoc
    """Where the text is."""
    arrays: Mapping[str, Array | None]
    """Declared arrays; None for one whose declaration has a problem of its own."""
    trip_counts: Mapping[str, int]
    """Trip count by iterator, outermost first."""
    temporaries: dict[str, Expression]
    """Values of the temporaries so far; a statement that defines one adds to it."""
    problems: list[Diagnostic]
    """Every problem found is appended here."""
    sequential: bool = False
    """Whether ``+=`` updates an element in place instead of starting a reduction."""
    guards: list[Condition] = field(default_factory=list["Condition"])
    """Conditions on the iterators around what is being read; subscripts under them are checked by
    `streamopt.transforms.legality`, which knows where they hold."""

    @contextmanager
    def under(self, condition: Condition) -> Generator[None]:
        """Read what is reached only where a condition on the iterators holds, or only where not."""
        known = any(
            map(is_affine_condition, (*conjuncts(condition), *conjuncts(negated(condition))))
        )
        if known:
            self.guards.append(condition)
        yield
        if known:
            self.guards.pop()

    def report(
        self, code: str, message: str, at: ast.expr | int | None = None, hint: str = ""
    ) -> None:
        """Collect a problem with a piece of the statement, or at a column, counted from 1."""
        column = at if isinstance(at, int) or at is None else at.col_offset + 1
        place = SourceLoc(self.loc.file, self.loc.path, column=column)
        self.problems.append(Diagnostic(code, message, place, hint))

    def source(self, node: ast.expr) -> str:
        """Return the text of a piece of the statement, cut where it is long."""
        text = self.text[node.col_offset : node.end_col_offset]
        return text if len(text) <= 60 else f"{text[:57]}..."


class _NotAffineError(Exception):
    """Leaves the recursion over one subscript: code, message, node, hint."""


def read_access(node: ast.expr, scope: StatementScope) -> Access:
    """Return the array element that a name or a subscripted name stands for.

    Problems (E106 to E111) go to the scope; what is returned is then only a placeholder.
    """
    indices: list[ast.expr] = []
    base = node
    while isinstance(base, ast.Subscript):
        inner = base.slice
        indices[:0] = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        base = base.value
    if not isinstance(base, ast.Name):
        scope.report("E106", f"{scope.source(base)} is not the name of an array", base)
        return Access("", ())
    if base.id not in scope.arrays:
        hint = did_you_mean(base.id, scope.arrays)
        scope.report("E107", f"array '{base.id}' is not declared", base, hint)
    before = len(scope.problems)
    access = Access(base.id, tuple(_subscript(index, base.id, scope) for index in indices))
    array = scope.arrays.get(base.id)
    if array is not None and len(scope.problems) == before:
        _check_shape(access, array, node, scope)
    return access


def _check_shape(access: Access, array: Array, node: ast.expr, scope: StatementScope) -> None:
    wanted, found = len(array.shape), len(access.subscripts)
    if wanted != found:
        message = f"{array.name} has {_counted(wanted, 'dimension')}, but "
        message += f"{scope.source(node)} has {_counted(found, 'subscript')}"
        scope.report("E109", message, node)
    if wanted != found or scope.guards:
        return
    for dimension, (subscript, extent) in enumerate(
        zip(access.subscripts, array.shape, strict=True)
    ):
        low, high = subscript.reach(scope.trip_counts, extent)
        if low < 0 or high >= extent:
            message = f"{scope.source(node)} reaches [{low}, {high}] in dimension {dimension} of "
            message += f"{array.name}, whose extent is {extent}"
            scope.report("E111", message, node, "change the loops, the subscript or the shape")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def read_affine(node: ast.expr, scope: StatementScope) -> Affine:
    """Return a sum of iterators; problems (E108, E110) go to the scope."""
    return _subscript(node, "", scope)


def _subscript(node: ast.expr, array: str, scope: StatementScope) -> Affine:
    try:
        return _affine(node, array, scope)
    except _NotAffineError as problem:
        code, message, place, hint = problem.args
        scope.report(code, message, place, hint)
        return Affine()


def _affine(node: ast.expr, array: str, scope: StatementScope) -> Affine:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            result = Affine.of(value)
        case ast.Name(id=name):
            return _iterator(node, name, array, scope)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            result = _affine(operand, array, scope).scaled(-1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _affine(operand, array, scope)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second = _affine(left, array, scope), _affine(right, array, scope)
            interval = first.bounds(scope.trip_counts)
            combined = first.combined(_OPERATORS[type(op)], second, interval)
            if combined is NotAffine.NEGATIVE:
                message = f"subscript {scope.source(node)} of {array} divides a negative number"
                raise _NotAffineError("E110", message, node, "add a multiple of the divisor")
            if isinstance(combined, NotAffine):
                raise _not_affine(node, array, scope)
            result = combined
        case _:
            raise _not_affine(node, array, scope)
    if result.is_too_large:
        message = f"a number in subscript {scope.source(node)} of {array} is too large"
        raise _NotAffineError("E110", message, node, "")
    return result.ordered(tuple(scope.trip_counts))


def _iterator(node: ast.expr, name: str, array: str, scope: StatementScope) -> Affine:
    if name in scope.trip_counts:
        return Affine.iterator(name)
    if name in scope.temporaries or name in scope.arrays:
        raise _not_affine(node, array, scope)
    hint = did_you_mean(name, scope.trip_counts)
    raise _NotAffineError("E108", f"'{name}' in a subscript of {array} is no iterator", node, hint)


def _not_affine(node: ast.expr, array: str, scope: StatementScope) -> _NotAffineError:
    message = f"subscript {scope.source(node)} of {array} is not affine"
    return _NotAffineError("E110", message, node, _AFFINE_HINT)
