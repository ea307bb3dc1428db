"""Standstills are told in the user's names, with everything known up to then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.sim import Deadlock, DeadlockError, WaitKind, simulate
from tests.support.networks.by_hand import at, buffer, fifo, network, process, read, timing, write

if TYPE_CHECKING:
    from streamopt.ir.network import Network, PipelineTiming


def standstill(found: Network, timings: dict[str, PipelineTiming], frames: int = 1) -> Deadlock:
    with pytest.raises(DeadlockError) as raised:
        simulate(found, timings, frames=frames)
    return raised.value.deadlock


def reconvergent(depth_elems: int) -> Network:
    """Return a producer of two FIFOs, one of which is read only when the other has been."""
    return network(
        process("a", {"i": 8}, write("f"), write("g")),
        process("b", {"i": 8}, read("f"), write("h", at("i", 7))),
        process("c", {"i": 8}, read("g"), read("h", at("i", 0))),
        fifo("f", 8),
        fifo("g", depth_elems),
        fifo("h", 1),
    )


TIMINGS = {name: timing(1, 4) for name in "abc"}


def test_ring_of_full_and_empty_channels() -> None:
    found = standstill(reconvergent(5), TIMINGS)
    ring = {(wait.process, wait.kind, wait.channel, wait.peer) for wait in found.ring}
    assert ring == {
        ("a", WaitKind.FULL, "g", "c"),
        ("c", WaitKind.EMPTY, "h", "b"),
        ("b", WaitKind.EMPTY, "f", "a"),
    }
    where = {wait.process: wait.iteration for wait in found.waits}
    assert where == {"a": (("i", 5),), "b": (("i", 5),), "c": (("i", 0),)}
    assert {fifo.name: fifo.tokens for fifo in found.fifos} == {"f": 5, "g": 5, "h": 0}
    assert found.cycles == 9
    # With room for what c can't take yet it comes to an end: b has 4 stages.
    assert simulate(reconvergent(8), TIMINGS).cycles > 0


def test_message_names_channels_iterations_and_a_way_out() -> None:
    with pytest.raises(DeadlockError) as raised:
        simulate(reconvergent(5), TIMINGS)
    (told,) = raised.value.diagnostics
    assert told.code == "E810"
    assert told.message == (
        "net stands still after 9 cycles: a at i = 5 can't write g, which is full: waits for c; "
        "c at i = 0 can't read h, which is empty: waits for b; "
        "b at i = 5 can't read f, which is empty: waits for a"
    )
    assert told.hint == "make g deeper"


def test_too_few_tokens_make_no_ring() -> None:
    found = standstill(
        network(
            process("a", {"i": 3}, write("f")), process("b", {"i": 5}, read("f")), fifo("f", 9)
        ),
        {"a": timing(1, 4), "b": timing(1, 4)},
    )
    assert found.ring == ()
    (wait,) = found.waits
    assert (wait.process, wait.iteration, wait.peer) == ("b", (("i", 3),), "a")
    ends = {process.name: process.ends for process in found.processes}
    assert ends == {"a": (6,), "b": ()}


def test_waiting_for_a_buffer_is_told() -> None:
    found = standstill(
        network(
            process("a", {"i": 3}, write("m"), write("f")),
            process("b", {"i": 3}, read("m"), read("f")),
            buffer("m"),
            fifo("f", 2),
        ),
        {"a": timing(1, 4), "b": timing(1, 4)},
    )
    kinds = [(wait.process, wait.kind, wait.channel) for wait in found.ring]
    assert sorted(kinds) == [("a", WaitKind.FULL, "f"), ("b", WaitKind.BUFFER, "m")]
    assert "b can't start frame 0: a holds m" in str(DeadlockError(found))


def test_left_over_tokens_fill_up_later_frames() -> None:
    found = network(
        process("a", {"i": 4}, write("f")), process("b", {"i": 3}, read("f")), fifo("f", 4)
    )
    timings = {"a": timing(1, 4), "b": timing(1, 4)}
    assert simulate(found, timings, frames=4).frames == 4
    stuck = standstill(found, timings, frames=6)
    assert [wait.frame for wait in stuck.waits] == [5]


def test_waiting_for_itself() -> None:
    found = standstill(
        network(process("a", {"i": 4}, write("f"), read("f")), fifo("f", 4)), {"a": timing(1, 4)}
    )
    assert [(wait.process, wait.peer) for wait in found.ring] == [("a", "a")]
