"""Sums as trees: one operator on the recurrence, whatever the number of terms."""

from __future__ import annotations

from math import ceil, log2

import pytest

from streamopt.ir.network import Implementation, Network
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.clock import clock_risks
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.operators import operator_replicas
from streamopt.target.device import Target
from streamopt.transforms.lower import lower
from tests.support.networks.multiply_add import matrix_product, network_of
from tests.support.networks.one_pipeline import pipeline
from tests.support.programs.sketches import program, scheduled

U280 = Target.named("u280", clock_ns=3.33)
FABRIC = Implementation.FABRIC


def row_sums(text: str, element: str, lanes: int, order: str = "i k") -> Network:
    """Return the network of a reduction over rows of 16 * ``lanes`` elements."""
    graph = program(
        {"x": f"input 32 {16 * lanes} {element}", "y": f"output 32 {element}"},
        {"reduce": f"i 32, k {16 * lanes}: {text}"},
    )
    return lower(scheduled(graph, {"reduce": order}, {"reduce": f"k {lanes}"}))


@pytest.mark.parametrize("lanes", [1, 2, 3, 5, 16, 205])
@pytest.mark.parametrize(
    ("text", "element", "ii"),
    [
        ("y[i] += x[i][k]", "float", 4),
        ("y[i] += x[i][k]", "half", 4),
        ("y[i] += x[i][k]", "double", 6),
        ("y[i] += x[i][k]", "int32_t", 1),
        ("y[i] *= x[i][k]", "float", 3),
        ("y[i] *= x[i][k]", "int32_t", 3),
        ("y[i] = max(y[i], x[i][k])", "float", 1),
        ("y[i] = min(y[i], x[i][k])", "int32_t", 1),
    ],
)
def test_ii_does_not_depend_on_the_terms(text: str, element: str, ii: int, lanes: int) -> None:
    network = row_sums(text, element, lanes)
    (update,) = recurrences(network.pipelines[0])
    assert (update.terms, update.distance) == (1, 1)
    assert pipeline_timings(network, U280)["reduce"].ii == ii


@pytest.mark.parametrize(("distance", "ii"), [(1, 4), (2, 3), (3, 2), (5, 2), (6, 1), (8, 1)])
def test_hurried_adders_are_asked_to_be_of_luts(distance: int, ii: int) -> None:
    graph = program(
        {"x": f"input {distance} 64 float", "y": f"output {distance} float"},
        {"reduce": f"i {distance}, k 64: y[i] += x[i][k]"},
    )
    network = lower(scheduled(graph, {"reduce": "k i"}, {"reduce": "k 4"}))
    *_, tree, last = network.pipelines[0].operations
    assert tree.implementation is None
    assert last.implementation is (FABRIC if distance < 8 else None)
    assert pipeline_timings(network, U280)["reduce"].ii == ii


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 5, 8, 9, 25, 64])
@pytest.mark.parametrize(("order", "adder"), [("k i", 7), ("i k", 5)])
def test_depth_has_the_levels_of_the_tree(terms: int, order: str, adder: int) -> None:
    network = row_sums("y[i] += x[i][k] * x[i][k]", "float", terms, order)
    depth = pipeline_timings(network, U280)["reduce"].depth_cycles
    assert depth == 9 + 7 * ceil(log2(terms)) + adder


def test_an_iteration_with_all_terms_keeps_nothing() -> None:
    graph = program(
        {"x": "input 8 5 float", "b": "input 8 float", "y": "output 8 float"},
        {"reduce": "i 8, k 5: y[i] += x[i][k]"},
    )
    network = lower(scheduled(graph, {}, {"reduce": "k 5"}))
    (only,) = network.pipelines
    assert not list(recurrences(only))
    assert not network.memories[2:]
    assert [(r.operation.over, r.count) for r in operator_replicas(only)] == [(("k.lane",), 4)]


def test_adders_of_trees_and_recurrences() -> None:
    lanes = {"i": 4, "j": 3, "k": 10}
    replicas = operator_replicas(matrix_product(dict.fromkeys("ijk", 16), lanes, is_tree=True))
    assert [replica.count for replica in replicas] == [120, 12 * 9, 12]


def test_no_tree_puts_the_clock_at_risk() -> None:
    lanes = {"i": 1, "j": 1, "k": 10}
    extents = {"i": 20, "j": 20, "k": 200}
    tiles = dict.fromkeys("ikj", 20)
    for is_tree in (False, True):
        network = network_of(matrix_product(tiles, lanes, is_tree=is_tree), lanes, extents)
        found = clock_risks(network, pipeline_timings(network, U280), U280)
        assert bool(found) is not is_tree


def test_a_chain_in_the_source_is_one_in_hardware() -> None:
    ports = ["read x[k] a", "read C[i] c", "write C[i] s"]
    for reassociates, ii in ((True, 12), (False, 16)):
        one = pipeline(
            {"i": 8, "k": 16}, {"kl": 4}, ports, ["s = add c a"], reassociates=reassociates
        )
        (update,) = recurrences(one)
        assert (update.terms, update.ii(U280)) == (4, ii)


def operators(text: str, *, reassociates: bool) -> list[Operator]:
    one = pipeline({"i": 8}, {}, ["read s v", "write t w"], [text], reassociates=reassociates)
    return [operation.operator for operation in built_operations(one)]


@pytest.mark.parametrize(
    ("text", "kept", "reassociated"),
    [
        ("w = mul v 1.0", Operator.COPY, Operator.COPY),
        ("w = sub v 0.0", Operator.COPY, Operator.COPY),
        ("w = add v 0.0", Operator.ADD, Operator.COPY),
        ("w = add 0.0 v", Operator.ADD, Operator.COPY),
        ("w = div v 4.0", Operator.MUL, Operator.MUL),
        ("w = div v -0.125", Operator.MUL, Operator.MUL),
        ("w = div v 3.0", Operator.DIV, Operator.MUL),
        ("w = div v 1.0", Operator.COPY, Operator.COPY),
    ],
)
def test_constants_that_are_folded(text: str, kept: Operator, reassociated: Operator) -> None:
    assert operators(text, reassociates=False) == [kept]
    assert operators(text, reassociates=True) == [reassociated]
