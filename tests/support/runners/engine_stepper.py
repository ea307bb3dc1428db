"""An engine run cycle by cycle: a word of weights at a time, an iteration at a time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.engines.hardware import EngineHardware
    from streamopt.ir.engines.table import LayerPass


def iterations(one: LayerPass) -> Iterator[bool]:
    """Yield whether each iteration of a layer's loop takes a word of weights."""
    cut = one.tiling
    steps = cut.steps if one.layer.weights is not None else 0
    for _ in range(one.groups * cut.tiles):
        if one.head:
            yield from [False] * cut.chunks + [True] * one.head
        for position in range(cut.positions):
            for cycle in range(cut.cycles_per_position):
                yield position == 0 and cycle < steps


def stepped_spans(hardware: EngineHardware) -> list[tuple[int, int]]:
    """Return when each layer begins, and when its last result is written."""
    table, supply = hardware.table, hardware.supply
    elems = sum(place.map.size_elems for place in table.inputs)
    size = elems * table.element.storage_bits // 8
    begin = supply.latency_cycles - (-size // hardware.input_bytes_per_cycle)
    came: list[int] = []
    left, ready = table.words, Fraction(begin if hardware.is_shared else supply.latency_cycles)
    spans: list[tuple[int, int]] = []
    clock = 0

    def tick(takes: bool) -> bool:
        """Move on by a cycle; return whether an iteration could run in it."""
        nonlocal left, ready, clock
        runs = not takes or bool(came and came[0] < clock)
        if left and ready <= clock and len(came) < supply.fifo_words:
            came.append(clock)
            left -= 1
            ready = (ready if clock - ready < 1 else Fraction(clock)) + supply.cycles_per_word
        if runs and takes:
            came.pop(0)
        clock += 1
        return runs

    while clock < begin:
        tick(takes=False)
    for one in table.passes:
        start = clock
        for takes in iterations(one):
            while not tick(takes):
                pass
        for _ in range(one.tiling.chunks + hardware.fill_cycles):
            tick(takes=False)
        spans.append((start, clock))
    return spans
