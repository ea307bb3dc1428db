"""Padding folded into its readers: no array with a border, but a guard at every read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isfinite

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import widens
from streamopt.ir.element import ElementType
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array, Role
from streamopt.transforms.rewrites.elements import Box, box, condition_at, is_linear, value_at
from streamopt.transforms.rewrites.graph_rewrite import (
    GraphDraft,
    GraphRewrite,
    folded_everywhere,
    redirected,
)


@dataclass(frozen=True, slots=True)
class FoldPadding(GraphRewrite):
    """No borders of constants around arrays inside the graph.

    Before: ``p[i] = 0; p[i + 1] = x[i]; y[h] += p[h + k] * w[k]``
    After:  ``y[h] += (x[h + k - 1] if h + k >= 1 and h + k < 5 else 0) * w[k]``

    Folded is an internal array whose readers all stream, and which is written either by a fill
    with a constant and then a point-wise node in a box of it, or by one node that selects between
    an element of another array and a constant under affine conditions. A copy that computes keeps
    its node, which then writes the inside alone: no operation is repeated for every element of a
    window.
    """

    keeps_copies: bool = False
    """Whether nodes stay that bring arguments inside: what copies an argument into a box of a
    filled array writes the box alone, and a pad in one node is folded only if it selects from an
    array that isn't an argument. Windows into an argument share the two ports of its banks; an
    array inside the design is split as they need it."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with guards instead of borders."""
        return folded_everywhere(graph, partial(_fold, keeps_copies=self.keeps_copies))


@dataclass(frozen=True, slots=True)
class _Padding:
    """An array with a border, by the elements that are there without it."""

    writer: Node
    """The node that brings the inside."""
    value: ir.Expression
    """Its value where ``conditions`` hold, over its iterators."""
    constant: ir.Literal
    conditions: tuple[ir.Condition, ...]
    within: Box
    """The box of the array that it writes, where another node has written the constant; empty where
    there is no other."""
    keeps_writer: bool
    """Whether the writer stays and readers read its array, without the border."""


def _fold(draft: GraphDraft, array: Array, *, keeps_copies: bool) -> bool:
    padding = None
    if array.role is Role.INTERNAL:
        padding = _padding(draft, array, keeps_copies=keeps_copies)
    readers = draft.streaming_readers(array.name)
    if padding is None or not readers:
        return False
    changed = [(node, _reading_through(node, array, padding)) for node in readers]
    left = {array.name} if padding.keeps_writer else {a.array for a in ir.reads(padding.value)}
    if not any(left.intersection(node.inputs) for _, node in changed):
        return False  # nobody reads the inside: its producers would work for nothing
    for node in draft.writers(array.name):
        if node is not padding.writer or not padding.keeps_writer:
            draft.remove_node(node)
    if padding.keeps_writer:
        _shrink(draft, array, padding)
    for old, new in changed:
        draft.change_node(old, new)
    if not padding.keeps_writer:
        draft.remove_array(array)
    return True


def _padding(draft: GraphDraft, array: Array, *, keeps_copies: bool) -> _Padding | None:
    match draft.writers(array.name):
        case (fill, copy):
            padding = _filled_first(draft, array, fill, copy)
        case (writer,):
            padding = _selecting(draft, array, writer)
        case _:
            return None
    if padding is None or padding.keeps_writer or not keeps_copies:
        return padding
    if not any(draft.arrays[name].is_given for name in padding.writer.inputs):
        return padding
    return replace(padding, keeps_writer=True) if padding.within else None


def _filled_first(draft: GraphDraft, array: Array, fill: Node, copy: Node) -> _Padding | None:
    within = box(copy)
    if box(fill) != tuple((0, extent) for extent in array.shape) or within is None:
        return None
    match fill.value:
        case ir.Literal() as constant if _fits(constant, array.element):
            moved = _moved(draft, array, copy.value)
            return _Padding(copy, moved or copy.value, constant, (), within, moved is None)
        case _:
            return None


def _moved(draft: GraphDraft, array: Array, value: ir.Expression) -> ir.Read | None:
    """Return the element of an array of the same type that a value is; None for another value.

    Integers that are widened on the way are the same once they are stored.
    """
    match value:
        case ir.Cast(element, ir.Read() as read) if widens(array.element, element):
            value = read
        case _:
            pass
    match value:
        case ir.Read(access) if draft.arrays[access.array].element is array.element:
            return value if is_linear(value) else None
        case _:
            return None


def _selecting(draft: GraphDraft, array: Array, writer: Node) -> _Padding | None:
    """Return the padding of one node that selects; either branch may be the inside."""
    match writer.value:
        case ir.Select(condition, value, ir.Literal() as constant):
            pass
        case ir.Select(opposite, ir.Literal() as constant, value):
            condition = ir.negated(opposite)
        case _:
            return None
    moved = _moved(draft, array, value) if is_linear(writer.value) else None
    if moved is None or not ir.is_affine_condition(condition) or not _fits(constant, array.element):
        return None
    if box(writer) is None:
        return None
    return _Padding(writer, moved, constant, ir.conjuncts(condition), (), keeps_writer=False)


def _shrink(draft: GraphDraft, array: Array, padding: _Padding) -> None:
    """Leave the writer an array of the inside alone."""
    writer = padding.writer
    place = ir.Access(array.name, _shifted(writer.write.subscripts, padding.within))
    draft.arrays[array.name] = replace(array, shape=tuple(extent for _, extent in padding.within))
    draft.change_node(writer, replace(writer, write=place))


def _shifted(subscripts: Sequence[Affine], within: Box) -> tuple[Affine, ...]:
    return tuple(s - Affine.of(first) for s, (first, _) in zip(subscripts, within, strict=True))


def _reading_through(node: Node, array: Array, padding: _Padding) -> Node:
    """Return a reader that reads what is inside, under a guard."""
    loops = tuple(node.trip_counts)

    def made(access: ir.Access) -> ir.Expression:
        at = access.subscripts
        conditions = [*_inside(at, padding.within)] if padding.within else []
        conditions += [condition_at(padding.writer, c, at, loops) for c in padding.conditions]
        if padding.keeps_writer:
            value: ir.Expression = ir.Read(ir.Access(array.name, _shifted(at, padding.within)))
        else:
            value = value_at(padding.writer, padding.value, at, loops)
        return _selected(conditions, value, padding.constant, array.element, node.trip_counts)

    return redirected(node, array.name, made)


def _fits(literal: ir.Literal, element: ElementType) -> bool:
    """Return whether a literal is itself in an element type as in an expression of that type."""
    if element.is_fixed and isfinite(literal.value):
        form, value = element.fixed_point, Fraction(literal.value)
        return form.number(form.mantissa(value)) == value
    return element.is_float or float(literal.value).is_integer()


def _inside(subscripts: Sequence[Affine], within: Box) -> tuple[ir.Condition, ...]:
    """Return the conditions under which subscripts name an element of a box."""
    return tuple(
        condition
        for subscript, (first, extent) in zip(subscripts, within, strict=True)
        for condition in (
            ir.Compare(ir.CompareOp.GE, ir.Index(subscript), ir.Literal(first)),
            ir.Compare(ir.CompareOp.LT, ir.Index(subscript), ir.Literal(first + extent)),
        )
    )


def _selected(
    conditions: Sequence[ir.Condition],
    then: ir.Expression,
    otherwise: ir.Literal,
    element: ElementType,
    trip_counts: Mapping[str, int],
) -> ir.Expression:
    """Return ``then``, of the given type, where all affine conditions hold, else the literal."""
    known = [_truth(condition, trip_counts) for condition in conditions]
    if False in known:
        return ir.Cast(element, otherwise)
    open_ones = tuple(c for c, truth in zip(conditions, known, strict=True) if truth is None)
    if not open_ones:
        return then
    return ir.Select(ir.all_of(open_ones), then, otherwise)


def _truth(condition: ir.Condition, trip_counts: Mapping[str, int]) -> bool | None:
    """Return the truth of a comparison at every iteration; None where it differs or isn't seen."""
    match condition:
        case ir.Compare(op, ir.Index(left), ir.Index(right)):
            return op.truth(*(left - right).bounds(trip_counts))
        case ir.Compare(op, ir.Index(left), ir.Literal(value)) if float(value).is_integer():
            return op.truth(*(left - Affine.of(int(value))).bounds(trip_counts))
        case _:
            return None
