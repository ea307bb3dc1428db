"""Static variables that change: they last from one inlined call to the next.

A kernel is a function of its arguments, so each of its calls starts from the initial values, zeros
where there are none. Before::

    float delayed(float x) { static float last; float found = last; last = x; return found; }
    void top(float x[8], float y[8]) { for (int n = 0; n < 8; n++) y[n] = delayed(x[n]); }

After::

    last = 0;
    for (int n = 0; n < 8; n++) { found = last; last = x[n]; y[n] = found; }
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from streamopt.frontends.c.statements import initialisers, statements
from streamopt.frontends.c.symbols import Broken
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import integer
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Literal
from streamopt.ir.source import Assign, RangeLoop

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.symbols import Stored, Symbol
    from streamopt.frontends.c.syntax.tree import Declaration, Node

__all__ = ["fill", "initialise", "lasting_variable"]

MAX_INITIAL_ASSIGNMENTS = 1024


def lasting_variable(item: Declaration, state: State) -> Symbol:
    """Return what stands for a static variable; its initial values are set where the kernel starts.

    Every call of the function that declares it gets the same.
    """
    known = state.statics.get(item)
    if known is None:
        known = state.statics[item] = _declared(item, state)
    return known


def _declared(item: Declaration, state: State) -> Symbol:
    element = item.type.element
    shape = initialisers.shape_with_values(item, state)
    if element is None or shape is None:
        return Broken()
    stored = state.add_variable(item.name, shape, element, item.loc)
    stored = replace(stored, is_bool=item.type.is_bool, is_const=item.type.is_const)
    state.lasting.add(stored.variable)
    state.written.add(stored.variable)
    with state.at_start():
        if item.value is None:
            fill(item, stored, state)
        elif not shape:
            _initialise_scalar(item, item.value, stored, state)
        else:
            nodes = initialisers.initial_values(item.value, shape, state)
            if nodes is not None:
                initialise(item, stored, nodes, state)
    state.noted.append(item)
    return stored


def _initialise_scalar(item: Declaration, node: Node, stored: Stored, state: State) -> None:
    value = expressions.value_of(node, state)
    if value is None:
        return
    if value.constant is None:
        message = f"static {item.name} starts with a value that is not constant"
        state.report("E135", message, item.loc, "initialise it with a constant")
        return
    statements.assign_value(Access(stored.variable, ()), stored, value, state, item.loc)


def initialise(item: Declaration, stored: Stored, nodes: list[Node | None], state: State) -> None:
    """Emit assignments of the initial values: loops for zeros, one for each value else."""
    numbers = {initialisers.constant_of(node, stored.element, state) for node in nodes}
    if numbers == {0.0}:
        state.written.add(stored.variable)
        fill(item, stored, state)
        return
    if len(nodes) > MAX_INITIAL_ASSIGNMENTS:
        message = f"{item.name} is initialised with {len(nodes)} values, but written later"
        state.report("E139", message, item.loc, "copy it from a const array in a loop")
        return
    points = product(*(range(extent) for extent in stored.shape))
    for node, point in zip(nodes, points, strict=True):
        value = integer(0) if node is None else expressions.value_of(node, state)
        if value is not None:
            access = Access(stored.variable, tuple(map(Affine.of, point)))
            statements.assign_value(access, stored, value, state, item.loc)


def fill(item: Declaration, stored: Stored, state: State) -> None:
    """Emit loops that set all elements of a variable to zero."""
    names = [state.unique("i") for _ in stored.shape]
    state.ranges.update(
        {name: (0, extent - 1) for name, extent in zip(names, stored.shape, strict=True)}
    )
    access = Access(stored.variable, tuple(map(Affine.iterator, names)))
    nest: Assign | RangeLoop = Assign(access, Literal(0.0), loc=item.loc)
    for name, extent in reversed(list(zip(names, stored.shape, strict=True))):
        bounds = (Affine.of(0),), (Affine.of(extent),)
        nest = RangeLoop(name, *bounds, (nest,), loc=item.loc)
    state.emit(nest)
