"""The type in which a sum is kept, in costs and in designs: as narrow as its partial values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.analysis.value_ranges import ValueContext, accumulated_type
from streamopt.codegen.backends import native
from streamopt.ir.operators import Operator
from streamopt.perf.as_built.node_operators import node_operators
from streamopt.transforms.lower import lower
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def dot(body: str, out: str = "int64_t", terms: int = 12) -> Program:
    """Return sums of products of 8-bit integers, in an array that is wider than they need."""
    arrays = {
        "x": f"input 6 {terms} int8_t", "w": f"weight 4 {terms} int8_t", "y": f"output 6 4 {out}",
    }  # fmt: skip
    return program(arrays, {"dot": f"i 6, j 4, k {terms}: {body}"}, name="dot")


PRODUCT = "int64_t(x[i][k]) * int64_t(w[j][k])"
PLAIN, LARGEST = f"y[i][j] += {PRODUCT}", f"y[i][j] = max(y[i][j], {PRODUCT})"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (dot(PLAIN), "int32_t"),
        (dot(PLAIN, terms=1), "int16_t"),
        (dot(PLAIN, "int32_t"), "int32_t"),
        (dot(PLAIN, "int16_t"), "int16_t"),
        (dot("y[i][j] += x[i][k]", "int32_t"), "int16_t"),
        (dot("y[i][j] += max(min(x[i][k], 1), 0)"), "int8_t"),
        (dot(PLAIN, terms=2**17), "int64_t"),
        (dot("y[i][j] += float(x[i][k])", "float"), "float"),
        (dot(LARGEST), "int64_t"),
    ],
)
def test_sums_are_as_narrow_as_their_partial_values(source: Program, kind: str) -> None:
    graph = so.dataflow(source)
    (node,) = graph.nodes
    among = ValueContext(graph.element_of, node.trip_counts)
    assert accumulated_type(node, among).value == kind


def test_costs_and_designs_have_one_type(tmp_path: Path) -> None:
    source = dot(PLAIN)
    graph = so.dataflow(source)
    built = scheduled(source, unroll={"dot": "i 2, j 2, k 3"})
    network = lower(built)
    (pipeline,) = network.pipelines
    sums = {one.element.value for one in pipeline.operations if one.operator is Operator.ADD}
    (kept,) = (one for one in network.memories if one.name.endswith("_acc"))
    carried = node_operators(graph.nodes[0], graph.element_of).carried
    assert carried is not None
    assert sums == {"int32_t"} == {kept.element.value, carried.operation.element.value}
    design = native.emit(built)
    text = design.text("dot.cpp")
    for kept in ("y_acc[2][2]", "terms", "total"):
        assert f"int32_t {kept}" in text
    write_project(design, source, tmp_path)
    verify_project(tmp_path, source).raise_if_failed()
