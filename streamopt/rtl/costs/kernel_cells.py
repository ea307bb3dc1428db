"""Cells of a kernel before it is written: operators as measured, registers counted, others fitted.

Operators, delays and memories are modules that are mapped once, so they count as often as they are
there. Around them are registers, which a kernel says, and some LUTs: for each bit of counters,
addresses and multiplexers, and for each condition. The numbers below were fitted once
(``results/rtl_cells``); addresses and operands of shared operators are counted as they are built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from streamopt.ir.network import Memory
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.costs.block_cells import delay_cells, memory_cells, row_cells
from streamopt.rtl.costs.counting_cells import CountingCells
from streamopt.rtl.costs.kernel_parts import KernelParts
from streamopt.rtl.costs.operator_cells import cells_of
from streamopt.rtl.costs.routing_cells import added_bits, read_bits, written_bits
from streamopt.rtl.costs.shared_wires import SharedWires
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.conditions import ALWAYS, NEVER, TileCondition
from streamopt.rtl.kernel.kernel import (
    Begun,
    Computed,
    Constant,
    CountedIndex,
    Fetched,
    Held,
    HeldWrite,
    Holds,
    Kernel,
    KernelValue,
    LanesCombined,
    LocalWrite,
    Masked,
    Paired,
    Recalled,
    Received,
    Send,
    copy_positions,
)
from streamopt.rtl.kernel.places import BankPlace, StreamPlace
from streamopt.rtl.kernel.sharing import SharedStart
from streamopt.rtl.kernel.subscripts import TileSum
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.target.resources import Resources

NOTHING = Resources()


BASE_LUTS = 4.0
COUNTER_LUTS, CONDITION_LUTS = 1.0, 1.0
"""For each bit, and each condition."""
CHOSEN_LUTS, TURNED_LUTS = 1.0, 0.5
"""For each bit of the parts of that name."""
ABSORBED_LUTS = 0.25
"""For a chosen bit where operators are shared, whose multiplexers take most of it in."""


def kernel_cells(
    kernel: Kernel, memories: Mapping[str, Memory], frame_bits: int
) -> Resources | None:
    """Return the cells of a kernel; None for one whose lanes are told apart, without estimate.

    Parameters
    ----------
    memories
        Of the network, by name.
    frame_bits
        Of the number of its frame.
    """
    reads = (value.source for value in kernel.values)
    if any(isinstance(one, Held | HeldWrite) for one in (*kernel.sends, *reads)):
        return None
    parts = kernel_parts(kernel, memories, frame_bits)
    luts = (
        BASE_LUTS
        + COUNTER_LUTS * parts.counter_bits
        + (CHOSEN_LUTS if kernel.ii == 1 else ABSORBED_LUTS) * parts.chosen_bits
        + parts.shared_luts
        + TURNED_LUTS * parts.turned_bits
        + parts.added_bits
        + CONDITION_LUTS * parts.conditions
    )
    return parts.modules + parts.registers + Resources(luts=round(luts))


def kernel_parts(kernel: Kernel, memories: Mapping[str, Memory], frame_bits: int) -> KernelParts:
    """Return the parts of a kernel; see `kernel_cells`."""
    return _Parts(kernel, memories).found(frame_bits)


class _Parts:
    """Collects the parts of one kernel; used once."""

    def __init__(self, kernel: Kernel, memories: Mapping[str, Memory]) -> None:
        self._kernel, self._memories = kernel, memories
        self._trips = {loop.name: loop.trip_count for loop in kernel.lanes}
        self._values = {value.name: value for value in kernel.values}
        self._wires = SharedWires(kernel)
        self._modules = NOTHING
        self._chosen = self._turned = self._added = 0
        self._choices: dict[object, int] = {}
        self._conditions: dict[TileCondition, None] = {}
        self._delays: dict[tuple[str, int, int], int] = {}
        self._lines: dict[object, int] = {}
        self._sums: dict[tuple[TileSum, int, int], set[int]] = {}
        self._readers: dict[str, int] = {}

    def found(self, frame_bits: int) -> KernelParts:
        """Return the parts that were collected."""
        kernel = self._kernel
        for value in kernel.values:
            self._value(value)
        for store in kernel.stores:
            self._store(store)
        for send in kernel.sends:
            if isinstance(send, Send):
                self._send(send)
        for memory in kernel.memories:
            self._local(memory)
        counters = [max(1, (tile.trip_count - 1).bit_length()) for tile in kernel.tiles]
        phase = (kernel.ii - 1).bit_length()
        lines = sum(self._lines.values()) + kernel.depth_cycles - 1
        registers = Resources(ffs=sum(counters) + phase + 2 + frame_bits + lines)
        counting = CountingCells(kernel.tiles)
        for (counted, first, bits), stages in self._sums.items():
            counting.add(counted, first, bits)
            for before, stage in pairwise(sorted({0, *stages})):
                registers += NOTHING if counted.is_constant else row_cells(bits, stage - before)
        for condition in self._conditions:
            self._compare(condition, counting)
        registers += counting.cells
        for (_, _, wait), bits in self._delays.items():
            self._modules += delay_cells(Delay(bits, wait))
        conditions = len(self._lines) + len(kernel.tiles)
        return KernelParts(
            self._modules,
            registers,
            sum(counters) + phase + frame_bits,
            self._chosen,
            sum(self._choices.values()),
            self._turned,
            self._added,
            conditions,
        )

    def _value(self, value: KernelValue) -> None:
        copies = prod(self._kernel.lane_counts(value))
        stages = [value.ready(at) for at in range(copies)]
        match value.source:
            case Received() | Fetched() | Recalled():
                self._read(value, value.source, stages)
            case Begun() | Masked():
                self._choose(value, value.source, stages)
            case Computed():
                self._compute(value, value.source)
            case Paired():
                self._pair(value, value.source)
            case LanesCombined():
                self._combine(value, value.source)
            case Constant() | Holds() | CountedIndex() | Held():
                pass

    def _read(
        self, value: KernelValue, source: Received | Fetched | Recalled, stages: Sequence[int]
    ) -> None:
        match source:
            case Received(_, _, when):
                self._when(when, value.stage)
            case Fetched():
                self._fetch(value, source)
            case Recalled(memory, place, new, when):
                if not source.is_forwarded:
                    self._recall(memory, place, value.stage)
                self._take(new, value.lanes, stages)
                if new and when != ALWAYS:
                    for stage in {*stages}:
                        self._truth(when, stage)
                    self._chosen += len(stages) * value.form.bits

    def _choose(self, value: KernelValue, source: Begun | Masked, stages: Sequence[int]) -> None:
        for name in source.operands:
            self._take(name, value.lanes, stages)
        if isinstance(source, Begun):
            for stage in {*stages}:
                self._when(source.first, stage)
            self._chosen += len(stages) * value.form.bits
            return
        for at, stage in enumerate(stages):
            when = source.whens[at % len(source.whens)]
            self._truth(when, stage)
            self._chosen += value.form.bits * (when != ALWAYS)

    def _compute(self, value: KernelValue, source: Computed) -> None:
        copies, leaf = prod(self._kernel.lane_counts(value)), source.leaf
        stages = [start.stage for start in source.starts]
        stages = stages or [value.ready(at) - leaf.levels for at in range(copies)]
        for name in source.operands:
            self._take(name, value.lanes, stages)
        self._operators(leaf, len({start.unit for start in source.starts}) or copies)
        if source.starts:
            given = (self._wires.taken(name, value.lanes, stages) for name in source.operands)
            self._turns(leaf, source.starts, [*given])

    def _pair(self, value: KernelValue, source: Paired) -> None:
        leaf = source.leaf
        stages = [value.ready(at) - leaf.levels for at in range(sum(map(len, source.pairs)))]
        for name in (source.common, source.own):
            self._take(name, value.lanes, stages)
        units = len({start.unit for start in source.starts}) or len(source.pairs)
        self._operators(leaf, units)
        if source.starts:
            common, own = (
                self._wires.taken(name, value.lanes, stages) for name in (source.common, source.own)
            )
            given = source.by_pair(common, own, None)
            self._turns(leaf, source.starts, [*zip(*given, strict=True)])

    def _combine(self, value: KernelValue, source: LanesCombined) -> None:
        terms = prod(self._trips[name] for name in source.over)
        trees = prod(self._kernel.lane_counts(value))
        lanes, leaf = (*value.lanes, *source.over), source.leaf
        if not source.steps:
            begin = value.stage - source.levels(self._trips)
            self._take(source.operand, lanes, [begin] * (trees * terms))
            self._operators(leaf, trees * (terms - 1))
            tree = OperatorTree(leaf, terms)
            for delay in tree.waiting:
                self._modules += delay_cells(delay).scaled(trees * len(tree.waits))
            return
        operand = self._values[source.operand]
        places = copy_positions(lanes, operand.lanes, self._trips)
        made: dict[tuple[int, int], SharedStart] = {}
        counts = [terms] * trees
        given: tuple[list[object], list[object]] = ([], [])
        for step in source.steps:
            for number, taken in zip((step.left, step.right), given, strict=True):
                if number < terms:
                    at = places[step.group * terms + number]
                    self._delay(operand, at, step.start.stage)
                    taken.append(self._wires.wire(operand, at, step.start.stage))
                else:
                    before = made[step.group, number]
                    wait = step.start.stage - before.stage - leaf.levels
                    key = (f"{value.name} {number}", step.group, wait)
                    self._delays |= {key: leaf.result.bits} if wait else {}
                    taken.append((value.name, before.unit, wait))
            made[step.group, counts[step.group]] = step.start
            counts[step.group] += 1
        starts = [step.start for step in source.steps]
        self._operators(leaf, len({start.unit for start in starts}))
        self._turns(leaf, starts, given)

    def _operators(self, leaf: OperatorBlock, count: int) -> None:
        cells = cells_of(leaf)
        self._modules += NOTHING if cells is None else cells.scaled(count)

    def _turns(
        self, leaf: OperatorBlock, starts: Sequence[SharedStart], given: Sequence[Sequence[object]]
    ) -> None:
        """Count the multiplexers in front of operators that are shared.

        Parameters
        ----------
        given
            By operand, the wire that each start takes; one wire is no choice.
        """
        for form, wires in zip(leaf.operands, given, strict=False):
            by_unit: dict[int, dict[object, None]] = {}
            for start, wire in zip(starts, wires, strict=True):
                by_unit.setdefault(start.unit, {})[wire] = None
            for ways in by_unit.values():
                self._choices[tuple(ways)] = form.bits * (len(ways) // 2)
        for stage in {start.stage for start in starts}:
            self._when(ALWAYS, stage)

    def _take(self, name: str, lanes: Sequence[str], stages: Sequence[int]) -> None:
        """Count the registers in which copies of a value wait until given stages."""
        if not name:
            return
        value = self._values[name]
        positions = copy_positions(lanes, value.lanes, self._trips)
        for at, stage in zip(positions, stages, strict=True):
            self._delay(value, at, stage)

    def _delay(self, value: KernelValue, at: int, stage: int) -> None:
        match value.source:
            case Constant():
                return
            case CountedIndex(sums):
                self._sum(*sums[at], value.form.bits, stage)
            case Holds(whens):
                self._truth(whens[at % len(whens)], stage)
                return
            case _:
                wait = stage - value.ready(at)
                if wait > 0:
                    self._delays[value.name, at, wait] = value.form.bits

    def _when(self, condition: TileCondition, stage: int) -> None:
        self._conditions[condition] = None
        self._lines[condition] = max(stage, self._lines.get(condition, 0))

    def _truth(self, condition: TileCondition, stage: int) -> None:
        if condition not in (ALWAYS, NEVER):
            self._conditions[condition] = None
            key = ("truth", condition)
            self._lines[key] = max(stage, self._lines.get(key, 0))

    def _sum(self, counted: TileSum, first: int, bits: int, stage: int) -> None:
        self._sums.setdefault((counted, first, bits), set()).add(stage)

    def _compare(self, condition: TileCondition, counting: CountingCells) -> None:
        """Count the sums that a condition compares beside the counters of loops."""
        tiles = self._kernel.tiles
        counters = {tile.name for tile in tiles}
        for test in (test for alternative in condition for test in alternative):
            if test.name not in counters:
                low, high = test.compared.bounds(tiles)
                counting.add(test.compared, -low, max(1, (high - low).bit_length()))

    def _address(self, place: BankPlace, words: int, stage: int) -> None:
        """Count the address of an access, and what its banks add to it."""
        bits = LutMemory(1, words).address_bits
        if place.is_word:
            self._sum(place.base, place.added(place.offsets[place.points[0]]), bits, stage)
            return
        self._sum(place.base, 0, bits, stage)
        for dimension in place.dimensions:
            if dimension.turns != (0,):
                self._sum(dimension.turn, 0, max(1, max(dimension.turns).bit_length()), stage)
        self._added += added_bits(place, bits)

    def _fetch(self, value: KernelValue, source: Fetched) -> None:
        words, banks = memory_size(self._memories[source.memory])
        parts = source.place.parts()
        ports = min(source.ports or len(parts), len(parts))
        self._modules += Resources(ffs=banks * value.form.bits * ports)
        for turn, part in enumerate(parts):
            self._address(part, words, turn // ports)
            self._turned += read_bits(part, value.form.bits)

    def _recall(self, memory: str, place: BankPlace, stage: int) -> None:
        own = next(one for one in self._kernel.memories if one.name == memory)
        for part in place.parts():
            self._readers[memory] = self._readers.get(memory, 0) + 1
            self._address(part, memory_size(own)[0], stage)
            self._turned += read_bits(part, own.element.bits)

    def _store(self, store: LocalWrite) -> None:
        own = next(one for one in self._kernel.memories if one.name == store.memory)
        stages = [store.stage + late for late in store.late]
        stages = stages or [store.stage] * len(store.place.offsets)
        self._take(store.value, store.place.lanes, stages)
        for at, stage in enumerate(stages):
            self._when(store.whens[at % len(store.whens)], stage)
        self._address(store.place, memory_size(own)[0], store.stage)
        self._turned += written_bits(store.place, own.element.bits)

    def _send(self, send: Send) -> None:
        last = self._kernel.depth_cycles - 1
        self._take(send.value, send.place.lanes, [last] * _count(send.place))
        for when in {*send.whens}:
            self._when(when, last)
        if isinstance(send.place, BankPlace):
            memory = self._memories[send.target]
            self._address(send.place, memory_size(memory)[0], last)
            self._turned += written_bits(send.place, memory.element.bits)

    def _local(self, memory: Memory) -> None:
        if memory.name not in self._readers:
            return
        words, banks = memory_size(memory)
        readers, bits = self._readers[memory.name], memory.element.bits
        if self._kernel.keeps_words(memory):
            self._modules += memory_cells(LutMemory(bits * banks, words, readers))
        else:
            self._modules += memory_cells(LutMemory(bits, words, readers)).scaled(banks)


def _count(place: BankPlace | StreamPlace) -> int:
    return len(place.offsets if isinstance(place, BankPlace) else place.slots)
