"""Dimensions walked in two digits become two, with all that has to follow, or stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import REWRITES, rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch
from tests.support.random.graphs import random_program
from tests.support.random.seeds import seeded

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

ATTENTION = Path(__file__).parents[3] / "graphs" / "transformers" / "multi_head_attention.json"
NAMES = ("split_loops", "fold_copies", "fold_pointwise", "private_arguments")
JOINED = sketch(
    {"x": "input 2 3 4", "w": "weight 8 5", "t": "internal 2 3 4", "f": "internal 3 8",
     "y": "output 3 5"},
    {"scale": "h 2, i 3, k 4: t[h][i][k] = x[h][i][k] * 2",
     "join": "i 3, j 8: f[i][j] = t[j / 4][i][j % 4]",
     "gemm": "i 3, j 5, k 8: y[i][j] += f[i][k] * w[k][j]"},
)  # fmt: skip


def split(source: Program, names: tuple[str, ...] = ("split_loops",)) -> Graph:
    graph = rewritten(canonicalize(source), names)
    check_same(source, graph)
    assert rewritten(graph, names) == graph
    return graph


def test_divided_loops_split_and_their_copies_fold() -> None:
    (gemm,) = split(JOINED, NAMES).nodes
    found = [str(access) for access in (gemm.write, *gemm.reads)]
    assert found == ["y[i][j]", "x[k_1][i][k_0]", "w[4 * k_1 + k_0][j]"]


def test_rows_of_a_tensor_that_is_read_flat_stay_rows() -> None:
    """A pool of 2 x 2 before a product of all: its rows are no digits of channels."""
    source = sketch(
        {"x": "input 4 8 6", "a": "internal 4 8 6", "t": "internal 4 6 6", "p": "internal 4 3 3",
         "w": "weight 36 2", "y": "output 2"},
        {"scale": "c 4, h 8, v 6: a[c][h][v] = x[c][h][v] * 2",
         "blur": "c 4, h 6, v 6, m 3: t[c][h][v] += a[c][h + m][v]",
         "pool": "c 4, h 3, v 3, m 2, n 2: p[c][h][v] += t[c][2 * h + m][2 * v + n]",
         "gemm": "i 2, k 36: y[i] += p[k / 9][(k / 3) % 3][k % 3] * w[k][i]"},
    )  # fmt: skip
    graph = rewritten(canonicalize(source), ("split_loops", "stream_windows"))
    rows = [len(graph.node(name).trip_counts) for name in ("scale", "blur", "pool", "gemm")]
    assert rows == [4, 5, 5, 4]


def test_attention_streams_by_heads() -> None:
    source = so.load(ATTENTION)
    graph = split(source, NAMES)
    assert len(graph.nodes) == 11
    channels = [access for edge in graph.edges for access in (edge.write, *edge.reads)]
    plain = [s.as_iterator() for access in channels for s in access.subscripts if s.terms]
    assert None not in plain


@pytest.mark.parametrize("case", range(60))
def test_random_programs_compute_the_same_under_sequences(case: int) -> None:
    rng = seeded(case)
    source = random_program(rng, nodes=rng.randint(4, 10), max_extent=rng.choice((4, 6, 8)))
    names = [rng.choice(list(REWRITES)) for _ in range(rng.randint(0, 4))]
    names.insert(rng.randint(0, len(names)), "split_loops")
    names.sort(key=lambda name: REWRITES[name].is_final)
    check_same(source, rewritten(canonicalize(source), names))
