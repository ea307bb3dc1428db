"""Arrays off the chip as their movers take or bring them: a stream of words for all lanes.

A mover moves the elements of one tile iteration at once, which stand next to each other outside, in
the order of its tile loops. So it never says where they are: they are a FIFO to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from streamopt.ir.affine import Affine
from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Memory,
    Network,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
)
from streamopt.ir.ports import Words, words_of

ANSWER_CYCLES = 42
"""From an address to its word, and from a word to its answer: HBM of a U280 at 300 MHz."""
MOST_BEATS = 64
"""Of a burst: of 512 bits, the 4 KiB that AXI has no burst across; it could have 256 of others."""
WAITING_BEATS = 128
"""That are asked for or there: those of a burst beside what a memory delivers in its latency."""


@dataclass(frozen=True, slots=True)
class WordStream:
    """An array off the chip as its mover moves it.

    Attributes
    ----------
    fifo
        As which it moves the elements of all lanes.
    words
        Of an iteration, in each memory that holds a part of the array.
    beats
        Words of the whole array in one memory.
    times
        That they are read.
    is_written
        Whether the design writes it.
    is_bus
        Whether it is behind AXI4 masters, and not an AXI4 stream.
    """

    fifo: Fifo
    words: Words
    beats: int
    times: int
    is_written: bool
    is_bus: bool

    @property
    def word_bits(self) -> int:
        """Return the width of a word in memory."""
        return self.words.elems * self.fifo.element.outside_bits

    @property
    def all_bits(self) -> int:
        """Return the width of all words of an iteration in one memory."""
        return self.word_bits * self.words.count

    def late(self, timing: PipelineTiming) -> PipelineTiming:
        """Return how its mover runs, given how it would with a FIFO that is there.

        Words of a stream that is read come from the start on, one a cycle.
        """
        if self.is_written:
            answers = ANSWER_CYCLES if self.is_bus else 0
            return replace(timing, answer_cycles=answers + self.words.count)
        if not self.is_bus:
            return replace(timing, word_cycles=max(timing.word_cycles, self.words.count))
        waits = ANSWER_CYCLES + self.words.count - 1
        return replace(timing, depth_cycles=timing.depth_cycles + waits)

    @property
    def burst_beats(self) -> int:
        """Return the words of a burst, but for the last one: a power of two."""
        return min(MOST_BEATS, 1 << (self.beats - 1).bit_length())

    @property
    def depth(self) -> int:
        """Return the iterations whose words are asked for or there at most."""
        waiting = WAITING_BEATS if self.beats > self.burst_beats else self.burst_beats
        return -(-waiting // self.words.count)


def word_streams(network: Network) -> dict[str, WordStream]:
    """Return the streams of the arrays off the chip, by memory."""
    movers = {port.target: pipeline for pipeline in network.pipelines for port in pipeline.ports}
    return {
        memory.name: _stream(memory, movers[memory.name])
        for memory in network.memories
        if memory.place is Place.OFF_CHIP and memory.name in movers
    }


def _stream(memory: Memory, mover: Pipeline) -> WordStream:
    bits, parts = memory.element.outside_bits, max(1, len(memory.channels))
    words = words_of(mover.moved_elems(memory.name), bits, parts)
    walked, trips = mover.walked(memory.name), mover.tiles
    times = prod(tile.trip_count for tile in trips if tile.name not in walked)
    lanes = tuple(lane.trip_count for lane in mover.moved_lanes(memory.name))
    fifo = Fifo(memory.name, memory.element, lanes, WAITING_BEATS)
    modes = {port.mode for port in mover.ports if port.target == memory.name}
    beats = mover.iterations // times * words.count
    is_written = AccessMode.WRITE in modes
    return WordStream(fifo, words, beats, times, is_written, bool(memory.channels))


def with_answers(
    network: Network, timings: Mapping[str, PipelineTiming]
) -> dict[str, PipelineTiming]:
    """Return timings in which movers wait for memory off the chip."""
    found, streams = dict(timings), word_streams(network)
    for pipeline in network.pipelines:
        for port in pipeline.ports:
            if port.target in streams and pipeline.name in found:
                found[pipeline.name] = streams[port.target].late(found[pipeline.name])
    return found


def with_word_streams(network: Network) -> Network:
    """Return the network in which movers have FIFOs in place of arrays off the chip.

    An iteration takes as long as its words move one after another.
    """
    found = word_streams(network)
    if not found:
        return network

    def moved(pipeline: Pipeline) -> Pipeline:
        counts = (found[p.target].words.count for p in pipeline.ports if p.target in found)
        ports = tuple(_ports(pipeline, found))
        return replace(pipeline, ports=ports, target_ii=max([pipeline.target_ii, *counts]))

    memories = tuple(memory for memory in network.memories if memory.name not in found)
    fifos = (*network.fifos, *(stream.fifo for stream in found.values()))
    return replace(network.with_pipelines(moved), memories=memories, fifos=fifos)


def _ports(pipeline: Pipeline, found: Mapping[str, WordStream]) -> Iterator[Port]:
    for port in pipeline.ports:
        lanes = pipeline.moved_lanes(port.target) if port.target in found else ()
        place = tuple(Affine.iterator(lane.name) for lane in lanes)
        yield replace(port, subscripts=place) if port.target in found else port
