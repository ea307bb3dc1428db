"""The clock and the time that are claimed for a design."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.perf.pipelines.clock import ClockRisk
from streamopt.pipeline.flat_records import evaluation_record
from streamopt.target.resources import Fit, Resources
from streamopt.target.routed import routed_designs

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation

GRAPHS = Path(__file__).parents[2] / "graphs"
RISK = ClockRisk("gemv", "gemv.acc", terms=205, given_cycles=16, needed_cycles=42)


def built(clock_ns: float | None = None, *, risks: tuple[ClockRisk, ...] = ()) -> Evaluation:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "gesummv.json"))
    schedule = so.solve(graph, level="opt1").schedule
    found = so.evaluate(graph, schedule, so.device("u280", clock_ns))
    return replace(found, clock_risks=risks)


def test_time_is_told_at_the_clock_of_the_target_and_of_the_fullest_routed_design() -> None:
    found = built()
    claimed = found.claim
    assert claimed.clock_ns == 3.33
    assert claimed.routed_clock_ns == pytest.approx(1000 / 216)
    assert claimed.milliseconds == pytest.approx(found.trace.cycles * 3.33e-6)
    assert claimed.routed_milliseconds == pytest.approx(found.trace.cycles / 216e3)


def test_a_slow_target_is_not_claimed_to_run_faster_than_asked() -> None:
    claimed = built(10.0).claim
    assert claimed.clock_ns == claimed.routed_clock_ns == 10.0


def test_a_clock_at_risk_is_not_claimed() -> None:
    claimed = built(risks=(RISK,)).claim
    assert claimed.clock_ns == pytest.approx(4.93)
    assert claimed.routed_milliseconds == claimed.milliseconds


def test_a_hosts_call_takes_what_it_took_on_boards() -> None:
    beyond = [1e3 * d.milliseconds - d.cycles / d.clock_mhz for d in routed_designs()]
    assert [round(least) for least in (min(beyond), median(beyond), max(beyond))] == [76, 96, 292]
    for name in ("u280", "u55c"):
        assert so.device(name).call_ns == 96_000


def test_designs_with_arrays_off_the_chip_are_called_by_a_host() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "gesummv.json"))
    schedule = so.solve(graph, level="opt1").schedule
    ports = so.plan_ports(graph, "m_axi")
    inside = so.evaluate(graph, schedule)
    outside = so.evaluate(graph, so.put_outside(graph, schedule, ports))
    assert inside.call_ns == 0
    assert "called by a host" not in dict(inside.headline.facts)
    assert evaluation_record(inside).called_milliseconds is None
    told = dict(outside.headline.facts)["called by a host"]
    assert told.endswith("with 0.096 ms for the call")
    routed = outside.claim.routed_milliseconds
    assert evaluation_record(outside).called_milliseconds == pytest.approx(routed + 0.096, abs=1e-6)


def test_the_headline_tells_both_times_and_every_share() -> None:
    found = built()
    cycles = f"{found.trace.cycles:,} cycles"
    (_, said), (fast, _), (slow, _), (region, shares), arguments = found.headline.facts
    assert (said, fast, slow, region) == (cycles, "at 300 MHz", "at 216 MHz", "of an SLR")
    assert [part.split()[0] for part in shares.split(", ")] == ["DSP", "LUT", "FF", "BRAM", "URAM"]
    apart = found.resources.arguments
    words = [f"{apart.bram18:,} BRAM18", f"{apart.uram:,} URAM", f"{apart.luts:,} LUTs"]
    told = ", ".join(word for word in words if not word.startswith("0 "))
    assert arguments == ("arguments", f"on the chip, not counted: {told}")
    assert found.headline.times.startswith(f"{cycles}: ")
    assert repr(found).startswith(f"<Evaluation gesummv on u280: {cycles}: ")


def test_the_headline_does_not_claim_a_clock_at_risk() -> None:
    words = built(risks=(RISK,)).headline.times
    assert words.endswith(" ms at 203 MHz; 300 MHz is at risk")


def test_the_record_has_the_claim() -> None:
    found = built(risks=(RISK,))
    row = evaluation_record(found)
    assert (row["clock_ns"], row["claimed_clock_ns"], row["clock_risks"]) == (3.33, 4.93, 1)
    assert row["milliseconds"] == pytest.approx(found.trace.cycles * 4.93e-6, abs=1e-6)
    assert row["beyond_routed"] == ""
    assert row["argument_bram18"] == found.resources.arguments.bram18 > 0


@pytest.mark.parametrize(
    ("name", "used", "most"),
    [
        ("u280", Resources(dsps=1940, luts=275_000), {}),
        ("u280", Resources(dsps=1941, luts=275_001), {"dsps": 1940, "luts": 275_000}),
        ("u280", Resources(dsps=3000, luts=300_000, bram18=2000), {"dsps": 2750}),
        ("u280", Resources(dsps=9024, luts=1_303_680), {"dsps": 4380, "luts": 635_000}),
        ("zu3eg", Resources(dsps=360, luts=45_500), {"luts": 45_440}),
    ],
)
def test_more_than_was_ever_routed_is_named(
    name: str, used: Resources, most: dict[str, int]
) -> None:
    assert so.device(name).floorplan.exceeded_routed(used) == most


def test_a_board_is_within_what_was_routed_on_every_device() -> None:
    for name in ("u280", "u55c", "u250", "vu9p", "zcu104", "kv260", "zu3eg", "xc7z020"):
        device = so.device(name)
        assert device.floorplan.exceeded_routed(device.budget(Fit.BOARD)) == {}
