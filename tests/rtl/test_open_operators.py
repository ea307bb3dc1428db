"""Our own operators as a target: what the search counts is what the Verilog has."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import SolverError
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.rtl.kernel.making import timed_network
from streamopt.rtl.operators.table import FLOAT_LEVELS
from streamopt.transforms.lower import lower

GRAPHS = Path(__file__).parents[2] / "graphs"
OPEN = so.device("u280", operators="open")


def solved(name: str, level: str, dsps: int) -> tuple[so.Solved, so.Evaluation]:
    found = so.dataflow(so.load(GRAPHS / f"{name}.json"))
    own = so.solve(found, level=level, dsp=dsps, budget=so.Budget(device=OPEN))
    assert own.evaluation is not None
    return own, own.evaluation


def test_registers_are_those_of_the_blocks() -> None:
    add, mul = (OPEN.operator(each, ElementType.FLOAT) for each in (Operator.ADD, Operator.MUL))
    assert (add.latency_cycles, mul.latency_cycles) == (FLOAT_LEVELS["add"], FLOAT_LEVELS["mul"])
    assert (add.dsps, mul.dsps) == (0, 2)
    assert OPEN.operator(Operator.MUL, ElementType.INT8).dsps == 1
    assert OPEN.at(1.0).operator(Operator.MUL, ElementType.FLOAT) == mul


def test_a_multiply_accumulate_counts_two_dsps() -> None:
    vendor = so.solve(so.load(GRAPHS / "polybench/gemm.json"), level="opt5", dsp=200)
    own, built = solved("polybench/gemm", "opt5", 200)
    assert own.dsps <= 200
    assert own.latency_cycles < 0.6 * vendor.latency_cycles
    assert own.dsps == built.resources.total.dsps
    assert so.record(own)["roofline_cycles"] == 200 * 220 * 240 * 2 // 200


@pytest.mark.parametrize(("name", "dsps"), [("gesummv", 60), ("gemm", 300), ("atax", 100)])
def test_depth_is_that_of_the_schedule_that_is_built(name: str, dsps: int) -> None:
    own, built = solved(f"polybench/{name}", "opt5", dsps)
    scheduled = so.apply(so.dataflow(so.load(GRAPHS / f"polybench/{name}.json")), own.schedule)
    _, made = timed_network(scheduled)
    assert {n: timed.timing for n, timed in built.timed.items()} == made
    assert pipeline_timings(lower(scheduled), OPEN) == made


def test_opt6_predicts_what_is_simulated() -> None:
    own, built = solved("polybench/mvt", "opt6", 100)
    predicted = built.predicted
    assert predicted is not None
    assert abs(predicted.latency_cycles - built.trace.cycles) <= 2
    assert own.bound <= own.latency_cycles
    assert built.is_buildable
    assert built.resources.total.dsps <= 100


def test_the_walk_of_all_schedules_counts_as_the_paper() -> None:
    found = so.dataflow(so.load(GRAPHS / "polybench/atax.json"))
    with pytest.raises(SolverError, match="E526"):
        so.solve(
            found, dsp=20, budget=so.Budget(device=OPEN), effort=so.Effort(solver="exhaustive")
        )
