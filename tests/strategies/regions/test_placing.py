"""A design on several regions keeps to the limits of each, not of all together."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.evaluation.region_usage import region_usage
from streamopt.pipeline.flat_records import evaluation_record
from streamopt.report.loops import node_facts
from streamopt.target.device import Target
from streamopt.target.regions import LogicRegion
from streamopt.target.resources import Resources
from tests.support.programs.sketches import program

CHAIN = {
    "first": "i 24, j 24, k 24: b[i][j] += x[i][k] * w[k][j]",
    "second": "i 24, j 24, k 24: y[i][j] += b[i][k] * v[k][j]",
}
SHAPES = {
    "x": "input 24 24",
    "w": "input 24 24",
    "b": "internal 24 24",
    "v": "input 24 24",
    "y": "output 24 24",
}


def small_device(*dsps: int) -> Target:
    """Return a device of small regions, 150 LUTs a DSP, with all else that a U280 has."""
    known = so.device("u280")
    plenty = known.floorplan.regions[0].whole
    sizes = [replace(plenty, dsps=count, luts=150 * count) for count in dsps]
    regions = tuple(
        LogicRegion(size, size, ("HBM",) if at == 0 else ()) for at, size in enumerate(sizes)
    )
    whole = sum((region.whole for region in regions), Resources())
    floorplan = replace(known.floorplan, total=whole, slr=regions[0].whole, regions=regions)
    return replace(known, name="small", floorplan=floorplan)


def solved(device: Target) -> so.Solution:
    graph = so.dataflow(program(SHAPES, CHAIN))
    budget = so.Budget(fit="device", device=device)
    effort = so.Effort(work=2.0)
    return so.solve(graph, level="opt6", budget=budget, effort=effort)


def usage_of(found: so.Solution, device: Target) -> tuple[Resources, ...]:
    built = so.evaluate(found.problem.graph, found.schedule, device)
    slrs = dict(found.schedule.slrs)
    assert {*slrs} == {plan.node for plan in found.schedule.nodes}
    return region_usage(built.network, built.resources, slrs, device.slrs).amounts


def test_every_region_keeps_to_its_limits_and_more_regions_are_faster() -> None:
    one, two = small_device(100), small_device(100, 100)
    alone, both = solved(one), solved(two)
    used = usage_of(both, two)
    assert [amount.dsps <= 80 for amount in used] == [True, True]
    assert [amount.luts <= 10_500 for amount in used] == [True, True]
    assert sum(amount.luts for amount in used) > 10_500
    assert {slr for _, slr in both.schedule.slrs} == {0, 1}
    assert any(plan.node.startswith("relay_") for plan in both.schedule.nodes)
    evaluation = both.evaluation
    assert evaluation is not None
    assert alone.evaluation is not None
    assert both.bound <= evaluation.trace.cycles < 0.75 * alone.evaluation.trace.cycles
    assert not alone.schedule.slrs


def test_node_is_no_larger_than_a_region() -> None:
    """Of the LUTs of 200 DSPs in all, a node alone could take 70 %; no region has as many."""
    device = small_device(100, 50, 50)
    for used, most in zip(usage_of(solved(device), device), (10_500, 5250, 5250), strict=True):
        assert used.luts <= most


def test_what_fits_no_region_is_refused() -> None:
    """Each node needs more LUTs than a region has, though all regions together have enough."""
    with pytest.raises(StreamoptError, match=r"E401|E522"):
        solved(small_device(8, 8, 8, 8, 8))


def test_regions_are_told_in_records_headlines_and_pictures() -> None:
    device = small_device(100, 100)
    found = solved(device)
    built = found.evaluation
    assert built is not None
    used = usage_of(found, device)
    record = evaluation_record(built)
    text = f"SLR0 {used[0].dsps} DSP {used[0].luts} LUT"
    assert str(record["regions"]).startswith(text)
    assert built.regions is not None
    assert record["crossing_wires"] == built.regions.wires[0] > 0
    facts = dict(built.headline.facts)
    assert f"LUT {100 * used[1].luts / 15_000:.0f} %" in facts["SLR1"]
    assert facts["SLR0"].endswith(f"; {built.regions.wires[0]:,} wires to SLR1")
    words = node_facts(built.predicted, built.slrs) if built.predicted else {}
    assert {text[-4:] for text in words.values()} == {"SLR0", "SLR1"}
