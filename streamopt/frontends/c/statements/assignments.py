"""Assignments, and the values that local integers then hold, if iterators alone decide them.

Here ``r + j`` is affine, because ``r`` holds ``i * 8``::

    int i, j, r;
    for (i = 0; i < 8; i++) {
        r = i * 8;
        for (j = 0; j < 8; j++)
            b[r + j] = a[r + j];
    }

A loop forgets at its start and at its end what it assigns. Behind a branch a variable holds one
value or the other by the condition, if that depends on iterators alone. Assignments that nothing
reads any more are left out at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.symbols import Known, Moving, Stored
from streamopt.frontends.c.syntax.trees import arguments_of
from streamopt.frontends.c.syntax.types import Subset
from streamopt.frontends.c.syntax.usage import assigned_target, base_name, names_in, walked
from streamopt.frontends.c.values.conditions import Truth
from streamopt.frontends.c.values.operations import kept_value, selected
from streamopt.frontends.c.values.value import CValue, Extremum, converted_value
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.cases import is_of_iterators
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Cast, Literal, Read
from streamopt.ir.source import Assign, RangeLoop

MAX_KNOWN_NODES = 40
"""Of an integer made of iterators that is put in place of its name."""

Held = dict[str, CValue]


def assign(
    access: Access,
    stored: Stored,
    value: CValue,
    state: ReadingState,
    loc: SourceLoc,
    label: str = "",
) -> CValue | None:
    """Emit ``access = value`` and return the value that the element then has."""
    given = value
    try:
        value = fitted(value, stored)
        is_constant = value.constant is not None
        held = converted_value(value, stored.element) if is_constant else None
    except ConstantError as problem:
        state.report("E134", f"the value of {access} does not exist: {problem}", loc)
        return None
    state.source.store(access, value.tree, loc, label)
    hold(access, stored, given, state)
    return held or CValue(stored.element, Read(access))


def fitted(value: CValue, stored: Stored) -> CValue:
    """Return the value such that converting its tree to the element's type does what C does."""
    value = kept_value(value, stored.kept, stored.element)
    if value.constant is not None:
        is_rounded = value.element == ElementType.DOUBLE and stored.element == ElementType.FLOAT
        value = value if is_rounded else converted_value(value, stored.element)
        number = value.constant if stored.element.is_fixed else None
        return value if number is None else replace(value, tree=Literal(number))
    is_exact = stored.element in (value.element, ElementType.FLOAT)
    if value.is_loose and value.element.is_float and not is_exact:
        return replace(value, tree=Cast(value.element, value.tree), is_loose=False)
    return value


def nest(
    shape: tuple[int, ...],
    assignment: Callable[[tuple[Affine, ...]], Assign],
    state: ReadingState,
    label: str = "",
) -> None:
    """Emit loops over all points of a shape, with one assignment inside."""
    names = [state.source.unique("i") for _ in shape]
    for name, extent in zip(names, shape, strict=True):
        state.loops.open(name, 0, extent - 1)
    item: Assign | RangeLoop = assignment(tuple(map(Affine.iterator, names)))
    for name, extent in reversed(list(zip(names, shape, strict=True))):
        bounds = (Affine(),), (Affine.of(extent),)
        item = RangeLoop(name, *bounds, (item,), label if name == names[0] else "", item.loc)
    state.source.emit(item)


def known_value(value: CValue, element: ElementType, kept: Subset) -> CValue | None:
    """Return the value of a variable after an assignment, if iterators alone decide it."""
    if not element.is_integer or not value.is_integer:
        return None
    if value.constant is not None:
        try:
            return converted_value(kept_value(value, kept, element), element)
        except ConstantError:
            return None
    if kept is Subset.TRUTH:
        return None
    if value.affine is not None:
        return converted_value(value, element)
    if value.element != element:
        return None
    is_known = value.choice is not None or is_of_iterators(value.tree, MAX_KNOWN_NODES)
    return value if is_known else None


def hold(access: Access, stored: Stored, value: CValue, state: ReadingState) -> None:
    """Note the value of a variable after an assignment."""
    name = access.array
    if access.subscripts or not stored.element.is_integer or state.is_static(name):
        return
    known = None
    if not state.source.variables[name].is_argument:
        known = known_value(value, stored.element, stored.kept)
    if known is None:
        state.integers.now.pop(name, None)
    else:
        state.integers.now[name] = known
        state.integers.followed.add(name)


def hold_known(item: ast.Node, state: ReadingState) -> None:
    """Note the values behind a statement in a loop that was followed."""
    for name, value in state.integers.behind.get(item, {}).items():
        symbol = state.scope.find(name)
        if isinstance(symbol, Known):
            state.scope.declare(name, Known(value))
        elif isinstance(symbol, Stored):
            state.integers.now[symbol.variable] = value
            state.integers.followed.add(symbol.variable)


def assigned_variables(body: ast.Node | None, state: ReadingState) -> set[str]:
    """Return the variables outside of a statement that it may assign."""
    names: set[str] = set()
    found: set[str] = set()
    for node in walked(body):
        match node:
            case ast.Assignment(op="=", lvalue=ast.ID(name=name), rvalue=value):
                names.add(name)
                found |= _pointed_elsewhere(name, value, state)
            case ast.UnaryOp(op="&", expr=target):
                names.update(base_name(target))
            case _ if (target := assigned_target(node)) is not None:
                names.update(base_name(target))
            case ast.FuncCall(name=ast.ID()):
                names.update(name for one in arguments_of(node) for name in base_name(one))
            case ast.Decl(init=value) if value is not None:
                if state.file.declarations[node].type.extents:
                    names.update(base_name(value))
            case _:
                pass
    symbols = (state.scope.find(name) for name in names)
    kept = (symbol.place if isinstance(symbol, Moving) else symbol for symbol in symbols)
    return found | {symbol.variable for symbol in kept if isinstance(symbol, Stored)}


def _pointed_elsewhere(name: str, value: ast.Node, state: ReadingState) -> set[str]:
    """Return the number that follows a pointer, if a value may point at another array."""
    pointer = state.scope.find(name)
    if not isinstance(pointer, Moving):
        return set()
    part = state.part_at(pointer)
    for other in names_in(value):
        symbol = state.scope.find(other)
        to = state.part_at(symbol) if isinstance(symbol, Moving) else symbol
        is_array = isinstance(symbol, Moving) or (isinstance(to, Stored) and bool(to.shape))
        if is_array and not (part and isinstance(to, Stored) and part.is_same_part(to)):
            return {pointer.which.variable}
    return set()


def merged(
    truth: Truth,
    sides: Sequence[Held],
    choice: Callable[[CValue, CValue], Extremum | None],
    state: ReadingState,
) -> Held:
    """Return the values of variables where two branches meet again.

    Parameters
    ----------
    choice
        The minimum or maximum of two values by the condition, if it is one.
    """
    then, otherwise = sides
    found: Held = {}
    for name, value in then.items():
        other = otherwise.get(name)
        if other is None:
            continue
        if value is other or (value.tree, value.element) == (other.tree, other.element):
            found[name] = value
            continue
        joined = selected(truth.tree, truth.size, value, other)
        joined = replace(joined, choice=choice(value, other))
        known = known_value(joined, state.source.variables[name].element, Subset.ALL)
        if known is not None and is_of_iterators(truth.tree, MAX_KNOWN_NODES):
            found[name] = known
    return found
