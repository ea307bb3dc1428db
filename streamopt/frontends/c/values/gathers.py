"""Elements whose place depends on data: every position is compared with it, one after another.

Before::

    y[i] = table[x[i]];   count[x[i]] += 1;

After::

    found = -0.0;
    for (p = 0; p < 16; p++) found += x[i] == p ? table[p] : -0.0;
    y[i] = found;
    for (p = 0; p < 16; p++) if (x[i] == p) count[p] += 1;

So an access takes as many steps as there are positions, whatever the data are. The sum has one term
that counts: adding -0.0 to a number changes none, not even another -0.0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from pycparser import c_ast as ast

from streamopt.frontends.c.extents import OPEN
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.symbols import Stored
from streamopt.frontends.c.values.value import CValue
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.source import Assign, Item, RangeLoop

MAX_POSITIONS = 4096
"""Positions that one access compares."""

Place = Affine | CValue


def is_searched(whole: Stored, places: Sequence[Place]) -> bool:
    """Return whether an element with some places that depend on data can be searched."""
    if len(places) != len(whole.shape):
        return False
    extents = [
        extent
        for place, extent in zip(places, whole.shape, strict=True)
        if isinstance(place, CValue)
    ]
    return OPEN not in extents and prod(extents) <= MAX_POSITIONS


def gathered(
    whole: Stored, places: Sequence[Place], node: ast.Node, state: ReadingState
) -> ir.Read:
    """Emit the search for an element, and return the read of a variable that holds it."""
    loc = state.file.loc(node)
    zero = ir.Literal(-0.0 if whole.element.is_float else 0.0)
    target = state.source.keep(f"{whole.variable}_found", zero, whole.element, loc)

    def added(access: ir.Access, condition: ir.Condition) -> Item:
        term = ir.Select(condition, ir.Read(access), zero)
        return Assign(target, ir.Binary(ir.BinaryOp.ADD, ir.Read(target), term), loc=loc)

    search(whole, places, added, node, state)
    return ir.Read(target)


def search(
    whole: Stored,
    places: Sequence[Place],
    statement: Callable[[ir.Access, ir.Condition], Item],
    node: ast.Node,
    state: ReadingState,
) -> None:
    """Emit the loops over all positions, with a statement by the condition that one is meant."""
    loc = state.file.loc(node)
    subscripts: list[Affine] = []
    conditions: list[ir.Condition] = []
    loops: list[tuple[str, int]] = []
    for place, extent in zip(places, whole.shape, strict=True):
        moved = Affine() if subscripts or whole.offset is None else whole.offset
        if isinstance(place, Affine):
            subscripts.append(place + moved)
            continue
        iterator = state.source.unique("p")
        state.loops.open(iterator, 0, extent - 1)
        position = Affine.iterator(iterator)
        loops.append((iterator, extent))
        subscripts.append(position)
        tree = _kept(place, whole, node, state)
        conditions.append(ir.Compare(ir.CompareOp.EQ, tree.tree, ir.of_affine(position - moved)))
    condition = (
        conditions[0] if len(conditions) == 1 else ir.Logic(ir.LogicOp.AND, tuple(conditions))
    )
    item = statement(ir.Access(whole.variable, (*whole.prefix, *subscripts)), condition)
    for iterator, extent in reversed(loops):
        bounds = (Affine(),), (Affine.of(extent),)
        item = RangeLoop(iterator, *bounds, (item,), "", loc)
    state.source.emit(item)
    state.source.compared.setdefault(whole.variable, (prod(extent for _, extent in loops), loc))


def _kept(place: CValue, whole: Stored, node: ast.Node, state: ReadingState) -> CValue:
    """Return a place that the search does not change: a copy, if it is read where it writes."""
    if all(access.array != whole.variable for access in ir.reads(place.tree)):
        return place
    name, loc = f"{whole.variable}_place", state.file.loc(node)
    return CValue(place.element, ir.Read(state.source.keep(name, place.tree, place.element, loc)))
