"""Waits by span: together they are the waits of the whole run, and they lie where it waited."""

from __future__ import annotations

from random import Random

from streamopt.errors import SimulationError
from streamopt.sim import simulate
from tests.support.random.networks import random_case


def test_spans_add_up_to_all_waits() -> None:
    waited = 0
    for seed in range(300):
        case = random_case(Random(seed))
        if case.flushable:
            continue
        try:
            trace = simulate(case.network, case.timings, frames=case.frames, samples=7)
        except SimulationError:
            continue
        for process in trace.processes:
            total = process.empty_cycles + process.full_cycles
            assert sum(process.standing_cycles) == total
            width = -(-trace.total_cycles // 7)
            assert all(0 <= cycles <= width for cycles in process.standing_cycles)
            last = process.ends[-1] // width
            assert not any(process.standing_cycles[last + 1 :])
            waited += total > 0
    assert waited > 20
