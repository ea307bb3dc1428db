"""Waits by span and thing: together they are the waits of the run, and lie where it waited."""

from __future__ import annotations

from random import Random

from streamopt.errors import SimulationError
from streamopt.sim import WaitKind, simulate
from tests.support.networks.by_hand import buffer, fifo, network, process, read, timing, write
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
        width = -(-trace.total_cycles // 7)
        for ran in trace.processes:
            total = dict.fromkeys(WaitKind, 0)
            for wait in ran.waits:
                total[wait.kind] += wait.cycles
                assert all(0 <= cycles <= width for cycles in wait.span_cycles)
                assert wait.peer != ran.name
            assert total[WaitKind.EMPTY] == ran.empty_cycles
            assert total[WaitKind.FULL] == ran.full_cycles
            assert total[WaitKind.BUFFER] == ran.buffer_cycles
            standing = ran.standing_cycles
            assert sum(standing) == ran.empty_cycles + ran.full_cycles
            last = ran.ends[-1] // width
            assert not any(standing[last + 1 :])
            waited += sum(standing) > 0
    assert waited > 20


def test_every_wait_tells_what_was_missing_and_who_was_late() -> None:
    found = network(
        process("a", {"i": 10}, write("f"), write("m")),
        process("b", {"i": 10}, read("f"), write("g")),
        process("c", {"i": 10}, read("g")),
        process("d", {"i": 10}, read("m")),
        *(fifo(name, 2) for name in "fg"),
        buffer("m"),
    )
    timings = {"a": timing(3, 2), "b": timing(1, 2), "c": timing(7, 2), "d": timing(1, 2)}
    trace = simulate(found, timings, samples=4)
    told = {p.name: {(w.kind, w.of, w.peer) for w in p.waits} for p in trace.processes}
    assert told == {
        "a": {(WaitKind.FULL, "f", "b")},
        "b": {(WaitKind.EMPTY, "f", "a"), (WaitKind.FULL, "g", "c")},
        "c": {(WaitKind.EMPTY, "g", "b")},
        "d": {(WaitKind.BUFFER, "m", "a")},
    }
