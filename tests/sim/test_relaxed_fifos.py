"""FIFOs that limit nothing may be left out: times are those of a run token by token."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.network import Network, PipelineTiming
from streamopt.sim import Trace, engine, simulate
from tests.support.random.networks import random_network

SEEDS = 40


def cases(seed: int) -> tuple[Network, dict[str, PipelineTiming]]:
    random = Random(seed)
    network, timings = random_network(random)
    fifos = (replace(f, depth_elems=random.choice((2, 3, 8, 30))) for f in network.fifos)
    return replace(network, fifos=tuple(fifos)), timings


def told(seed: int, frames: int) -> tuple[Trace | None, str]:
    network, timings = cases(seed)
    try:
        return simulate(network, timings, frames=frames), ""
    except SimulationError as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("frames", [1, 3])
def test_traces_are_those_of_runs_that_follow_every_token(
    monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    quick = [told(seed, frames) for seed in range(SEEDS)]
    monkeypatch.setattr(engine, "MOST_RELAXED", 0)
    slow = [told(seed, frames) for seed in range(SEEDS)]
    assert quick == slow
    assert sum(trace is not None for trace, _ in slow) >= SEEDS // 8
    assert any("DeadlockError" in text for _, text in slow)
