"""Loops, brought to a count from a lower to an upper bound in steps of one, and their bodies."""

from __future__ import annotations

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assign, assigned_variables
from streamopt.frontends.c.statements.breaks import place_of_break, with_flag
from streamopt.frontends.c.statements.guarded import GuardedLoop, guarded_in
from streamopt.frontends.c.statements.headers import (
    FORM_HINT,
    LARGEST,
    LoopHeader,
    constant_header,
    header_of,
)
from streamopt.frontends.c.statements.running import (
    Running,
    once_through,
    running_in,
    trips_while,
    turn_of,
)
from streamopt.frontends.c.statements.sequences import declared_counter
from streamopt.frontends.c.statements.unrolled import tried
from streamopt.frontends.c.symbols import Broken, Counter, Known, Stored
from streamopt.frontends.c.syntax.increments import spread
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import is_block, items_of, jumps_in, walked
from streamopt.frontends.c.syntax.usage import assigned_name, change_of, counted_name, names_in
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.conditions import condition_of
from streamopt.frontends.c.values.value import affine_value, converted_value
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import Range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.source import RangeLoop

MAX_NESTING = 64


def read_loop(loop: ast.For, state: ReadingState, label: str) -> None:
    """Emit a loop; problems go to the state, and the body is read for its own."""
    item = _with_one_step(loop)
    behind: list[ast.Node] = []
    if jumps_in(item.stmt, ast.Break):
        name = counted_name(item) or ""
        also = place_of_break(name, item, state) if name in state.usage.left else None
        flag, body = with_flag(item.stmt, item, state, () if also is None else (also,))
        if also is not None:
            back = ast.Assignment("=", also.rvalue, also.lvalue, item.coord)
            behind = [ast.If(ast.UnaryOp("!", flag, item.coord), back, None, item.coord)]
        inside = ast.If(flag, ast.Compound(body, item.coord), None, item.coord)
        item = ast.For(item.init, item.cond, item.next, inside, item.coord)
    if len(state.source.blocks) > MAX_NESTING:
        state.report("E139", f"loops are nested more than {MAX_NESTING} deep", item)
        return

    def read() -> bool:
        _read_for(item, state, label)
        statements.read_all(behind, state)
        return True

    tried(item, read, state, label)


def _read_for(item: ast.For, state: ReadingState, label: str) -> None:
    name = counted_name(item)
    if name is None and item.cond is not None:
        _read_uncounted(item, item.cond, state, label)
        return
    bound = state.loops.bounds.get(label) or state.loops.bounds.get(name or "")
    if bound is not None and constant_header(item, state) is None:
        _read_bounded(item, bound, state, label)
        return
    header = header_of(item, name, state) if name is not None else None
    if name is None:
        state.report("E135", "the header of this for names no variable to count", item, FORM_HINT)
    if header is None:
        with state.block():
            if name is not None:
                state.scope.declare(name, Broken())
            with state.scope.block():
                statements.read_all(once_through(item.stmt), state)
        return
    _emit(item, header, state, label)


def _emit(item: ast.For, header: LoopHeader, state: ReadingState, label: str) -> None:
    iterator = state.source.unique(header.name)
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
    lower, upper = (tuple(map(state.loops.ordered, bounds)) for bounds in (lower, upper))
    low = max(bound.interval(state.loops.ranges)[0] for bound in lower)
    high = min(bound.interval(state.loops.ranges)[1] for bound in upper) - 1
    if max(abs(low), abs(high)) > LARGEST:
        state.report("E139", "the loop's bounds exceed 32 bits", item, "make them smaller")
        return
    state.loops.open(iterator, low, max(low, high))
    value = state.loops.ordered(value)
    ends = value.interval(state.loops.ranges)
    with state.block() as body:
        known = affine_value(value, header.element, Range(*ends))
        state.scope.declare(header.name, Known(known, is_iterator=True))
        first = Affine.iterator(iterator) - lower[0]
        trips = upper[0] - lower[0] if len(lower) == len(upper) == 1 else None
        with state.scope.block():
            items = once_through(item.stmt)
            running = running_in(items, state) if len(lower) == 1 else None
            counted = _counted(header, first, trips)
            _read_repeated(items, running, first, trips, state, counted)
    if body:
        loc = state.file.loc(item)
        found = RangeLoop(iterator, lower, upper, tuple(body), label, loc, header.name, value)
        state.source.emit(found)
    symbol = state.scope.find(header.name)
    if isinstance(symbol, Stored | Counter) and isinstance(item.init, ast.Assignment):
        _leave(symbol, header, trips, item, state)


def _leave(
    symbol: Stored | Counter,
    header: LoopHeader,
    trips: Affine | None,
    item: ast.For,
    state: ReadingState,
) -> None:
    """Emit the value that a loop leaves in its variable, or forget the variable."""
    start = header.starts[0]
    if isinstance(symbol, Counter):
        state.scope.declare_again(header.name, Counter(symbol.element))
    if trips is None or len(header.starts) > 1 or trips.interval(state.loops.ranges)[0] < 0:
        state.scope.declare(header.name, Counter(symbol.element))
        return
    end = start + trips.scaled(header.step)
    reach = Range(*end.interval(state.loops.ranges))
    left = affine_value(state.loops.ordered(end), ElementType.INT64, reach)
    if isinstance(symbol, Counter):
        left = converted_value(left, symbol.element)
        state.scope.declare(header.name, Counter(symbol.element, left))
        return
    assign(Access(symbol.variable, ()), symbol, left, state, state.file.loc(item))


def _read_do_while(item: ast.DoWhile, state: ReadingState, label: str) -> bool:
    """Emit a body, and its repetitions if they are counted or bounded; return whether they are."""
    bound = state.loops.bounds.get(label or "while")
    if jumps_in(item.stmt, ast.Break) or jumps_in(item.stmt, ast.Continue):
        return False
    body = [] if item.stmt is None else [item.stmt]
    if bound is None:
        with state.unreported():
            holds = spread(ast.ExprList([item.cond])) is None and condition_of(item.cond, state)
        if holds is not True:
            statements.read_all(body, state)
        return read_while(ast.While(item.cond, item.stmt, item.coord), state, label)
    statements.read_all(body, state)
    if bound > 1:
        read_times(item.cond, body, bound - 1, item, state, label)
    return True


def _read_bounded(item: ast.For, bound: int, state: ReadingState, label: str) -> None:
    """Read a loop that runs as data decide, so often at most.

    Its form is ``n = start; for (t = 0; t < bound; t++) if (n < end) { body; n++; }``.
    """
    with state.scope.block():
        if not declared_counter(item, state):
            return
        condition = item.cond or ast.Constant("int", "1", item.coord)
        read_times(condition, turn_of(item), bound, item, state, label)


def read_times(
    condition: ast.Node,
    body: list[ast.Node],
    bound: int,
    loop: ast.Node,
    state: ReadingState,
    label: str,
) -> None:
    """Emit a loop of so many iterations that do something while a condition holds."""
    iterator = state.source.unique("times")
    state.loops.open(iterator, 0, bound - 1)
    guarded = ast.If(condition, ast.Compound(body, loop.coord), None, loop.coord)
    _emit_counted(iterator, (Affine.of(bound),), [guarded], None, loop, state, label)


def _emit_counted(
    iterator: str,
    ends: tuple[Affine, ...],
    body: list[ast.Node],
    running: Running | None,
    loop: ast.Node,
    state: ReadingState,
    label: str,
) -> None:
    """Emit a loop from 0 to the least of some ends, of which the iterator is the only variable."""
    count = Affine.iterator(iterator)
    with state.block() as emitted:
        _read_repeated(body, running, count, ends[0] if len(ends) == 1 else None, state, None)
    if emitted:
        loc = state.file.loc(loop)
        item = RangeLoop(iterator, (Affine(),), ends, tuple(emitted), label, loc, iterator, count)
        state.source.emit(item)


def _counted(header: LoopHeader, done: Affine, trips: Affine | None) -> GuardedLoop | None:
    if trips is None or trips.terms or header.starts[0].terms:
        return None
    start = header.starts[0].constant
    values = range(start, start + max(trips.constant, 0) * header.step, header.step)
    return GuardedLoop(header.name, values, done)


def _with_one_step(item: ast.For) -> ast.For:
    """Return a loop of which the header steps one variable; the others are at the body's end."""
    name = counted_name(item)
    if name is None or not isinstance(item.next, ast.ExprList):
        return item
    own = [part for part in item.next.exprs if change_of(part, name) is not None]
    rest = [part for part in item.next.exprs if part not in own]
    if len(own) != 1:
        return item
    body = once_through(item.stmt)
    whole = ast.Compound([*body, *rest], item.coord)
    return ast.For(item.init, item.cond, own[0], whole, item.coord)


def _read_uncounted(item: ast.For, condition: ast.Node, state: ReadingState, label: str) -> None:
    """Read a loop whose header sets no variable, or several, as the ``while`` it stands for."""
    with state.scope.block():
        declared_counter(item, state)
        if not _is_counted(condition, turn_of(item), item, state, label):
            hint = expressions.open_hint(condition, state)
            message = "the header of this for names no variable to count"
            if hint:
                message = f"how often this loop runs depends on {shown(condition)}"
            state.report("E134" if hint else "E135", message, item, hint or FORM_HINT)


def _rotated(body: list[ast.Node], loop: ast.Node) -> list[ast.Node]:
    """Return a body in which a counter starts again where it is stepped, not in the next iteration.

    Before::

        for (n = 0, j = 0; n < 64; n++, j++) { if (j == 8) { j = 0; i++; } a[i][j] = x[n]; }

    After::

        for (n = 0, j = 0; n < 64; n++, j++) { a[i][j] = x[n]; j++; if (j == 8) { j = 0; i++; } }

    That differs behind the loop, so all that the branch changes has to be declared in the header.
    """
    items = [part for one in body for part in (items_of(one) if is_block(one) else [one])]
    first = loop.init if isinstance(loop, ast.For) else None
    own = first.decls if isinstance(first, ast.DeclList) else []
    starts = {one.name: one.init for one in own if isinstance(one, ast.Decl)}
    match items:
        case [
            ast.If(
                cond=ast.BinaryOp(op="==", left=ast.ID(name=name), right=end),
                iftrue=reset,
                iffalse=None,
            ) as branch,
            *rest,
        ] if name in starts and not names_in(end) & set(starts):
            changed = {n for node in walked(reset) for n in assigned_name(node)}
            zero = starts[name]
            is_zero = isinstance(zero, ast.Constant) and zero.value == "0"
            if is_zero and changed <= set(starts):
                return [*rest, branch]
        case _:
            pass
    return body


def read_while(item: ast.While | ast.DoWhile, state: ReadingState, label: str) -> bool:
    """Emit a loop if its iterations can be counted or are bounded; return whether they are."""
    if isinstance(item, ast.DoWhile):
        return _read_do_while(item, state, label)

    return tried(item, lambda: _read_while(item, state, label), state, label)


def _read_while(item: ast.While, state: ReadingState, label: str) -> bool:
    parts = spread(ast.ExprList([item.cond], item.coord))
    if parts is not None and not jumps_in(item.stmt, ast.Break):
        return _read_changing(item, parts, state, label)
    bound = state.loops.bounds.get(label or "while")
    if bound is not None:
        condition, inside = item.cond, once_through(item.stmt)
        if jumps_in(item.stmt, ast.Break):
            flag, body = with_flag(item.stmt, item, state)
            condition = ast.BinaryOp("&&", flag, condition, item.coord)
            inside = without_jumps([ast.Compound(body, item.coord)], ast.Continue)
        read_times(condition, inside, bound, item, state, label)
        return True
    body = [] if item.stmt is None else [item.stmt]
    if any(jumps_in(one, ast.Continue) for one in body):
        return False
    return _is_counted(item.cond, body, item, state, label)


def _read_changing(
    item: ast.While,
    parts: tuple[list[ast.Node], ast.Node, list[ast.Node]],
    state: ReadingState,
    label: str,
) -> bool:
    """Read a loop whose condition changes variables: ``while (n--)``."""
    before, condition, after = parts
    assert isinstance(condition, ast.ExprList)
    statements.read_all(before, state)
    body = ast.Compound([*after, *once_through(item.stmt), *before], item.coord)
    found = read_while(ast.While(condition.exprs[0], body, item.coord), state, label)
    statements.read_all(after, state)
    return found


def _is_counted(
    condition: ast.Node, body: list[ast.Node], loop: ast.Node, state: ReadingState, label: str
) -> bool:
    """Emit a loop while a condition holds, if it does for a known number of iterations."""
    body = _rotated(body, loop)
    running = running_in(body, state)
    iterator = state.source.unique("n")
    found = trips_while(condition, iterator, running, state)
    if not found:
        return False
    trips = tuple(map(state.loops.ordered, found))
    most = min(bound.interval(state.loops.ranges)[1] for bound in trips)
    if most > LARGEST:
        return False
    state.loops.open(iterator, 0, max(0, most - 1))
    _emit_counted(iterator, trips, body, running, loop, state, label)
    return True


def _read_repeated(
    body: list[ast.Node],
    running: Running | None,
    done: Affine,
    trips: Affine | None,
    state: ReadingState,
    loop: GuardedLoop | None,
) -> None:
    """Read a body that may run many times or never: what it assigns is forgotten around it.

    Parameters
    ----------
    running
        Integers that it changes alike every time; None where its iterations have no number.
    done
        How often it has run.
    trips
        How often it runs, unless that is negative; None if there is no such expression.
    loop
        Its header, if that is constant.
    """
    others = () if running is None else running.others
    guarded = guarded_in(body, loop, others, state)
    changed = assigned_variables(ast.Compound(body), state)
    kept = {name: value for name, value in state.integers.now.items() if name not in changed}
    state.integers.now = dict(kept)
    if running is not None:
        state.integers.now |= running.values(done, state.loops.ranges)
    outside = state.integers.inside
    unchanged = {name: value for name, value in outside.items() if name not in changed}
    state.integers.inside = {**unchanged, **guarded.inside}
    state.integers.now |= guarded.always
    state.loops.assigned.append(changed)
    statements.read_all(body, state)
    state.loops.assigned.pop()
    state.integers.now = kept | {**guarded.after}
    state.integers.inside = outside
    if running is not None and trips is not None and trips.interval(state.loops.ranges)[0] >= 0:
        state.integers.now |= running.values(trips, state.loops.ranges)
