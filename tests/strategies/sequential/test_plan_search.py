"""Plans of a small triangular node, against all of its lanes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.perf.costs import OpenPlans
from streamopt.perf.turns.bubbles import LeastLength
from streamopt.perf.turns.visits import iterations_in_turn
from streamopt.strategies.sequential.effort import SMALL
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.phase_counts import PhaseCounts
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.sequential.plan_search import first_plan
from streamopt.target.resources import Fit
from streamopt.transforms.apply import apply
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.lower import lower
from streamopt.work import spend

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import NodePlan
    from streamopt.strategies.sequential.built_plan import BuiltPlan

SIZE = 9
LU = f"""
void lu(float A[{SIZE}][{SIZE}]) {{
  for (int k = 0; k < {SIZE}; k++) {{
    for (int i = k + 1; i < {SIZE}; i++) A[i][k] = A[i][k] / A[k][k];
    for (int i = k + 1; i < {SIZE}; i++)
      for (int j = k + 1; j < {SIZE}; j++) A[i][j] = A[i][j] - A[i][k] * A[k][j];
  }}
}}
"""
ON = so.device("u280")
ADDERS = ((Operator.ADD, Implementation.FABRIC),)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path: Path = tmp_path_factory.mktemp("lu") / "lu.c"
    path.write_text(LU)
    return so.dataflow(so.load(path))


def node_of(graph: Graph) -> SequentialNode:
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    return node


@pytest.mark.parametrize("most_dsps", [10, 45, 200])
def test_fastest_plan_is_that_of_all_lanes(graph: Graph, most_dsps: int) -> None:
    node, builder = node_of(graph), PlanBuilder(ON, ON.budget(Fit.RAW))
    wanted = OpenPlans(most_dsps, 400_000, has_lanes=True, bindings=((), ADDERS))
    found = [builder.cost(graph, node, plan) for plan in builder.plans(graph, node, wanted)]
    least = min(own.timing.last_write for own in found if own.dsps <= most_dsps)
    steps = steps_of(node)[0]
    groups = lane_groups(steps)
    every: list[int] = []
    for binding, factors in product(wanted.bindings, product(range(1, SIZE), repeat=len(groups))):
        lanes = {n: f for group, f in zip(groups, factors, strict=True) for n in group}
        first = first_plan(node, steps, binding)
        most = {loop.name: loop.trip_count for loop in steps.loops}
        unroll = tuple((name, min(most[name], lanes.get(name, 1))) for name in first.order)
        cost = builder.cost(graph, node, replace(first, unroll=unroll))
        if cost.dsps <= most_dsps:
            every.append(cost.timing.last_write)
    assert min(every) <= least <= 1.25 * min(every)  # copies in and out are no part of estimates


def test_plans_keep_limits_and_say_how_long_visits_last(graph: Graph) -> None:
    node = node_of(graph)
    limits = replace(ON.budget(Fit.RAW), luts=20_000, ffs=20_000)
    builder = PlanBuilder(ON, limits)
    wanted = OpenPlans(60, 15_000, has_lanes=True, bindings=((), ADDERS))
    first, *others = builder.plans(graph, node, wanted)
    assert not {factor for _, factor in first.unroll} - {1}
    assert others
    for plan in (first, *others):
        cost = builder.cost(graph, node, plan)
        assert plan.least_cycles
        assert cost.dsps <= 60
        assert cost.luts <= 15_000


def test_only_the_plan_of_the_fewest_dsps_is_built(graph: Graph) -> None:
    node, builder = node_of(graph), PlanBuilder(ON, ON.budget(Fit.RAW))
    ways = OpenPlans(bindings=((), ADDERS))
    every = [builder.cost(graph, node, plan).dsps for plan in builder.plans(graph, node, ways)]
    (least,) = builder.plans(graph, node, replace(ways, only_least_dsps=True))
    assert builder.cost(graph, node, least).dsps == min(every) < max(every)


def test_draft_takes_as_much_as_the_plan_and_no_more_cycles(graph: Graph) -> None:
    node, builder = node_of(graph), PlanBuilder(ON, ON.budget(Fit.RAW))
    steps = steps_of(node)[0]
    groups = lane_groups(steps)
    for factor in (1, 2, 4):
        first = first_plan(node, steps, ADDERS)
        lanes = dict.fromkeys((name for group in groups for name in group), factor)
        plan = replace(first, unroll=tuple((name, lanes.get(name, 1)) for name in first.order))
        draft, built = builder.drafted(graph, plan), builder.built(graph, plan)
        assert draft.used == built.used
        assert draft.cost.timing.last_write < built.cost.timing.last_write
        counts = PhaseCounts(steps)
        last = {**dict(built.plan.least_cycles), **dict(built.plan.last_cycles)}
        least = {name: LeastLength(own, last[name]) for name, own in built.plan.least_cycles}
        eager = {name: LeastLength() for name in least}
        waits = counts.cycles(lanes, least) - counts.cycles(lanes, eager)
        assert built.cost.timing.last_write == draft.cost.timing.last_write + waits


def test_level_without_tiles_has_one_lane(graph: Graph) -> None:
    for level, has_lanes in (("opt1", False), ("opt3", False), ("opt5", True)):
        (plan,) = so.solve(graph, level=level, dsp=60).schedule.nodes
        assert (max(factor for _, factor in plan.unroll) > 1) == has_lanes


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_iterations_are_those_of_the_network(graph: Graph, lanes: int) -> None:
    node = node_of(graph)
    for steps in steps_of(node):
        chosen = tuple((name, lanes) for group in lane_groups(steps) for name in group)
        eager = {phase.name: LeastLength() for phase in steps.phases}
        counted = PhaseCounts(steps).cycles(dict(chosen), eager)
        first = first_plan(node, steps, ())
        unroll = tuple((name, dict(chosen).get(name, 1)) for name in first.order)
        schedule = so.solve(graph, level="opt1").schedule
        own = replace(schedule, nodes=(replace(first, unroll=unroll),))
        (process,) = lower(apply(graph, own)).processes
        (turns,) = process.turns
        assert counted == iterations_in_turn(turns)


def test_rows_of_a_stencil_are_built_and_read_once(tmp_path: Path) -> None:
    """Registers serve the rows behind the foremost, so few banks and LUTs serve all lanes."""
    path = tmp_path / "heat.c"
    path.write_text("""
    void heat(float A[42][42], float B[42][42]) {
      for (int t = 0; t < 9; t++) {
        for (int i = 1; i < 41; i++)
          for (int j = 1; j < 41; j++) B[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j + 1];
        for (int i = 1; i < 41; i++)
          for (int j = 1; j < 41; j++) A[i][j] = B[i][j] + B[i - 1][j] + B[i + 1][j] + B[i][j + 1];
      }
    }
    """)
    graph = so.dataflow(so.load(path))
    node, builder = node_of(graph), PlanBuilder(ON, ON.budget(Fit.RAW))
    wanted = OpenPlans(260, 34_000, has_lanes=True, bindings=((),))
    found = builder.plans(graph, node, wanted)
    best = min(found, key=lambda plan: builder.cost(graph, node, plan).timing.last_write)
    assert sorted(count for _, count in best.unroll) == [1, 1, 1, 40, 40]


def test_slow_plain_design_leaves_effort_for_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judging it tells the effort that FIFOs are left, which is never all of it."""
    monkeypatch.setattr("streamopt.strategies.opt6.search_budget.SIZING_RUNS", 1e6)
    path = tmp_path / "solved.c"
    path.write_text("""
    void solved(float L[20][20], float b[20], float x[20]) {
      for (int i = 0; i < 20; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++) x[i] = x[i] - L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
      }
    }
    """)
    plans = so.solve(so.load(path), level="opt6", dsp=60).schedule.nodes
    assert any(factor > 1 for plan in plans if plan.steps for _, factor in plan.unroll)


class CountingBuilder(PlanBuilder):
    """Counts what it builds, each of which takes so many processor seconds."""

    seconds = 0.0

    def __init__(self) -> None:
        super().__init__(ON, ON.budget(Fit.RAW))
        self.plans_built: set[NodePlan] = set()

    def built(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        """Return a plan as built."""
        self.plans_built.add(plan)
        spend(self.seconds)
        return super().built(alone, plan)


class SlowBuilder(CountingBuilder):
    """As for a node of many statements."""

    seconds = SMALL.work


def test_candidates_of_small_nodes_stay_out_where_each_takes_long(graph: Graph) -> None:
    plain, slow = CountingBuilder(), SlowBuilder()
    for builder in (plain, slow):
        builder.plans(graph, node_of(graph), OpenPlans(200, 400_000, has_lanes=True))
    assert len(slow.plans_built) < len(plain.plans_built)
