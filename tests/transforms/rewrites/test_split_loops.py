"""Dimensions walked in two digits become two, with all that has to follow, or stay."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import REWRITES, rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch
from tests.support.random.graphs import random_program

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

ATTENTION = Path(__file__).parents[3] / "graphs" / "transformers" / "multi_head_attention.json"
NAMES = ("split_loops", "fold_copies", "fold_pointwise", "private_arguments")
SEED = 0 if os.environ.get("CI") else random.SystemRandom().randrange(10**6)
HEADS = sketch(
    {"x": "input 3 6", "w": "weight 6 8", "q": "internal 3 8", "s": "internal 2 3",
     "y": "output 2 3"},
    {"project": "i 3, j 8, k 6: q[i][j] += x[i][k] * w[k][j]",
     "heads": "h 2, i 3, k 4: s[h][i] += q[i][4 * h + k]",
     "out": "h 2, i 3: y[h][i] = s[h][i] * 2"},
)  # fmt: skip
JOINED = sketch(
    {"x": "input 2 3 4", "w": "weight 8 5", "t": "internal 2 3 4", "f": "internal 3 8",
     "y": "output 3 5"},
    {"scale": "h 2, i 3, k 4: t[h][i][k] = x[h][i][k] * 2",
     "join": "i 3, j 8: f[i][j] = t[j / 4][i][j % 4]",
     "gemm": "i 3, j 5, k 8: y[i][j] += f[i][k] * w[k][j]"},
)  # fmt: skip
TWICE = sketch(
    {"x": "input 24", "f": "internal 24", "y": "output 2 3 4"},
    {"load": "i 24: f[i] = x[i] + 1",
     "cut": "a 2, b 3, c 4: y[a][b][c] = f[12 * a + 4 * b + c]"},
)  # fmt: skip
KEPT = {
    "other window": sketch(
        {"x": "input 9", "f": "internal 9", "y": "output 7", "z": "output 3 3"},
        {"load": "i 9: f[i] = x[i] + 1", "sum": "i 7, k 3: y[i] += f[i + k]",
         "cut": "a 3, b 3: z[a][b] = f[3 * a + b]"},
    ),
    "other digits": sketch(
        {"x": "input 12", "f": "internal 12", "y": "output 4 3", "z": "output 2 5"},
        {"load": "i 12: f[i] = x[i] + 1", "cut": "a 4, b 3: y[a][b] = f[3 * a + b]",
         "some": "a 2, b 5: z[a][b] = f[7 * a + b]"},
    ),
    "argument": sketch(
        {"x": "input 12", "y": "output 4 3"},
        {"cut": "a 4, b 3: y[a][b] = x[3 * a + b]"},
    ),
    "output that is read": sketch(
        {"x": "input 12", "f": "output 12", "y": "output 4 3"},
        {"load": "i 12: f[i] = x[i] + 1", "cut": "a 4, b 3: y[a][b] = f[3 * a + b]"},
    ),
    "overlapping digits": sketch(
        {"x": "input 12", "f": "internal 12", "y": "output 3 4"},
        {"load": "i 12: f[i] = x[i] + 1", "cut": "a 3, b 4: y[a][b] = f[3 * a + b]"},
    ),
    "many loops": sketch(
        {"x": "input 2 2 2 2 2 4", "f": "internal 2 2 2 2 2 4", "y": "output 2 2 2 2 2 2 2"},
        {"load": "a 2, b 2, c 2, d 2, e 2, f1 4: f[a][b][c][d][e][f1] = x[a][b][c][d][e][f1] + 1",
         "cut": "a 2, b 2, c 2, d 2, e 2, g 2, h 2: "
                "y[a][b][c][d][e][g][h] = f[a][b][c][d][e][2 * g + h]"},
    ),
}  # fmt: skip


def split(source: Program, names: tuple[str, ...] = ("split_loops",)) -> Graph:
    graph = rewritten(canonicalize(source), names)
    check_same(source, graph)
    assert rewritten(graph, names) == graph
    return graph


def accesses(graph: Graph, name: str) -> list[str]:
    node = graph.node(name)
    return [str(access) for access in (node.write, *node.reads)]


def test_heads_split_the_projection() -> None:
    graph = split(HEADS)
    assert accesses(graph, "project") == ["q[i][j_1][j_0]", "x[i][k]", "w[k][4 * j_1 + j_0]"]
    assert accesses(graph, "heads") == ["s[h][i]", "q[i][h][k]"]
    assert graph.array("q").shape == (3, 2, 4)
    assert graph.node("project").trip_counts == {"i": 3, "j_1": 2, "j_0": 4, "k": 6}


def test_divided_loops_split_and_their_copies_fold() -> None:
    assert accesses(split(JOINED), "join") == ["f[i][j_1][j_0]", "t[j_1][i][j_0]"]
    (gemm,) = split(JOINED, NAMES).nodes
    found = [str(access) for access in (gemm.write, *gemm.reads)]
    assert found == ["y[i][j]", "x[k_1][i][k_0]", "w[4 * k_1 + k_0][j]"]


def test_digits_split_again() -> None:
    graph = split(TWICE)
    assert graph.array("f").shape == (2, 3, 4)
    assert graph.node("load").trip_counts == {"i_1": 2, "i_0_1": 3, "i_0_0": 4}


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_what_not_all_can_follow_stays(source: Program) -> None:
    graph = canonicalize(source)
    assert rewritten(graph, ("split_loops",)) is graph


def test_attention_streams_by_heads() -> None:
    source = so.load(ATTENTION)
    graph = split(source, NAMES)
    assert len(graph.nodes) == 11
    channels = [access for edge in graph.edges for access in (edge.write, *edge.reads)]
    plain = [s.as_iterator() for access in channels for s in access.subscripts if s.terms]
    assert None not in plain


@pytest.mark.parametrize("case", range(60))
def test_random_programs_compute_the_same_under_sequences(case: int) -> None:
    rng = random.Random(SEED + case)
    source = random_program(rng, nodes=rng.randint(4, 10), max_extent=rng.choice((4, 6, 8)))
    names = [rng.choice(list(REWRITES)) for _ in range(rng.randint(0, 4))]
    names.insert(rng.randint(0, len(names)), "split_loops")
    names.sort(key="stream_windows".__eq__)  # which comes last
    check_same(source, rewritten(canonicalize(source), names))
