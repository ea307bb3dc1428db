"""Integers that every iteration of a loop changes alike, and loops that are counted by them.

Before::

    int at = 3;
    for (i = 0; i < 8; i++) { y[at] = x[i]; at += 2; }

After::

    for (i = 0; i < 8; i++) y[2 * i + 3] = x[i];

So ``while (at < 19) { ...; at += 2; }`` has a number of iterations, and ``at = (at + 1) % 4``
counts around. A change under a condition, or by a varying amount, has no such form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import assigned_variables
from streamopt.frontends.c.statements.headers import constant_header
from streamopt.frontends.c.symbols import Moving, Stored
from streamopt.frontends.c.syntax.increments import spread
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.trees import (
    arguments_of,
    base_name,
    conjuncts,
    items_of,
    walked,
    with_nodes,
)
from streamopt.frontends.c.syntax.usage import (
    assigned_name,
    change_of,
    counted_name,
    names_in,
    referenced_in,
)
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import CValue, fitting_value
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType


@dataclass(frozen=True, slots=True)
class Change:
    """The number that one iteration adds to an integer, modulo another if that isn't 0.

    With a divisor, as many iterations add it once, the first time so many earlier.
    """

    amount: int
    modulus: int = 0
    divisor: int = 1
    early: Affine = field(default_factory=Affine)

    def after(self, start: Affine, iterations: Affine) -> Affine:
        """Return the value after some iterations."""
        times = iterations
        if self.divisor > 1:
            times = (iterations + self.early).floordiv(self.divisor)
        total = start + times.scaled(self.amount)
        return total.mod(self.modulus) if self.modulus else total


@dataclass(frozen=True, slots=True)
class Running:
    """Integers with the same change in every iteration, by variable, as they are at the start."""

    starts: Mapping[str, CValue]
    changes: Mapping[str, Change]
    others: tuple[str, ...] = ()
    """The names of what else is assigned and has a value at the start."""

    def values(
        self,
        iterations: Affine,
        ranges: Mapping[str, tuple[int, int]],
        widened: ElementType | None = None,
    ) -> dict[str, CValue]:
        """Return the values after some iterations, as far as their types hold them."""
        found: dict[str, CValue] = {}
        for name, change in self.changes.items():
            start = self.starts[name]
            assert start.affine is not None
            after = change.after(start.affine, iterations)
            value = fitting_value(after, widened or start.element, ranges)
            if value is not None:
                found[name] = value
        return found


def running_in(body: Sequence[ast.Node], state: ReadingState) -> Running:
    """Return the integers that one run of a loop's body changes by constant amounts.

    To be asked where the loop's own variable is declared already.
    """
    before = state.integers.now
    if not before and not state.integers.inside:
        return Running({}, {})
    whole = ast.Compound([*body])
    changed = assigned_variables(whole, state)
    names = {name for node in walked(whole) for name in assigned_name(node)}
    calls = [node for node in walked(whole) if isinstance(node, ast.FuncCall)]
    names |= {name for node in calls for name in referenced_in(node, state.file.functions)}
    declared = {node.name for node in walked(whole) if isinstance(node, ast.Decl)}
    starts: dict[str, CValue] = {}
    changes: dict[str, Change] = {}
    others: list[str] = []
    state.integers.now = {name: value for name, value in before.items() if name not in changed}
    for name in sorted(names - declared):
        symbol = state.scope.find(name)
        variable = symbol.place.variable if isinstance(symbol, Moving) else ""
        variable = symbol.variable if isinstance(symbol, Stored) else variable
        start = before.get(variable)
        if start is None or start.affine is None:
            others += [name] if variable in state.integers.inside else []
            continue
        change = change_by(body, name, state)
        if change is not None and _is_digit(start.affine, change, state):
            starts[variable], changes[variable] = start, change
            continue
        carried = _carried(body, name, before, state)
        if carried is not None:
            starts[variable], changes[variable] = start, carried
        else:
            others.append(name)
    state.integers.now = before
    return Running(starts, changes, tuple(others))


def _carried(
    body: Sequence[ast.Node], name: str, before: Mapping[str, CValue], state: ReadingState
) -> Change | None:
    """Return the change of a variable that counts how often another one starts again at 0."""
    flat = [part for item in body for part in pieces(item)]
    touching = [item for item in flat if touches(item, name, state)]
    match touching:
        case [
            ast.If(cond=ast.BinaryOp(left=ast.ID(name=digit)), iftrue=reset, iffalse=None) as item
        ] if digit != name:
            pass
        case _:
            return None
    symbol = state.scope.find(digit)
    start = before.get(symbol.variable) if isinstance(symbol, Stored) else None
    wrapped = change_by(body, digit, state)
    resets = [part for part in items_of(reset) if touches(part, digit, state)]
    if wrapped is None or not wrapped.modulus or wrapped.amount != 1 or not resets:
        return None
    if start is None or start.affine is None or not touches(item, digit, state):
        return None
    inside = [part for part in items_of(reset) if part not in resets]
    change = change_by(inside, name, state)
    if change is None or change.modulus or change.divisor > 1:
        return None
    if not _is_digit(start.affine, wrapped, state):
        return None
    return Change(change.amount, 0, wrapped.modulus, start.affine)


def _is_digit(start: Affine, change: Change, state: ReadingState) -> bool:
    if not change.modulus:
        return True
    low, high = start.interval(state.loops.ranges)
    return 0 <= low <= high < change.modulus


def change_by(items: Sequence[ast.Node], name: str, state: ReadingState) -> Change | None:
    """Return the change that statements make to a variable; None where it is no constant."""
    flat = [part for item in items for part in pieces(item)]
    touching = [at for at, item in enumerate(flat) if touches(item, name, state)]
    if 0 < len(touching) < 3 and touching[-1] - touching[0] < 2:
        around = _around([flat[at] for at in touching], name, state)
        if around is not None:
            return around
    total = 0
    for at in touching:
        amount = _amount(flat[at], name, state)
        if amount is None:
            return None
        total += amount
    return Change(total)


def pieces(item: ast.Node) -> list[ast.Node]:
    """Return the statements that one consists of, increments inside of expressions apart."""
    match item:
        case ast.Compound():
            return [part for inner in items_of(item) for part in pieces(inner)]
        case ast.ExprList(exprs=parts):
            return [*parts]
        case ast.Label(stmt=body) if body is not None:
            return pieces(body)
        case ast.Decl(init=value) if value is not None:
            found = spread(value)
            return [item] if found is None else [*found[0], *found[2]]
        case ast.For() | ast.While() | ast.If():
            return [item]
        case _:
            found = spread(item)
            return [item] if found is None else [*found[0], found[1], *found[2]]


def once_through(body: ast.Node | None) -> list[ast.Node]:
    """Return the statements of a loop's body; ``continue`` goes where that is possible."""
    return without_jumps([] if body is None else [body], ast.Continue)


def turn_of(loop: ast.For | ast.While) -> list[ast.Node]:
    """Return the statements of one turn of a loop, with the step."""
    step = loop.next if isinstance(loop, ast.For) else None
    return [*once_through(loop.stmt), *([] if step is None else [step])]


def touches(item: ast.Node, name: str, state: ReadingState) -> bool:
    """Return whether a statement may change a variable."""
    return any(
        name in assigned_name(node)
        or (isinstance(node, ast.UnaryOp) and node.op == "&" and name in base_name(node.expr))
        or (isinstance(node, ast.FuncCall) and name in referenced_in(node, state.file.functions))
        for node in walked(item)
    )


def _amount(item: ast.Node, name: str, state: ReadingState) -> int | None:
    match item:
        case ast.If(iftrue=then, iffalse=otherwise):
            sides = [change_by(items_of(side), name, state) for side in (then, otherwise)]
            return sides[0].amount if sides[0] is not None and sides[0] == sides[1] else None
        case ast.For():
            inside = change_by(turn_of(item), name, state)
            if inside is None or inside.modulus:
                return None
            header = constant_header(item, state)
            return None if header is None else inside.amount * len(range(*header))
        case (
            (ast.FuncCall() as call)
            | ast.Decl(init=ast.FuncCall() as call)
            | ast.Assignment(rvalue=ast.FuncCall() as call)
        ) if name not in assigned_name(item):
            return _amount_of_call(call, name, state)
        case _:
            found = change_of(item, name)
            if found is None:
                return None
            sign, amount = found
            if name in names_in(amount):
                return None
            number = expressions.known_integer(amount, state)
            return None if number is None else sign * number


def _amount_of_call(call: ast.FuncCall, name: str, state: ReadingState) -> int | None:
    """Return the number that a call adds to a variable by reference; None if that varies."""
    function = state.file.functions.get(next(iter(base_name(call.name)), ""))
    given = arguments_of(call)
    if function is None or len(given) != len(function.parameters):
        return None
    names = [item.name for item in function.parameters]
    nodes, last = [*walked(function.body)], items_of(function.body)[-1:]
    own = {node.name for node in nodes if isinstance(node, ast.Decl)} | {*names}
    for node in nodes:
        bounds = [node.init, node.cond] if isinstance(node, ast.For) else []
        asked = names_in(*(part for part in bounds if part is not None)) & own
        is_open = isinstance(node, ast.For) and bool(asked - {counted_name(node)} - {*names})
        if is_open or (isinstance(node, ast.Return) and node not in last):
            return None
    body = with_nodes(function.body, dict(zip(names, given, strict=True)))
    headers = [one.init for one in walked(body) if isinstance(one, ast.For)]
    if not all(n in state.file.declarations for n in walked(*headers) if isinstance(n, ast.Decl)):
        return None
    change = change_by(items_of(body), name, state)
    return None if change is None or change.modulus else change.amount


def _around(items: Sequence[ast.Node], name: str, state: ReadingState) -> Change | None:
    """Return the change of a variable that counts around: ``at = (at + 1) % 4`` and its kin."""
    match items:
        case [
            ast.Assignment(op="=", rvalue=ast.BinaryOp(op="%", left=total, right=modulus)) as item
        ]:
            step = ast.Assignment("=", item.lvalue, total, item.coord)
        case [
            step,
            ast.If(
                cond=ast.BinaryOp(op="==" | ">=", left=ast.ID(name=asked), right=modulus),
                iftrue=reset,
                iffalse=None,
            ),
        ] if asked == name and _is_reset(reset, name):
            pass
        case _:
            return None
    amount, number = _amount(step, name, state), expressions.known_integer(modulus, state)
    if amount is None or number is None or number <= 0:
        return None
    is_one = amount == 1 or (len(items) == 1 and amount > 0)
    return Change(amount, number) if is_one else None


def _is_reset(node: ast.Node | None, name: str) -> bool:
    resets = 0
    for item in items_of(node):
        match item:
            case ast.Assignment(op="=", lvalue=ast.ID(name=found), rvalue=ast.Constant(value="0")):
                resets += found == name
            case _ if any(name in assigned_name(part) for part in walked(item)):
                return False
            case _:
                pass
    return resets == 1


_PROVISIONAL_TRIPS = 2**20
_FLIPPED = {">": "<", ">=": "<="}


def trips_while(
    condition: ast.Node, iterator: str, running: Running, state: ReadingState
) -> tuple[Affine, ...] | None:
    """Return the numbers of iterations after which parts of a condition fail; None if unknown.

    The least of them counts.
    """
    state.loops.open(iterator, 0, _PROVISIONAL_TRIPS)
    before = state.integers.now
    count = Affine.iterator(iterator)
    values = running.values(count, state.loops.ranges, ElementType.INT64)
    kept = {name: value for name, value in before.items() if name not in running.changes}
    state.integers.now = kept | values
    found: list[Affine] = []
    for node in conjuncts(condition):
        trips = _trips(node, iterator, state)
        if trips is None:
            state.integers.now = before
            return None
        found.append(trips)
    state.integers.now = before
    most = min(trips.interval(state.loops.ranges)[1] for trips in found)
    state.loops.open(iterator, 0, max(0, min(most, _PROVISIONAL_TRIPS)))
    symbols = map(state.scope.find, names_in(condition))
    asked = {one.variable for one in symbols if isinstance(one, Stored)} & values.keys()
    is_held = asked <= running.values(count, state.loops.ranges).keys()
    return tuple(dict.fromkeys(found)) if is_held else None


def _trips(node: ast.Node, iterator: str, state: ReadingState) -> Affine | None:
    if not isinstance(node, ast.BinaryOp) or node.op not in ("<", "<=", ">", ">=", "!="):
        zero = ast.Constant("int", "0", node.coord)
        node = ast.BinaryOp("!=", node, zero, node.coord)
    sides = node.right, node.left
    op = node.op
    if op in _FLIPPED:
        sides, op = sides[::-1], _FLIPPED[op]
    values = [expressions.affine_of(side, state) for side in sides]
    if values[0] is None or values[1] is None:
        return None
    left = values[0] - values[1]
    names = {str(atom): factor for atom, factor in left.terms}
    factor = names.pop(iterator, 0)
    rest = left - Affine.iterator(iterator).scaled(factor)
    if factor == 0 or iterator in rest.iterators():
        return None
    low, high = rest.interval(state.loops.ranges)
    if op == "!=":
        if abs(factor) != 1 or (low < 0 if factor < 0 else high > 0):
            return None
        return rest.scaled(-factor)
    if factor > 0:
        return None
    if op == "<":
        rest = rest + Affine.of(-factor - 1)
        return rest.floordiv(-factor)
    return rest.floordiv(-factor) + Affine.of(1)
