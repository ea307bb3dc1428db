"""As-built cycles, resources and FIFO depths of schedules, through the public functions."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import SimulationError, TargetError
from streamopt.ir.schedule import ChannelKind
from streamopt.pipeline.flat_records import evaluation_record, trace_record
from streamopt.sim import DeadlockError
from tests.support.programs.sketches import program, scheduled

TOP = Path(__file__).parents[2]
DESIGNS = TOP / "results" / "published" / "designs"
DEVICES = Path(so.__file__).parent / "target" / "data" / "devices"

# One value leaves twice: `use` needs all of a row's largest value before the row itself.
ROWS = scheduled(
    program(
        {
            "x": "input 6 10",
            "t": "internal 6 10",
            "m": "internal 6",
            "y": "output 6 10",
        },
        {
            "scale": "i 6, j 10: t[i][j] = x[i][j] * 2",
            "sum": "i 6, j 10: m[i] += t[i][j]",
            "use": "i 6, j 10: y[i][j] = t[i][j] - m[i]",
        },
        name="rows",
    )
)


def with_depth(depth_elems: int) -> so.Evaluation:
    channels = tuple(
        replace(c, depth_elems=depth_elems) if c.kind is ChannelKind.FIFO else c
        for c in ROWS.schedule.channels
    )
    return so.evaluate(ROWS.graph, replace(ROWS.schedule, channels=channels))


def test_a_schedule_is_judged_in_both_ways() -> None:
    found = so.evaluate(ROWS.graph, ROWS.schedule)
    row = evaluation_record(found)
    assert found.predicted is not None
    assert row["predicted_cycles"] == found.predicted.latency_cycles
    assert row["simulated_cycles"] == found.trace.cycles
    assert so.simulate(ROWS.graph, ROWS.schedule) == found.trace
    assert row["dsps"] == found.resources.total.dsps > 0
    assert (row["device"], row["clock_ns"], row["over"]) == ("u280", 3.33, "")
    assert {"bram18", "uram", "lut", "ff"} <= set(row)
    spans = found.predicted_spans()
    assert set(spans) == {"scale", "sum", "use"}
    assert spans["use"][2] == found.predicted.latency_cycles
    assert all(0 <= start <= first <= end for start, first, end in spans.values())


def test_bits_of_fifos() -> None:
    row = evaluation_record(so.evaluate(ROWS.graph, ROWS.schedule))
    tokens = {"t__sum": 60, "t__use": 60, "m": 6}
    assert row["full_fifo_bits"] == 32 * sum(tokens.values())
    assert row["fifo_bits"] == row["full_fifo_bits"]  # of full depth
    assert evaluation_record(with_depth(15))["fifo_bits"] == 32 * 15 * 3


def test_frames_and_flushable_pipelines() -> None:
    found = so.evaluate(ROWS.graph, ROWS.schedule, frames=4, flushable=True)
    assert found.trace.frames == 4
    assert found.trace.interval_cycles is not None
    assert found.trace.interval_cycles < found.trace.cycles
    record = trace_record(found)
    assert record["total_cycles"] > record["simulated_cycles"]
    assert [p["name"] for p in record["processes"]] == ["scale", "sum", "use"]
    assert {f["name"]: f["tokens"] for f in record["fifos"]} == {
        "t__sum": 240, "t__use": 240, "m": 24,
    }  # fmt: skip
    held = record["processes"][1]["pipelines"][0]
    assert (held["ii"], held["reason"]) == (4, "recurrence of sum.m_acc, 1 term: II 4")


def test_published_designs_have_no_closed_form() -> None:
    design = so.load_design(DESIGNS / "polybench-gesummv-2560-opt4.json")
    found = so.evaluate_network(design.network)
    assert found.predicted is None
    assert found.predicted_spans() == {}
    assert "predicted_cycles" not in evaluation_record(found)
    assert abs(found.trace.cycles - (design.measured.rtl_cycles or 0)) <= 2


def test_what_a_small_device_lacks() -> None:
    found = so.evaluate(so.apply(ROWS.graph, ROWS.schedule).graph, ROWS.schedule)
    assert found.over == ()
    design = so.load_design(DESIGNS / "polybench-mvt-9024-opt5.json")
    found = so.evaluate_network(design.network, so.device("xc7z020"))
    assert "dsps" in found.over
    assert evaluation_record(found)["over"] == " ".join(found.over)


def test_least_fifos_keep_the_latency_and_none_can_be_lowered() -> None:
    full = so.evaluate(ROWS.graph, ROWS.schedule)
    schedule, plan = so.size_fifos(ROWS.graph, ROWS.schedule)
    least = so.evaluate(ROWS.graph, schedule)
    assert least.trace.cycles == full.trace.cycles
    depths = {c.channel: c.depth_elems for c in schedule.channels}
    assert depths == plan.depths
    bits = [
        sum(f.depth_elems * prod(f.lanes) for f in found.network.fifos) for found in (least, full)
    ]
    assert bits[0] < bits[1]
    for place, channel in enumerate(schedule.channels):
        if channel.depth_elems == 1:
            continue
        lower = replace(channel, depth_elems=channel.depth_elems - 1)
        channels = (*schedule.channels[:place], lower, *schedule.channels[place + 1 :])
        try:
            slower = so.evaluate(ROWS.graph, replace(schedule, channels=channels)).trace.cycles
        except DeadlockError:
            continue
        assert slower > full.trace.cycles or channel.depth_elems == 2


def test_slack_buys_smaller_fifos() -> None:
    full = so.evaluate(ROWS.graph, ROWS.schedule).trace.cycles
    sums = list[int]()
    for slack in (0.0, 0.3):
        schedule, _ = so.size_fifos(ROWS.graph, ROWS.schedule, so.FifoSizing(slack))
        cycles = so.evaluate(ROWS.graph, schedule).trace.cycles
        assert cycles <= full * (1 + slack)
        sums.append(sum(c.depth_elems for c in schedule.channels))
    assert sums[1] <= sums[0]


@pytest.mark.parametrize("slack", [-0.1, float("inf"), float("nan")])
def test_slack_must_be_a_share(slack: float) -> None:
    with pytest.raises(SimulationError, match="E812") as caught:
        so.size_fifos(ROWS.graph, ROWS.schedule, so.FifoSizing(slack))
    assert caught.value.diagnostics[0].hint == "0.05 gives up 5 % of it"


def test_sizing_tells_its_progress() -> None:
    steps: list[tuple[int, int]] = []

    def note(made: int, most: int) -> None:
        steps.append((made, most))

    so.size_fifos(ROWS.graph, ROWS.schedule, so.FifoSizing(on_progress=note))
    assert steps
    assert all(0 <= made <= most for made, most in steps)


def test_a_standstill_names_what_to_change() -> None:
    with pytest.raises(DeadlockError, match=r"E810 rows stands still") as caught:
        with_depth(2)
    assert caught.value.diagnostics[0].hint == "make t__use deeper"
    assert re.search(r"scale at .* can't write t__use", str(caught.value))


def test_targets_by_name_and_file(tmp_path: Path) -> None:
    assert so.device().name == "u280"
    assert so.device("zu3eg", 10.0).clock_ns == 10.0
    text = (DEVICES / "u280.toml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace('name = "u280"', 'name = "mine"'), encoding="utf-8")
    assert so.device(str(mine)).name == "mine"
    with pytest.raises(TargetError, match=r"none.toml: E852 the file can't be read: No such file"):
        so.device(str(tmp_path / "none.toml"))


def test_a_clock_that_no_operator_has_is_refused_before_anything_is_solved() -> None:
    with pytest.raises(TargetError, match=r"E855 no operator of u280 is for a clock of 1.0 ns"):
        so.device("u280", 1.0)
