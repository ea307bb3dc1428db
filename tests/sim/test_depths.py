"""Least depths: judged by the simulator alone, one FIFO at a time and all together."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.network import PipelineTiming
from streamopt.sim import DeadlockError, simulate
from streamopt.sim.depths import DepthPlan, least_depths
from tests.support.nightly import in_nightly
from tests.support.random.networks import random_network

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.network import Network

DEEP = 30


def cycles(
    network: Network, timings: Mapping[str, PipelineTiming], depths: Mapping[str, int]
) -> float:
    try:
        return simulate(network, timings, depths=depths).cycles
    except DeadlockError:
        return float("inf")


def bits(network: Network, depths: Mapping[str, int]) -> int:
    return sum(f.element.bits * prod(f.lanes) * depths[f.name] for f in network.fifos)


def networks(first: int, count: int) -> Iterator[tuple[Network, dict[str, PipelineTiming]]]:
    """Yield networks with FIFOs, deep enough that they run to the end."""
    seed = first
    while count:
        seed += 1
        network, timings = random_network(Random(seed))
        deep = tuple(replace(fifo, depth_elems=DEEP) for fifo in network.fifos)
        network = replace(network, fifos=deep)
        used = {port.target for p in network.pipelines for port in p.ports}
        if not deep or not used.issuperset(fifo.name for fifo in deep):
            continue
        if runs(network, timings) and cycles(network, timings, {}) < float("inf"):
            count -= 1
            yield network, timings


def runs(network: Network, timings: Mapping[str, PipelineTiming]) -> bool:
    """Return whether every stream is touched no more often than there are cycles."""
    try:
        simulate(network, timings)
    except DeadlockError:
        return True
    except SimulationError:
        return False
    return True


def stands_still_without_flight(
    network: Network, timings: Mapping[str, PipelineTiming], depths: Mapping[str, int]
) -> bool:
    """Return whether depths do only where pipelines hold tokens."""
    bare = {name: PipelineTiming(timing.ii, 1) for name, timing in timings.items()}
    return cycles(network, bare, depths) == float("inf")


@pytest.mark.parametrize("slack", [0.0, 0.2])
@pytest.mark.parametrize("first", in_nightly((0, 200), 1))
def test_latency_is_kept_and_no_depth_can_be_lowered_alone(slack: float, first: int) -> None:
    lowered = 0
    for network, timings in networks(first, 25):
        plan = least_depths(network, timings, slack=slack)
        full = simulate(network, timings).cycles
        assert plan.full_cycles == full
        assert not stands_still_without_flight(network, timings, plan.depths)
        assert plan.cycles == cycles(network, timings, plan.depths) <= int(full * (1 + slack))
        assert plan.bits == bits(network, plan.depths) <= plan.full_bits
        assert plan.is_least
        for name, depth in plan.depths.items():
            if depth > 2:
                lowered += 1
                less = {**plan.depths, name: depth - 1}
                is_slower = cycles(network, timings, less) > int(full * (1 + slack))
                assert is_slower or stands_still_without_flight(network, timings, less), name
    assert lowered > 3


@pytest.mark.parametrize("first", in_nightly((5000, 5200), 1))
def test_few_networks_have_a_smaller_total(first: int) -> None:
    """All depth vectors below the found total are tried: one pass may end in another corner."""
    tried = beaten = 0
    for network, timings in networks(first, 20):
        plan = least_depths(network, timings)
        peaks = simulate(network, timings)
        ranges = [range(2, max(2, min(f.peak_elems, 7)) + 1) for f in peaks.fifos]
        if not 1 < prod(map(len, ranges)) <= 300:
            continue
        tried += 1
        names = [fifo.name for fifo in peaks.fifos]
        vectors = (dict(zip(names, vector, strict=True)) for vector in product(*ranges))
        fewer = (v for v in vectors if bits(network, v) < plan.bits)
        beaten += any(
            cycles(network, timings, v) <= plan.full_cycles
            and not stands_still_without_flight(network, timings, v)
            for v in fewer
        )
    assert tried > 3
    assert beaten <= 1 + tried // 10


def test_runs_are_bounded() -> None:
    for network, timings in networks(9000, 8):
        plan = least_depths(network, timings, max_runs=1)
        assert plan.runs <= 1
        assert plan.cycles == plan.full_cycles


def test_no_trial_follows_a_stop_even_where_empty_pipelines_need_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner: list[DepthPlan] = []
    stopped: list[DepthPlan] = []

    def recorded(*args: Any, **named: Any) -> DepthPlan:
        inner.append(least_depths(*args, **named))
        return inner[-1]

    monkeypatch.setattr("streamopt.sim.depths.least_depths", recorded)
    for network, timings in (*networks(4100, 3), *networks(15700, 3)):
        trials: list[int] = []
        last = least_depths(network, timings).runs
        inner.clear()
        plan = least_depths(
            network,
            timings,
            on_progress=lambda made, _, to=trials: to.append(made),
            should_stop=lambda to=trials, most=last: len(to) >= most,
        )
        stopped += inner
        assert plan.runs == last
        assert not stands_still_without_flight(network, timings, plan.depths)
    assert stopped
    assert not any(plan.runs for plan in stopped)


def test_a_standstill_at_the_own_depths_is_told() -> None:
    stuck = 0
    for seed in range(60):
        network, timings = random_network(Random(seed))
        if runs(network, timings) and cycles(network, timings, {}) == float("inf"):
            stuck += 1
            with pytest.raises(DeadlockError):
                least_depths(network, timings)
    assert stuck > 3
