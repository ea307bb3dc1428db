"""Bodies of loops, and loops whose headers count nothing: ``while``, or several variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assigned_variables
from streamopt.frontends.c.statements.running import running_in, trips_while
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.trees import jumps_in
from streamopt.frontends.c.syntax.usage import change_of, counted_name
from streamopt.ir.affine import Affine
from streamopt.ir.source import RangeLoop

if TYPE_CHECKING:
    from streamopt.frontends.c.state import ReadingState
    from streamopt.frontends.c.statements.running import Running

LARGEST = 2**31 - 1
"""Of bounds."""
FORM_HINT = "write for (int i = start; i < end; i += constant)"


def with_one_step(item: ast.For) -> ast.For:
    """Return a loop of which the header steps one variable; the others are at the body's end."""
    name = counted_name(item)
    if name is None or not isinstance(item.next, ast.ExprList):
        return item
    own = [part for part in item.next.exprs if change_of(part, name) is not None]
    rest = [part for part in item.next.exprs if part not in own]
    if len(own) != 1:
        return item
    body = without_jumps([] if item.stmt is None else [item.stmt], ast.Continue)
    whole = ast.Compound([*body, *rest], item.coord)
    return ast.For(item.init, item.cond, own[0], whole, item.coord)


def read_uncounted(item: ast.For, condition: ast.Node, state: ReadingState, label: str) -> None:
    """Read a loop whose header sets no variable, or several, as the ``while`` it stands for."""
    with state.scope.block():
        first = item.init.decls if isinstance(item.init, ast.DeclList) else [item.init]
        statements.read_all([one for one in first if one is not None], state)
        body = without_jumps([] if item.stmt is None else [item.stmt], ast.Continue)
        step = [] if item.next is None else [item.next]
        if not _is_counted(condition, [*body, *step], item, state, label):
            message = "the header of this for names no variable to count"
            state.report("E135", message, item, FORM_HINT)


def read_while(item: ast.While, state: ReadingState, label: str) -> bool:
    """Emit a loop if its iterations can be counted; return whether they can."""
    body = [] if item.stmt is None else [item.stmt]
    if any(jumps_in(one, ast.Continue) for one in body):
        return False
    return _is_counted(item.cond, body, item, state, label)


def _is_counted(
    condition: ast.Node,
    body: list[ast.Node],
    loop: ast.Node,
    state: ReadingState,
    label: str,
) -> bool:
    """Emit a loop while a condition holds, if it does for a known number of iterations."""
    running = running_in(body, state)
    iterator = state.source.unique("n")
    found = trips_while(condition, iterator, running, state)
    if not found:
        return False
    trips = [state.loops.ordered(bound) for bound in found]
    most = min(bound.interval(state.loops.ranges)[1] for bound in trips)
    if most > LARGEST:
        return False
    state.loops.open(iterator, 0, max(0, most - 1))
    count = Affine.iterator(iterator)
    with state.block() as emitted, state.scope.block():
        read_repeated(body, running, count, trips[0] if len(trips) == 1 else None, state)
    if emitted:
        loc = state.file.loc(loop)
        ends = tuple(trips)
        item = RangeLoop(iterator, (Affine(),), ends, tuple(emitted), label, loc, iterator, count)
        state.source.emit(item)
    return True


def read_repeated(
    body: list[ast.Node],
    running: Running | None,
    done: Affine,
    trips: Affine | None,
    state: ReadingState,
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
    """
    changed = assigned_variables(ast.Compound(body), state)
    kept = {name: value for name, value in state.integers.now.items() if name not in changed}
    state.integers.now = dict(kept)
    if running is not None:
        state.integers.now |= running.values(done, state.loops.ranges)
    state.loops.assigned.append(changed)
    statements.read_all(body, state)
    state.loops.assigned.pop()
    state.integers.now = kept
    if running is not None and trips is not None and trips.interval(state.loops.ranges)[0] >= 0:
        state.integers.now |= running.values(trips, state.loops.ranges)
