"""The performance model: one formula for integers, arrays and symbols; DSPs; the roofline."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streamopt as so
from streamopt.frontends.graph_json import read_graph_json
from streamopt.ir.schedule import ChannelKind
from streamopt.perf.algebra import INTEGERS, symbolic
from streamopt.perf.dsp import dsps_per_lane, multiply_accumulates, roofline_cycles
from streamopt.perf.symbols import symbolic_model
from streamopt.perf.timing import nest_timing

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

TOP = Path(__file__).parents[2]
PRODUCT = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))
GEMM = PRODUCT.node("gemm3")


def one_node(body: str, roles: str = "input") -> Graph:
    document = {
        "schema_version": 1,
        "name": "one",
        "arrays": {
            "A": {"shape": [4, 4], "role": roles},
            "B": {"shape": [4, 4], "role": "input"},
            "Y": {"shape": [4, 4], "role": "output"},
        },
        "nodes": [{"name": "n", "loops": {"i": 4, "j": 4, "k": 4}, "body": [body]}],
    }
    if "k" not in body:
        document["nodes"] = [{"name": "n", "loops": {"i": 4, "j": 4}, "body": [body]}]
    return so.dataflow(read_graph_json(json.dumps(document), "one.json"))


@given(
    st.permutations(["i", "j", "k"]),
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
)
@settings(max_examples=200, deadline=None)
def test_times_are_those_of_a_walk(order: list[str], trips: tuple[int, int, int]) -> None:
    tiles = dict(zip("ijk", trips, strict=True))
    timing = nest_timing(GEMM, order, tiles, ("E", "F"), INTEGERS)
    ii = 4 if order[-1] == "k" else 1
    first = last = None
    reads = {"E": 0, "F": 0}
    for step, point in enumerate(product(*(range(tiles[loop]) for loop in order))):
        at = dict(zip(order, point, strict=True))
        if first is None and at["k"] == tiles["k"] - 1:
            first = ii * step
        if at["j"] == 0:
            reads["E"] = ii * step
        if at["i"] == 0:
            reads["F"] = ii * step
        last = ii * step
    assert (timing.ii, timing.first_write, timing.last_write) == (ii, first, last)
    assert timing.last_read == reads


def test_one_formula_for_integers_arrays_and_symbols() -> None:
    import sympy

    names = ("i", "j", "k")
    symbols: dict[str, Any] = {name: sympy.Symbol(f"x_{name}") for name in names}
    trips = {"i": np.array([1, 2, 7]), "j": np.array([3, 1, 5]), "k": np.array([2, 4, 6])}
    for order in (("i", "j", "k"), ("k", "j", "i"), ("j", "k", "i")):
        formula = nest_timing(GEMM, order, symbols, ("E",), symbolic())
        arrays = nest_timing(GEMM, order, trips, ("E",), INTEGERS)  # pyright: ignore[reportArgumentType]
        for place in range(3):
            tiles = {name: int(trips[name][place]) for name in names}
            whole = nest_timing(GEMM, order, tiles, ("E",), INTEGERS)
            values: dict[Any, int] = {symbols[name]: tiles[name] for name in names}
            assert formula.last_write.subs(values) == whole.last_write
            assert formula.first_write.subs(values) == whole.first_write
            assert formula.last_read["E"].subs(values) == whole.last_read["E"]
            assert np.broadcast_to(arrays.last_read["E"], 3)[place] == whole.last_read["E"]


def test_symbolic_model_of_a_solution() -> None:
    solution = so.solve(PRODUCT)
    schedule = solution.schedule
    fifos = {c.channel for c in schedule.channels if c.kind is ChannelKind.FIFO}
    model = symbolic_model(PRODUCT, {p.node: p.order for p in schedule.nodes}, fifos)
    values = {
        model.tiles[n.name][loop.name]: loop.trip_count // schedule.node(n.name).factors[loop.name]
        for n in PRODUCT.nodes
        for loop in n.loops
    }
    assert model.latency.subs(values) == solution.objective_cycles == 49019


@pytest.mark.parametrize(
    ("body", "dsps"),
    [
        ("Y[i][j] += A[i][k] * B[k][j]", 5),
        ("Y[i][j] = 1.5 * A[i][j] + 1.2 * B[i][j]", 8),
        ("Y[i][j] = 1.5 * A[i][j] - 1.2 * B[i][j]", 8),
        ("Y[i][j] = A[i][j] + B[i][j]", 0),
        ("Y[i][j] = relu(A[i][j] + B[i][j])", 0),
        ("Y[i][j] = relu(A[i][j] * 0.5 + 0.0)", 0),
        ("Y[i][j] = exp(A[i][j] - B[i][j])", 0),
        ("Y[i][j] = A[i][j] / B[i][j]", 0),
        ("Y[i][j] = A[i][j]", 0),
        ("Y[i][j] = max(Y[i][j], A[i][k] * B[k][j])", 0),
    ],
)
def test_dsps_of_a_lane(body: str, dsps: int) -> None:
    assert dsps_per_lane(one_node(body).nodes[0]) == dsps


def test_roofline() -> None:
    assert multiply_accumulates(PRODUCT) == 22_800_000
    assert roofline_cycles(PRODUCT, 2560) == 44532
    assert roofline_cycles(one_node("Y[i][j] = A[i][j]"), 10) == 0
