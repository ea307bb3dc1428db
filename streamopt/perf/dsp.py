"""DSPs of a node in the paper's accounting, and the bound that they put on the latency.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, equations 2 and 3 (the factor ``U_n``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import Binary, BinaryOp, Expression, walk
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node

__all__ = [
    "FADD_DSPS",
    "FMUL_DSPS",
    "accumulates_products",
    "dsps_per_lane",
    "multiply_accumulates",
    "roofline_cycles",
]

FMUL_DSPS = 3
"""DSPs of a single-precision multiplier on the U280 (Vitis HLS 2023.2, ``max_dsp``)."""
FADD_DSPS = 2
"""DSPs of a single-precision adder on the U280 (Vitis HLS 2023.2, ``full_dsp``)."""


def _is_product(expression: Expression) -> bool:
    return isinstance(expression, Binary) and expression.op is BinaryOp.MUL


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


def dsps_per_lane(node: Node) -> int:
    """Return ``U_n``, the DSPs of one copy of the loop body, as the published tool counts them.

    A node that adds up products counts 3 DSPs a multiplication and 2 an addition: 5 for a
    multiply-accumulate, 8 for a scale-and-add such as ``alpha * A + beta * B``. Every other
    node (copies, biases, activations, normalisation, softmax) counts 0.
    """
    if not (accumulates_products(node) or _adds_products(node)):
        return 0
    parts = (part for expression in node.expressions for part in walk(expression))
    operations = [part.op for part in parts if isinstance(part, Binary)]
    multiplications = operations.count(BinaryOp.MUL)
    additions = operations.count(BinaryOp.ADD) + operations.count(BinaryOp.SUB)
    if node.reduction is Reduction.ADD:
        additions += 1
    return FMUL_DSPS * multiplications + FADD_DSPS * additions


def multiply_accumulates(graph: Graph) -> int:
    """Return the multiply-accumulates of all nodes that accumulate products."""
    return sum(node.iterations for node in graph.nodes if accumulates_products(node))


def roofline_cycles(graph: Graph, dsp_limit: int) -> int:
    """Return the least cycles in which the DSPs can do the graph's multiply-accumulates.

    ``ceil(MACs * 5 / dsp_limit)``: no schedule with 5 DSPs a lane can be faster.
    """
    work = multiply_accumulates(graph) * (FMUL_DSPS + FADD_DSPS)
    return -(-work // dsp_limit)
