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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assign, assigned_variables, known_value
from streamopt.frontends.c.statements.guarded import changed_in
from streamopt.frontends.c.statements.headers import first_of
from streamopt.frontends.c.statements.pointers import move
from streamopt.frontends.c.statements.running import pieces
from streamopt.frontends.c.symbols import Broken, Counter, Moving, Stored
from streamopt.frontends.c.syntax.trees import is_block, items_of, walked
from streamopt.frontends.c.syntax.usage import as_assignment, assigned_value, counted_name
from streamopt.frontends.c.values import conditions, expressions
from streamopt.frontends.c.values.value import CValue, affine_value
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.sequences import fitted
from streamopt.ir.arithmetic import Range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.source import RangeLoop

MAX_STEPS = 10_000
"""Statements that are followed, of one loop."""

Points = list[tuple[int, int | None]]
"""Turns, ascending, and an integer's value in each; None where data decide it."""
Key = tuple[str, ast.Node]
Table = dict[Key, Points]


@dataclass(slots=True)
class Sequences:
    """The values of integers in the turns of a loop."""

    outer: set[str]
    """The variables that there are before the loop."""
    open: set[ast.Node] = field(default_factory=set[ast.Node])
    """Statements that data decide whether to reach in some turn."""
    turns: int = 0
    steps: int = 0
    starts: Table = field(default_factory=Table)
    """By variable, and the loop's condition: the value at the start of a turn."""
    before: Table = field(default_factory=Table)
    """By variable and statement that assigns it: the value that it had."""
    behind: Table = field(default_factory=Table)
    """By name and statement: the value that it has then."""
    ends: dict[str, CValue] = field(default_factory=dict[str, CValue])
    elements: dict[Key, ElementType] = field(default_factory=dict[Key, ElementType])

    def values(self, table: Table, count: Affine) -> Iterator[tuple[str, ast.Node, CValue]]:
        """Yield the integers of a table that are functions of the turn's number, as these."""
        for (name, item), points in table.items():
            numbers = {turn: number for turn, number in points if number is not None}
            if len(numbers) == len(points) and item not in self.open:
                limits = Range(min(numbers.values()), max(numbers.values()))
                found = fitted([*numbers.items()], count)
                if found is not None:
                    yield name, item, affine_value(found, self.elements[name, item], limits)


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
                _note(found.starts, (name, condition), state.integers.now[name], found)
            with state.scope.block():
                _follow(turn, found, state)
            found.turns += 1
            found.steps += 1
    before()
    return None


def _note(table: Table, key: Key, value: CValue | None, into: Sequences) -> None:
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
                found = state.file.declarations[item]
                if found.type.element is None or found.type.extents:
                    state.scope.declare(name, Broken())
                    continue
                state.scope.declare(name, state.source.add_declared(found, ()))
                _set(item, name, value, into, state)
            case ast.Assignment(lvalue=ast.ID(name=name)) | ast.UnaryOp(expr=ast.ID(name=name)) if (
                assignment := as_assignment(item)
            ) is not None:
                _set(item, name, assigned_value(assignment), into, state)
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
    assignment = as_assignment(item)
    assert assignment is not None
    with state.unreported() as problems:
        move(pointer, assignment, state)
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


def read_sequences(
    loop: ast.For | ast.While, turn: Sequence[ast.Node], state: ReadingState, label: str
) -> bool:
    """Emit a loop as one over the number of its turns; return whether that is possible."""
    found = None if loop.cond is None else followed(loop.cond, turn, state)
    if found is None or not found.turns:
        return False
    iterator = state.source.unique("n")
    state.loops.open(iterator, 0, found.turns - 1)
    count, held = Affine.iterator(iterator), state.integers
    with state.block() as emitted:
        changed = assigned_variables(ast.Compound([*turn]), state)
        kept = {name: value for name, value in held.now.items() if name not in changed}
        outside = held.inside, held.behind
        every = {key: one for key, one in found.starts.items() if len(one) == found.turns}
        held.now = kept | {name: value for name, _, value in found.values(every, count)}
        sites = Tally(name for name, _ in found.before)
        before = found.values(found.before, count)
        alone = {name: (value, item) for name, item, value in before if sites[name] == 1}
        held.inside = held.inside | alone
        behind: dict[ast.Node, dict[str, CValue]] = {}
        for name, item, value in found.values(found.behind, count):
            behind.setdefault(item, {})[name] = value
        held.behind = {**held.behind, **behind}
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
