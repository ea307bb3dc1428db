"""Loops: headers of ``for`` brought to a count from a lower to an upper bound in steps of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assigned_variables
from streamopt.frontends.c.symbols import Broken, Counter, Known
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import (
    Assignment,
    Block,
    Continue,
    Declaration,
    Evaluate,
    Increment,
    Name,
    Operation,
)
from streamopt.frontends.c.syntax.usage import walked
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import affine_value
from streamopt.ir.affine import Affine
from streamopt.ir.expression import reads
from streamopt.ir.source import RangeLoop

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import ForLoop, Node, Statement
    from streamopt.frontends.c.values.value import Value
    from streamopt.ir.element import ElementType

__all__ = ["read_loop"]

MAX_NESTING = 64
_LARGEST = 2**31 - 1
_FORM_HINT = "write for (int i = start; i < end; i += constant)"
_DATA_HINT = (
    "its value depends on data; let the loop run to a constant that is never passed, with a "
    "condition inside: for (int k = 0; k < MAX; k++) if (k {op} {bound}) ... "
    "(docs/guides/data-dependent.md)"
)
_BOUND_HINT = "bounds are sums of iterators times constants, or min and max of such"
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class _Header:
    """A header in parts; starts and ends are alternatives of which the tightest counts."""

    name: str
    element: ElementType
    is_declared: bool
    starts: tuple[Affine, ...]
    ends: tuple[Affine, ...]
    step: int


def read_loop(item: ForLoop, state: State, label: str) -> None:
    """Emit a loop; problems go to the state, and the body is read for its own."""
    if len(state.blocks) > MAX_NESTING:
        state.report("E139", f"loops are nested more than {MAX_NESTING} deep", item.loc)
        return
    name = _counted_name(item)
    header = _header(item, name, state) if name is not None else None
    if name is None:
        state.report(
            "E135", "the header of this for names no variable to count", item.loc, _FORM_HINT
        )
    if header is None:
        with state.block():
            if name is not None:
                state.scope.declare(name, Broken())
            _read_body(item, state)
        return
    _emit(item, header, state, label)


def _emit(item: ForLoop, header: _Header, state: State, label: str) -> None:
    iterator = state.unique(header.name)
    start, step = header.starts[0], header.step
    if step == 1:
        lower, upper = header.starts, header.ends
        value = Affine.iterator(iterator)
    else:
        lower = (Affine(),)
        sign = 1 if step > 0 else -1
        spans = ((end - start).scaled(sign) for end in header.ends)
        upper = tuple((span + Affine.of(abs(step) - 1)).floordiv(abs(step)) for span in spans)
        value = start + Affine.iterator(iterator).scaled(step)
    state.order[iterator] = len(state.order)
    lower, upper = (tuple(map(state.in_loop_order, bounds)) for bounds in (lower, upper))
    low = max(bound.interval(state.ranges)[0] for bound in lower)
    high = min(bound.interval(state.ranges)[1] for bound in upper) - 1
    if max(abs(low), abs(high)) > _LARGEST:
        state.report("E139", "the loop's bounds exceed 32 bits", item.loc, "make them smaller")
        return
    state.ranges[iterator] = (low, max(low, high))
    value = state.in_loop_order(value)
    ends = value.interval(state.ranges)
    with state.block() as body:
        known = affine_value(value, header.element, *ends)
        state.scope.declare(header.name, Known(known, is_iterator=True))
        _read_repeated(item, state)
    if body:
        found = RangeLoop(iterator, lower, upper, tuple(body), label, item.loc, header.name, value)
        state.emit(found)


def _read_repeated(item: ForLoop, state: State) -> None:
    """Read a body that may run many times or never: what it assigns is forgotten around it."""
    changed = assigned_variables(item.body, state)
    before = {name: value for name, value in state.held.items() if name not in changed}
    state.held = dict(before)
    state.repeated.append(changed)
    _read_body(item, state)
    state.repeated.pop()
    state.held = before


def _read_body(item: ForLoop, state: State) -> None:
    items = without_jumps((item.body,), Continue)
    statements.read_statement(Block(items, item.body.loc), state)


def _counted_name(item: ForLoop) -> str | None:
    match item.first:
        case Block((Declaration(name),)):
            return name
        case Evaluate(Assignment("", Name(name))):
            return name
        case _:
            return None


def _header(item: ForLoop, name: str, state: State) -> _Header | None:
    """Return the parts of a header; all its problems are reported."""
    element, first = _first(item.first, name, state)
    step = _step(item, name, state)
    starts = None if first is None else _bounds(first, step, state, is_start=True)
    ends = None if step is None else _ends(item, name, step, state)
    if element is None or starts is None or ends is None or step is None:
        return None
    if step != 1 and len(starts) > 1:
        message = "a loop with a step starts at a minimum or maximum"
        state.report("E136", message, item.loc, "start it at one affine value")
        return None
    if not element.is_signed and step < 0 and not _stops(starts, ends, step, state):
        message = f"{name} is unsigned, so it never falls below 0, and the loop may not end"
        state.report("E135", message, item.loc, f"declare int {name}")
        return None
    is_declared = isinstance(item.first, Block)
    return _Header(name, element, is_declared, starts, ends, step)


def _stops(starts: tuple[Affine, ...], ends: tuple[Affine, ...], step: int, state: State) -> bool:
    """Return whether an unsigned variable that falls meets its end before it wraps around."""
    start, end = starts[0], ends[0]
    if len(starts) == len(ends) == 1 and not start.terms and not end.terms:
        steps = max(0, -((end.constant - start.constant) // -step))
        return start.constant + steps * step >= 0
    return max(bound.interval(state.ranges)[0] for bound in ends) + step + 1 >= 0


def _first(
    first: Statement | None, name: str, state: State
) -> tuple[ElementType | None, Node | None]:
    """Return the type of the counted variable and the expression that it starts at."""
    match first:
        case Block((Declaration(value=value, type=use, loc=loc),)):
            element = use.element
            if value is None:
                state.report("E135", f"{name} has no start", loc, _FORM_HINT)
        case Evaluate(Assignment(value=value, loc=loc)):
            symbol = state.scope.find(name)
            match symbol:
                case Counter(element):
                    pass
                case Broken():
                    return None, value
                case Known(_, is_iterator=True):
                    message = f"{name} counts an outer loop already"
                    state.report("E135", message, loc, "use another variable")
                    return None, value
                case None:
                    state.report("E137", f"'{name}' is not declared", loc, f"declare int {name}")
                    return None, value
                case _:
                    message = f"{name} can't count a loop"
                    state.report("E135", message, loc, f"declare int {name} for it alone")
                    return None, value
        case _:
            return None, None
    if element is None or element.is_float:
        state.report("E135", f"{name} is not an integer, but counts a loop", loc, "use int")
        return None, value
    return element, value


def _step(item: ForLoop, name: str, state: State) -> int | None:
    found: int | None = None
    amount: Node | None = None
    sign = 1
    match item.step:
        case Increment(Name(target), by) if target == name:
            found = by
        case Assignment("+" | "-" as op, Name(target), value) if target == name:
            amount, sign = value, 1 if op == "+" else -1
        case Assignment("", Name(target), Operation("+", Name(base), value)) if (
            target == base == name
        ):
            amount = value
        case Assignment("", Name(target), Operation("+", value, Name(base))) if (
            target == base == name
        ):
            amount = value
        case Assignment("", Name(target), Operation("-", Name(base), value)) if (
            target == base == name
        ):
            amount, sign = value, -1
        case None:
            state.report("E135", f"the loop over {name} has no step", item.loc, _FORM_HINT)
            return None
        case _:
            message = f"{shown(item.step)} does not step {name} by a constant"
            state.report("E135", message, item.step, _FORM_HINT)
            return None
    if amount is not None:
        number = expressions.integer_of(amount, state, "the step")
        found = None if number is None else sign * number
    if found == 0 or (found is not None and abs(found) > _LARGEST):
        state.report("E135", f"the loop over {name} steps by {found}", item.loc, _FORM_HINT)
        return None
    return found


def _bounds(
    node: Node, step: int | None, state: State, *, is_start: bool
) -> tuple[Affine, ...] | None:
    """Return the alternatives of a bound: of an end the nearest counts, of a start the last."""
    value = expressions.value_of(node, state)
    if value is None:
        return None
    parts = _alternatives(value, node, step, state, is_start=is_start)
    if parts is None:
        message = f"bound {shown(node)} is not affine"
        hint = expressions.open_hint(node, state)
        names = {access.array for access in reads(value.tree)}
        other = _DATA_HINT.format(op=">=" if is_start else "<", bound=shown(node))
        other = _BOUND_HINT if names <= state.followed else other
        state.report("E134" if hint else "E136", message, node, hint or other)
    return parts


def _alternatives(
    value: Value, node: Node, step: int | None, state: State, *, is_start: bool
) -> tuple[Affine, ...] | None:
    if value.affine is not None:
        return (state.in_loop_order(value.affine),)
    if value.choice is None or step is None:
        return None
    wants_least = (step > 0) != is_start
    return value.choice.parts if value.choice.is_least == wants_least else None


def _ends(item: ForLoop, name: str, step: int, state: State) -> tuple[Affine, ...] | None:
    """Return what the variable does not reach, as alternatives."""
    found: list[Affine] = []
    if item.condition is None:
        state.report("E135", f"the loop over {name} has no end", item.loc, _FORM_HINT)
        return None
    waiting: list[Node] = [item.condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Operation) and node.op == "&&":
            waiting += [node.right, node.left]
            continue
        ends = _end(node, name, step, state)
        if ends is None:
            return None
        found.extend(ends)
    return tuple(dict.fromkeys(found))


def _end(node: Node, name: str, step: int, state: State) -> tuple[Affine, ...] | None:
    """Return the alternatives of one comparison, as values that are not reached any more."""
    if not isinstance(node, Operation) or node.op not in _MIRRORED:
        message = f"the condition {shown(node)} does not compare {name} with a bound"
        state.report("E135", message, node, _FORM_HINT)
        return None
    shift = _shift_of(node.left, name, state)
    op, bound = node.op, node.right
    if shift is None:
        shift = _shift_of(node.right, name, state)
        op, bound = _MIRRORED[node.op], node.left
    if shift is None:
        message = f"the condition {shown(node)} does not compare {name} with a bound"
        state.report("E135", message, node, _FORM_HINT)
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
    parts = _bounds(bound, step, state, is_start=False)
    if parts is None:
        return None
    beyond = (1 if rises else -1) if op in ("<=", ">=") else 0
    return tuple(state.in_loop_order(part - shift + Affine.of(beyond)) for part in parts)


def _shift_of(node: Node, name: str, state: State) -> Affine | None:
    """Return what is added to the variable in ``i + c``; None where it is something else."""
    match node:
        case Name(found) if found == name:
            return Affine()
        case Operation("+" | "-" as op, inner, other) if not _mentions(other, name):
            before, value = _shift_of(inner, name, state), expressions.value_of(other, state)
            if before is None or value is None or value.affine is None:
                return None
            return before + value.affine.scaled(1 if op == "+" else -1)
        case Operation("+", other, Name(found)) if found == name and not _mentions(other, name):
            value = expressions.value_of(other, state)
            return None if value is None else value.affine
        case _:
            return None


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(part, Name) and part.name == name for part in walked(node))
