"""Integers between nodes in the narrowest type that has their values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.formats.graph_json import read_graph_json
from streamopt.perf.paper.dsp import dsps_per_lane, roofline_cycles
from streamopt.strategies.oracle.lane_prices import lane_dsps
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.csim.tokens import graph_values

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def layer(*, terms: int = 32, out: str = "int64_t", wide: str = "int64_t") -> Program:
    """Return an 8-bit layer as a front end widens it, with its sums shifted and clamped."""
    arrays = {
        "x": {"shape": [8, terms], "role": "input", "type": "int8_t"},
        "w": {"shape": [4, terms], "role": "weight", "type": "int8_t"},
        "to": {"shape": [8, terms], "role": "internal", "type": "int32_t"},
        "sums": {"shape": [8, 4], "role": "internal", "type": out},
        "y": {"shape": [8, 4], "role": "output", "type": "int8_t"},
    }
    nodes = [
        {"name": "widen", "loops": {"i": 8, "k": terms}, "body": ["to[i][k] = int32_t(x[i][k])"]},
        {"name": "dot", "loops": {"i": 8, "j": 4, "k": terms},
         "body": [f"sums[i][j] += {wide}(to[i][k]) * {wide}(w[j][k])"]},
        {"name": "clamp", "loops": {"i": 8, "j": 4},
         "body": ["y[i][j] = int8_t(min(max(sums[i][j] >> 7, -128), 127))"]},
    ]  # fmt: skip
    document = {"schema_version": 1, "name": "layer", "arrays": arrays, "nodes": nodes}
    return read_graph_json(json.dumps(document), "layer.json")


def test_sums_of_products_are_as_wide_as_they_can_be() -> None:
    graph = so.dataflow(layer())
    assert graph.element_of("to").value == "int8_t"
    assert graph.element_of("sums").value == "int32_t"
    assert so.dataflow(layer(terms=2)).element_of("sums").value == "int32_t"
    assert so.dataflow(layer(terms=1)).element_of("sums").value == "int16_t"
    assert so.dataflow(layer(terms=2**17 - 1)).element_of("sums").value == "int32_t"
    assert so.dataflow(layer(terms=2**17)).element_of("sums").value == "int64_t"


def test_nothing_changes_where_nothing_is_known() -> None:
    program = so.load("graphs/polybench/3mm.json")
    plain = canonicalize(program)
    assert so.dataflow(program) == plain


@pytest.mark.parametrize("wide", ["int64_t", "int32_t"])
def test_values_are_those_of_the_program(wide: str) -> None:
    program = layer(wide=wide)
    rng = np.random.default_rng(3)
    inputs = {
        name: rng.integers(-128, 128, program.array(name).shape).astype(np.int8) for name in "xw"
    }
    inputs["x"][0], inputs["w"][0] = -128, -128
    expected = so.interpret(program, inputs)
    doubles = {name: values.astype(np.float64) for name, values in inputs.items()}
    found = graph_values(so.dataflow(program), doubles)
    np.testing.assert_array_equal(found["y"].value, expected["y"])
    np.testing.assert_array_equal(found["sums"].value, expected["sums"])


@pytest.mark.parametrize(
    ("kind", "sums", "dsps"),
    [
        ("int8_t", "int32_t", 1),
        ("int16_t", "int64_t", 1),
        ("int32_t", "int64_t", 3),
        ("int64_t", "int64_t", 16),
        ("double", "double", 11),
        ("float", "float", 5),
        ("ap_fixed<8, 4>", "ap_fixed<32, 18>", 1),
    ],
)
def test_every_level_charges_what_the_type_costs(kind: str, sums: str, dsps: int) -> None:
    arrays = {
        "A": {"shape": [32, 32], "role": "input", "type": kind},
        "B": {"shape": [32, 32], "role": "input", "type": kind},
        "C": {"shape": [32, 32], "role": "output", "type": sums},
    }
    node = {
        "name": "n",
        "loops": dict.fromkeys("ijk", 32),
        "body": ["C[i][j] += A[i][k] * B[k][j]"],
    }
    document = {"schema_version": 1, "name": "p", "arrays": arrays, "nodes": [node]}
    graph = so.dataflow(read_graph_json(json.dumps(document), "p.json"))
    (only,) = graph.nodes
    assert dsps_per_lane(only, graph.element_of) == dsps
    assert lane_dsps(graph, only) == dsps
    assert roofline_cycles(graph, 64) == -(-(32**3) * dsps // 64)
    solution = so.solve(graph, level="opt5", dsp=4 * dsps)
    assert (solution.prediction.dsps, solution.latency_cycles) == (4 * dsps, 8191)
    again = so.solve(graph, level="opt5", dsp=4 * dsps, effort=so.Effort(solver="exhaustive"))
    assert again.latency_cycles == solution.latency_cycles
    assert so.evaluate(graph, solution.schedule).resources.total.dsps == 4 * dsps


def test_designs_are_as_narrow_and_right(tmp_path: Path) -> None:
    program = layer()
    graph = so.dataflow(program)
    solution = so.solve(graph, level="opt6", dsp=32)
    assert solution.prediction.dsps <= 32
    assert solution.latency_cycles < 8 * 4 * 32 / 16
    so.write(program, solution.schedule, tmp_path / "design")
    source = (tmp_path / "design" / "layer.cpp").read_text(encoding="utf-8")
    assert "int32_t terms" in source
    assert "int64_t sums" not in source
    so.verify(tmp_path / "design").raise_if_failed()
