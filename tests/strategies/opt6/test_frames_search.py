"""Frames that follow each other at opt6: as close in the simulator as in the model."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.evaluation.frames import steady_interval_cycles
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind
from streamopt.space.assemble import baseline
from streamopt.space.level import BindingChoice
from streamopt.strategies.opt6.frames.built_nodes import next_limits
from streamopt.strategies.refinement.frame_buffers import (
    buffered,
    deepened,
    frames_cycles,
    shallow,
)
from streamopt.target.resources import Resources
from tests.support.programs.sketches import program

FRAMES = 12
HANDSHAKE_CYCLES = 2
"""Between the end of a process and its next start."""

RESIDUAL = """
void residual(float x[8][32], float w[32][32], float v[32][32], float y[8][32]) {
  float a[8][32], b[8][32], c[8][32];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 32; j++)
      a[i][j] = x[i][j] * 2.0f;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 32; j++) {
      b[i][j] = 0.0f;
      for (int k = 0; k < 32; k++)
        b[i][j] += a[i][k] * w[k][j];
    }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 32; j++) {
      c[i][j] = 0.0f;
      for (int k = 0; k < 32; k++)
        c[i][j] += b[i][k] * v[k][j];
    }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 32; j++)
      y[i][j] = c[i][j] + a[i][j];
}
"""


@pytest.fixture
def residual(tmp_path: Path) -> Graph:
    path = tmp_path / "residual.c"
    path.write_text(RESIDUAL)
    return so.dataflow(so.load(path))


def test_frames_of_a_residual_block_follow_each_other_as_closely_as_the_model_says(
    residual: Graph,
) -> None:
    graph, target = residual, so.device("u280")
    budget = so.Budget(device=target, fit="slr")
    found = so.solve(graph, level="opt6", dsp=100, objective="interval", budget=budget)
    several = so.evaluate(graph, found.schedule, target, frames=FRAMES)
    assert steady_interval_cycles(several.trace) <= found.interval_cycles + HANDSHAKE_CYCLES
    assert several.resources.total.dsps <= 100
    assert found.bound <= found.interval_cycles <= 1.1 * found.bound
    assert found.search_gap == found.gap
    quick = so.solve(graph, level="opt6", dsp=100, budget=budget)
    later = so.evaluate(graph, quick.schedule, target, frames=FRAMES)
    assert steady_interval_cycles(several.trace) <= 1.01 * steady_interval_cycles(later.trace)


def test_products_that_share_dsps_make_no_interval_longer() -> None:
    own = program(
        {"x": "input 8 16 int8_t", "w": "input 16 16 int8_t", "a": "internal 8 16 int8_t",
         "v": "input 16 16 int8_t", "y": "output 8 16 int32_t"},
        {"first": "i 8, j 16, k 16: a[i][j] += x[i][k] * w[k][j]",
         "second": "i 8, j 16, k 16: y[i][j] += a[i][k] * v[k][j]"},
    )  # fmt: skip
    graph, budget = so.dataflow(own), so.Budget(device=so.device("u280"), fit="slr", lut=4000)
    plain, packed = (
        so.solve(graph, level="opt6", dsp=8, objective="interval", budget=budget, space=space)
        for space in (so.Space(binding=BindingChoice.TOOL), so.Space())
    )
    assert 0 < packed.bound <= packed.interval_cycles < plain.interval_cycles


def test_a_skip_holds_a_frame_for_each_buffer_beside_it(residual: Graph) -> None:
    graph, target = residual, so.device("u280")
    schedule = baseline(graph)
    last = graph.nodes[-1].name
    skip = next(e.channel for e in graph.edges if (e.array, e.consumer) == ("a", last))
    assert schedule.channel(skip).kind is ChannelKind.FIFO
    buffers = buffered(schedule, schedule.fifos - {skip})
    deep = deepened(graph, buffers)
    assert deep.channel(skip).depth_elems > buffers.channel(skip).depth_elems
    assert 1.5 * frames_cycles(graph, deep, target) < frames_cycles(graph, buffers, target)


def test_a_producer_that_runs_ahead_is_held_back_by_a_fifo_of_few_slots() -> None:
    """The consumer takes four cycles an element, so three of four would wait in the FIFO."""
    own = program(
        {
            "x": "input 4096 int32_t",
            "w": "input 4 int32_t",
            "a": "internal 4096 int32_t",
            "y": "output 4096 int32_t",
        },
        {
            "ahead": "i 4096: a[i] = x[i] + 1",
            "slow": "i 4096, k 4: y[i] += a[i] * w[k]",
        },
    )
    graph, target = so.dataflow(own), so.device("u280")
    schedule = baseline(graph)
    (channel,) = (c.channel for c in schedule.channels)
    assert schedule.channel(channel).kind is ChannelKind.FIFO
    apart = frames_cycles(graph, schedule, target)
    small = shallow(graph, schedule, apart, target, lambda: False)
    assert small.channel(channel).depth_elems == 512
    assert frames_cycles(graph, small, target) == apart


@pytest.mark.parametrize(
    ("used", "asked"),
    [
        # what isn't of nodes is not left to rows
        (Resources(dsps=60, luts=2200), (90, 800)),
        # flip-flops are short: LUTs in proportion
        (Resources(dsps=50, luts=1000, ffs=20_000), (100, 492)),
        # memories alone are short: less than the rows have, however much is left
        (Resources(dsps=60, luts=1500, bram18=125), (39, 788)),
    ],
)
def test_limits_of_the_next_rows(used: Resources, asked: tuple[int, int]) -> None:
    rows = {"a": (20, 600), "b": (30, 400)}
    limits = Resources(dsps=100, luts=2000, ffs=10_000, bram18=100, uram=10)
    assert next_limits(rows, used, limits) == asked
