"""Headers of ``for``, brought to a count from a lower to an upper bound in steps."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import assigned_variables
from streamopt.frontends.c.symbols import Broken, Counter, Known, Stored, Symbol
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import conjuncts, walked
from streamopt.frontends.c.syntax.usage import change_of, counted_name, names_in
from streamopt.frontends.c.values import expressions
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import reads

LARGEST = 2**31 - 1
"""Of bounds and steps."""
FORM_HINT = "write for (int i = start; i < end; i += constant)"
_DATA_HINT = (
    "its value depends on data; tell how often the loop runs at most: --bound {name}=N "
    "(docs/guides/data-dependent.md)"
)
_BOUND_HINT = "bounds are sums of iterators times constants, or min and max of such"
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class LoopHeader:
    """A header in parts; starts and ends are alternatives of which the tightest counts."""

    name: str
    element: ElementType
    starts: tuple[Affine, ...]
    ends: tuple[Affine, ...]
    step: int


def header_of(item: ast.For, name: str, state: ReadingState) -> LoopHeader | None:
    """Return the parts of a header; all its problems are reported."""
    element, first = first_of(item.init, name, state)
    step = _step(item, name, state)
    starts = None if first is None else _bounds(first, name, step, state, is_start=True)
    ends = None if step is None else _ends(item, name, step, state)
    if element is None or starts is None or ends is None or step is None:
        return None
    changed = assigned_variables(item.stmt, state)
    for other in names_in(item.cond or item) - {name}:
        symbol = state.scope.find(other)
        if isinstance(symbol, Stored) and symbol.variable in changed and not symbol.shape:
            message = f"{other} ends the loop over {name}, and changes in it"
            state.report("E135", message, item, "compare with a variable that stays")
            return None
    if step != 1 and len(starts) > 1:
        message = "a loop with a step starts at a minimum or maximum"
        state.report("E136", message, item, "start it at one affine value")
        return None
    if not element.is_signed and step < 0 and not _stops(starts, ends, step, state):
        message = f"{name} is unsigned, so it never falls below 0, and the loop may not end"
        state.report("E135", message, item, f"declare int {name}")
        return None
    return LoopHeader(name, element, starts, ends, step)


def _stops(
    starts: tuple[Affine, ...], ends: tuple[Affine, ...], step: int, state: ReadingState
) -> bool:
    """Return whether an unsigned variable that falls meets its end before it wraps around."""
    start, end = starts[0], ends[0]
    if len(starts) == len(ends) == 1 and not start.terms and not end.terms:
        steps = max(0, -((end.constant - start.constant) // -step))
        return start.constant + steps * step >= 0
    return max(bound.interval(state.loops.ranges)[0] for bound in ends) + step + 1 >= 0


def first_of(
    first: ast.Node | None, name: str, state: ReadingState
) -> tuple[ElementType | None, ast.Node | None]:
    """Return the type of the counted variable and the expression that it starts at."""
    match first:
        case ast.DeclList(decls=[ast.Decl() as declared]):
            item = state.file.declarations[declared]
            element, place, value = item.type.element, item.loc, item.value
            if value is None:
                state.report("E135", f"{name} has no start", place, FORM_HINT)
        case ast.Assignment(rvalue=value):
            place = state.file.loc(first)
            symbol = state.scope.find(name)
            is_free = isinstance(symbol, Stored) and not (
                symbol.shape or symbol.prefix or state.source.variables[symbol.variable].is_argument
            )
            if not isinstance(symbol, Counter) and not is_free:
                _report_uncountable(name, symbol, place, state)
                return None, value
            assert isinstance(symbol, Counter | Stored)
            element = symbol.element
        case _:
            return None, None
    if element is None or not element.is_integer:
        state.report("E135", f"{name} is not an integer, but counts a loop", place, "use int")
        return None, value
    return element, value


def _report_uncountable(
    name: str, symbol: Symbol | None, loc: SourceLoc, state: ReadingState
) -> None:
    match symbol:
        case Broken():
            pass
        case Known(_, is_iterator=True):
            message = f"{name} counts an outer loop already"
            state.report("E135", message, loc, "use another variable")
        case None:
            state.report("E137", f"'{name}' is not declared", loc, f"declare int {name}")
        case _:
            hint = f"declare int {name} for it alone"
            state.report("E135", f"{name} can't count a loop", loc, hint)


def _step(item: ast.For, name: str, state: ReadingState) -> int | None:
    if item.next is None:
        state.report("E135", f"the loop over {name} has no step", item, FORM_HINT)
        return None
    change = change_of(item.next, name)
    if change is None:
        message = f"{shown(item.next)} does not step {name} by a constant"
        state.report("E135", message, item.next, FORM_HINT)
        return None
    sign, amount = change
    number = expressions.integer_of(amount, state, "the step")
    if number is None:
        return None
    if number == 0 or abs(number) > LARGEST:
        message = f"the loop over {name} steps by {sign * number}"
        state.report("E135", message, item, FORM_HINT)
        return None
    return sign * number


def _bounds(
    node: ast.Node, name: str, step: int | None, state: ReadingState, *, is_start: bool
) -> tuple[Affine, ...] | None:
    """Return the alternatives of a bound: of an end the nearest counts, of a start the last."""
    value = expressions.value_of(node, state)
    if value is None:
        return None
    if value.affine is not None:
        return (state.loops.ordered(value.affine),)
    parts = None
    if value.choice is not None and step is not None:
        wants_least = (step > 0) != is_start
        parts = value.choice.parts if value.choice.is_least == wants_least else None
    if parts is None:
        message = f"bound {shown(node)} is not affine"
        hint = expressions.open_hint(node, state)
        names = {access.array for access in reads(value.tree)}
        other = _DATA_HINT.format(name=name)
        other = _BOUND_HINT if names <= state.integers.followed else other
        state.report("E134" if hint else "E136", message, node, hint or other)
    return parts


def _ends(item: ast.For, name: str, step: int, state: ReadingState) -> tuple[Affine, ...] | None:
    """Return the values that the variable does not reach, as alternatives."""
    found: list[Affine] = []
    if item.cond is None:
        state.report("E135", f"the loop over {name} has no end", item, FORM_HINT)
        return None
    for node in conjuncts(item.cond):
        ends = _end(node, name, step, state)
        if ends is None:
            return None
        found.extend(ends)
    return tuple(dict.fromkeys(found))


def _end(node: ast.Node, name: str, step: int, state: ReadingState) -> tuple[Affine, ...] | None:
    """Return the alternatives of one comparison, as values that are not reached any more."""
    shift, op, bound = None, "", node
    if isinstance(node, ast.BinaryOp) and node.op in _MIRRORED:
        shift, op, bound = _shift_of(node.left, name, state), node.op, node.right
        if shift is None:
            shift, op, bound = _shift_of(node.right, name, state), _MIRRORED[op], node.left
    if shift is None:
        message = f"the condition {shown(node)} does not compare {name} with a bound"
        state.report("E135", message, node, FORM_HINT)
        return None
    rises = step > 0
    if (op in ("<", "<=")) != rises and op != "!=":
        message = f"the loop over {name} counts away from its bound in {shown(node)}"
        state.report("E135", message, node, "turn the comparison or the step around")
        return None
    if op == "!=" and abs(step) != 1:
        message = f"{shown(node)} may never fail with step {step}"
        state.report("E135", message, node, "use < or >")
        return None
    parts = _bounds(bound, name, step, state, is_start=False)
    if parts is None:
        return None
    beyond = (1 if rises else -1) if op in ("<=", ">=") else 0
    return tuple(state.loops.ordered(part - shift + Affine.of(beyond)) for part in parts)


def _shift_of(node: ast.Node, name: str, state: ReadingState) -> Affine | None:
    """Return the affine ``c`` of ``i + c``; None where the expression is something else."""
    match node:
        case ast.ID(name=found) if found == name:
            return Affine()
        case ast.BinaryOp(op="+" | "-" as op, left=inner, right=other) if name not in names_in(
            other
        ):
            before, value = _shift_of(inner, name, state), expressions.value_of(other, state)
            if before is None or value is None or value.affine is None:
                return None
            return before + value.affine.scaled(1 if op == "+" else -1)
        case ast.BinaryOp(op="+", left=other, right=ast.ID(name=found)) if (
            found == name and name not in names_in(other)
        ):
            value = expressions.value_of(other, state)
            return None if value is None else value.affine
        case _:
            return None


def constant_header(item: ast.For, state: ReadingState) -> tuple[int, int, int] | None:
    """Return start, end and step of a loop, if they are numbers; report nothing."""
    name = counted_name(item)
    calls = [part for part in walked(item.init, item.cond) if isinstance(part, ast.FuncCall)]
    if name is None or calls:
        return None
    with state.unreported():
        header = header_of(item, name, state)
    if header is None:
        return None
    (start, *starts), (end, *ends) = header.starts, header.ends
    if starts or ends or start.terms or end.terms:
        return None
    return start.constant, end.constant, header.step
