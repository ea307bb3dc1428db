"""Products of narrow integers, for which a design may choose another multiplier than the tool's.

One DSP48E2 multiplies two narrow numbers by a third at once, and a few LUTs multiply two of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from streamopt.analysis.value_ranges import ValueContext, built_type, is_shift, value_range
from streamopt.ir.affine import Iter
from streamopt.ir.arithmetic import expression_type, type_range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Cast,
    Expression,
    Index,
    reads,
    walk,
)
from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.schedule import NARROW_BITS


@dataclass(frozen=True, slots=True)
class NarrowProduct:
    """What a node writes, or adds up, if it is a product of two narrow integers."""

    left: Expression
    right: Expression
    element: ElementType
    """That has all values of both factors."""


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
    if not element.is_integer or element.bits > NARROW_BITS:
        return None
    return NarrowProduct(product.left, product.right, element)


def _product(value: Expression, among: ValueContext, written: ElementType) -> Binary | None:
    """Return the product behind conversions that keep its value."""
    kinds = [written]
    while isinstance(value, Cast):
        kinds.append(value.element)
        value = value.operand
    if not isinstance(value, Binary) or value.op is not BinaryOp.MUL:
        return None
    values = value_range(value, among)
    if values is None or not all(kind.is_integer for kind in kinds):
        return None
    return value if all(values.within(type_range(kind)) for kind in kinds) else None


def _stands_alone(node: Node, product: Binary) -> bool:
    """Return whether a node has no other product, and reads for it alone what it reads for it."""
    parts = [part for expression in node.expressions for part in walk(expression)]
    products = [p for p in parts if isinstance(p, Binary) and p.op is BinaryOp.MUL]
    read = set(reads(product))
    started = set[Access]() if node.start is None else set(reads(node.start))
    if len(products) > 1 or read & started or not all(map(_is_linear, read)):
        return False
    return all(map(_varies_by_reads, (product.left, product.right)))


def _varies_by_reads(factor: Expression) -> bool:
    """Return whether the elements that a factor reads say in which lanes it is the same."""
    moved = {name for access in reads(factor) for name in access.iterators()}
    indices = (part.value for part in walk(factor) if isinstance(part, Index))
    return all(moved.issuperset(value.iterators()) for value in indices)


def _is_linear(access: Access) -> bool:
    return all(isinstance(atom, Iter) for part in access.subscripts for atom, _ in part.terms)
