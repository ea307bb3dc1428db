"""The simulator against one that steps cycle by cycle.

``STREAMOPT_RANDOM_NETWORKS=20000 pytest tests/sim/test_against_stepper.py`` tries more networks.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from streamopt.sim import Deadlock, DeadlockError, Trace, simulate
from streamopt.sim.tokens import flushable, stalling
from tests.support.random.networks import Case, random_case
from tests.support.runners.cycle_stepper import Stepped, step_through, touched

if TYPE_CHECKING:
    from collections.abc import Iterator

NETWORKS = int(os.environ.get("STREAMOPT_RANDOM_NETWORKS", "400"))
CHUNKS = 4


def fitting(case: Case) -> Case:
    """Return a case whose intervals allow the accesses of an iteration."""
    fifos = {fifo.name for fifo in case.network.fifos}
    timings = dict(case.timings)
    for pipeline in case.network.pipelines:
        most = max((max(row.values(), default=0) for row in touched(pipeline, fifos)), default=0)
        timing = timings[pipeline.name]
        timings[pipeline.name] = replace(timing, ii=max(timing.ii, most))
    return replace(case, timings=timings)


def simulated(case: Case) -> Trace | Deadlock:
    try:
        return simulate(case.network, case.timings, frames=case.frames, flushable=case.flushable)
    except DeadlockError as error:
        return error.deadlock


def waits_of(case: Case, found: Deadlock) -> Iterator[tuple[str, str, str, int]]:
    loops = {p.name: p.tiles for p in case.network.pipelines}
    for wait in found.waits:
        at = 0
        for (_, value), loop in zip(wait.iteration, loops.get(wait.pipeline, ()), strict=True):
            at = at * loop.trip_count + value
        position = at if wait.pipeline else wait.frame
        yield wait.process, wait.kind.value, wait.channel.split("[")[0], position


def check_equal(case: Case, found: Trace | Deadlock, expected: Stepped) -> None:
    assert isinstance(found, Deadlock) == expected.deadlock
    for process in found.processes:
        assert list(process.starts) == expected.starts[process.name]
        assert list(process.ends) == expected.ends[process.name]
    for fifo in found.fifos:
        assert fifo.peak_elems == expected.peaks[fifo.name]
        assert fifo.tokens == expected.tokens[fifo.name]
    if isinstance(found, Deadlock):
        assert frozenset(waits_of(case, found)) == expected.waits
        return
    assert found.total_cycles == max(end for ends in expected.ends.values() for end in ends)
    for process in found.processes:
        assert process.buffer_cycles == expected.buffer_cycles[process.name]
        for pipeline in process.pipelines:
            stalls = (pipeline.empty_cycles, pipeline.full_cycles)
            assert stalls == expected.stalls[pipeline.name]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_equals_stepper(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    standstills = 0
    for seed in range(chunk, NETWORKS, CHUNKS):
        random = Random(seed)
        case = fitting(random_case(random))
        # Networks this small would never be taken in blocks.
        few = random.choice((1, 2, 16))
        monkeypatch.setattr(stalling, "FEW", few)
        monkeypatch.setattr(flushable, "FEW", few)
        monkeypatch.setattr(stalling, "MOST", random.choice((3, 1000)))
        monkeypatch.setattr(flushable, "FEWEST", random.choice((1, 2, 5, 50)))
        found = simulated(case)
        expected = step_through(case.network, case.timings, case.frames, flushable=case.flushable)
        try:
            check_equal(case, found, expected)
        except AssertionError as error:
            raise AssertionError(f"network of seed {seed}: {error}") from error
        standstills += expected.deadlock
    # Both outcomes are tried.
    assert 0.02 < standstills / (NETWORKS / CHUNKS) < 0.8
