"""An interval that a schedule asks for: through JSON, into the hardware and the emitted code."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt import dsl
from streamopt.errors import LegalityError
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

p = dsl.program("scaled")
i, j = p.iterators(i=16, j=8)
A = p.input("A", 16, 8)
B = p.compute("B", (i, j), A[i, j] * 3.0)
p.output("y", (i, j), B[i, j] * A[i, j])
PROGRAM = p.build()
GRAPH = so.dataflow(PROGRAM)
PLANS = tuple(NodePlan(node.name, ("i", "j"), (("i", 1), ("j", 8))) for node in GRAPH.nodes)
CHANNELS = tuple(ChannelPlan(edge.channel, ChannelKind.PING_PONG) for edge in GRAPH.edges)
PLAIN = Schedule(GRAPH.name, PLANS, CHANNELS)
SLOW = replace(PLAIN, nodes=(replace(PLANS[0], target_ii=4), *PLANS[1:]))


def test_operators_are_shared_and_iterations_apart() -> None:
    plain, slow = so.evaluate(GRAPH, PLAIN), so.evaluate(GRAPH, SLOW)
    name = PLANS[0].node
    assert (plain.timed[name].timing.ii, slow.timed[name].timing.ii) == (1, 4)
    assert str(slow.timed[name].binding) == "target: II 4"
    assert plain.resources.pipelines[name].dsps == 4 * slow.resources.pipelines[name].dsps
    assert slow.trace.cycles == plain.trace.cycles + 3 * 15 + 3


def test_interval_survives_a_file_and_is_left_out_where_it_is_1() -> None:
    text = write_schedule_json(SLOW)
    assert read_schedule_json(text, "s.json") == SLOW
    assert text.count("target_ii") == 1
    assert lower(apply(GRAPH, SLOW)).pipelines[0].target_ii == 4


def test_emitted_loop_asks_for_it() -> None:
    slow, plain = so.emit(GRAPH, SLOW), so.emit(GRAPH, PLAIN)
    assert slow.schedule_sha256 != plain.schedule_sha256
    text = "".join(text for _, text in slow.files)
    assert text.count("#pragma HLS pipeline II=4") == 1


def test_interval_below_one_is_refused() -> None:
    wrong = replace(PLAIN, nodes=(replace(PLANS[0], target_ii=0), *PLANS[1:]))
    with pytest.raises(LegalityError, match="E324"):
        apply(GRAPH, wrong)
