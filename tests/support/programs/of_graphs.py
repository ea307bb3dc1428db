"""Graphs as programs again, to be interpreted: what a rewritten graph computes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Nest, Program, Role, Statement
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites.prefill_windows import PrefillWindows
from streamopt.transforms.rewrites.stream_windows import StreamWindows
from streamopt.verification.exact.interpreter import interpret
from streamopt.verification.reference.execution import execute
from streamopt.verification.vectors.inputs import make_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from streamopt.ir.graph import Graph, Node

SMALL = 5000


def program_of(graph: Graph) -> Program:
    return Program(graph.name, graph.arrays, tuple(map(_nest, graph.nodes)))


def _nest(node: Node) -> Nest:
    if isinstance(node, SequentialNode):
        parts = (node.name, node.loops, node.statements, None, True, node.carries, node.reason)
        return Nest(*parts)
    parts = (node.write, node.value, node.reduction, node.start, node.guard, node.loc)
    return Nest(node.name, node.loops, (Statement(*parts),))


def outputs(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    results = execute(program, inputs)
    return {a.name: results[a.name].value for a in program.arrays if a.role is Role.OUTPUT}


def check_same(source: Program, graph: Graph) -> None:
    """The graph is one that a program could have, and computes the bits of the source."""
    again = program_of(graph)
    plain = replace(canonicalize(again), copies=graph.copies)
    windows = [window for node in graph.nodes for window in node.windows]
    noted = StreamWindows()(plain) if any(node.takes for node in graph.nodes) else plain
    assert (PrefillWindows()(noted) if any(w.prefilled for w in windows) else noted) == graph
    inputs = dict(make_inputs(source, bits=4))
    expected = outputs(source, inputs)
    inputs |= {copy: inputs[original] for copy, original in graph.copies}
    found = outputs(again, inputs)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    if sum(node.iterations for node in graph.nodes) < SMALL:
        interpret(again, inputs)  # which refuses subscripts outside their arrays
