"""DSPs of one copy of a loop body, counted without the performance model: the oracle's own.

Three for a product and two for a sum in single precision ([1], equation 3); of other types what the
operator table of the paper's device has for the width of the operands.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from functools import cache

from streamopt.analysis.value_ranges import ValueContext, value_range
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, Cast, Expression, walk
from streamopt.ir.graph import Graph, Node
from streamopt.ir.operators import Operator, Reduction
from streamopt.target.device import Target

SUMS = (BinaryOp.ADD, BinaryOp.SUB)
WIDEST_MANTISSA_BITS = 53


def lane_dsps(graph: Graph, node: Node) -> int:
    """Return the DSPs of a lane of a node that adds products up; 0 of any other."""
    parts = [part for e in node.expressions for part in walk(e) if isinstance(part, Binary)]
    accumulates = node.reduction is Reduction.ADD and _multiplies(node.value)
    adds = any(
        _multiplies(part.left) and _multiplies(part.right) for part in parts if part.op in SUMS
    )
    if not (accumulates or adds):
        return 0
    among = ValueContext(lambda name: graph.array(name).element, node.trip_counts)
    own = _adder(graph.array(node.write.array).element) * (node.reduction is Reduction.ADD)
    products = (_multiplier(part, among) for part in parts if part.op is BinaryOp.MUL)
    sums = (_adder(_type(part, among)) for part in parts if part.op in SUMS)
    return own + sum(products) + sum(sums)


def _multiplies(expression: Expression) -> bool:
    if isinstance(expression, Cast):
        return _multiplies(expression.operand)
    return isinstance(expression, Binary) and expression.op is BinaryOp.MUL


def _type(expression: Expression, among: ValueContext) -> ElementType:
    return expression_type(expression, among.element_of) or ElementType.FLOAT


def _adder(element: ElementType) -> int:
    if element is ElementType.FLOAT:
        return 2
    # of whole numbers and mantissas it is a carry chain, of any width
    return _in_table(Operator.ADD, element) if element.is_float else 0


def _multiplier(product: Binary, among: ValueContext) -> int:
    element = _type(product, among)
    if element is ElementType.FLOAT:
        return 3
    if element.is_float:
        return _in_table(Operator.MUL, element)
    sides = [product.left, product.right]
    if element.is_fixed:
        kinds = [expression_type(side, among.element_of) for side in sides]
        widths = [kind.fixed_point.width_bits for kind in kinds if kind is not None]
        return _multiplier_of_bits(max(widths))
    ranges = [value_range(side, among) for side in sides]
    widths = [element.bits if found is None else found.bits for found in ranges]
    return _multiplier_of_bits(min(element.bits, max(widths)))


def _multiplier_of_bits(bits: int) -> int:
    if bits > WIDEST_MANTISSA_BITS:
        return _in_table(Operator.MUL, ElementType.INT64)
    return _in_table(Operator.MUL, ElementType(f"ap_fixed<{bits}, {bits}>"))


@cache
def _in_table(operator: Operator, element: ElementType) -> int:
    return Target.named("u280", 3.33).operator(operator, element).dsps
