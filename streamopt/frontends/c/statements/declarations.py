"""Declarations: constants, variables and arrays with their initial values.

Static variables that change last from one inlined call to the next. A kernel is a function of its
arguments, so each of its calls starts from the initial values, zeros where there are none. Before::

    float delayed(float x) { static float last; float found = last; last = x; return found; }
    void top(float x[8], float y[8]) { for (int n = 0; n < 8; n++) y[n] = delayed(x[n]); }

After::

    last = 0;
    for (int n = 0; n < 8; n++) { found = last; last = x[n]; y[n] = found; }
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod

from pycparser import c_ast as ast

from streamopt.frontends.c.extents import OPEN
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import initialisers
from streamopt.frontends.c.statements.assignments import assign, known_value, nest
from streamopt.frontends.c.statements.pointers import is_moved, pointer_to, unset_pointer
from streamopt.frontends.c.symbols import Broken, Counter, Known, Stored, Symbol
from streamopt.frontends.c.syntax.files import CFile, CFunction
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of, walked
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import referenced_in
from streamopt.frontends.c.values import accesses, expressions
from streamopt.frontends.c.values.operations import kept_value
from streamopt.frontends.c.values.value import CValue, converted_value, integer
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Literal
from streamopt.ir.source import Assign

MAX_INITIAL_ASSIGNMENTS = 1024


def declare(item: Declaration, state: ReadingState) -> None:
    """Declare a local variable and emit its initialisation."""
    if item.type.text == "auto" and item.value is not None:
        value = expressions.value_of(item.value, state)
        if value is None:
            state.scope.declare(item.name, Broken())
            return
        item = replace(item, type=replace(item.type, element=value.element))
    if item.type.element is None:
        message = f"{item.name} has type {item.type.text}, which is not supported"
        hint = "use float, double or an integer type"
        state.report("E135", message, item.loc, hint)
        state.scope.declare(item.name, Broken())
    elif item.type.extents:
        _declare_array(item, state)
    else:
        state.scope.declare(item.name, _scalar(item, item.type.element, state))


def _scalar(item: Declaration, element: ElementType, state: ReadingState) -> Symbol:
    changes = state.usage.assigned[item.name]
    is_integer = element.is_integer
    function = state.file.functions.get(state.frames[-1].function)
    is_referenced = item.name in _referenced_names(function, state.file)
    if is_integer and item.name in state.usage.counters and not (is_referenced or changes):
        return Counter(element)
    if item.is_static and (changes or is_referenced):
        return static_variable(item, state)
    if item.value is None and item.is_static:
        return Known(converted_value(integer(0), element))
    if item.value is None:
        return state.source.add_declared(item, ())
    value = expressions.value_of(item.value, state)
    if value is None:
        return Broken()
    if changes == 0 and not is_referenced:
        known = _known(item, value, element)
        if known is not None:
            return known
    if not expressions.observed(value, item.value, state):
        return Broken()
    stored = state.source.add_declared(item, ())
    assign(Access(stored.variable, ()), stored, value, state, item.loc)
    return replace(stored, is_const=item.type.is_const)


@lru_cache(maxsize=256)
def _referenced_names(function: CFunction | None, file: CFile) -> frozenset[str]:
    nodes = walked(function.body if function is not None else None)
    calls = (node for node in nodes if isinstance(node, ast.FuncCall))
    return frozenset(name for call in calls for name in referenced_in(call, file.functions))


def _known(item: Declaration, value: CValue, element: ElementType) -> Known | None:
    """Return a name for a value that never changes: a constant, or affine in iterators."""
    if value.constant is not None:
        try:
            fixed = kept_value(value, item.type.kept, element)
            return Known(_kept(fixed, element))
        except ConstantError:
            return None
    known = known_value(value, element, item.type.kept)
    return None if known is None else Known(known)


def _kept(value: CValue, element: ElementType) -> CValue:
    """Return a constant of a type; a literal keeps the digits that the user wrote."""
    if element == ElementType.FLOAT and value.element == ElementType.DOUBLE:
        converted_value(value, element)
        return replace(value, element=element)
    return converted_value(value, element)


def _declare_array(item: Declaration, state: ReadingState) -> None:
    state.scope.declare(item.name, Broken())
    element = item.type.element
    assert element is not None
    if item.type.is_pointer:
        _declare_pointer(item, state)
        return
    is_written = state.usage.assigned[item.name] > 0 or item.name in state.usage.passed
    if item.is_static and (is_written or item.value is None):
        state.scope.declare(item.name, static_variable(item, state))
        return
    shape = initialisers.shape_with_values(item, state)
    if shape is None:
        return
    if item.is_stream:
        shape = (OPEN, *shape[1:])
    stored = state.source.add_declared(item, shape)
    if item.is_stream:
        state.source.pointers.add(stored.variable)
    state.scope.declare(item.name, replace(stored, is_const=item.type.is_const))
    if item.value is None:
        return
    nodes = initialisers.initial_values(item.value, shape, state)
    if nodes is None:
        return
    numbers = [initialisers.constant_of(node, element, state) for node in nodes]
    if not is_written and None not in numbers:
        known = [number for number in numbers if number is not None]
        state.source.values[stored.variable] = tuple(known)
        return
    _initialise(item, stored, nodes, state)


def _declare_pointer(item: Declaration, state: ReadingState) -> None:
    """Declare another name for a part of a variable, unless it points elsewhere later."""
    function = state.file.functions.get(state.frames[-1].function)
    if _declare_allocated(item, state):
        return
    if item.value is None or isinstance(item.value, ast.FuncCall | ast.Cast):
        if item.value is None and is_moved(item, function) and item.type.element is not None:
            rank = len(item.type.extents)
            pointer = unset_pointer(item, item.type.element, rank, state)
            state.scope.declare(item.name, pointer)
            return
        hint = f"declare an array: {item.type.text} {item.name}[N]"
        if item.value is not None or item.name in state.usage.named:
            state.report("E135", f"{item.name} is a pointer", item.loc, hint)
        return
    rank = 0 if item.type.is_reference else len(item.type.extents)
    part = accesses.pointed_part(item.value, state, rank)
    if part is None:
        return
    if part.element != item.type.element or len(part.shape) > max(rank, 1):
        message = f"{shown(item.value)} is no {item.type.text} for {item.name} to point at"
        state.report("E138", message, item.loc, "use the array itself")
        return
    is_const = part.is_const or item.type.is_const
    is_single = 0 < len(part.shape) < rank
    found = replace(part, is_const=is_const, is_parameter=True, is_single=is_single)
    state.scope.declare(item.name, pointer_to(found, item, function, state))


def _declare_allocated(item: Declaration, state: ReadingState) -> bool:
    """Declare an array for ``malloc`` and ``calloc`` of a known size; return whether it is one."""
    value, element = item.value, item.type.element
    while isinstance(value, ast.Cast):
        value = value.expr
    match value:
        case ast.FuncCall(name=ast.ID(name="malloc" | "calloc" as name)):
            sizes = [expressions.known_integer(one, state) for one in arguments_of(value)]
        case _:
            return False
    known = [size for size in sizes if size is not None]
    if element is None or not known or len(known) < len(sizes) or len(item.type.extents) != 1:
        return False
    count, rest = divmod(prod(known), element.bits // 8)
    if rest or not 0 < count < OPEN:
        return False
    stored = state.source.add_declared(item, (count,))
    state.scope.declare(item.name, stored)
    if name == "calloc":
        state.source.written.add(stored.variable)
        _fill(item, stored, state)
    return True


def static_variable(item: Declaration, state: ReadingState) -> Symbol:
    """Return the symbol of a static variable, whose initial values are set where the kernel starts.

    Every call of the function that declares it gets the same.
    """
    known = state.statics.get(item)
    if known is None:
        known = state.statics[item] = _declared_static(item, state)
    return known


def _declared_static(item: Declaration, state: ReadingState) -> Symbol:
    element = item.type.element
    shape = initialisers.shape_with_values(item, state)
    if element is None or shape is None:
        return Broken()
    stored = replace(state.source.add_declared(item, shape), is_const=item.type.is_const)
    state.statics[item] = stored
    state.source.written.add(stored.variable)
    with state.source.collected(state.source.first):
        if item.value is None:
            _fill(item, stored, state)
        elif not shape:
            _initialise_scalar(item, item.value, stored, state)
        else:
            nodes = initialisers.initial_values(item.value, shape, state)
            if nodes is not None:
                _initialise(item, stored, nodes, state)
    return stored


def _initialise_scalar(
    item: Declaration, node: ast.Node, stored: Stored, state: ReadingState
) -> None:
    value = expressions.value_of(node, state)
    if value is None:
        return
    if value.constant is None:
        message = f"static {item.name} starts with a value that is not constant"
        state.report("E135", message, item.loc, "initialise it with a constant")
        return
    assign(Access(stored.variable, ()), stored, value, state, item.loc)


def _initialise(
    item: Declaration, stored: Stored, nodes: list[ast.Node | None], state: ReadingState
) -> None:
    """Emit assignments of the initial values: loops for zeros, one for each value else."""
    numbers = {initialisers.constant_of(node, stored.element, state) for node in nodes}
    if numbers == {0.0}:
        state.source.written.add(stored.variable)
        _fill(item, stored, state)
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
            assign(access, stored, value, state, item.loc)


def _fill(item: Declaration, stored: Stored, state: ReadingState) -> None:
    """Emit loops that set all elements of a variable to zero."""

    def zero(point: tuple[Affine, ...]) -> Assign:
        return Assign(Access(stored.variable, point), Literal(0.0), loc=item.loc)

    nest(stored.shape, zero, state)
