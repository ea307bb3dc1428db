"""Every process gets an argument of its own."""

from __future__ import annotations

from dataclasses import replace

from streamopt.ir.graph import SequentialNode
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

NAMES = ("private_arguments",)


def test_a_sequential_node_begins_with_its_own() -> None:
    source = sketch(
        {"A": "input 4 4", "y": "output 4", "z": "output 4 4"},
        {"sum": "i 4, j 4: y[i] += A[i][j]", "solve": "i 3, j 4: z[i + 1][j] += z[i][j]"},
    )
    (nest, solve) = source.nests
    sequential = replace(solve, sequential=True, carries=(("z", "A"),))
    source = replace(source, nests=(nest, sequential))
    graph = rewritten(canonicalize(source), NAMES)
    node = graph.node("solve")
    assert isinstance(node, SequentialNode)
    assert node.carries == (("z", "A_solve"),)
    check_same(source, graph)
