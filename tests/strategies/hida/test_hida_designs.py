"""HIDA's designs: what is decided, what is believed of it, and that it computes the right thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import StrategyError
from streamopt.ir.schedule import ChannelKind
from streamopt.strategies.hida import design
from streamopt.strategies.hida.quality import choices
from streamopt.strategies.rival import RivalRequest
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

TARGET = so.device("u280")
BLOCK = program(
    {
        "x": "input 8 12",
        "w1": "weight 12 12",
        "b1": "weight 12",
        "w2": "weight 12 12",
        "h": "internal 8 12",
        "g": "internal 8 12",
        "r": "internal 8 12",
        "s": "internal 8 12",
        "y": "output 8 12",
    },
    {
        "fc1": "i 8, j 12, k 12: h[i][j] += x[i][k] * w1[k][j]",
        "act": "i 8, j 12: g[i][j] = max(h[i][j] + b1[j], 0)",
        "fc2": "i 8, j 12, k 12: r[i][j] += g[i][k] * w2[k][j]",
        "scale": "i 8, j 12: s[i][j] = r[i][j] * 2",
        "add": "i 8, j 12: y[i][j] = s[i][j] + g[i][j]",
    },
    name="block",
)
"""Two layers with a shortcut over the second."""
GRAPH = so.dataflow(BLOCK)


def test_decisions_are_told() -> None:
    answer = design(RivalRequest(GRAPH, 160, TARGET))
    assert [step.stage for step in answer.steps if step.stage != "parallelization"] == [
        "task fusion",
        "task fusion",
        "task fusion",
        "data path balancing",
        *["array partition"] * (len(answer.steps) - 5 - 6),
        "buffers",
    ]
    told = [step.what for step in answer.steps]
    assert told[:5] == [
        "scale is part of what reads s",
        "fc1 + act are one task of 1248 iterations",
        "fc2 + add are one task of 1248 iterations",
        "copy_g passes g on as g_copy, beside a longer path",
        "maximum parallel factor 15: 134 DSPs by its own count",
    ]
    assert told[6] == (
        "fc2 in order k, i, j, at most 15 lanes: unroll i by 4, j by 3, k by 1, "
        "in agreement with act"
    )
    assert told[-1] == "ping-pong: h, g, r, g_copy"


def test_the_parallel_factor_is_the_largest_within_the_limit() -> None:
    """Every limit gives as many DSPs by its own count at most, and a larger one no fewer."""
    limits = range(40, 400, 60)
    answers = [design(RivalRequest(GRAPH, dsp, TARGET)) for dsp in limits]
    counted = [answer.estimated_dsps or 0 for answer in answers]
    assert all(0 < count <= dsp for count, dsp in zip(counted, limits, strict=True))
    assert counted == sorted(counted)
    assert counted[0] != counted[-1]


def test_a_limit_below_one_lane_is_refused() -> None:
    with pytest.raises(StrategyError, match=r"E532 block takes \d+ DSPs without any lanes, of 3"):
        design(RivalRequest(GRAPH, 3, TARGET))


def test_designs_compute_the_right_thing(tmp_path: Path) -> None:
    found = so.design(GRAPH, "hida", dsp=160)
    assert {plan.kind for plan in found.schedule.channels} == {ChannelKind.PING_PONG}
    assert found.schedule.rewrites == ("fold_pointwise", "balance_paths")
    assert found.evaluation.resources.total.dsps <= 160
    so.write(BLOCK, found.schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_the_estimate_is_the_simulated_latency_without_unrolled_sums() -> None:
    found = so.design(GRAPH, "hida", dsp=160)
    believed = found.answer.estimated_cycles
    assert believed == pytest.approx(found.evaluation.trace.cycles, rel=0.1)


def test_choices_are_worth_what_the_estimator_says() -> None:
    """Loads 2, product 4 + 1, sum 7 + 1, store 1: 16 stages; two more for the loop."""
    fc1 = GRAPH.node("fc1")
    worth = {choice.factors: choice for choice in choices(GRAPH, fc1, TARGET)}
    assert len(worth) == 4 * 6 * 6
    plain = worth[1, 1, 1]
    depth = plain.latency_cycles - (8 * 12 * 12 - 1) - 2
    assert worth[2, 6, 1].latency_cycles == depth + 4 * 2 * 12 - 1 + 2
    assert worth[2, 6, 1].dsps == 12 * plain.dsps
    # 1 x 1 iterations between two updates of a sum of 4 cycles; operators shared over them
    assert worth[8, 12, 1].latency_cycles == depth + 4 * (12 - 1) + 2
    assert worth[8, 12, 1].dsps == 24 * plain.dsps


def test_a_sequential_node_keeps_its_order(tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text(
        "void top(float x[6], float y[6], float z[6]) {\n"
        "  for (int i = 0; i < 6; i++) y[i] = x[i] * 3.0f;\n"
        "  z[0] = y[5];\n"
        "  for (int i = 0; i < 5; i++) z[i + 1] = z[i] * 0.5f + y[i];\n"
        "}\n",
        encoding="utf-8",
    )
    answer = design(
        RivalRequest(so.dataflow(so.load(source, options=so.SourceOptions(top="top"))), 60, TARGET)
    )
    told = [step.what for step in answer.steps]
    (name,) = (what.split()[0] for what in told if what.endswith("no loop is unrolled"))
    plan = answer.schedule.node(name)
    assert (plan.steps, plan.order, plan.lanes) == ("written", ("i",), 1)
    assert "balance_paths" in answer.schedule.rewrites
    assert answer.schedule.node("y_set").lanes == 6


def test_the_schedule_is_for_the_graph_after_its_rewrites() -> None:
    schedule = design(RivalRequest(GRAPH, 160, TARGET)).schedule
    planned = rewritten(GRAPH, schedule.rewrites)
    assert [plan.node for plan in schedule.nodes] == [node.name for node in planned.nodes]
    assert schedule == design(RivalRequest(GRAPH, 160, TARGET)).schedule
