"""Operators that a design asks for: a function with a pragma for each kind."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from streamopt.analysis.access_order import full_depth_elems
from streamopt.codegen.backends.vitis import emit
from streamopt.codegen.expressions import ExpressionText
from streamopt.codegen.operators import OperatorFunctions
from streamopt.codegen.tree import Pragma
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Compare,
    CompareOp,
    Index,
    Literal,
    Read,
    Select,
)
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from streamopt.ir.schedule import Binding

FABRIC = Implementation.FABRIC
BINDING: Binding = ((Operator.ADD, FABRIC), (Operator.MUL, FABRIC))
ELEMENTS = {"a": ElementType.FLOAT, "x": ElementType.DOUBLE, "n": ElementType.INT32}
A, X, N = (Read(Access(name, ())) for name in "axn")


def op(text: str, left: Read | Binary | Literal, right: Read | Binary | Literal) -> Binary:
    return Binary(BinaryOp(text), left, right)


def printer(functions: OperatorFunctions, binding: Binding = BINDING) -> ExpressionText:
    return ExpressionText(
        ELEMENTS.__getitem__,
        lambda access: access.array,
        str,
        partial(functions.name, binding),
    )


def test_functions_stand_where_the_operators_stood() -> None:
    functions = OperatorFunctions()
    text = printer(functions).text
    value = op("-", op("+", op("*", A, A), Literal(2.0)), op("/", A, A))
    expected = "fsub_fabric(fadd_fabric(fmul_fabric(a, a), 2.0f), a / a)"
    assert text(value, ElementType.FLOAT) == expected
    assert text(op("+", N, op("*", N, N)), ElementType.INT32) == "n + n * n"
    mixed = op("*", A, X)
    assert text(mixed, ElementType.DOUBLE) == "dmul_fabric(static_cast<double>(a), x)"
    # A branch that is not taken must not be computed: its subscripts may lie outside.
    inside = Compare(CompareOp.GT, Index(Affine.iterator("i")), Literal(0))
    chosen = Select(inside, op("+", A, A), Literal(0.0))
    assert text(chosen, ElementType.FLOAT) == "(i > 0 ? fadd_fabric(a, a) : 0.0f)"
    names = [function.signature for function in functions.items]
    assert names == [
        "static double dmul_fabric",
        "static float fadd_fabric",
        "static float fmul_fabric",
        "static float fsub_fabric",
    ]


def test_every_implementation_of_a_multiplier_has_a_function_of_its_own() -> None:
    for built in ("meddsp", "fulldsp", "maxdsp"):
        functions = OperatorFunctions()
        text = printer(functions, ((Operator.MUL, Implementation(built)),)).text
        assert text(op("+", op("*", A, A), A), ElementType.FLOAT) == f"fmul_{built}(a, a) + a"
        (function,) = functions.items
        pragmas = [line.text for line in function.body or () if isinstance(line, Pragma)]
        assert pragmas == ["inline", f"bind_op variable=result op=fmul impl={built}"]


def test_reductions_are_bound_too() -> None:
    combine = printer(OperatorFunctions(), ((Operator.ADD, FABRIC),)).combine
    assert combine(Reduction.ADD, "s", "t", ElementType.FLOAT) == "fadd_fabric(s, t)"
    assert combine(Reduction.MUL, "s", "t", ElementType.FLOAT) == "s * t"
    assert combine(Reduction.ADD, "s", "t", ElementType.INT32) == "s + t"


SOURCE = {
    "schema_version": 1,
    "name": "bound",
    "arrays": {
        "A": {"shape": [4, 6], "role": "input"},
        "B": {"shape": [6, 8], "role": "weight"},
        "E": {"shape": [4, 8], "role": "internal"},
        "fadd_fabric": {"shape": [4, 8], "role": "output"},
    },
    "nodes": [
        {
            "name": "fmul_fabric",
            "loops": {"i": 4, "j": 8, "k": 6},
            "body": ["E[i][j] += A[i][k] * B[k][j]"],
        },
        {"name": "act", "loops": {"i": 4, "j": 8}, "body": ["fadd_fabric[i][j] = E[i][j] + 1"]},
    ],
}


def test_each_node_has_its_own_binding() -> None:
    graph = canonicalize(read_graph_json(json.dumps(SOURCE), "bound.json"))
    bindings: tuple[Binding, ...] = (BINDING, ())
    plans = tuple(
        NodePlan(node.name, tuple(node.trip_counts), tuple((n, 1) for n in node.trip_counts), b)
        for node, b in zip(graph.nodes, bindings, strict=True)
    )
    depth = full_depth_elems(graph.array("E"), (1, 1))
    channels = (ChannelPlan("E", ChannelKind.FIFO, depth),)
    text = emit(apply(graph, Schedule("bound", plans, channels))).text("bound.cpp")
    assert "const float term = fmul_fabric(A[i][k], B[k][j]);" in text
    assert "const float total = fadd_fabric((k == 0 ? 0.0f : E_acc[0][0]), term);" in text
    assert "= E_value + 1.0f;" in text
    # Names of the user's that are the functions' get a number.
    assert "static void fmul_fabric_2(" in text
    assert "float fadd_fabric_2[4][8]" in text
    definition = """
static float fadd_fabric(
    const float left,
    const float right) {
    #pragma HLS inline
    const float result = left + right;
    #pragma HLS bind_op variable=result op=fadd impl=fabric
    return result;
}
"""
    assert definition in text
    assert text.count("bind_op") == 2
