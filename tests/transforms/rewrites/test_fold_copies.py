"""Copies go where their readers can do without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

NAMES = ("fold_copies",)
LINEAR = sketch(
    {"x": "input 1 4 6", "w": "weight 5 6", "c": "internal 4 6", "t": "internal 6 5",
     "g": "internal 4 5", "r": "internal 5 4", "y": "output 5 4"},
    {"flat": "i 4, j 6: c[i][j] = x[0][i][j]", "turn": "j 5, i 6: t[i][j] = w[j][i]",
     "gemm": "i 4, j 5, k 6: g[i][j] += c[i][k] * t[k][j]",
     "back": "i 4, j 5: r[j][i] = g[i][j]", "out": "i 5, j 4: y[i][j] = r[i][j] * 2"},
)  # fmt: skip
SLICE = sketch(
    {"x": "input 9", "s": "internal 3", "y": "output 3"},
    {"cut": "i 3: s[i] = x[2 * i + 1]", "out": "i 3: y[i] = s[2 - i] + 1"},
)
KEPT = {
    "reshape": sketch(
        {"x": "input 3 4", "f": "internal 12", "y": "output 12"},
        {"flat": "i 12: f[i] = x[i / 4][i % 4]", "out": "i 12: y[i] = f[i] * 2"},
    ),
    "window into an argument": sketch(
        {"x": "input 9", "c": "internal 9", "y": "output 7"},
        {"load": "i 9: c[i] = x[i]", "sum": "i 7, k 3: y[i] += c[i + k]"},
    ),
    "two places of a channel": sketch(
        {"x": "input 5", "t": "internal 5", "c": "internal 5", "y": "output 5"},
        {"make": "i 5: t[i] = x[i] + 1", "turn": "i 5: c[i] = t[4 - i]",
         "out": "i 5: y[i] = t[i] - c[i]"},
    ),
    "output": sketch(
        {"x": "input 5", "c": "output 5", "y": "output 5"},
        {"load": "i 5: c[i] = x[i]", "out": "i 5: y[i] = c[i] + 1"},
    ),
    "other type": sketch(
        {"x": "input 5", "c": "internal 5 double", "y": "output 5"},
        {"load": "i 5: c[i] = x[i]", "out": "i 5: y[i] = c[i] + 1"},
    ),
}  # fmt: skip


def folded(source: Program) -> Graph:
    graph = rewritten(canonicalize(source), NAMES)
    check_same(source, graph)
    return graph


def test_chains_of_copies_go() -> None:
    graph = folded(LINEAR)
    assert [node.name for node in graph.nodes] == ["gemm", "out"]
    assert [str(access) for access in graph.node("gemm").reads] == ["x[0][i][k]", "w[j][k]"]
    assert [str(access) for access in graph.node("out").reads] == ["g[j][i]"]


def test_slices_and_reversals_are_composed() -> None:
    (out,) = folded(SLICE).nodes
    assert [str(access) for access in out.reads] == ["x[-2 * i + 5]"]


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_copies_stay_where_readers_would_be_worse_off(source: Program) -> None:
    graph = canonicalize(source)
    assert rewritten(graph, NAMES) is graph
