from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.formats.graph_json import read_graph_json
from streamopt.perf.paper.dsp import dsps_per_lane, multiply_accumulates, roofline_cycles
from streamopt.strategies.oracle.lane_prices import lane_dsps
from streamopt.transforms.canonicalize import canonicalize
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph


def graph_of(body: str, **extents: int) -> Graph:
    loops = {"i": 2, "j": 3, "k": 4, **extents}
    shape = [loops["i"], loops["j"]]
    arrays = {
        "A": [loops["i"], loops["k"]],
        "B": [loops["k"], loops["j"]],
        "X": shape,
        "Y": shape,
        "row": [loops["i"]],
        "bias": [loops["j"]],
    }
    used = {name: shape for name, shape in arrays.items() if f"{name}[" in body}
    document = {
        "schema_version": 1,
        "name": "one",
        "arrays": {name: {"shape": shape, "role": "input"} for name, shape in used.items()}
        | {"out": {"shape": shape if "out[i][j]" in body else shape[:1], "role": "output"}},
        "nodes": [
            {
                "name": "n",
                "loops": {name: loops[name] for name in "ijk" if f"[{name}]" in body},
                "body": [body],
            }
        ],
    }
    return canonicalize(read_graph_json(json.dumps(document), "one.json"))


@pytest.mark.parametrize(
    ("body", "dsps"),
    [
        ("out[i][j] += A[i][k] * B[k][j]", 5),
        ("out[i][j] += 1.5 * A[i][k] * B[k][j]", 8),
        ("out[i] += X[i][j] * X[i][j]", 5),
        ("out[i][j] = 1.5 * X[i][j] + 0.5 * Y[i][j]", 8),
        ("out[i][j] = 1.5 * X[i][j] - 0.5 * Y[i][j]", 8),
        ("out[i][j] = X[i][j]", 0),
        ("out[i][j] = X[i][j] + bias[j]", 0),
        ("out[i][j] = X[i][j] + Y[i][j]", 0),
        ("out[i][j] = X[i][j] * Y[i][j]", 0),
        ("out[i][j] = 1.5 * X[i][j] + Y[i][j]", 0),
        ("out[i][j] = max(X[i][j], 0.0)", 0),
        ("out[i][j] = (X[i][j] - bias[j]) * bias[j] + 0.5", 0),
        ("out[i] = max(out[i], X[i][j])", 0),
        ("out[i][j] = exp(X[i][j] - row[i])", 0),
        ("out[i] += X[i][j]", 0),
        ("out[i] += exp(X[i][j])", 0),
        ("out[i][j] = X[i][j] / row[i]", 0),
        ("out[i] = max(out[i], X[i][j] * Y[i][j])", 0),
    ],
)
def test_dsps_of_one_lane(body: str, dsps: int) -> None:
    graph = graph_of(body)
    (node,) = graph.nodes
    assert dsps_per_lane(node, graph.element_of) == dsps
    assert lane_dsps(graph, node) == dsps


@pytest.mark.parametrize(
    ("body", "macs"),
    [
        ("out[i][j] += A[i][k] * B[k][j]", 24),
        ("out[i] += X[i][j] * X[i][j]", 6),
        ("out[i][j] = 1.5 * X[i][j] + 0.5 * Y[i][j]", 0),
        ("out[i] += X[i][j]", 0),
    ],
)
def test_roofline_counts_multiply_accumulates(body: str, macs: int) -> None:
    graph = graph_of(body)
    assert multiply_accumulates(graph) == macs
    for limit in (1, 5, 7, 120, 1000):
        assert roofline_cycles(graph, limit) == -(-5 * macs // limit)


def test_roofline_of_narrow_products_that_share_a_dsp() -> None:
    arrays = {"A": "input 6 8 int8_t", "B": "input 8 5 int8_t", "C": "output 6 5 int32_t"}
    graph = so.dataflow(program(arrays, {"gemm": "i 6, j 5, k 8: C[i][j] += A[i][k] * B[k][j]"}))
    assert roofline_cycles(graph, 7) == -(-240 // 7)
    assert roofline_cycles(graph, 7, packs=True) == -(-120 // 7)
    wide = graph_of("out[i][j] += A[i][k] * B[k][j]")
    assert roofline_cycles(wide, 7, packs=True) == roofline_cycles(wide, 7)


def test_roofline_of_a_matrix_product() -> None:
    graph = graph_of("out[i][j] += A[i][k] * B[k][j]", i=200, j=220, k=240)
    assert multiply_accumulates(graph) == 10_560_000
    assert roofline_cycles(graph, 2560) == 20_625
