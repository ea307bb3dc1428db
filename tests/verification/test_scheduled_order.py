"""The order of a design: the bits of its C++, of orders that compute the terms of the source."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.expression import Binary, BinaryOp, Literal
from streamopt.ir.graph import SequentialNode
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.verification.reference.scheduled_order import in_scheduled_order
from tests.support.runners.stepped_designs import emitted

TRIANGLE = """
void triangle(float A[24][24], float b[24], float x[24]) {
  for (int i = 0; i < 24; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= A[i][j] * x[j];
    x[i] = x[i] / A[i][i];
  }
}
"""
CENTERED = """
void centered(float A[24][24], float m[24]) {
  for (int k = 0; k < 24; k++) {
    m[k] = 0;
    for (int i = 0; i < 24; i++) m[k] += A[i][k];
    for (int j = k + 1; j < 24; j++)
      for (int i = 0; i < 24; i++) A[i][j] -= A[i][k] * m[k] * 0.01;
  }
}
"""


def built(text: str, folder: Path) -> ScheduledGraph:
    path = folder / "f.c"
    path.write_text(text)
    graph = so.dataflow(path)
    return so.apply(graph, so.solve(graph, level="opt6", dsp=100).schedule)


def given(design: ScheduledGraph) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    arrays = [a for a in design.graph.arrays if a.is_given]
    return {a.name: rng.uniform(0.5, 2.0, a.shape).astype(a.element.dtype) for a in arrays}


@pytest.mark.parametrize("text", [TRIANGLE, CENTERED])
def test_bits_are_those_of_the_emitted_code(text: str, tmp_path: Path) -> None:
    design = built(text, tmp_path)
    inputs = given(design)
    expected, found = in_scheduled_order(design, inputs), emitted(design, inputs)
    assert expected is not None
    for array in design.graph.arrays:
        if array.name in found and not array.is_given:
            np.testing.assert_array_equal(found[array.name], expected[array.name])


def test_orders_of_other_terms_are_not_known(tmp_path: Path) -> None:
    """A source that multiplies once more than the order does."""
    design = built(CENTERED, tmp_path)

    def changed(node: SequentialNode) -> SequentialNode:
        *others, last = node.statements
        value = Binary(BinaryOp.MUL, last.value, Literal(3.0))
        return replace(node, statements=(*others, replace(last, value=value)))

    nodes = tuple(
        replace(own, node=changed(own.node)) if isinstance(own.node, SequentialNode) else own
        for own in design.nodes
    )
    assert in_scheduled_order(replace(design, nodes=nodes), given(design)) is None
