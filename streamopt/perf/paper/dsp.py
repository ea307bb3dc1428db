"""DSPs of a node in the paper's accounting, and the bound that they put on the latency.

The paper has single precision only. Other types are counted alike, multiplications and additions of
nodes that add up products, each at what its type takes on the paper's device.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, equations 2 and 3 (the factor ``U_n``).
"""

from collections.abc import Callable
from functools import cache

from streamopt.analysis.value_ranges import ValueContext, built_type, narrow_product
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, Expression, uncast, walk
from streamopt.ir.graph import Graph, Node
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator, Reduction
from streamopt.target.device import Target

FMUL_DSPS = 3
"""DSPs of a single-precision multiplier on the U280 (Vitis HLS 2023.2, ``max_dsp``)."""
FADD_DSPS = 2
"""DSPs of a single-precision adder on the U280 (Vitis HLS 2023.2, ``full_dsp``)."""

DEVICE, CLOCK_NS = "u280", 3.33
"""Where the paper's designs are measured."""

_COUNTED = {BinaryOp.MUL: Operator.MUL, BinaryOp.ADD: Operator.ADD, BinaryOp.SUB: Operator.SUB}


def _is_product(expression: Expression) -> bool:
    inner = uncast(expression)
    return isinstance(inner, Binary) and inner.op is BinaryOp.MUL


def accumulates_products(node: Node) -> bool:
    """Return whether a node adds up products."""
    return node.reduction is Reduction.ADD and _is_product(node.value)


def _adds_products(node: Node) -> bool:
    return any(
        isinstance(part, Binary)
        and part.op in (BinaryOp.ADD, BinaryOp.SUB)
        and _is_product(part.left)
        and _is_product(part.right)
        for expression in node.expressions
        for part in walk(expression)
    )


def dsps_per_lane(
    node: Node, element_of: Callable[[str], ElementType], on: Target | None = None
) -> int:
    """Return ``U_n``, the DSPs of one copy of the loop body, as the published tool counts them.

    A node that adds up products counts 3 DSPs a multiplication and 2 an addition of single
    precision: 5 for a multiply-accumulate, 8 for a scale-and-add such as ``alpha * A + beta * B``.
    Every other node (copies, biases, activations, normalisation, softmax) counts 0.

    Parameters
    ----------
    element_of
        Element type of an array by name.
    on
        Whose operators count, if they are our own: 2 for a multiply-accumulate; else the paper's.
    """
    if not (accumulates_products(node) or _adds_products(node)):
        return 0
    parts = [part for expression in node.expressions for part in walk(expression)]
    among = ValueContext(element_of, node.trip_counts)
    return sum(_dsps_of(part, among, on) for part in parts) + _sum_dsps(node, element_of, on)


def own_lane_dsps(graph: Graph, on: Target) -> dict[str, int]:
    """Return `dsps_per_lane` by node where a target's operators are our own; else nothing."""
    nodes = graph.nodes if on.is_open else ()
    return {node.name: dsps_per_lane(node, graph.element_of, on) for node in nodes}


def _sum_dsps(node: Node, element_of: Callable[[str], ElementType], on: Target | None) -> int:
    if node.reduction is not Reduction.ADD:
        return 0
    return _operator_dsps(Operator.ADD, element_of(node.write.array), on)


def _dsps_of(expression: Expression, among: ValueContext, on: Target | None) -> int:
    """Return the DSPs of the last operation of an expression."""
    if not isinstance(expression, Binary) or expression.op not in _COUNTED:
        return 0
    computed = expression_type(expression, among.element_of) or ElementType.FLOAT
    return _operator_dsps(_COUNTED[expression.op], built_type(expression, computed, among), on)


def _operator_dsps(operator: Operator, element: ElementType, on: Target | None) -> int:
    if on is not None and on.is_open:
        return on.operator(operator, element).dsps
    return _paper_dsps(operator, element)


@cache
def _paper_dsps(operator: Operator, element: ElementType) -> int:
    if element is ElementType.FLOAT:
        return FMUL_DSPS if operator is Operator.MUL else FADD_DSPS
    return _device().operator(operator, element).dsps


@cache
def _device() -> Target:
    return Target.named(DEVICE, CLOCK_NS)


def multiply_accumulates(graph: Graph) -> int:
    """Return the multiply-accumulates of all nodes that accumulate products."""
    return sum(node.iterations for node in graph.nodes if accumulates_products(node))


def roofline_dsp_cycles(graph: Graph, *, packs: bool = False, on: Target | None = None) -> int:
    """Return the graph's multiply-accumulates, each times the DSPs of one of its type.

    Parameters
    ----------
    packs
        Whether products of narrow integers share DSPs, as at opt6.
    on
        As of `dsps_per_lane`; and whose DSPs have room for two products, or not.
    """
    return sum(
        -(
            -node.iterations
            * _product_dsps(node, graph.element_of, on)
            // _shares(node, graph, packs, on)
        )
        for node in graph.nodes
        if accumulates_products(node)
    )


def _shares(node: Node, graph: Graph, packs: bool, on: Target | None) -> int:
    """Return how many products of a node one DSP can do at once."""
    narrow = narrow_product(node, graph.element_of) if packs else None
    built = _device() if on is None else on
    if narrow is None or not built.builds(Operator.MUL, narrow.element, Implementation.PACKED):
        return 1
    return built.operator(Operator.MUL, narrow.element, Implementation.PACKED).products


def _product_dsps(node: Node, element_of: Callable[[str], ElementType], on: Target | None) -> int:
    among = ValueContext(element_of, node.trip_counts)
    return _dsps_of(uncast(node.value), among, on) + _sum_dsps(node, element_of, on)


def roofline_cycles(
    graph: Graph, dsp_limit: int, *, packs: bool = False, on: Target | None = None
) -> int:
    """Return the least cycles in which the DSPs can do the graph's multiply-accumulates.

    ``ceil(MACs * 5 / dsp_limit)`` of single precision: no schedule with 5 DSPs a lane can be
    faster. Of other types each counts what it takes, and half of that where two share a DSP
    (``packs``). With our own operators (``on``) it is 2 of single precision.
    """
    return -(-roofline_dsp_cycles(graph, packs=packs, on=on) // dsp_limit)
