"""Schedules as JSON: what is written is read back, and mistakes are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from streamopt.errors import FrontendError
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule

BINDING = ((Operator.ADD, Implementation.FABRIC), (Operator.MUL, Implementation.MAXDSP))
SCHEDULE = Schedule(
    "pair",
    (
        NodePlan("gemm", ("k", "i"), (("i", 2), ("k", 1)), BINDING),
        NodePlan("copy", ("i",), (("i", 2),)),
    ),
    (ChannelPlan("E", ChannelKind.FIFO, 4),),
)


def test_what_is_written_is_read_back() -> None:
    text = write_schedule_json(SCHEDULE)
    assert read_schedule_json(text, "s.json") == SCHEDULE
    assert '"binding": {"add": "fabric", "mul": "maxdsp"}' in text
    assert text.count("binding") == 1  # nothing where nothing is asked for
    assert "most_banks" not in text
    mixed = ((Operator.ADD, Implementation.FABRIC), (Operator.ADD, Implementation.FULLDSP))
    some = replace(SCHEDULE, nodes=(replace(SCHEDULE.nodes[0], binding=mixed),))
    assert read_schedule_json(write_schedule_json(some), "s.json") == some
    limited = replace(SCHEDULE, most_banks=64)
    assert read_schedule_json(write_schedule_json(limited), "s.json") == limited


def test_order_and_lengths_of_a_sequential_node_are_kept() -> None:
    lengths = (("divide", 13), ("update", 46))
    first = replace(
        SCHEDULE.nodes[0], steps="k; i, j", least_cycles=lengths, last_cycles=(("update", 60),)
    )
    found = replace(SCHEDULE, nodes=(first, SCHEDULE.nodes[1]))
    assert read_schedule_json(write_schedule_json(found), "s.json") == found


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('{"adder": "fabric"', r"s.json:nodes\[0\].binding.adder.* E122 .*'add' or 'mul'"),
        ('{"add": "luts"', r"s.json:nodes\[0\].binding.add\[0\]: E122 .*'maxdsp' or 'packed'"),
    ],
)
def test_unknown_operators_and_implementations(wrong: str, message: str) -> None:
    text = write_schedule_json(SCHEDULE).replace('{"add": "fabric"', wrong)
    with pytest.raises(FrontendError, match=message):
        read_schedule_json(text, "s.json")
