"""A model with constraints of one's own: its optimum keeps them, and without any is `solve`'s."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, OptionError, SolverError
from streamopt.formulation.tags import pyo
from streamopt.solvers.result import Proof
from tests.support.nightly import in_nightly

GRAPHS = Path(__file__).parents[2] / "graphs"
GESUMMV, TWO_MM = GRAPHS / "polybench/gesummv.json", GRAPHS / "polybench/2mm.json"
PROGRAMS = [
    *("polybench/gesummv", "polybench/2mm", "cnns/dwsconv_block"),
    *("polybench/3mm", "polybench/atax", "polybench/bicg", "polybench/gemm", "polybench/mvt"),
    *("mlps/autoencoder", "mlps/residual_mlp", "transformers/feed_forward"),
    *("transformers/multi_head_attention", "cnns/residual_block", "synthetic/7mm_balanced"),
    *("synthetic/7mm_unbalanced", "synthetic/7mm_tree_balanced", "synthetic/7mm_tree_unbalanced"),
]


@pytest.mark.parametrize("name", in_nightly(PROGRAMS, 3))
def test_without_changes_it_is_solve(name: str) -> None:
    graph = so.dataflow(GRAPHS / f"{name}.json")
    found, best = so.model(graph).solve("highs"), so.solve(graph)
    assert (found.latency_cycles, found.bound) == (best.latency_cycles, best.bound)
    assert found.proof is Proof.OPTIMAL
    assert found.changed_by == ""


@pytest.mark.parametrize("solver", ["highs", "cpsat"])
def test_a_cut_is_kept_and_told(solver: str) -> None:
    m = so.model(TWO_MM, dsp=2560)
    for node in m.rows.values():
        m.require(node.dsps <= 2560 // 3, "a third")
    found = m.solve(solver)
    assert max(node.dsps for node in found.prediction.nodes) <= 2560 // 3
    assert found.latency_cycles == found.bound == 47898
    assert found.proof is (Proof.OPTIMAL if solver == "cpsat" else Proof.CLAIMED)
    assert "in the opt5 model with 'a third', bound 47,898" in repr(found)
    assert so.record(found)["changed_by"] == "'a third'"


def test_ports_are_kept() -> None:
    ports = so.plan_ports(GESUMMV, "m_axi")
    found = so.model(GESUMMV, dsp=220, space=so.Space(ports=ports)).solve("highs")
    assert found.schedule.ports == ports


def test_every_term_is_that_of_the_schedule() -> None:
    """The values left in the model are the schedule's own."""
    m = so.model(GESUMMV, dsp=220)
    m.require(m.dsps <= 150, "few")
    found = m.solve("highs")
    value: Any = pyo.value
    times = {node.node: node for node in found.prediction.nodes}
    for plan in found.schedule.nodes:
        node = m.rows[plan.node]
        assert value(node.dsps) == times[plan.node].dsps
        assert value(node.lanes) == plan.lanes
        assert value(node.start) == times[plan.node].start_cycles
        assert value(node.end) == times[plan.node].last_write_cycles
        assert value(node.has_order(plan.order)) == 1
        assert {loop: value(of) for loop, of in node.unroll.items()} == plan.factors
    assert {c for c, fifo in m.fifo.items() if value(fifo)} == found.schedule.fifos
    assert value(m.latency) == found.latency_cycles
    broken = [
        row.name
        for row in m.pyomo.component_data_objects(pyo.Constraint, active=True)
        if row.slack() < -1e-6
    ]
    assert broken == []


def test_choices_that_no_optimum_has_are_there() -> None:
    """Constraints may ask for what costs more: rows aren't pruned."""
    m = so.model(GESUMMV, dsp=220)
    m.require(m.rows["gemv1"].dsps >= 100, "many")
    m.require(m.fifo[next(iter(m.fifo))] == 0, "a buffer")
    found = m.solve("highs")
    assert {node.node: node.dsps for node in found.prediction.nodes}["gemv1"] >= 100
    assert next(iter(m.fifo)) not in found.schedule.fifos


def test_an_objective_of_ones_own() -> None:
    m = so.model(GESUMMV, dsp=220)
    m.minimize(m.latency + m.dsps, "cycles and DSPs")
    found = m.solve("highs")
    front = so.pareto(GESUMMV, dsp=220)
    assert found.latency_cycles + found.dsps == min(p.cycles + p.dsps for p in front.points)
    assert found.changed_by == "the objective 'cycles and DSPs'"
    assert found.message.startswith("'cycles and DSPs' is 3,340")
    assert found.proof is Proof.CLAIMED


def test_constraints_that_cant_be_met_are_named() -> None:
    m = so.model(GESUMMV, dsp=220)
    m.require(m.dsps <= 200, "few")
    m.require(m.latency <= 3000, "fast")
    with pytest.raises(InfeasibleError, match="E411 no schedule of gesummv at opt5") as told:
        m.solve("highs")
    assert "'few'" not in str(told.value)
    assert "without constraints there is one of 3,124 cycles" in str(told.value)
    with pytest.raises(InfeasibleError, match="'fast'"):
        m.solve("highs")  # the model is as it was


def test_times_of_a_design_that_waits_are_refused() -> None:
    m = so.model(GESUMMV, dsp=220)
    m.require(m.rows["gemv1"].start >= 100, "late")
    with pytest.raises(SolverError, match="E527 'late'"):
        m.solve("highs")


def test_wrong_constraints_are_told() -> None:
    m = so.model(GESUMMV, dsp=220)
    for wrong in (True, m.dsps, 3):
        with pytest.raises(OptionError, match="E549 'mine' is"):
            m.require(wrong)
    with pytest.raises(OptionError, match="E543 there is no 'gemv'\n  hint: did you mean 'gemv1'"):
        m.rows["gemv"]
    with pytest.raises(SolverError, match="E523"):
        so.model(GESUMMV, level="opt6")


def test_constraints_of_pyomo_itself_count() -> None:
    m = so.model(GESUMMV, dsp=220)
    m.pyomo.cut = pyo.Constraint(expr=m.dsps <= 150)
    found = m.solve("highs")
    assert found.dsps <= 150
    assert found.changed_by == "'cut'"


@pytest.mark.parametrize("level", ["opt1", "opt2", "opt3", "opt4"])
def test_levels(level: str) -> None:
    found, best = so.model(GESUMMV, level=level).solve("highs"), so.solve(GESUMMV, level=level)
    assert found.latency_cycles == best.latency_cycles
