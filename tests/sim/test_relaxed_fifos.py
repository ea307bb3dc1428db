"""FIFOs that limit nothing may be left out: times are those of a run token by token."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.network import Network, PipelineTiming
from streamopt.sim import Trace, plan, simulate
from streamopt.sim.tokens import settling
from tests.support.networks.by_hand import at, fifo, network, process, read, timing, write
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
    monkeypatch.setattr(settling, "MOST_RELAXED", 0)
    monkeypatch.setattr(plan, "LONGEST", 0)  # all times have 64 bits
    slow = [told(seed, frames) for seed in range(SEEDS)]
    assert quick == slow
    assert sum(trace is not None for trace, _ in slow) >= SEEDS // 8
    assert any("DeadlockError" in text for _, text in slow)


def chain(depth_elems: int) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return processes that all wait for the last, and a FIFO past one of them."""
    found = network(
        process("a", {"i": 900}, write("f")),
        process("b", {"i": 900}, read("f"), write("g"), write("past", at("i", 0))),
        process("c", {"i": 900}, read("g"), write("h")),
        process("d", {"i": 900}, read("h"), read("past", at("i", 0))),
        *(fifo(name, depth_elems) for name in ("f", "g", "h", "past")),
    )
    paces = {"a": timing(1, 2), "b": timing(2, 5), "c": timing(1, 30), "d": timing(4, 2)}
    return found, paces


@pytest.mark.parametrize("frames", [1, 3])
def test_writers_before_a_slow_reader_take_few_turns(
    monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    found, paces = chain(2)
    quick = simulate(found, paces, frames=frames, most_turns=30)
    monkeypatch.setattr(settling, "MOST_RELAXED", 0)
    assert quick == simulate(found, paces, frames=frames)
    assert quick.process("a").full_cycles > quick.cycles // 2
    with pytest.raises(SimulationError, match="E815"):
        simulate(found, paces, frames=frames, most_turns=500)
