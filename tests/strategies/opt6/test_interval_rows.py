"""Rows of the least interval under limits on DSPs and LUTs: (I5), (I6)."""

from math import prod

import numpy as np
import pytest

import streamopt as so
from streamopt.perf.as_built.node_costs import AsBuiltCosts
from streamopt.perf.costs import LoneCosts
from streamopt.solvers.base import SolveOptions
from streamopt.space.assemble import node_costs
from streamopt.space.decisions import SpaceOptions
from streamopt.space.fixed import Fixed
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.opt6.frames.interval_rows import IntervalRows, LeastInterval
from streamopt.strategies.problem import Problem
from tests.support.programs.sketches import program

ARRAYS = {
    "x": "input 8 8 int8_t",
    "w": "input 8 8 int8_t",
    "a": "internal 8 8 int8_t",
    "v": "input 8 8 int8_t",
    "y": "output 8 8 int32_t",
}
NODES = {
    "first": "i 8, j 8, k 8: a[i][j] += x[i][k] * w[k][j]",
    "second": "i 8, j 8, k 8: y[i][j] += a[i][k] * v[k][j]",
}
LIMITS = ((4, 3000), (16, 2000), (16, 6000), (40, 4000), (128, 20000))
HORIZON = 10**6


@pytest.fixture(scope="module")
def problem() -> Problem:
    graph, target = so.dataflow(program(ARRAYS, NODES)), so.device("u280")
    costs = as_built_costs(graph, target, most_banks=256)
    choices = bindings(None, graph, target)
    level = LEVELS[LevelName.OPT6]
    options = SpaceOptions(level, 10**5, 1, costs=costs, bindings=choices, lut_limit=10**7)
    return Problem(graph, options)


def rows_of(problem: Problem, first_cycles: int) -> IntervalRows:
    return IntervalRows(problem, first_cycles, SearchClock(SolveOptions()))


def least_of_all_pairs(problem: Problem, dsps: int, luts: int, *, buffers: bool = False) -> int:
    """Return the least interval of all pairs of rows that agree on shared factors."""
    asked = problem.within(costs=LoneCosts(problem.space.costs), horizon_cycles=HORIZON)
    first, second = node_rows(asked.decision_space()).values()
    agree = [[f[0] == s[0] and f[1] == s[2] for s in second.factors] for f in first.factors]
    one, other = (
        sum((own.usage.as_buffer if buffers else own.usage.as_fifo).values(), own.usage.own)
        for own in (first, second)
    )
    used = one[:, None] + other[None]
    fits = np.array(agree) & (used[:, :, 0] <= dsps) & (used[:, :, 1] <= luts)
    runs = np.maximum(first.times.last_write[:, None], second.times.last_write)
    return int(runs[fits].min()) if fits.any() else 0


@pytest.mark.parametrize("limits", LIMITS)
def test_no_pair_of_rows_within_the_limits_is_below_the_bound(
    problem: Problem, limits: tuple[int, int]
) -> None:
    rows = rows_of(problem, HORIZON)
    found, bound = rows.least(*limits), rows.bound(*limits)
    optimum = least_of_all_pairs(problem, *limits)
    assert found is not None
    assert all(used <= most for used, most in zip(found.total, limits, strict=True))
    assert bound <= optimum <= found.cycles <= 1.3 * optimum
    assert problem.interval_cycles(found.schedule) == found.cycles


def test_rows_with_more_lanes_than_weights_come_for_are_left_out(problem: Problem) -> None:
    rows, near = rows_of(problem, HORIZON), rows_of(problem, 1)
    before, bound = rows.least(*LIMITS[3]), rows.bound(*LIMITS[3])
    assert before is not None
    late = "first", frozenset({"j", "k"})
    wide = prod(before.schedule.node("first").factors[loop] for loop in "jk")
    assert wide > 1
    for own in (rows, near):  # also where further rows are made later
        own.narrow(*late, wide - 1)
        found = own.least(*LIMITS[3])
        assert found is not None
        assert prod(found.schedule.node("first").factors[loop] for loop in "jk") < wide
    assert rows.bound(*LIMITS[3]) == bound


def test_an_interval_that_needs_to_be_no_shorter_takes_fewer_resources(problem: Problem) -> None:
    for own in (rows_of(problem, HORIZON), rows_of(problem, 1)):
        quick = own.least(*LIMITS[3])
        assert quick is not None
        slow = own.least(*LIMITS[3], 2 * quick.cycles)
        assert slow is not None
        assert quick.cycles < slow.cycles <= 4 * quick.cycles
        assert slow.total[1] < quick.total[1]


def test_a_horizon_that_is_too_near_is_doubled(problem: Problem) -> None:
    near, far = (rows_of(problem, first).least(*LIMITS[0]) for first in (1, HORIZON))
    assert near is not None
    assert far is not None
    assert near.cycles == far.cycles


def test_rows_that_take_longer_as_built_are_left_out(problem: Problem) -> None:
    rows = rows_of(problem, HORIZON)
    found = rows.least(*LIMITS[2])
    assert isinstance(found, LeastInterval)
    before = found.schedule.nodes[0].factors
    rows.leave_out("first", tuple(before.values()))
    again = rows.least(*LIMITS[2])
    assert again is not None
    assert again.schedule.nodes[0].factors != before


@pytest.mark.parametrize("limits", LIMITS)
def test_channels_take_what_either_kind_does_in_the_bound(
    problem: Problem, limits: tuple[int, int]
) -> None:
    costs = problem.space.costs
    assert isinstance(costs, AsBuiltCosts)
    whole = problem.within(costs=costs.with_surroundings())
    rows = rows_of(whole, HORIZON)
    found, bound = rows.least(*limits), rows.bound(*limits)
    if found is None:  # FIFOs alone take more LUTs
        assert not least_of_all_pairs(whole, *limits)
        return
    assert bound <= least_of_all_pairs(whole, *limits, buffers=True) <= found.cycles
    assert found.cycles <= 1.3 * least_of_all_pairs(whole, *limits)
    assert bound >= rows_of(problem, HORIZON).bound(*limits)


def test_rows_count_what_a_design_took_beyond_them(problem: Problem) -> None:
    rows = rows_of(problem, HORIZON)
    before = rows.least(*LIMITS[2])
    assert before is not None
    built = {name: (dsps + 1, 2 * luts) for name, (dsps, luts) in before.used.items()}
    rows.learn(before.schedule, before.used, built)
    after = rows.least(*LIMITS[2])
    assert after is not None
    assert after.cycles > before.cycles
    assert all(used <= most for used, most in zip(after.total, LIMITS[2], strict=True))
    assert after.total[1] >= 2 * sum(luts for _, luts in after.used.values())
    assert rows.bound(*LIMITS[2]) <= before.cycles  # it is of rows as they are


def test_lanes_share_multipliers_where_a_node_has_time() -> None:
    """Eight lanes of a node that is quick otherwise, beside one lane that takes eight times."""
    graph, target = so.dataflow(program(ARRAYS, NODES)), so.device("u280")
    lanes = {"first": {"i": 1, "j": 1, "k": 8}, "second": {"i": 1, "j": 1, "k": 1}}
    factors = {(node, loop): u for node, own in lanes.items() for loop, u in own.items()}
    costs = as_built_costs(graph, target, most_banks=256)
    options = SpaceOptions(
        LEVELS[LevelName.OPT6], 10**5, 1, fixed=Fixed(factors=factors), costs=costs, lut_limit=10**7
    )
    problem = Problem(graph, options)
    found = rows_of(problem, HORIZON).least(2, 20000)
    assert found is not None
    assert found.schedule.node("first").target_ii == 8
    design = so.evaluate(graph, found.schedule, target)
    assert design.resources.total.dsps == found.total[0] == 2
    costed = node_costs(graph, found.schedule, costs)
    assert {n: c.timing.ii for n, c in costed.items()} == {
        name: timed.timing.ii for name, timed in design.timed.items()
    }
    assert max(cost.timing.last_write for cost in costed.values()) == found.cycles
