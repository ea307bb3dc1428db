"""The rules of the simulator, one at a time, on networks whose cycles are counted by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Logic, LogicOp
from streamopt.ir.network import Network, Place, Process
from streamopt.sim import simulate
from tests.support.networks.by_hand import at, buffer, fifo, network, process, read, timing, write


def test_one_pipeline() -> None:
    trace = simulate(network(process("a", {"i": 10})), {"a": timing(3, 7)})
    assert trace.cycles == 3 * 9 + 7
    (pipeline,) = trace.processes[0].pipelines
    assert (pipeline.starts, pipeline.ends) == ((0,), (trace.cycles,))
    assert pipeline.empty_cycles == pipeline.full_cycles == 0


def test_producer_and_consumer() -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 10)
    )
    trace = simulate(found, {"a": timing(1, 5), "b": timing(1, 8)})
    # Written in cycles 4..13, read in cycles 5..14 at stage 1; 6 more stages follow.
    assert trace.process("a").ends == (14,)
    assert trace.process("b").ends == (14 + 6 + 1,)
    assert trace.process("b").empty_cycles == 4
    assert trace.fifo("f").peak_elems == 2
    assert trace.fifo("f").tokens == 10


def test_copies_read_in_their_last_stage() -> None:
    reader = process("b", {"i": 10}, read("f"), operations=())
    found = network(process("a", {"i": 10}, write("f")), reader, fifo("f", 10))
    for depth_cycles in (2, 4):
        trace = simulate(found, {"a": timing(1, 5), "b": timing(1, depth_cycles)})
        assert trace.cycles == 15


def test_a_stream_from_outside_comes_from_the_start_on() -> None:
    found = network(process("a", {"i": 4}))
    trace = simulate(found, {"a": replace(timing(3, 2), word_cycles=3)}, frames=2)
    # Three words each: the first iteration begins in cycle 2, the fifth one in 14.
    assert trace.process("a").ends == (2 + 3 * 3 + 2, 14 + 3 * 3 + 2)


def test_full_fifo_holds_the_producer() -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 2)
    )
    trace = simulate(found, {"a": timing(1, 2), "b": timing(4, 2)})
    # Reads in cycles 2, 6, ..., 38: the last write waits for the slot of the eighth read.
    assert trace.process("b").ends == (39,)
    assert trace.process("a").ends == (2 + 4 * 7 + 2,)
    assert trace.process("a").full_cycles == trace.process("a").ends[0] - 11
    assert trace.fifo("f").peak_elems == 2


def test_tokens_that_move_one_by_one_are_followed_for_so_many_turns() -> None:
    # Of one slot, a token waits until the one before has been read, which no pace tells.
    found = network(
        process("a", {"i": 100}, write("f")), process("b", {"i": 100}, read("f")), fifo("f", 1)
    )
    paces = {"a": timing(1, 2), "b": timing(1, 2)}
    assert simulate(found, paces, most_turns=1000) == simulate(found, paces)
    with pytest.raises(SimulationError, match="E815"):
        simulate(found, paces, most_turns=50)


@pytest.mark.parametrize("ii", [1 << 20, 1 << 28])
def test_cycles_beyond_32_bits(ii: int) -> None:
    found = network(
        process("a", {"i": 10}, write("f")), process("b", {"i": 10}, read("f")), fifo("f", 2)
    )
    trace = simulate(found, {"a": timing(1, 2), "b": timing(ii, 2)}, frames=2)
    assert trace.process("b").ends == (9 * ii + 3, 18 * ii + 6)


def test_a_burst_stays_inside_a_stalling_pipeline() -> None:
    # b reads 4 tokens, and 4 more a long time later; c takes what b makes of them.
    found = network(
        process("a", {"r": 2, "i": 4, "k": 25}, write("f", at("k", 0))),
        process("b", {"r": 2, "i": 4}, read("f"), write("g")),
        process("c", {"r": 2, "i": 4}, read("g"), operations=()),
        fifo("f", 8),
        fifo("g", 8),
    )
    timings = {"a": timing(1, 2), "b": timing(1, 30), "c": timing(1, 2)}
    stalling = simulate(found, timings)
    flushable = simulate(found, timings, flushable=True)
    assert stalling.process("a").ends == flushable.process("a").ends
    assert stalling.process("b").ends == flushable.process("b").ends
    assert flushable.fifo("g").peak_elems < stalling.fifo("g").peak_elems


def test_ping_pong_buffers_and_frames() -> None:
    found = network(
        process("a", {"i": 10}, write("m")), process("b", {"i": 20}, read("m")), buffer("m")
    )
    trace = simulate(found, {"a": timing(1, 3), "b": timing(1, 3)}, frames=4)
    first, second = trace.processes
    assert first.starts[:2] == (0, 13)
    assert second.starts == (13, 36, 59, 82)
    # The third frame waits for a bank, which the consumer leaves at cycle 35.
    assert first.starts[2] == 36
    assert first.buffer_cycles == 10 + 10
    assert (trace.cycles, trace.interval_cycles, trace.total_cycles) == (35, 23, 35 + 3 * 23)


def test_interval_is_the_mean_of_a_long_and_a_short_time() -> None:
    """Frames come in pairs where a buffer of two frames bridges four processes."""
    found = network(
        process("a", {"i": 10}, write("m"), write("far")),
        process("b", {"i": 10}, read("m"), write("n")),
        process("c", {"i": 10}, read("n"), write("o")),
        process("d", {"i": 10}, read("o"), read("far")),
        *(buffer(name) for name in ("m", "n", "o", "far")),
    )
    trace = simulate(found, {name: timing(1, 3) for name in "abcd"}, frames=7)
    ends = trace.process("d").ends
    times = [after - before for before, after in pairwise(ends)]
    assert len(set(times)) == 2
    assert times[0::2] == [times[0]] * 3
    assert trace.interval_cycles == -(-sum(times[:2]) // 2)
    assert simulate(found, {name: timing(1, 3) for name in "abcd"}).interval_cycles is None


def test_pipelines_of_a_process_run_one_after_another() -> None:
    both = (process("a", {"i": 10}), process("b", {"i": 5}))
    joined = Process("p", tuple(part.pipelines[0] for part in both))
    trace = simulate(Network("net", (joined,), (), ()), {"a": timing(1, 4), "b": timing(2, 6)})
    first, second = trace.processes[0].pipelines
    assert (first.starts, first.ends) == ((0,), (13,))
    assert (second.starts, second.ends) == ((14,), (14 + 2 * 4 + 6,))


def test_lanes_that_share_a_stream_take_turns() -> None:
    found = network(
        process("a", {"i": 3}, write("f"), lanes={"u": 3}),
        process("b", {"i": 9}, read("f"), operations=()),
        fifo("f", 9),
    )
    trace = simulate(found, {"a": timing(3, 5), "b": timing(1, 1)})
    # The writes of an iteration are in stages 2, 3 and 4.
    assert trace.fifo("f").tokens == 9
    assert trace.process("a").ends == (11,)
    assert trace.process("b").ends == (12,)


def test_streams_apart_are_kept_apart() -> None:
    i, u = Affine.iterator("i"), Affine.iterator("u")
    found = network(
        process("a", {"i": 4}, write("f", None, u), lanes={"u": 2}),
        process("b", {"i": 8}, read("f", None, i.floordiv(4)), operations=()),
        fifo("f", 4, 2),
    )
    trace = simulate(found, {"a": timing(1, 3), "b": timing(1, 1)})
    assert trace.fifo("f").tokens == 8
    # The second stream fills up while the first is read.
    assert trace.fifo("f").peak_elems == 4


def test_cost_grows_with_tokens_and_not_with_iterations() -> None:
    loops = {"i": 100, "j": 100, "k": 10**4, "l": 10**4, "m": 10**4}
    last = Logic(LogicOp.AND, tuple(at(name, 10**4 - 1) for name in "klm"))
    first = Logic(LogicOp.AND, tuple(at(name, 0) for name in "klm"))
    found = network(
        process("a", loops, write("f", last)),
        process("b", loops, read("f", first)),
        fifo("f", 10),
    )
    trace = simulate(found, {"a": timing(4, 15), "b": timing(4, 15)})
    assert trace.fifo("f").tokens == 10**4
    assert trace.process("a").ends == (4 * (10**16 - 1) + 15,)


def test_peaks_are_depths_that_change_nothing() -> None:
    found = network(
        process("a", {"i": 40}, write("f"), write("g")),
        process("b", {"i": 40}, read("f"), write("h", at("i", 39))),
        process("c", {"i": 40}, read("g"), read("h", at("i", 0))),
        fifo("f", 100),
        fifo("g", 100),
        fifo("h", 100),
    )
    timings = {"a": timing(1, 5), "b": timing(2, 9), "c": timing(1, 3)}
    loose = simulate(found, timings)
    peaks = {trace.name: trace.peak_elems for trace in loose.fifos}
    tight = simulate(found, timings, depths=peaks)
    assert tight.processes == loose.processes
    assert {trace.name: trace.depth_elems for trace in tight.fifos} == peaks
    tighter = simulate(found, timings, depths={**peaks, "f": peaks["f"] - 1})
    assert tighter.processes != loose.processes


def test_occupancy_over_time() -> None:
    found = network(
        process("a", {"i": 10}, write("f")),
        process("b", {"i": 10}, read("f"), operations=()),
        fifo("f", 10),
    )
    trace = simulate(found, {"a": timing(1, 1), "b": timing(2, 1)}, samples=10)
    occupancy = trace.fifo("f").occupancy_elems
    assert trace.cycles == 20
    # Written in cycles 0..9, read in cycles 1, 3, ..., 19: two cycles a span.
    assert occupancy == (2, 3, 4, 5, 6, 5, 4, 3, 2, 1)
    assert max(occupancy) == trace.fifo("f").peak_elems


def test_the_same_twice() -> None:
    found = network(
        process("a", {"i": 50}, write("f")), process("b", {"i": 50}, read("f")), fifo("f", 3)
    )
    timings = {"a": timing(1, 4), "b": timing(2, 6)}
    assert simulate(found, timings, frames=3) == simulate(found, timings, frames=3)


def test_depths_replace_those_of_the_network() -> None:
    found = network(
        process("a", {"i": 50}, write("f")), process("b", {"i": 50}, read("f")), fifo("f", 1)
    )
    deep = replace(found, fifos=(fifo("f", 7),))
    timings = {"a": timing(1, 4), "b": timing(2, 6)}
    assert simulate(found, timings, depths={"f": 7}) == simulate(deep, timings)


@pytest.mark.parametrize("depth_cycles", [1, 2])
def test_pipelines_of_one_or_two_stages(depth_cycles: int) -> None:
    found = network(
        process("a", {"i": 5}, write("f")),
        process("b", {"i": 5}, read("f"), write("g")),
        process("c", {"i": 5}, read("g")),
        fifo("f", 1),
        fifo("g", 1),
    )
    same = timing(1, depth_cycles)
    trace = simulate(found, {"a": same, "b": same, "c": same})
    # One slot: written, read in the next cycle, written again in the one after that.
    assert trace.process("a").ends == (depth_cycles + 4 * 2,)
    assert trace.cycles == depth_cycles + 4 * 2 + 2


def test_an_argument_that_a_process_writes_is_read_after_its_end() -> None:
    found = network(
        process("a", {"i": 50}, write("m")),
        process("b", {"i": 60}, read("m")),
        replace(buffer("m"), place=Place.ARGUMENT),
    )
    trace = simulate(found, {"a": timing(1, 3), "b": timing(1, 3)}, frames=3)
    first, second = trace.processes
    # Every frame has an argument of its own, so that the writer waits for nobody.
    assert first.starts == (0, 53, 106)
    assert second.starts == (53, 116, 179)
