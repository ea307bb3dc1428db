"""FIFOs become buffers where LUTs are short: fewer LUTs, frames as close (I10)."""

from dataclasses import replace

import streamopt as so
from streamopt.evaluation.frames import simulated_frames, steady_interval_cycles
from streamopt.ir.schedule import ChannelKind, NodePlan
from streamopt.space.assemble import baseline
from streamopt.strategies.opt6.frames.buffered_channels import with_buffers
from streamopt.strategies.refinement.frame_buffers import deepened
from tests.support.programs.sketches import program

LANES = 8
GRAPH = so.dataflow(
    program(
        {
            "x": "input 8 64 int32_t",
            "v": "input 8 64 int32_t",
            "a": "internal 8 64 int32_t",
            "b": "internal 8 64 int32_t",
            "y": "output 8 64 int32_t",
        },
        {
            "ahead": "i 8, j 64: a[i][j] = x[i][j] + 1",
            "scaled": "i 8, j 64: b[i][j] = a[i][j] * v[i][j]",
            "joined": "i 8, j 64: y[i][j] = b[i][j] + a[i][j]",
        },
    )
)


def test_buffers_save_the_luts_that_are_short_and_frames_stay_as_close() -> None:
    target = so.device("u280")
    plain = baseline(GRAPH)
    plans = (
        NodePlan(p.node, p.order, tuple((n, LANES if n == "j" else 1) for n in p.order))
        for p in plain.nodes
    )
    schedule = deepened(GRAPH, replace(plain, nodes=tuple(plans)))
    design = so.evaluate(GRAPH, schedule, target)
    used = design.resources.total
    limits = replace(target.total, luts=used.luts - 200)
    found = with_buffers(GRAPH, schedule, (design, design.resources), limits)
    kinds = [channel.kind for channel in found.channels]
    assert 1 <= kinds.count(ChannelKind.PING_PONG) < len(kinds)
    found = deepened(GRAPH, found)
    after = so.evaluate(GRAPH, found, target).resources.total
    assert after.luts < used.luts - 150
    before = steady_interval_cycles(simulated_frames(GRAPH, schedule, target))
    assert steady_interval_cycles(simulated_frames(GRAPH, found, target)) <= 1.05 * before
    nothing = replace(limits, bram18=used.bram18, uram=used.uram)
    found = with_buffers(GRAPH, schedule, (design, design.resources), nothing)
    assert so.evaluate(GRAPH, found, target).resources.total.bram18 <= used.bram18
