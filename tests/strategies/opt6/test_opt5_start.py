"""Level opt6 on networks: never slower than opt5's design that fits, with a bound, and in time."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from time import process_time
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.evaluation.design import built_resources
from streamopt.perf.paper.dsp import accumulates_products
from streamopt.solvers.result import Stop
from streamopt.target.device import find_device
from tests.support.programs.convolutional import Network, mobile, plain, residual, saved

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph

BLOCKS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
CHAIN = (64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512)
STRIDES = (1, 2, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2)
DEPTHWISE = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5)
WHOLE = (
    (residual(32, BLOCKS, is_fixed_point=True), 468),
    (plain(32, tuple(zip(CHAIN, STRIDES, strict=True)), is_fixed_point=True), 376),
    (mobile(32, (*DEPTHWISE, (1024, 2), (1024, 1)), is_fixed_point=True, classes=1000), 220),
)
SMALL = (
    residual(4, ((2, 2),), is_fixed_point=False),
    plain(8, ((4, 2), (8, 1)), is_fixed_point=True),
    mobile(8, ((4, 1),), is_fixed_point=False),
)
DSPS = 60
LIMIT_SECONDS = 60.0


def multiplications(graph: Graph) -> int:
    """Return the multiply-accumulates of a network."""
    return sum(prod(n.trip_counts.values()) for n in graph.nodes if accumulates_products(n))


def opt5_cycles(graph: Graph, dsps: int) -> int | None:
    """Return the simulated cycles of opt5's design; None if it is over a region."""
    schedule = so.solve(graph, level="opt5", dsp=dsps, time_limit=LIMIT_SECONDS).schedule
    limits = so.device("u280").total
    used = built_resources(graph, schedule, find_device())
    fits = used.dsps <= dsps and not used.over(limits)
    return so.evaluate(graph, schedule).trace.cycles if fits else None


@dataclass
class CtrlC:
    """An incumbent's receiver that presses Ctrl-C at the first."""

    cycles: int = 0

    def __call__(self, found: so.Solution) -> None:
        if not self.cycles:
            self.cycles = found.latency_cycles
            raise KeyboardInterrupt


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_what_was_found_before_ctrl_c_is_returned_with_a_bound(
    network: Network, tmp_path: Path
) -> None:
    graph = saved(network, tmp_path)
    pressed = CtrlC()
    found = so.solve(graph, level="opt6", dsp=DSPS, effort=so.Effort(on_incumbent=pressed))
    assert found.stop is Stop.INTERRUPTED
    assert 0 < found.bound <= found.latency_cycles
    assert found.latency_cycles <= pressed.cycles
    assert found.used[0] <= DSPS
    if network.is_fixed_point and network.name == "plain":
        assert found.bound >= multiplications(graph) // DSPS


@pytest.mark.parametrize("network", SMALL[1:], ids=lambda network: network.name)
def test_a_search_without_time_is_no_slower_than_opt5(network: Network, tmp_path: Path) -> None:
    graph = saved(network, tmp_path)
    quicker = opt5_cycles(graph, DSPS)
    pressed = CtrlC()
    found = so.solve(
        graph,
        level="opt6",
        dsp=DSPS,
        budget=so.Budget(fit="raw-device"),
        effort=so.Effort(on_incumbent=pressed),
    )
    assert quicker is not None
    assert so.evaluate(graph, found.schedule).trace.cycles <= quicker
    assert found.schedule.rewrites == ()


@pytest.mark.nightly
@pytest.mark.parametrize(("network", "dsps"), WHOLE, ids=lambda value: getattr(value, "name", ""))
def test_whole_networks_end_in_time_and_are_no_slower_than_opt5(
    network: Network, dsps: int, tmp_path: Path
) -> None:
    graph = saved(network, tmp_path)
    quicker = opt5_cycles(graph, dsps)
    began = process_time()
    found = so.solve(graph, level="opt6", dsp=dsps, budget=so.Budget(fit="raw-device"))
    assert process_time() - began <= LIMIT_SECONDS
    assert found.bound >= multiplications(graph) // dsps
    assert quicker is not None
    assert so.evaluate(graph, found.schedule).trace.cycles <= quicker
