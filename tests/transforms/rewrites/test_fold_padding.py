"""Borders of constants become guards of the reads, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.ir.expression import conditional_reads
from streamopt.perf.pipelines.lane_accesses import condition_iterators
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

CONVOLUTION = "h 6, w 5, kh 3, kw 2: y[h][w] += p[h + kh][w + kw] * k[kh][kw]"
ARGUMENT = sketch(
    {"x": "input 6 4", "k": "weight 3 2", "p": "internal 8 6", "y": "output 6 5"},
    {"fill": "i 8, j 6: p[i][j] = 0.5", "copy": "i 6, j 4: p[i + 1][j + 2] = x[i][j]",
     "conv": CONVOLUTION},
)  # fmt: skip
PRODUCED = sketch(
    {"x": "input 4 6", "k": "weight 3 2", "t": "internal 6 4", "p": "internal 8 6",
     "y": "output 6 5"},
    {"turn": "i 6, j 4: t[i][j] = x[j][i] * 2", "fill": "i 8, j 6: p[i][j] = 0",
     "copy": "i 6, j 4: p[i + 1][j + 2] = t[i][j]", "conv": CONVOLUTION},
)  # fmt: skip
COMPUTED = sketch(
    {"x": "input 4 6", "k": "weight 3 2", "p": "internal 8 6", "y": "output 6 5"},
    {"fill": "i 8, j 6: p[i][j] = 0", "copy": "i 6, j 4: p[i + 1][j] = max(x[j][i], 0) + 1",
     "conv": CONVOLUTION},
)  # fmt: skip
TWO_READERS = sketch(
    {"x": "input 6 4", "k": "weight 3 2", "p": "internal 8 6", "y": "output 6 5",
     "z": "output 8 6", "s": "output 6"},
    {"fill": "i 8, j 6: p[i][j] = -1", "copy": "j 4, i 6: p[i + 1][j + 2] = x[i][j]",
     "conv": CONVOLUTION, "same": "i 8, j 6: z[i][j] = p[i][j] + 1",
     "inner": "i 6, j 4: s[i] += p[i + 1][j + 2]"},
)  # fmt: skip
SELECTED = sketch(
    {"x": "input 6 4", "k": "weight 3 2", "p": "internal 8 6", "y": "output 6 5"},
    {"pad": "i 8, j 6: p[i][j] = x[i - 1][j - 2] if i >= 1 and i < 7 and j > 1 else 0",
     "conv": CONVOLUTION},
)  # fmt: skip
OPPOSITE = sketch(
    {"x": "input 6 4", "k": "weight 3 2", "p": "internal 8 6", "y": "output 6 5"},
    {"pad": "i 8, j 6: p[i][j] = 0 if i < 1 or i >= 7 or j <= 1 else x[i - 1][j - 2]",
     "conv": CONVOLUTION},
)  # fmt: skip
ROWS = sketch(
    {"x": "input 2 9", "k": "weight 3", "p": "internal 2 11", "y": "output 2 9"},
    {"fill": "c 2, i 11: p[c][i] = 0", "copy": "c 2, i 9: p[c][i + 1] = x[c][i]",
     "conv": "c 2, i 9, n 3: y[c][i] += p[c][i + n] * k[n]"},
)  # fmt: skip
TWICE = sketch(
    {"x": "input 4", "p": "internal 6", "q": "internal 9", "y": "output 9"},
    {"fill": "i 6: p[i] = 1", "copy": "i 4: p[i + 1] = x[i]",
     "fill2": "i 9: q[i] = 2", "copy2": "i 6: q[i + 3] = p[i]", "last": "i 9: y[i] = q[i] * 3"},
)  # fmt: skip


def folded(source: Program, name: str = "fold_padding") -> Graph:
    graph = rewritten(canonicalize(source), (name,))
    check_same(source, graph)
    return graph


def nodes(graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes]


def read(graph: Graph, node: str) -> list[str]:
    return [str(access) for access in graph.node(node).reads]


@pytest.mark.parametrize("source", [ARGUMENT, SELECTED, OPPOSITE])
def test_readers_read_the_argument_itself(source: Program) -> None:
    graph = folded(source)
    assert nodes(graph) == ["conv"]
    assert graph.edges == ()
    assert read(graph, "conv")[0] == "x[h + kh - 1][w + kw - 2]"


def test_readers_wait_for_the_producer_of_what_was_padded() -> None:
    graph = folded(PRODUCED)
    assert nodes(graph) == ["turn", "conv"]
    assert [(edge.producer, edge.consumer) for edge in graph.edges] == [("turn", "conv")]


def test_work_is_not_repeated_for_every_element_of_a_window() -> None:
    graph = folded(COMPUTED)
    assert nodes(graph) == ["copy", "conv"]
    assert graph.array("p").shape == (6, 4)
    assert str(graph.node("copy").write) == "p[i][j]"


def test_only_dimensions_with_a_border_are_guarded() -> None:
    (conv,) = folded(ROWS).nodes
    assert read(folded(ROWS), "conv")[0] == "x[c][i + n - 1]"
    ((_, under),) = [r for r in conditional_reads(conv.value) if r[0].array == "x"]
    assert [iterators for part in under for iterators in condition_iterators(part)] == list("inin")


def test_every_reader_has_the_guard_that_it_needs() -> None:
    graph = folded(TWO_READERS)
    assert nodes(graph) == ["conv", "same", "inner"]
    assert read(graph, "inner") == ["x[i][j]"]
    assert type(graph.node("inner").value).__name__ == "Read"


def test_padding_of_padding_is_folded_too() -> None:
    graph = folded(TWICE)
    assert nodes(graph) == ["last"]
    assert read(graph, "last") == ["x[i - 4]"]


def test_fold_borders_keeps_the_copy_of_an_argument() -> None:
    graph = folded(ARGUMENT, "fold_borders")
    assert nodes(graph) == ["copy", "conv"]
    assert graph.array("p").shape == (6, 4)
    assert read(graph, "conv")[0] == "p[h + kh - 1][w + kw - 2]"
    assert nodes(folded(PRODUCED, "fold_borders")) == ["turn", "conv"]
    assert nodes(folded(SELECTED, "fold_borders")) == ["pad", "conv"]


KEPT = {
    "output": sketch(
        {"x": "input 4", "p": "output 6"},
        {"fill": "i 6: p[i] = 0", "copy": "i 4: p[i + 1] = x[i]"},
    ),
    "part filled": sketch(
        {"x": "input 4", "p": "internal 6", "y": "output 6"},
        {"low": "i 2: p[i] = 0", "high": "i 4: p[i + 2] = x[i]", "last": "i 6: y[i] = p[i]"},
    ),
    "strided": sketch(
        {"x": "input 3", "p": "internal 6", "y": "output 6"},
        {"fill": "i 6: p[i] = 0", "copy": "i 3: p[2 * i] = x[i]", "last": "i 6: y[i] = p[i]"},
    ),
    "only the border read": sketch(
        {"x": "input 4", "t": "internal 4", "p": "internal 6", "y": "output 1"},
        {"make": "i 4: t[i] = x[i] + 1", "fill": "i 6: p[i] = 0", "copy": "i 4: p[i + 1] = t[i]",
         "last": "i 1: y[i] = p[i] + 1"},
    ),
    "filled last": sketch(
        {"x": "input 4", "p": "internal 4", "y": "output 4"},
        {"copy": "i 4: p[i] = x[i]", "fill": "i 4: p[i] = 0", "last": "i 4: y[i] = p[i]"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_other_arrays_stay(source: Program) -> None:
    graph = canonicalize(source)
    assert rewritten(graph, ("fold_borders", "fold_padding")) is graph
