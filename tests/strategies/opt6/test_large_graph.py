"""Rows of a large graph, made once, lead to what rows for the limits themselves lead to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import PricedCosts
from streamopt.solvers.base import SolveOptions
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.clocks import WorkClock
from streamopt.strategies.exact.latency import solve_latency
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.priced import large_graph
from streamopt.strategies.opt6.priced.large_graph import LargeGraph, is_large
from streamopt.strategies.opt6.search_budget import SearchBudget
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target
from streamopt.target.resources import Fit, Resources
from streamopt.transforms.rewrites import rewritten
from streamopt.work import spend
from tests.support.programs.sketches import program

GRAPHS = Path(__file__).parents[3] / "graphs"
PRICES = (4e-4, 3e-3)


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("dsps", [90, 400])
def test_rows_made_once_have_the_optimum_of_every_price_and_limit(price: float, dsps: int) -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "2mm.json"))
    on = Target.named("u280", 5.0)
    limits, costs = on.budget(Fit.DEVICE), as_built_costs(graph, on)
    choices = bindings(None, graph, on)
    space = SpaceOptions(LEVELS[LevelName.OPT6], limits.dsps, 8, costs=costs, bindings=choices)
    problem = Problem(graph, space).within(lut_limit=limits.luts)
    budget = SearchBudget(dsps, limits.luts // 4, price)
    large = LargeGraph(problem, costs)
    run = Run(problem, SolveOptions())
    first = large.solved(SearchBudget.whole(limits), None, run)
    found = large.solved(budget, None, run)
    asked = problem.within(
        dsp_limit=int(dsps + price * budget.luts),
        lut_limit=None,
        costs=PricedCosts(costs, price),
    )
    alone = solve_latency(Run(asked, SolveOptions()))
    assert first is not None
    assert found is not None
    assert found.bound == alone.bound == found.latency_cycles == alone.latency_cycles
    assert first.latency_cycles <= found.latency_cycles
    again = large.solved(budget, found.latency_cycles - 1, run)
    assert again is None or again.bound >= found.latency_cycles


def test_luts_that_cannot_run_short_have_a_price_all_the_same() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "mvt.json"))
    on = Target.named("u280", 5.0)
    costs, choices = as_built_costs(graph, on), bindings(None, graph, on)
    space = SpaceOptions(LEVELS[LevelName.OPT6], 20, 8, costs=costs, bindings=choices)
    problem = Problem(graph, space).within(lut_limit=10**9)
    large, run = LargeGraph(problem, costs), Run(problem, SolveOptions())
    free = large.solved(SearchBudget(20, 10**9, 0.0), None, run)
    paid = large.solved(SearchBudget(20, 10**9, PRICES[0]), None, run)
    assert free is not None
    assert paid is not None
    assert paid.latency_cycles <= free.latency_cycles  # the price of all LUTs is lent as DSPs


def test_dsps_that_are_left_over_are_not_lent_for_luts() -> None:
    limits = Resources(dsps=468, bram18=1344, luts=400_000, ffs=800_000, uram=320)
    first = SearchBudget.whole(limits)
    chosen = Chosen(Schedule("g", (), ()), 1000, dsps=8, luts=700_000)
    over = replace(limits, dsps=8, luts=800_000)
    dearer = first.after_priced(chosen, over, limits)
    assert dearer.dsps == limits.dsps
    assert dearer.price > first.price
    narrow = replace(first, low=first.price, high=1.005 * first.price)
    second = narrow.after_priced(chosen, over, limits)
    assert second.dsps == 8
    assert second.luts <= 300_000
    near = replace(chosen, luts=305_000)
    third = second.after_priced(near, replace(over, luts=401_000), limits)
    assert third.dsps == 8
    assert third.luts < limits.luts - (401_000 - near.luts)  # a little less each time
    within = third.after_priced(replace(near, luts=280_000), replace(over, luts=370_000), limits)
    assert within.dsps == 8  # else the next one would be over again


def test_a_part_of_no_time_is_a_limit() -> None:
    clock = WorkClock(SolveOptions(), work=0.0)
    spend(1.0)
    options, part = clock.part(SolveOptions(time_limit_seconds=1.0), 0.3 * clock.left())
    assert part.limit > 0
    assert options.time_limit_seconds is None


def test_opt5_is_not_asked_with_fewer_dsps_where_these_leave_memories_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "2mm.json"))
    asked: list[int] = []
    real = GraphVariant.answered

    def over(variant: GraphVariant, answer: Solution) -> SimulatedDesign:
        found = real(variant, answer)
        asked.append(found.used.dsps)
        return replace(found, used=replace(found.used, bram18=10**6, dsps=1), excess=1.2)

    monkeypatch.setattr(GraphVariant, "answered", over)
    with suppress(so.StreamoptError):
        so.solve(graph, dsp=60, level="opt6", time_limit=4)
    assert len(asked) == 2


def _windowed_chain(names: str, of: str) -> so.Program:
    """Return sums of three rows, one after another, the last of which is added to one before."""
    arrays = dict.fromkeys(names, "internal 8 8")
    rows = "h 8, w 8, m 3: {to}[h][w] += ({of}[h + m - 1][w] if h + m >= 1 and h + m < 9 else 0)"
    nodes = {to: rows.format(to=to, of=of) for of, to in pairwise("x" + names)}
    last = f"h 8, w 8: y[h][w] = {names[-1]}[h][w] + {of}[h][w]"
    return program({"x": "input 8 8", "y": "output 8 8", **arrays}, {**nodes, "last": last})


def test_a_tree_that_streams_through_windows_is_searched_as_a_large_graph() -> None:
    tree, joined = (
        rewritten(so.dataflow(_windowed_chain("abcde", of)), ("stream_windows",)) for of in "eb"
    )
    assert any(node.windows for node in tree.nodes)
    assert is_large(tree)
    assert not is_large(joined)


def test_graphs_that_are_no_trees_go_down_by_curves_after_their_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_graph, "MOST_NODES", 1)
    joined = rewritten(so.dataflow(_windowed_chain("abc", "a")), ("stream_windows",))
    on = Target.named("u280", 5.0)
    limits, costs = on.budget(Fit.DEVICE), as_built_costs(joined, on)
    choices = bindings(None, joined, on)
    space = SpaceOptions(LEVELS[LevelName.OPT6], limits.dsps, 2, costs=costs, bindings=choices)
    problem = Problem(joined, space).within(lut_limit=limits.luts)
    large = LargeGraph(problem, costs)
    assert large.has_curves
    assert not large.is_streamed
    large.solved(SearchBudget.whole(limits), None, Run(problem, SolveOptions(time_limit_seconds=1)))
    assert large.streamed_rows(after_bound=False) is None
    assert large.streamed_rows(after_bound=True) is not None


def test_sums_of_integers_that_wait_for_all_they_add_are_bounded_so() -> None:
    """Labels alone find the same schedule, and prove 711 cycles."""
    sizes = (32, 64, 64, 8, 8, 8, 8)
    arrays, nodes = {"x0": f"input {sizes[0]} int32_t"}, dict[str, str]()
    for at, (taken, own) in enumerate(pairwise(sizes)):
        role = "output" if at + 2 == len(sizes) else "internal"
        arrays |= {f"x{at + 1}": f"{role} {own} int32_t", f"w{at}": f"weight {own} {taken} int32_t"}
        nodes[f"n{at}"] = f"i {own}, j {taken}: x{at + 1}[i] += x{at}[j] * w{at}[i][j]"
    found = so.solve(so.dataflow(program(arrays, nodes)), level="opt6", dsp=60)
    assert found.bound == found.latency_cycles == 746
    assert abs(found.simulated_cycles - found.bound) < len(nodes)
