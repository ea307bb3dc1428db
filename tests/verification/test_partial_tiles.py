"""Unroll factors that don't divide trip counts: designs compute what their sources do."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.backends.vitis import emit
from streamopt.ir.network import Place
from streamopt.ir.schedule import ChannelKind
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import program, scheduled
from tests.support.random.graphs import random_program
from tests.support.random.schedules import any_factors

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.ir.scheduled import ScheduledGraph

CHAIN = program(
    {"A": "input 6 8", "B": "input 8 10", "C": "input 10 4", "m": "internal 6",
     "E": "internal 6 10", "F": "internal 6 4", "y": "output 6 4"},
    {"mm1": "i 6, j 10, k 8: E[i][j] += A[i][k] * B[k][j]",
     "mm2": "i 6, j 4, k 10: F[i][j] += E[i][k] * C[k][j]",
     "peak": "i 6, j 4: m[i] = max(m[i], F[i][j])",
     "out": "i 6, j 4: y[i][j] = F[i][j] - m[i]"},
    name="chain",
)  # fmt: skip
CONV = program(
    {"x": "input 2 6 5", "k": "weight 3 2 3 3", "p": "internal 2 8 7", "t": "internal 3 6 5",
     "y": "output 3 6 5"},
    {"fill": "c 2, h 8, w 7: p[c][h][w] = 0",
     "copy": "c 2, h 6, w 5: p[c][h + 1][w + 1] = x[c][h][w]",
     "conv": "o 3, h 6, w 5, c 2, m 3, n 3: t[o][h][w] += p[c][h + m][w + n] * k[o][c][m][n]",
     "act": "o 3, h 6, w 5: y[o][h][w] = max(t[o][h][w], 0)"},
    name="conv",
)  # fmt: skip
ARGMAX = program(
    {"x": "input 5 7", "m": "internal 5", "y": "output 5", "z": "output 5"},
    {"peak": "i 5, j 7: m[i] = max(m[i], x[i][j])",
     "place": "i 5, j 7: y[i] = min(y[i], index(j) if x[i][j] == m[i] else 7)",
     "least": "i 5, j 7: z[i] = min(z[i], x[i][j] - m[i])"},
    name="argmax",
)  # fmt: skip
FORMS = (
    (),
    ("private_arguments",),
    ("fold_padding", "fold_copies", "fold_pointwise", "private_arguments"),
    ("fold_borders", "fold_copies", "private_arguments"),
)


def check_design(graph: ScheduledGraph, source: Program, directory: Path) -> None:
    write_project(emit(graph), source, directory / "project")
    verify_project(directory / "project", source).raise_if_failed()


def test_products_and_maxima(tmp_path: Path) -> None:
    graph = scheduled(
        CHAIN,
        {"mm1": "i k j", "mm2": "i k j"},
        {"mm1": "i 4, j 3, k 3", "mm2": "i 4, j 3, k 3", "peak": "i 4, j 3", "out": "i 4, j 3"},
        ping_pong=("E",),
    )
    text = emit(graph).text("chain.cpp")
    assert "const int i = i_tile * 4 + i_lane;\n" in text
    assert text.count("if (i_tile < 1 || i_lane < 2) {") == 4
    assert "terms[k_lane] = k_tile < 2 || k_lane < 2 ? A[i][k] * B[k][j] : 0.0f;" in text
    assert "j_tile < 1 || j_lane < 1 ? " in text
    assert {c.kind for c in graph.channels} >= {ChannelKind.FIFO}
    check_design(graph, CHAIN, tmp_path)


@pytest.mark.parametrize("names", [(), FORMS[2]])
def test_padded_convolution_with_guards_or_several_writers(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    graph = so.dataflow(CONV)
    schedule = replace(any_factors(rewritten(graph, names), Random(len(names)), 2), rewrites=names)
    check_design(apply(graph, schedule), CONV, tmp_path)


def test_places_and_least_elements(tmp_path: Path) -> None:
    unroll = {"peak": "i 3, j 4", "place": "i 3, j 3", "least": "i 2, j 5"}
    check_design(
        scheduled(ARGMAX, {"place": "j i"}, unroll, ("m__least", "m__place")), ARGMAX, tmp_path
    )


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    source, names = random_program(rng, nodes=4, max_extent=7), rng.choice(FORMS)
    graph = so.dataflow(source)
    schedule = replace(any_factors(rewritten(graph, names), rng), rewrites=names)
    check_design(apply(graph, schedule), source, tmp_path)


def test_a_partial_tile_is_told_once_and_touches_no_guard() -> None:
    graph = scheduled(CHAIN, {}, {"mm1": "i 4, k 3", "mm2": "i 4", "peak": "i 4", "out": "i 4"})
    network = lower(graph)
    mm1 = next(pipeline for pipeline in network.pipelines if pipeline.name == "mm1")
    assert [(part.tile, part.lane, part.last_tile, part.last_lanes) for part in mm1.partial_tiles]
    assert {(part.tile, part.last_tile, part.last_lanes) for part in mm1.partial_tiles} == {
        ("i", 1, 2),
        ("k", 2, 2),
    }
    guards = [port.guard for port in mm1.ports if port.target in ("A", "B")]
    assert guards == [None, None]
    boundary = {m.name: m.factors for m in network.memories if m.place is Place.ARGUMENT}
    assert boundary["A"] == (4, 3)
