"""Loops whose integers are followed turn by turn, and then written as functions of its number.

Before::

    for (odd = 4; odd < 16; odd++) { odd |= 4; even = odd ^ 4; y[odd] = x[even]; }

After::

    for (n = 0; n < 8; n++) y[n + 4 * (n / 4) + 4] = x[n + 4 * (n / 4)];

The integers have to start from constants, and data may decide none of them. What is found for a
statement that some turns don't reach holds in those that do.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assign, assigned_variables, known_value
from streamopt.frontends.c.statements.guarded import changed_in
from streamopt.frontends.c.statements.headers import first_of
from streamopt.frontends.c.statements.pointers import move
from streamopt.frontends.c.statements.running import once_through, pieces
from streamopt.frontends.c.symbols import Broken, Counter, Moving, Stored
from streamopt.frontends.c.syntax.trees import INCREMENTS, is_block, items_of, jumps_in, walked
from streamopt.frontends.c.syntax.usage import counted_name
from streamopt.frontends.c.values import conditions, expressions
from streamopt.frontends.c.values.value import CValue, affine_value
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import Range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.source import RangeLoop

MAX_STEPS = 10_000
"""Statements that are followed, of one loop."""

Points = list[tuple[int, int | None]]
"""Turns, ascending, and an integer's value in each; None where data decide it."""
Key = tuple[str, ast.Node | None]


@dataclass(slots=True)
class Sequences:
    """The values of integers in the turns of a loop."""

    outer: set[str]
    """The variables that there are before the loop."""
    open: set[ast.Node | None] = field(default_factory=set["ast.Node | None"])
    """Statements that data decide whether to reach in some turn."""
    turns: int = 0
    steps: int = 0
    starts: dict[Key, Points] = field(default_factory=dict["Key", Points])
    before: dict[Key, Points] = field(default_factory=dict["Key", Points])
    """By variable and statement that assigns it: the value that it had."""
    behind: dict[Key, Points] = field(default_factory=dict["Key", Points])
    """By name and statement: the value that it has then."""
    ends: dict[str, CValue] = field(default_factory=dict[str, CValue])
    elements: dict[Key, ElementType] = field(default_factory=dict["Key", ElementType])

    def value(self, key: Key, points: Points, count: Affine) -> CValue | None:
        """Return an integer as a function of the turn's number, if there is one."""
        numbers = {turn: number for turn, number in points if number is not None}
        if len(numbers) < len(points) or key[1] in self.open:
            return None
        found = fitted([*numbers.items()], count)
        limits = Range(min(numbers.values()), max(numbers.values()))
        return None if found is None else affine_value(found, self.elements[key], limits)


def turn_of(loop: ast.For | ast.While) -> list[ast.Node] | None:
    """Return the statements of one turn, with the step; None where it may end early."""
    step = loop.next if isinstance(loop, ast.For) else None
    turn = [*once_through(loop.stmt), *([] if step is None else [step])]
    return (
        None
        if any(jumps_in(one, ast.Break) or jumps_in(one, ast.Continue) for one in turn)
        else turn
    )


def followed(
    condition: ast.Node, turn: Sequence[ast.Node], state: ReadingState
) -> Sequences | None:
    """Return the integers of a loop that starts here; None where it isn't known when it ends."""
    found, before = Sequences({*state.source.variables}), state.saved()
    with state.unreported(), state.source.collected([]):
        while found.steps < MAX_STEPS:
            holds = conditions.condition_of(condition, state)
            if not isinstance(holds, bool):
                break
            if not holds:
                found.ends = {
                    name: value for name, value in state.integers.now.items() if name in found.outer
                }
                before()
                return found
            for name in state.integers.now.keys() & found.outer:
                _note(found.starts, (name, None), state.integers.now[name], found)
            with state.scope.block():
                _follow(turn, found, state)
            found.turns += 1
            found.steps += 1
    before()
    return None


def _note(table: dict[Key, Points], key: Key, value: CValue | None, into: Sequences) -> None:
    number = None if value is None else value.constant
    known = number if isinstance(number, int) else None
    table.setdefault(key, []).append((into.turns, known))
    if value is not None:
        into.elements[key] = value.element


def _follow(items: Sequence[ast.Node], into: Sequences, state: ReadingState) -> None:
    for item in (part for one in items for part in ([one] if is_block(one) else pieces(one))):
        into.steps += 1
        match item:
            case _ if is_block(item):
                with state.scope.block():
                    _follow(items_of(item), into, state)
            case ast.If(cond=condition, iftrue=then, iffalse=otherwise):
                _follow_branch(item, condition, [then, otherwise], into, state)
            case ast.Decl(name=str(name), init=value):
                declared = state.file.declarations[item].type
                if declared.element is None or declared.extents:
                    state.scope.declare(name, Broken())
                    continue
                found = state.file.declarations[item]
                state.scope.declare(name, state.source.add_declared(found, ()))
                _set(item, name, value, into, state)
            case ast.Assignment(op=op, lvalue=ast.ID(name=name) as target, rvalue=value):
                if op != "=":
                    value = ast.BinaryOp(op.removesuffix("="), target, value, item.coord)
                _set(item, name, value, into, state)
            case ast.UnaryOp(op=op, expr=ast.ID(name=name) as target) if op in INCREMENTS:
                one = ast.Constant("int", "1", item.coord)
                value = ast.BinaryOp(op[-1], target, one, item.coord)
                _set(item, name, value, into, state)
            case _:
                _forget(item, state)


def _set(
    item: ast.Node,
    name: str,
    value: ast.Node | None,
    into: Sequences,
    state: ReadingState,
) -> None:
    stored, now = state.scope.find(name), state.integers.now
    if value is not None and changed_in([value], state):
        _forget(item, state)
        return
    if isinstance(stored, Moving):
        _move(item, stored, into, state)
        return
    if not isinstance(stored, Stored) or not stored.element.is_integer or stored.shape:
        return
    variable = stored.variable
    if state.source.variables[variable].is_argument or state.is_static(variable):
        return
    if variable in into.outer:
        _note(into.before, (variable, item), now.get(variable), into)
    given = None if value is None else expressions.value_of(value, state)
    known = None if given is None else known_value(given, stored.element, stored.kept)
    now.pop(variable, None)
    if known is not None and known.constant is not None:
        now[variable] = known
    _note(into.behind, (name, item), now.get(variable), into)


def _move(item: ast.Node, pointer: Moving, into: Sequences, state: ReadingState) -> None:
    place = pointer.place.variable
    _note(into.before, (place, item), state.integers.now.get(place), into)
    problems = state.problems = Problems()
    if isinstance(item, ast.UnaryOp):
        item = ast.Assignment(
            f"{item.op[-1]}=", item.expr, ast.Constant("int", "1", item.coord), item.coord
        )
    assert isinstance(item, ast.Assignment)
    move(pointer, item, state)
    if problems.found:
        _forget(item, state)


def _follow_branch(
    item: ast.If,
    condition: ast.Node,
    sides: Sequence[ast.Node | None],
    into: Sequences,
    state: ReadingState,
) -> None:
    holds = conditions.condition_of(condition, state)
    if isinstance(holds, bool):
        with state.scope.block():
            _follow(items_of(sides[not holds]), into, state)
    else:
        into.open.update(walked(item))
        _forget(item, state)
    for name in changed_in([item], state):
        symbol = state.scope.find(name)
        if isinstance(symbol, Stored):
            _note(into.behind, (name, item), state.integers.now.get(symbol.variable), into)


def _forget(item: ast.Node, state: ReadingState) -> None:
    for name in changed_in([item], state):
        symbol = state.scope.find(name)
        parts = [symbol.which, symbol.place] if isinstance(symbol, Moving) else [symbol]
        for part in parts:
            if isinstance(part, Stored):
                state.integers.now.pop(part.variable, None)


def fitted(points: Sequence[tuple[int, int]], count: Affine) -> Affine | None:
    """Return an affine expression of a number, floors among it, that has some values at some.

    The commonest slope between neighbours is taken off; what remains has to be constant from one
    multiple of a period to the next, and have such an expression of the number of the period.
    """
    if len({value for _, value in points}) == 1:
        return Affine.of(points[0][1])
    slopes = Tally(
        (later - value) // (behind - at)
        for (at, value), (behind, later) in pairwise(points)
        if (later - value) % (behind - at) == 0
    )
    if not slopes:
        return None
    slope = slopes.most_common(1)[0][0]
    rest = [(at, value - slope * at) for at, value in points]
    line = count.scaled(slope)
    starts = [at for (_, one), (at, other) in pairwise(rest) if one != other]
    if not starts:
        return line + Affine.of(rest[0][1])
    period = min([later - at for at, later in pairwise(starts)], default=starts[0] - rest[0][0])
    shift = -starts[0] % period
    periods: dict[int, int] = {}
    for at, value in rest:
        if periods.setdefault((at + shift) // period, value) != value:
            return None
    if len(periods) == len(points) and period == 1:
        return None
    inner = fitted([*periods.items()], (count + Affine.of(shift)).floordiv(period))
    return None if inner is None else line + inner


def read_sequences(loop: ast.For | ast.While, state: ReadingState, label: str) -> bool:
    """Emit a loop as one over the number of its turns; return whether that is possible."""
    turn = turn_of(loop)
    if turn is None or loop.cond is None:
        return False
    with state.scope.block():
        if isinstance(loop, ast.For) and not declared_counter(loop, state):
            return False
        found = followed(loop.cond, turn, state)
        if found is None or not found.turns:
            return False
        iterator = state.source.unique("n")
        state.loops.open(iterator, 0, found.turns - 1)
        count, held = Affine.iterator(iterator), state.integers
        with state.block() as emitted:
            changed = assigned_variables(ast.Compound(turn), state)
            kept = {name: value for name, value in held.now.items() if name not in changed}
            outside = held.inside, held.behind
            held.now = kept | _starts(found, count)
            held.inside = held.inside | _guarded(found, count)
            held.behind = {**held.behind, **_behind(found, count)}
            state.loops.assigned.append(changed)
            statements.read_all(turn, state)
            state.loops.assigned.pop()
            held.inside, held.behind = outside
            held.now = kept | found.ends
    if emitted:
        loc, bounds = state.file.loc(loop), ((Affine(),), (Affine.of(found.turns),))
        whole = RangeLoop(iterator, *bounds, tuple(emitted), label, loc, iterator, count)
        state.source.emit(whole)
    return True


def _starts(found: Sequences, count: Affine) -> dict[str, CValue]:
    every = ((key, points) for key, points in found.starts.items() if len(points) == found.turns)
    values = ((key[0], found.value(key, points, count)) for key, points in every)
    return {name: value for name, value in values if value is not None}


def _guarded(found: Sequences, count: Affine) -> dict[str, tuple[CValue, ast.Node]]:
    sites = Tally(name for name, _ in found.before)
    values: dict[str, tuple[CValue, ast.Node]] = {}
    for key, points in found.before.items():
        name, item = key
        value = found.value(key, points, count) if sites[name] == 1 else None
        if value is not None and item is not None:
            values[name] = value, item
    return values


def _behind(found: Sequences, count: Affine) -> dict[ast.Node, dict[str, CValue]]:
    values: dict[ast.Node, dict[str, CValue]] = {}
    for key, points in found.behind.items():
        value = found.value(key, points, count)
        if value is not None and key[1] is not None:
            values.setdefault(key[1], {})[key[0]] = value
    return values


def declared_counter(loop: ast.For, state: ReadingState) -> bool:
    """Declare what a header counts as a variable of its own; return whether it has a value."""
    name = counted_name(loop)
    is_new = isinstance(loop.init, ast.DeclList) or isinstance(
        state.scope.find(name or ""), Counter
    )
    if name is None or not is_new:
        return _are_declared(loop.init, loop, state)
    return _is_declared(name, loop.init, loop, state)


def _are_declared(first: ast.Node | None, loop: ast.For, state: ReadingState) -> bool:
    """Read what a header does at first; variables that only count loops get one of their own."""
    match first:
        case ast.DeclList(decls=parts) | ast.ExprList(exprs=parts):
            found = [_are_declared(part, loop, state) for part in parts]
            return all(found)
        case ast.Assignment(op="=", lvalue=ast.ID(name=name)) if isinstance(
            state.scope.find(name), Counter
        ):
            return _is_declared(name, first, loop, state)
        case _:
            statements.read_all([] if first is None else [first], state)
            return True


def _is_declared(name: str, init: ast.Node | None, loop: ast.For, state: ReadingState) -> bool:
    element, first = first_of(init, name, state)
    value = None if first is None else expressions.value_of(first, state)
    if element is None or value is None:
        return False
    loc = state.file.loc(loop)
    stored = state.source.add_variable(name, (), element, loc)
    state.scope.declare(name, stored)
    assign(Access(stored.variable, ()), stored, value, state, loc)
    return True
