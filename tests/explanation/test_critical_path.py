"""Shares of the critical path add up to the run."""

from __future__ import annotations

from streamopt.explanation.critical_path import PathShare, path_shares
from streamopt.sim import simulate
from tests.support.networks.by_hand import fifo, network, process, read, timing, write


def test_shares_add_up_to_the_run() -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 10)
    )
    trace = simulate(found, {"a": timing(4, 5), "b": timing(1, 8)}, samples=1)
    assert path_shares(trace) == (PathShare("a", 41, 36), PathShare("b", 7, 0))
    assert trace.cycles == 48
