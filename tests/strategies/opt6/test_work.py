"""Effort counts work: load on the machine changes neither the design nor the bound."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

from streamopt.solvers.base import SolveOptions
from streamopt.strategies.clocks import WorkClock
from streamopt.work import spend

GRAPHS = Path(__file__).parents[3] / "graphs"
STOPPED_MIDWAY = f"""
import streamopt as so
graph = so.dataflow(so.load({str(GRAPHS / "synthetic" / "7mm_tree_balanced.json")!r}))
found = so.solve(graph, level="opt6", effort=so.Effort(work=0.4))
print(found.stop, found.bound, found.simulated_cycles, found.schedule)
"""
SPINS = "while True: pass"


def started(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_a_busy_and_halting_machine_gives_the_same_design() -> None:
    with started(STOPPED_MIDWAY) as alone:
        expected, _ = alone.communicate()
    assert expected.startswith("time_limit ")
    with started(SPINS) as busy, started(STOPPED_MIDWAY) as throttled:
        while throttled.poll() is None:
            for what in (signal.SIGSTOP, signal.SIGCONT):
                throttled.send_signal(what)
                sleep(0.02)
        busy.kill()
        assert throttled.stdout is not None
        assert throttled.stdout.read() == expected


def test_work_is_spent_and_time_is_not() -> None:
    clock = WorkClock(SolveOptions(), work=1.0)
    sleep(0.01)
    assert clock.spent() == 0.0
    spend(0.75)
    _, part = clock.part(SolveOptions(), most=10.0)
    assert clock.spent() == 0.75
    assert part.limit == 0.25
    spend(0.5)
    assert clock.should_stop()
    assert part.should_stop()


def test_given_seconds_are_a_limit_of_their_own() -> None:
    clock = WorkClock(SolveOptions(time_limit_seconds=1e-3), work=1e3)
    while clock.seconds() < clock.limit:
        sum(range(1000))
    assert clock.should_stop()
