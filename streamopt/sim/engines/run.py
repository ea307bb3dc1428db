"""The run of an engine: when each layer begins, waits for weights, and ends.

The engine's loop starts an iteration a cycle, but waits where an iteration takes a word of
weights that isn't there. Words come from memory in order, one in so many cycles, while the FIFO
has room; a word that came is taken in the next cycle at the earliest. A layer begins when the
last result of the one before is written. Only iterations that take a word are looked at, in runs
of many: all others follow each other without waiting, so times are those of a simulation of every
cycle, which `tests/support/runners/engine_stepper.py` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from streamopt.ir.engines.hardware import EngineHardware
from streamopt.ir.engines.table import LayerPass
from streamopt.sim.engines.arriving import ArrivingWords


@dataclass(frozen=True, slots=True)
class PassRun:
    """When a layer ran."""

    layer: str
    start_cycles: int
    end_cycles: int
    """When its last result is written."""
    stall_cycles: int
    """That its loop waited for weights."""


@dataclass(frozen=True, slots=True)
class EngineRun:
    """The run of an engine over some frames."""

    cycles: int
    """When the last output is in memory."""
    passes: tuple[PassRun, ...]
    """Of all frames, in order."""
    frame_ends: tuple[int, ...]
    """When the last output of each frame is in memory."""
    words: int
    """That came from memory."""

    @property
    def stall_cycles(self) -> int:
        """Return the cycles that loops waited for weights."""
        return sum(one.stall_cycles for one in self.passes)


def simulate_engine(hardware: EngineHardware, frames: int = 1) -> EngineRun:
    """Return the run of an engine over frames, one after the other.

    Parameters
    ----------
    frames
        Whose inputs are in memory at the start; weights come again for each.
    """
    table, supply = hardware.table, hardware.supply
    latency = supply.latency_cycles
    waited = ceil(_input_bytes(hardware) / hardware.input_bytes_per_cycle)
    begin = latency + waited * hardware.is_shared
    words = ArrivingWords(supply, begin - supply.cycles_per_word)
    now, runs, ends = 0, list[PassRun](), list[int]()
    for _ in range(frames):
        now += latency + waited
        leaving = now
        for one in table.passes:
            start = now
            last, stalls, first_result = _loop(one, start, words)
            now = last + one.tiling.chunks + hardware.fill_cycles
            runs.append(PassRun(one.layer.name, start, now, stalls))
            if one.result is None:
                leaving = max(leaving, first_result) + _output_cycles(one, hardware)
        ends.append(max(now, leaving) + latency)
        now = ends[-1]
    assert words.count == frames * table.words  # tables and supplies count the same words
    return EngineRun(now, tuple(runs), tuple(ends), words.count)


def _input_bytes(hardware: EngineHardware) -> int:
    table = hardware.table
    return sum(place.map.size_elems * table.element.storage_bits // 8 for place in table.inputs)


def _output_cycles(one: LayerPass, hardware: EngineHardware) -> int:
    """Return the cycles in which an output passes its port."""
    layer = one.layer
    rows, columns = layer.rows.positions // layer.pool[0], layer.columns.positions // layer.pool[1]
    elems = rows * columns * layer.channels
    size = elems * layer.epilogue.element.storage_bits // 8
    return ceil(size / hardware.output_bytes_per_cycle)


def _loop(one: LayerPass, start: int, words: ArrivingWords) -> tuple[int, int, int]:
    """Return when a layer's last iteration ends, how long it waited, and its first results.

    Each tile begins with what is before it, takes its words in the first position, and runs the
    other positions from the words that it keeps.
    """
    cut = one.tiling
    steps = cut.steps if one.layer.weights is not None else 0
    now, waited, first = start, 0, 0
    for _ in range(one.groups * cut.tiles):
        if one.head:
            now, late = words.take(now + cut.chunks, one.head)
            waited += late
        now, late = words.take(now, steps)
        waited += late
        now += cut.cycles_per_position - steps
        first = first or now
        now += (cut.positions - 1) * cut.cycles_per_position
    return now, waited, first
