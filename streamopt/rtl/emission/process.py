"""One kernel as a module: its control, its accesses, and an operator for every lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from amaranth.hdl import Cat, ClockDomain, Const, Instance, Module, Mux, Signal, Value

from streamopt.ir.network import Memory
from streamopt.rtl.blocks.controller import LoopController
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.emission.local_memory import LocalMemoryWires, memory_size
from streamopt.rtl.emission.numbers import identifier, number_bits
from streamopt.rtl.emission.routing import BankRouting
from streamopt.rtl.kernel.conditions import ALWAYS
from streamopt.rtl.kernel.kernel import (
    FETCH_STAGE,
    STREAM_STAGE,
    Begun,
    Computed,
    Constant,
    Fetched,
    Holds,
    Kernel,
    KernelValue,
    LanesCombined,
    LocalWrite,
    Masked,
    Recalled,
    Received,
    Send,
)
from streamopt.rtl.kernel.places import BankPlace, StreamPlace
from streamopt.rtl.operators.leaf import OPERANDS, OperatorBlock
from streamopt.rtl.operators.stages import CutPlaces
from streamopt.rtl.printing import verilog_text

Lanes = list[Value]
"""A value's copies, by its lanes' iterations in row-major order."""


@dataclass(frozen=True, slots=True)
class OutsideAccess:
    """Ports of a process to a memory outside: ``NAME_address`` and so on."""

    memory: str
    name: str
    is_write: bool
    address_bits: int
    banks: int
    """That have an address each; 0 where one is for all."""


class ProcessModule:
    """Makes the module of a kernel; used once.

    Attributes
    ----------
    ports
        Signals of the boundary by name, in order, with ``i`` or ``o``.
    waits
        Whether it starts when those are done that fill its buffers.
    accesses
        To memories outside.
    leaves, blocks
        Modules that it uses.
    """

    def __init__(
        self, name: str, kernel: Kernel, memories: dict[str, Memory], *, waits: bool
    ) -> None:
        self.name, self.kernel, self.waits = name, kernel, waits
        self._outside = memories
        self._module, self._domain = Module(), ClockDomain("sync")
        self._module.domains += self._domain
        self.enable = Signal(name="enable")
        self.ports: dict[str, tuple[str, Signal]] = {}
        self.accesses: list[OutsideAccess] = []
        self.leaves: dict[OperatorBlock, None] = {}
        self.blocks: dict[LutMemory | Delay | OperatorTree, None] = {}
        self._control = LoopController(self._module, kernel, self.enable, waits=waits)
        self._values: dict[tuple[str, int], Lanes] = {}
        self._waits: list[Value] = []
        self._parts = 0
        self._locals = {
            memory.name: LocalMemoryWires(
                self._module, self._control, memory, is_word=kernel.keeps_words(memory)
            )
            for memory in kernel.memories
        }

    def verilog(self) -> str:
        """Return the module's text."""
        kernel, module = self.kernel, self._module
        for value in kernel.values:
            self._values[value.name, 0] = self._declared(value)
        for value in kernel.values:
            copies = zip(self._values[value.name, 0], self._made(value), strict=True)
            module.d.comb += [signal.eq(made) for signal, made in copies]
        for store in kernel.stores:
            self._store(store)
        for memory in self._locals.values():
            self.blocks[memory.join(self._domain)] = None
        for send in kernel.sends:
            self._send(send)
        going: Value = Const(1, 1)
        for wait in self._waits:
            going = going & ~wait
        module.d.comb += self.enable.eq(going)
        assert self._domain.rst is not None
        own = [self._domain.clk, self._domain.rst, self._control.start, self._control.done]
        if self._control.ready is not None:
            own.append(self._control.ready)
        ports = [*own, *(signal for _, signal in self.ports.values())]
        return verilog_text(module, self.name, ports)

    def _port(self, direction: str, name: str, width: int = 1) -> Signal:
        self.ports[name] = (direction, Signal(width, name=name))
        return self.ports[name][1]

    def _declared(self, value: KernelValue) -> Lanes:
        counts = self.kernel.lane_counts(value)
        points = product(*map(range, counts))
        base = identifier(value.name)
        names = ("_".join([base, *map(str, point)]) for point in points)
        return [Signal(value.form.bits, name=name) for name in names]

    def _made(self, value: KernelValue) -> Lanes:
        """Return the logic of a value's copies, in its stage."""
        match value.source:
            case Constant(number):
                return [Const(number_bits(number, value.form), value.form.bits)]
            case Received():
                return self._received(value, value.source)
            case Fetched():
                return self._fetched(value, value.source)
            case Recalled():
                return self._recalled(value, value.source)
            case Begun(partial, start, first):
                when = self._control.when(first, value.stage)
                pairs = zip(
                    self._copies(partial, value.lanes, value.stage),
                    self._copies(start, value.lanes, value.stage),
                    strict=True,
                )
                return [Mux(when, begin, before) for before, begin in pairs]
            case Holds(whens):
                return [self._control.truth(when, value.stage) for when in whens]
            case Masked():
                return self._masked(value, value.source)
            case Computed():
                return self._computed(value, value.source)
            case LanesCombined():
                return self._combined(value, value.source)

    def _received(self, value: KernelValue, source: Received) -> Lanes:
        due = self._control.when(source.when, STREAM_STAGE)
        fifo = identifier(source.fifo)
        readable = self._port("i", f"{fifo}_readable")
        read = self._port("o", f"{fifo}_read")
        word = self._port("i", f"{fifo}_taken", value.form.bits * len(source.place.slots))
        self._waits.append(due & ~readable)
        self._module.d.comb += read.eq(due & self.enable)
        return _slots(word, source.place, value.form.bits)

    def _fetched(self, value: KernelValue, source: Fetched) -> Lanes:
        memory = self._outside[source.memory]
        words, banks = memory_size(memory)
        bits, found = LutMemory(1, words).address_bits, dict[int, Value]()
        for part in source.place.parts():
            name = self._free(source.memory)
            routing = BankRouting(self._module, self._control, part, bits)
            asked = routing.word_address(0) if part.is_word else routing.addresses(0)
            own = 0 if part.is_word else banks
            self.accesses.append(OutsideAccess(source.memory, name, False, bits, own))
            address = self._port("o", f"{name}_address", len(asked))
            enable = self._port("o", f"{name}_enable")
            word = self._port("i", f"{name}_data", banks * value.form.bits)
            self._module.d.comb += [address.eq(asked), enable.eq(self.enable)]
            assert FETCH_STAGE == 2
            found |= routing.lanes(self._delayed(word, 1), value.form.bits, FETCH_STAGE)
        nothing = Const(0, value.form.bits)
        return [found.get(at, nothing) for at in range(len(source.place.offsets))]

    def _free(self, memory: str) -> str:
        """Return a name for one more port to a memory."""
        name = identifier(memory)
        again = sum(port.endswith("_address") and port.startswith(name) for port in self.ports)
        return f"{name}_{again + 1}" if again else name

    def _recalled(self, value: KernelValue, source: Recalled) -> Lanes:
        found = self._locals[source.memory].read(source, value.stage)
        nothing = Const(0, value.form.bits)
        kept = [found.get(at, nothing) for at in range(len(source.place.offsets))]
        if not source.new:
            return kept
        new = self._copies(source.new, value.lanes, None)
        if source.when == ALWAYS:
            return new
        when = self._control.when(source.when, value.stage)
        return [Mux(when, fresh, old) for fresh, old in zip(new, kept, strict=True)]

    def _masked(self, value: KernelValue, source: Masked) -> Lanes:
        copies = self._copies(source.operand, value.lanes, value.stage)
        idle = self._copies(source.idle, value.lanes, value.stage)
        whens = source.whens * (len(copies) // len(source.whens))
        found: Lanes = []
        for when, busy, other in zip(whens, copies, idle, strict=True):
            does = self._control.truth(when, value.stage)
            found.append(busy if when == ALWAYS else Mux(does, busy, other))
        return found

    def _computed(self, value: KernelValue, source: Computed) -> Lanes:
        stage = value.stage - source.leaf.levels
        operands = [self._copies(name, value.lanes, stage) for name in source.operands]
        return [self._operator(source.leaf, value, taken) for taken in zip(*operands, strict=True)]

    def _operator(
        self, leaf: OperatorBlock, value: KernelValue, operands: Sequence[Value]
    ) -> Value:
        """Return the result of one operator: of a module, or of logic where it has no registers."""
        if not leaf.levels:
            return leaf.logic(CutPlaces(self._module, self.enable, 0, ()), *operands)
        self.leaves[leaf] = None
        result = Signal(leaf.result.bits, name=f"{identifier(value.name)}_result")
        given = {f"i_{name}": one for name, one in zip(OPERANDS, operands, strict=False)}
        self._parts += 1
        self._module.submodules[f"operator_{self._parts}"] = Instance(
            leaf.name, i_clk=self._domain.clk, i_en=self.enable, **given, o_y=result
        )
        return result

    def _combined(self, value: KernelValue, source: LanesCombined) -> Lanes:
        trips = {loop.name: loop.trip_count for loop in self.kernel.lanes}
        terms = prod(trips[name] for name in source.over)
        begin = value.stage - source.leaf.levels * (terms - 1).bit_length()
        copies = self._copies(source.operand, (*value.lanes, *source.over), begin)
        groups = (copies[at : at + terms] for at in range(0, len(copies), terms))
        return [self._tree(value, source, group) for group in groups]

    def _tree(self, value: KernelValue, source: LanesCombined, terms: Lanes) -> Value:
        if len(terms) == 1:
            return terms[0]
        block = OperatorTree(source.leaf, len(terms))
        self.leaves[source.leaf] = None
        self.blocks |= dict.fromkeys([block, *block.waiting])
        result = Signal(value.form.bits, name=f"{identifier(value.name)}_tree")
        self._parts += 1
        self._module.submodules[f"tree_{self._parts}"] = Instance(
            block.name, i_clk=self._domain.clk, i_en=self.enable, i_terms=Cat(*terms), o_y=result
        )
        return result

    def _delayed(self, value: Value, levels: int) -> Value:
        """Return a value some cycles later, of those in which the process moves."""
        if not levels:
            return value
        block = Delay(len(value), levels)
        self.blocks[block] = None
        later = Signal(len(value), name="delayed")
        self._parts += 1
        self._module.submodules[f"delay_{self._parts}"] = Instance(
            block.name, i_clk=self._domain.clk, i_en=self.enable, i_given=value, o_taken=later
        )
        return later

    def _copies(self, name: str, lanes: Sequence[str], stage: int | None) -> Lanes:
        """Return a value in each of some lanes, in a stage; in its own if none is said."""
        value = self.kernel.value(name)
        if isinstance(value.source, Holds):
            return self._truths(value, value.source, lanes, stage or 0)
        wait = 0 if stage is None or isinstance(value.source, Constant) else stage - value.stage
        assert wait >= 0, f"{name} is needed in stage {stage}, {-wait} before it is there"
        if (name, wait) not in self._values:
            now = self._values[name, 0]
            self._values[name, wait] = [self._delayed(one, wait) for one in now]
        copies = self._values[name, wait]
        return [copies[at] for at in self._positions(value, lanes)]

    def _truths(self, value: KernelValue, source: Holds, lanes: Sequence[str], stage: int) -> Lanes:
        """Return whether conditions hold in lanes; what waits is made once for all that ask."""
        whens = source.whens
        positions = self._positions(value, lanes)
        return [self._control.truth(whens[at % len(whens)], stage) for at in positions]

    def _positions(self, value: KernelValue, lanes: Sequence[str]) -> list[int]:
        """Return which copy of a value each iteration of some lanes takes."""
        counts = {loop.name: loop.trip_count for loop in self.kernel.lanes}
        found: list[int] = []
        for point in product(*(range(counts[lane]) for lane in lanes)):
            at = dict(zip(lanes, point, strict=True))
            place = 0
            for lane in value.lanes:
                place = place * counts[lane] + at[lane]
            found.append(place)
        return found

    def _store(self, store: LocalWrite) -> None:
        copies = self._copies(store.value, store.place.lanes, store.stage)
        self._locals[store.memory].write(store, copies, self.enable)

    def _send(self, send: Send) -> None:
        last = self.kernel.depth_cycles - 1
        copies = self._copies(send.value, send.place.lanes, last)
        if isinstance(send.place, StreamPlace):
            (when,) = send.whens
            due = self._control.when(when, last)
            name = identifier(send.target)
            writable = self._port("i", f"{name}_writable")
            self._waits.append(due & ~writable)
            self._give(name, due & self.enable, _word(copies, send.place))
        else:
            self._put(send, send.place, copies)

    def _put(self, send: Send, place: BankPlace, copies: Lanes) -> None:
        """Write a memory outside: all its banks at once, or those that lanes are at."""
        last, whens = self.kernel.depth_cycles - 1, send.whens
        words, banks = memory_size(self._outside[send.target])
        bits, name = LutMemory(1, words).address_bits, self._free(send.target)
        routing = BankRouting(self._module, self._control, place, bits)
        is_word = place.is_word and len(whens) == 1 and len(place.points) == banks
        due = [self._control.when(when, last) for when in whens]
        data, written = routing.written(copies, lambda at: due[at % len(due)], last)
        asked = routing.word_address(last) if is_word else routing.addresses(last)
        write = due[0] & self.enable if is_word else Mux(self.enable, written, Const(0, banks))
        access = OutsideAccess(send.target, name, True, bits, 0 if is_word else banks)
        self.accesses.append(access)
        self._module.d.comb += self._port("o", f"{name}_address", len(asked)).eq(asked)
        self._give(name, write, data)

    def _give(self, name: str, write: Value, word: Value) -> None:
        self._module.d.comb += [
            self._port("o", f"{name}_write", len(write)).eq(write),
            self._port("o", f"{name}_given", len(word)).eq(word),
        ]


def _slots(word: Value, place: StreamPlace, bits: int) -> Lanes:
    return [word[slot * bits : (slot + 1) * bits] for slot in place.slots]


def _word(copies: Lanes, place: StreamPlace) -> Value:
    """Return copies side by side, in the order of their slots."""
    slots = dict(zip(place.slots, copies, strict=True))
    return Cat(*(slots[slot] for slot in sorted(slots)))
