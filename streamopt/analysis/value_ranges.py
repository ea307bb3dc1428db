"""Between which values an integer expression lies: interval arithmetic on expression trees.

An operation is done in C's type for it; where its exact result may lie outside of that type it
wraps, and the interval is all of the type. Operators are built for these values: one DSP48E2
multiplies two narrow numbers by a third at once, and a few LUTs multiply two of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import frexp, prod

from streamopt.ir import expression as ir
from streamopt.ir.arithmetic import (
    Range,
    called_range,
    computed_range,
    expression_type,
    operand_types,
    partial_sums,
    type_range,
)
from streamopt.ir.element import ElementType, FixedPoint
from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.operators import Reduction
from streamopt.ir.schedule import NARROW, NINE_BITS


@dataclass(frozen=True, slots=True)
class ValueContext:
    """Arrays and loops around an expression."""

    element_of: Callable[[str], ElementType]
    """Element type of an array by name."""
    trip_counts: Mapping[str, int]
    """Of the loops around it."""
    known: Mapping[str, Range] = field(default_factory=dict[str, "Range"])
    """Ranges of arrays that hold less than their types could."""
    found: dict[int, tuple[ir.Expression, Range | None]] = field(
        default_factory=dict[int, "tuple[ir.Expression, Range | None]"], repr=False, compare=False
    )
    """Ranges of operations that were asked for before, by identity: a long sum is looked at
    once."""


def value_range(expression: ir.Expression, among: ValueContext) -> Range | None:
    """Return between which values an expression lies; None if it isn't of an integer type."""
    match expression:
        case ir.Literal(value):
            return Range(int(value), int(value)) if float(value).is_integer() else None
        case ir.Compare() | ir.Logic():
            return Range(0, 1)
        case ir.Index(value):
            return _wrapped(Range(*value.bounds(among.trip_counts)), ElementType.INT32)
        case _:
            if id(expression) not in among.found:
                among.found[id(expression)] = expression, _operated(expression, among)
            return among.found[id(expression)][1]


def _operated(expression: ir.Expression, among: ValueContext) -> Range | None:
    element = expression_type(expression, among.element_of)
    if element is None or not element.is_integer:
        return None
    return _wrapped(_exact(expression, element, among), element)


def _wrapped(exact: Range | None, element: ElementType) -> Range:
    whole = type_range(element)
    return exact if exact is not None and exact.within(whole) else whole


def _exact(expression: ir.Expression, element: ElementType, among: ValueContext) -> Range | None:
    """Return the range of an operation's exact result; None where nothing is known of it."""
    match expression:
        case ir.Read(access):
            return among.known.get(access.array)
        case ir.Cast(_, operand):
            return value_range(operand, among)
        case ir.Select(_, then, otherwise):
            return _joined([value_range(one, among) for one in (then, otherwise)])
        case ir.Call(function, arguments):
            given = _converted(arguments, element, among)
            return None if given is None else called_range(function, given)
        case ir.Binary(op, left, right):
            sides = _converted((left, right), element, among)
            return None if sides is None else computed_range(op, *sides)
        case _:
            return None


def _converted(
    operands: Sequence[ir.Expression], element: ElementType, among: ValueContext
) -> list[Range] | None:
    """Return the operands' ranges after conversion to the type that an operation is done in."""
    found = [value_range(operand, among) for operand in operands]
    return [_wrapped(one, element) for one in found] if None not in found else None


def _joined(ranges: Sequence[Range | None]) -> Range | None:
    known = [one for one in ranges if one is not None]
    return reduce(Range.joined, known) if len(known) == len(ranges) else None


def written_range(node: Node, among: ValueContext) -> Range | None:
    """Return the values that a streaming node writes, and all partial values of a sum.

    None where nothing is known of them.
    """
    value = None if isinstance(node, SequentialNode) else value_range(node.value, among)
    if value is None or node.reduction is None:
        return value
    start = Range(0, 0) if node.start is None else value_range(node.start, among)
    if node.reduction is not Reduction.ADD or start is None:
        return None
    sums = partial_sums(value, prod(node.trip_counts[name] for name in node.reduction_loops))
    return sums.joined(Range(start.low + sums.low, start.high + sums.high))


def accumulated_type(node: Node, among: ValueContext) -> ElementType:
    """Return the type in which a streaming node adds up: the narrowest that has every partial sum.

    Never wider than that of the array it writes, which other reductions have.
    """
    element = among.element_of(node.write.array)
    values = written_range(node, among) if node.reduction and element.is_integer else None
    return element if values is None else narrowest_type(values, element)


_NARROW = (
    ElementType.INT8,
    ElementType.UINT8,
    ElementType.INT16,
    ElementType.UINT16,
    ElementType.INT32,
    ElementType.UINT32,
)


def narrowest_type(values: Range, element: ElementType) -> ElementType:
    """Return the narrowest type of C that has some values; a given one if it is no wider."""
    enough = (kind for kind in _NARROW if values.within(type_range(kind)))
    narrow = next(enough, element)
    return narrow if narrow.bits < element.bits else element


_WHOLE = (ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.INT64)
_MOST_MANTISSA_BITS = 53


def built_type(expression: ir.Expression, element: ElementType, among: ValueContext) -> ElementType:
    """Return the type of the operator that computes an operation.

    A multiplier is as wide as its wider operand (9 bits with ``uint8_t``), other operators of
    integers as the widest of operands and result; never wider than the type in which C computes.

    Parameters
    ----------
    element
        In which C computes it.
    """
    product: ir.Binary | None = None
    if isinstance(expression, ir.Binary) and expression.op is ir.BinaryOp.MUL:
        product = expression
    if element.is_fixed and product is not None:
        types = operand_types(product, element, among.element_of)
        return max(types, key=lambda one: one.bits)
    if not element.is_integer:
        return element
    values = [value_range(operand, among) for operand in ir.children(expression)]
    if product is None:
        values.append(value_range(expression, among))
    if None in values:
        return element
    bits = max(value.bits for value in values if value is not None)
    if product is not None and bits == NINE_BITS.bits < element.bits:
        return NINE_BITS
    return integer_of_bits(bits) if bits < element.bits else element


def is_shift(product: ir.Binary, element: ElementType) -> bool:
    """Return whether a product of whole or fixed-point numbers is one by a power of two.

    It takes no multiplier, but wires.
    """
    if element.is_float:
        return False
    return any(map(_is_power_of_two, (product.left, product.right)))


def _is_power_of_two(factor: ir.Expression) -> bool:
    inner = ir.uncast(factor)
    return isinstance(inner, ir.Literal) and frexp(abs(inner.value))[0] == 0.5


def integer_of_bits(bits: int) -> ElementType:
    """Return the type of whole numbers of a width: C's where there is one that is no wider than 16.

    Examples
    --------
    >>> integer_of_bits(5).value, integer_of_bits(20).value, integer_of_bits(60).value
    ('int8_t', 'ap_fixed<20, 20>', 'int64_t')
    """
    for element in _WHOLE:
        fits = bits <= element.bits
        if fits and (element.bits <= 16 or bits == element.bits or bits > _MOST_MANTISSA_BITS):
            return element
    return ElementType.of_fixed_point(FixedPoint(bits, bits))


_PACKED_FACTORS = Range(-255, 255)
"""Of which two fit into the 27 bits of a multiplier, 18 bits apart."""


@dataclass(frozen=True, slots=True)
class NarrowProduct:
    """A product of two narrow integers that a node writes, or adds up."""

    left: ir.Expression
    right: ir.Expression
    element: ElementType
    """Of the multiplier: it has all values of both factors."""

    @property
    def factor(self) -> ElementType:
        """Return the type of C that has all values of both factors."""
        return ElementType.INT16 if self.element is NINE_BITS else self.element


def narrow_product(node: Node, element_of: Callable[[str], ElementType]) -> NarrowProduct | None:
    """Return the product of narrow integers that a streaming node computes in each iteration.

    None where it computes something else, or under a condition, or further products; and where
    a conversion on the way to the array that it writes could change the value.

    Parameters
    ----------
    element_of
        Element type of an array by name.
    """
    if isinstance(node, SequentialNode) or node.guard is not None:
        return None
    among = ValueContext(element_of, node.trip_counts)
    product = _product(node.value, among, element_of(node.write.array))
    if product is None or not _stands_alone(node, product):
        return None
    computed = expression_type(product, element_of)
    if computed is None or not computed.is_integer or is_shift(product, computed):
        return None
    element = built_type(product, computed, among)
    factors = [value_range(factor, among) for factor in (product.left, product.right)]
    if element not in NARROW or not all(f and f.within(_PACKED_FACTORS) for f in factors):
        return None
    return NarrowProduct(product.left, product.right, element)


def _product(value: ir.Expression, among: ValueContext, written: ElementType) -> ir.Binary | None:
    """Return the product behind conversions that keep its value."""
    kinds = [written]
    while isinstance(value, ir.Cast):
        kinds.append(value.element)
        value = value.operand
    if not isinstance(value, ir.Binary) or value.op is not ir.BinaryOp.MUL:
        return None
    values = value_range(value, among)
    if values is None or not all(kind.is_integer for kind in kinds):
        return None
    return value if all(values.within(type_range(kind)) for kind in kinds) else None


def _stands_alone(node: Node, product: ir.Binary) -> bool:
    """Return whether a node has no other product, and reads for it alone what it reads for it."""
    parts = [part for expression in node.expressions for part in ir.walk(expression)]
    products = [p for p in parts if isinstance(p, ir.Binary) and p.op is ir.BinaryOp.MUL]
    read = set(ir.reads(product))
    started = set[ir.Access]() if node.start is None else set(ir.reads(node.start))
    subscripts = (subscript for access in read for subscript in access.subscripts)
    if len(products) > 1 or read & started or not all(own.is_linear for own in subscripts):
        return False
    return all(map(_varies_by_reads, (product.left, product.right)))


def _varies_by_reads(factor: ir.Expression) -> bool:
    """Return whether the elements that a factor reads say in which lanes it is the same."""
    moved = {name for access in ir.reads(factor) for name in access.iterators()}
    indices = (part.value for part in ir.walk(factor) if isinstance(part, ir.Index))
    return all(moved.issuperset(value.iterators()) for value in indices)
