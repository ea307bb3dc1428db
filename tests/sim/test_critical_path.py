"""The critical path: known chains, no holes, and nothing else that determines the end."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from streamopt.errors import SimulationError
from streamopt.ir.network import Network, Process
from streamopt.sim import PathCause, Segment, critical_path, simulate
from tests.support.networks.by_hand import buffer, fifo, network, process, read, timing, write
from tests.support.random.networks import random_case

if TYPE_CHECKING:
    import pytest

    from streamopt.sim import Trace

CASES = 400


def told(trace: Trace) -> list[tuple[str, int, int, PathCause, str]]:
    path = trace.critical_path
    return [(s.process, s.start_cycle, s.end_cycle, s.cause, s.of) for s in path]


def test_a_slow_producer_is_the_path_but_for_the_end() -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 10)
    )
    trace = simulate(found, {"a": timing(4, 5), "b": timing(1, 8)}, samples=1)
    # The last token is written in cycle 40 and read in 41, at stage 1 of 8.
    assert told(trace) == [("a", 0, 41, PathCause.START, ""), ("b", 41, 48, PathCause.INPUT, "f")]
    assert [segment.steady_cycles for segment in trace.critical_path] == [36, 0]


def test_a_slow_consumer_is_the_path_but_for_the_start() -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 10)
    )
    trace = simulate(found, {"a": timing(1, 5), "b": timing(4, 8)}, samples=1)
    assert told(trace) == [("a", 0, 5, PathCause.START, ""), ("b", 5, 48, PathCause.INPUT, "f")]
    assert [segment.steady_cycles for segment in trace.critical_path] == [0, 36]


def test_a_full_fifo_leads_to_its_reader() -> None:
    # a writes f and then g; b reads f slowly, so that c, fed by g, ends last.
    found = network(
        process("a", {"i": 10}, write("f"), write("g")),
        process("b", {"i": 10}, read("f")),
        process("c", {"i": 10}, read("g")),
        fifo("f", 2),
        fifo("g", 2),
    )
    trace = simulate(found, {"a": timing(1, 2), "b": timing(4, 2), "c": timing(1, 40)}, samples=1)
    # b reads the token in slot 8 in cycle 30: 2 + 4 * 7; a writes its last one after it.
    assert told(trace) == [
        ("a", 0, 2, PathCause.START, ""),
        ("b", 2, 31, PathCause.INPUT, "f"),
        ("a", 31, 32, PathCause.ROOM, "f"),
        ("c", 32, 71, PathCause.INPUT, "g"),
    ]
    assert [segment.steady_cycles for segment in trace.critical_path] == [0, 28, 0, 0]


def test_buffers_turns_and_frames() -> None:
    first = process("a", {"i": 10}, write("m")).pipelines[0]
    second = process("a2", {"i": 10}, write("m")).pipelines[0]
    found = network(Process("p", (first, second)), process("b", {"i": 20}, read("m")), buffer("m"))
    timings = {"a": timing(1, 3), "a2": timing(1, 3), "b": timing(1, 3)}
    path = told(simulate(found, timings, samples=1))
    assert path == [
        ("p", 0, 12, PathCause.START, ""),
        ("p", 12, 25, PathCause.TURN, "a"),
        ("b", 25, 48, PathCause.BUFFER, "m"),
    ]
    # In four frames p fills two banks at once; from the third it waits for b, but b for nobody.
    path = told(simulate(found, timings, frames=4, samples=1))
    assert path[:2] == [("p", 0, 12, PathCause.START, ""), ("p", 12, 25, PathCause.TURN, "a")]
    assert len(path) > 2
    slow = {**timings, "b": timing(4, 3)}
    path = told(simulate(found, slow, frames=4, samples=1))
    assert [(name, cause) for name, _, _, cause, _ in path[2:]] == [
        ("b", PathCause.BUFFER),
        *[("b", PathCause.TURN)] * 3,
    ]


def check_tiles(trace: Trace) -> None:
    at = 0
    for segment in trace.critical_path:
        assert segment.start_cycle == at < segment.end_cycle
        assert 0 <= segment.steady_cycles <= segment.cycles
        at = segment.end_cycle
    assert at == trace.total_cycles


def test_tiles_the_run_and_nothing_else_determines_its_end() -> None:
    """A process that isn't on the path may be as fast as it likes: the end stays."""
    apart = 0
    for seed in range(CASES):
        case = random_case(Random(seed))
        if case.flushable:
            continue
        try:
            trace = simulate(case.network, case.timings, frames=case.frames, samples=7)
        except SimulationError:
            continue
        check_tiles(trace)
        on_path = {segment.process for segment in trace.critical_path}
        others = _pipelines(case.network, without=on_path)
        faster = {name: replace(case.timings[name], depth_cycles=1) for name in others}
        try:
            again = simulate(case.network, {**case.timings, **faster}, frames=case.frames)
        except SimulationError:
            continue  # more accesses in an iteration than stages
        assert again.total_cycles == trace.total_cycles, seed
        apart += bool(others)
    assert apart > 20


def _pipelines(found: Network, without: set[str]) -> list[str]:
    processes = [process for process in found.processes if process.name not in without]
    return [pipeline.name for process in processes for pipeline in process.pipelines]


def test_long_paths_are_joined_by_span_and_keep_their_cycles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # One slot: each write waits for a read, and each read for a write.
    found = network(
        process("a", {"i": 500}, write("f")), process("b", {"i": 500}, read("f")), fifo("f", 1)
    )
    timings = {"a": timing(1, 2), "b": timing(1, 2)}
    whole = simulate(found, timings, samples=10)
    assert len(whole.critical_path) > 500
    monkeypatch.setattr(critical_path, "MOST_SEGMENTS", 50)
    joined = simulate(found, timings, samples=10)
    assert len(joined.critical_path) <= 50
    check_tiles(joined)
    for name in ("a", "b"):
        assert _cycles(joined, name) == _cycles(whole, name)


def _cycles(trace: Trace, name: str) -> tuple[int, int]:
    own: list[Segment] = [s for s in trace.critical_path if s.process == name]
    return sum(s.cycles for s in own), sum(s.steady_cycles for s in own)
