"""Processes that only write, as movers of weights: not followed from one full FIFO to the next."""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.evaluation.design import timed_network
from streamopt.sim import simulate
from streamopt.sim.tokens import settling
from streamopt.sim.tokens.engine import Engine
from streamopt.target.device import Target
from streamopt.transforms.ports.port_schedule import with_ports
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from streamopt.ir.network import Network, PipelineTiming
    from streamopt.ir.program import Program
    from streamopt.sim.trace import Trace

TARGET = Target.named("vu9p")
LAYER = program(
    {"x": "input 16", "W": "weight 256 16", "y": "internal 256", "z": "output 256"},
    {"full": "i 256, k 16: y[i] += x[k] * W[i][k]", "end": "i 256: z[i] = y[i] + 1"},
    name="layer",
)
AFTER = program(
    {"x": "input 16 64", "h": "internal 16", "W": "weight 256 16", "y": "output 256"},
    {"first": "k 16, j 64: h[k] += x[k][j]", "full": "i 256, k 16: y[i] += h[k] * W[i][k]"},
    name="after",
)
FRAMES = 3


@pytest.fixture(name="turns")
def fixture_turns(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count how often a process is followed."""
    found = [0]
    plain = Engine._advance

    def advance(engine: Engine, position: int) -> bool:
        found[0] += 1
        return plain(engine, position)

    monkeypatch.setattr(Engine, "_advance", advance)
    return found


def streamed(
    depth_elems: int, source: Program = LAYER
) -> tuple[Network, dict[str, PipelineTiming]]:
    graph = so.dataflow(source)
    done = scheduled(source).schedule
    found = with_ports(graph, done, so.plan_ports(graph, ports={"W": "m_axi"}, device=TARGET))
    channels = (
        replace(c, depth_elems=depth_elems) if c.channel == "W_chip" else c for c in found.channels
    )
    network, timings = timed_network(graph, replace(found, channels=tuple(channels)), TARGET)
    return network, dict(timings)


def followed(network: Network, timings: dict[str, PipelineTiming]) -> Trace:
    """Return the simulation of an engine that follows every token."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "MOST_RELAXED", 0)
        return simulate(network, timings, frames=FRAMES)


@pytest.mark.parametrize("reader_ii", [2, 3])
def test_source_that_is_quick_enough_takes_few_turns(turns: list[int], reader_ii: int) -> None:
    network, timings = streamed(32)
    timings["full"] = replace(timings["full"], ii=reader_ii)
    quick = simulate(network, timings, frames=FRAMES)
    few, turns[0] = turns[0], 0
    assert quick == followed(network, timings)
    assert few < turns[0] / 10
    mover = next(p for p in quick.processes if p.name == "load_W")
    assert mover.full_cycles > 0  # it waits for room as it would


@pytest.mark.parametrize(("depth_elems", "source_ii"), [(1, 1), (2, 1), (2, 4), (32, 4)])
def test_source_that_is_late_is_followed(depth_elems: int, source_ii: int) -> None:
    """Of one slot, a token waits until the one before has been read; a slow one is always late."""
    network, timings = streamed(depth_elems)
    timings["load_W"] = replace(timings["load_W"], ii=source_ii)
    assert simulate(network, timings, frames=FRAMES) == followed(network, timings)


@pytest.mark.parametrize(("source_ii", "reader_ii"), [(2, 1), (3, 2)])
def test_source_that_keeps_a_reader_waiting_takes_few_turns(
    turns: list[int], source_ii: int, reader_ii: int
) -> None:
    """The reader begins late, so a source with room for all would be far ahead of it."""
    network, timings = streamed(32, AFTER)
    for name, ii in (("load_W", source_ii), ("full", reader_ii)):
        timings[name] = replace(timings[name], ii=ii)
    quick = simulate(network, timings, frames=FRAMES)
    few, turns[0] = turns[0], 0
    assert quick == followed(network, timings)
    assert few < turns[0] / 10
    assert next(p for p in quick.processes if p.name == "full").empty_cycles > 0
