"""Every process gets an argument of its own."""

from __future__ import annotations

from dataclasses import replace

from streamopt.ir.graph import SequentialNode
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

NAMES = ("private_arguments",)
ATAX = sketch(
    {"A": "input 4 6", "x": "input 6", "t": "internal 4", "y": "output 6"},
    {"one": "i 4, j 6: t[i] += A[i][j] * x[j]", "two": "j 6, i 4: y[j] += A[i][j] * t[i]"},
)


def test_the_first_reader_keeps_the_argument() -> None:
    graph = rewritten(canonicalize(ATAX), NAMES)
    check_same(ATAX, graph)
    assert [array.name for array in graph.arrays] == ["A", "A_two", "x", "t", "y"]
    assert graph.array("A_two").role == graph.array("A").role
    assert [str(access) for access in graph.node("two").reads] == ["A_two[i][j]", "t[i]"]
    assert graph.copies == (("A_two", "A"),)
    assert rewritten(graph, NAMES) is graph


def test_names_that_are_taken_are_left_alone() -> None:
    source = sketch(
        {"A": "input 4", "A_two": "input 4", "t": "internal 4", "y": "output 4"},
        {"one": "i 4: t[i] = A[i] + A_two[i]", "two": "i 4: y[i] = A[i] * t[i]"},
    )
    graph = rewritten(canonicalize(source), NAMES)
    check_same(source, graph)
    assert graph.copies == (("A_two_2", "A"),)


def test_nodes_of_one_process_share() -> None:
    source = sketch(
        {"A": "input 4", "y": "output 8"},
        {"low": "i 4: y[i] = A[i]", "high": "i 4: y[i + 4] = A[3 - i]"},
    )
    graph = canonicalize(source)
    assert rewritten(graph, NAMES) is graph


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
