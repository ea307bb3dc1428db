"""Channels between regions go through relays, one in each region on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.ports.placed_schedule import placed
from tests.support.programs.sketches import program

CHAIN = {
    "twice": "i 8, j 16: b[i][j] = x[i][j] + x[i][j]",
    "left": "i 8, j 16: c[i][j] = b[i][j] + 1.0",
    "right": "i 8, j 16: y[i][j] = b[i][j] + c[i][j]",
}
SHAPES = {"x": "input 8 16", "b": "internal 8 16", "c": "internal 8 16", "y": "output 8 16"}


def streamed() -> tuple[Graph, Schedule]:
    graph = so.dataflow(program(SHAPES, CHAIN))
    found = so.solve(graph, level="opt5", dsp=40).schedule
    assert found.fifos
    return graph, found


def test_relays_stand_in_every_region_on_the_way_and_are_shared() -> None:
    graph, schedule = streamed()
    far = placed(graph, schedule, {"twice": 0, "left": 2, "right": 2})
    relays = {name: slr for name, slr in far.slrs if name.startswith("relay")}
    assert relays == {"relay_b_slr1": 1, "relay_b_slr2": 2}
    readers = {e.consumer for e in apply(graph, far).graph.edges if e.array == "b_slr2"}
    assert readers == {"left", "right"}
    assert all(channel.kind is ChannelKind.FIFO for channel in far.channels)
    with_lanes = far.node("relay_b_slr1").lanes
    assert with_lanes == schedule.node("twice").lanes
    near = placed(graph, schedule, {"twice": 1, "left": 1, "right": 1})
    assert near.nodes == schedule.nodes
    assert [c.kind for c in near.channels] == [c.kind for c in schedule.channels]


def test_relays_delay_by_some_cycles_and_hold_nothing_up() -> None:
    graph, schedule = streamed()
    far = placed(graph, schedule, {"twice": 0, "left": 1, "right": 0})
    before, after = (so.evaluate(graph, each) for each in (schedule, far))
    assert before.trace.cycles < after.trace.cycles <= before.trace.cycles + 16
    small, _ = so.size_fifos(graph, far)
    assert so.evaluate(graph, small).trace.cycles == after.trace.cycles
    assert after.predicted is not None
    assert after.predicted.latency_cycles > (before.predicted or after.predicted).latency_cycles


def test_schedule_in_regions_is_read_back() -> None:
    graph, schedule = streamed()
    far = placed(graph, schedule, {"twice": 2, "left": 0, "right": 1})
    text = write_schedule_json(far)
    assert '"relay_b_slr1": "SLR1"' in text
    assert read_schedule_json(text, "s.json") == far
    assert "twice in SLR2" in str(far)


@pytest.mark.parametrize(
    ("slrs", "says"),
    [
        ((("twice", 0), ("left", 0)), "no region"),
        ((("twice", 0), ("left", 0), ("right", 0), ("other", 1)), "no such node"),
    ],
)
def test_regions_of_other_nodes_are_refused(slrs: tuple[tuple[str, int], ...], says: str) -> None:
    graph, schedule = streamed()
    with pytest.raises(LegalityError, match=f"E336(.|\n)*{says}"):
        apply(graph, replace(schedule, slrs=slrs))


def test_arrays_are_not_put_outside_of_a_design_in_regions() -> None:
    graph, schedule = streamed()
    far = placed(graph, schedule, {"twice": 0, "left": 1, "right": 1})
    with pytest.raises(LegalityError, match=r"E333(.|\n)*solve again"):
        so.put_outside(graph, far, so.plan_ports(graph, "m_axi"))
