"""One kernel as a module: its control, its accesses, and an operator for every lane."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from amaranth.hdl import Cat, ClockDomain, Const, Module, Mux, Signal, Value

from streamopt.ir.network import Memory
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.lanes import OperatorLanes
from streamopt.rtl.blocks.loop_controller import LoopController
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.blocks.turn_controller import TurnController
from streamopt.rtl.blocks.word_choice import WordChoice
from streamopt.rtl.emission.held_wires import HeldWires
from streamopt.rtl.emission.local_memory import LocalMemoryWires
from streamopt.rtl.emission.numbers import identifier, number_bits
from streamopt.rtl.emission.operator_wires import OperatorWires
from streamopt.rtl.emission.routing import BankRouting
from streamopt.rtl.emission.value_wires import Lanes, ValueWires
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.conditions import ALWAYS
from streamopt.rtl.kernel.kernel import (
    FETCH_STAGE,
    Begun,
    Computed,
    Constant,
    CountedIndex,
    Fetched,
    Held,
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
)
from streamopt.rtl.kernel.places import BankPlace, StreamPlace
from streamopt.rtl.kernel.refusals import MOST_BITS, check_bits
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.printing import Netlist, netlist


@dataclass(frozen=True, slots=True)
class OutsideAccess:
    """Ports of a process to a memory outside: ``NAME_address`` and so on."""

    memory: str
    name: str
    is_write: bool
    address_bits: int
    banks: int
    """That have an address each; 0 where one is for all."""
    is_put: bool = False
    """Whether it writes any registers at once, without an address."""


class ProcessModule:
    """Makes the module of a kernel; used once.

    Attributes
    ----------
    ports
        Signals of the boundary by name, in order, with ``i`` or ``o``.
    accesses
        To memories outside.
    """

    def __init__(
        self, name: str, kernel: Kernel, memories: dict[str, Memory], frame_bits: int
    ) -> None:
        self.name, self.kernel = name, kernel
        self._outside = memories
        self._module, self._domain = Module(), ClockDomain("sync")
        self._module.domains += self._domain
        self.enable, self.hold = Signal(name="enable"), Signal(name="hold")
        self.ports: dict[str, tuple[str, Signal]] = {}
        self.accesses: list[OutsideAccess] = []
        self._memories: dict[LutMemory, None] = {}
        controller = LoopController if kernel.built is None else TurnController
        self._control = controller(self._module, kernel, self.enable, frame_bits)
        inside = self._module, self._domain, self.enable, self._control
        self._wires, self._operators = ValueWires(*inside), OperatorWires(*inside)
        held = self._module, self._control, self._wires
        self._held = HeldWires(*held, self.enable, memories, self._add_port)
        self._waits: list[Value] = []
        self._taken: dict[str, list[Value]] = {}
        self._locals = {
            memory.name: LocalMemoryWires(
                self._module, self._control, memory, is_word=kernel.keeps_words(memory)
            )
            for memory in kernel.memories
        }

    def source(self) -> Netlist:
        """Return the module.

        Raises
        ------
        CodegenError
            E640 if a port is too wide.
        """
        kernel, module = self.kernel, self._module
        self._wires.declare(kernel)
        self._held.declare(kernel)
        for value in kernel.values:
            self._wires.define(value, self._made(value))
        self._operators.join_in_turn(kernel, self._wires)
        for store in kernel.stores:
            self._store(store)
        for memory in self._locals.values():
            self._memories[memory.join(self._domain)] = None
        for send in kernel.sends:
            if isinstance(send, Send):
                self._send(send)
        self._held.write(kernel)
        self._take()
        going: Value = ~self.hold
        for wait in self._waits:
            going = going & ~wait
        module.d.comb += self.enable.eq(going)
        self._held.choose()
        self._control.join()
        inputs = [signal for to, signal in self.ports.values() if to == "i"]
        check_bits(self.name, inputs)
        is_wide = sum(map(len, inputs)) > MOST_BITS
        assert self._domain.rst is not None
        own = [
            self._domain.clk,
            self._domain.rst,
            self._control.ready,
            self._control.frame,
            self.hold,
        ]
        ports = [*own, *(signal for _, signal in self.ports.values())]
        return netlist(module, self.name, ports, inputs if is_wide else ())

    @property
    def leaves(self) -> tuple[OperatorBlock, ...]:
        """Return the operators that it uses."""
        return tuple(self._operators.leaves)

    @property
    def blocks(self) -> tuple[LutMemory | Delay | OperatorLanes | OperatorTree | WordChoice, ...]:
        """Return the other modules that it uses."""
        used = self._operators.blocks, self._wires.blocks, self._held.blocks
        return (*self._memories, *(block for blocks in used for block in blocks))

    def _port(self, direction: str, name: str, width: int = 1) -> Signal:
        self.ports[name] = (direction, Signal(width, name=name))
        return self.ports[name][1]

    def _made(self, value: KernelValue) -> Lanes:
        """Return the logic of a value's copies, in its stage."""
        match value.source:
            case Constant(number):
                return [Const(number_bits(number, value.form), value.form.bits)]
            case Received():
                return self._received(value, value.source)
            case Fetched() | Held():
                return self._fetched(value, value.source)
            case Recalled():
                return self._recalled(value, value.source)
            case Begun():
                return self._begun(value, value.source)
            case Holds() | CountedIndex():
                return []
            case Masked():
                return self._masked(value, value.source)
            case Computed() | Paired() | LanesCombined():
                return self._operators.made(self.kernel, value, value.source, self._wires)

    def _begun(self, value: KernelValue, source: Begun) -> Lanes:
        stages = [value.ready(at) for at in range(prod(self.kernel.lane_counts(value)))]
        before = self._wires.copies(source.partial, value.lanes, stages)
        begin = self._wires.copies(source.start, value.lanes, stages)
        whens = (self._control.when(source.first, stage) for stage in stages)
        return [Mux(*parts) for parts in zip(whens, begin, before, strict=True)]

    def _received(self, value: KernelValue, source: Received) -> Lanes:
        """Return a token of each stream; an iteration takes several in cycles one after another."""
        due = self._control.when(source.when, value.stage)
        self._taken.setdefault(source.fifo, []).append(due)
        fifo = identifier(source.fifo)
        if f"{fifo}_taken" not in self.ports:
            for direction, wire in (("i", "readable"), ("o", "read")):
                self._port(direction, f"{fifo}_{wire}")
            self._port("i", f"{fifo}_taken", value.form.bits * len(source.place.slots))
        return _slots(self.ports[f"{fifo}_taken"][1], source.place, value.form.bits)

    def _take(self) -> None:
        """Join the reads of each FIFO."""
        for name, dues in self._taken.items():
            due = Cat(*dues).any() if len(dues) > 1 else dues[0]
            wires = (self.ports[f"{identifier(name)}_{wire}"][1] for wire in ("readable", "read"))
            readable, read = wires
            self._waits.append(due & ~readable)
            self._module.d.comb += read.eq(due & self.enable)

    def _fetched(self, value: KernelValue, source: Fetched | Held) -> Lanes:
        if isinstance(source, Held):
            return self._held.read(value, source)
        memory = self._outside[source.memory]
        words, banks = memory_size(memory)
        bits, found = LutMemory(1, words).address_bits, dict[int, Value]()
        parts = source.place.parts()
        ports = source.ports or len(parts)
        for first in range(min(ports, len(parts))):
            turns = parts[first::ports]
            own = 0 if all(part.is_word for part in turns) else banks
            name = self._free(source.memory)
            routings = [BankRouting(self._module, self._control, part, bits) for part in turns]
            asked = [
                routing.addresses(turn) if own else routing.word_address(turn)
                for turn, routing in enumerate(routings)
            ]
            self.accesses.append(OutsideAccess(source.memory, name, False, bits, own))
            address = self._port("o", f"{name}_address", len(asked[0]))
            enable = self._port("o", f"{name}_enable")
            word = self._port("i", f"{name}_data", banks * value.form.bits)
            chosen = asked[0]
            for turn, other in enumerate(asked[1:], start=1):
                chosen = Mux(self._control.when(ALWAYS, turn), other, chosen)
            self._module.d.comb += [address.eq(chosen), enable.eq(self.enable)]
            assert FETCH_STAGE == 2
            there = self._wires.delayed(word, 1)
            for turn, routing in enumerate(routings):
                found |= routing.lanes(there, value.form.bits, FETCH_STAGE + turn)
        nothing = Const(0, value.form.bits)
        return [found.get(at, nothing) for at in range(len(source.place.offsets))]

    def _add_port(self, memory: str, kind: str, bits: int, count: int) -> dict[str, Value]:
        """Return the wires of one more port to a memory; see `AddPort`."""
        name, width = self._free(memory), count * self._outside[memory].element.bits
        writes = kind in ("put", "store", "write")
        self.accesses.append(OutsideAccess(memory, name, writes, bits, count, kind == "put"))
        wires: dict[str, Value] = {}
        if kind != "put":
            wires["address"] = self._port("o", f"{name}_address", bits * count)
        if writes:
            wires["write"] = self._port("o", f"{name}_write", count)
            wires["given"] = self._port("o", f"{name}_given", width)
        else:
            if kind == "read":
                wires["enable"] = self._port("o", f"{name}_enable")
            wires["data"] = self._port("i", f"{name}_data", width)
        return wires

    def _free(self, memory: str) -> str:
        """Return a name for one more port to a memory."""
        name = identifier(memory)
        again = sum(access.memory == memory for access in self.accesses)
        return f"{name}_{again + 1}" if again else name

    def _recalled(self, value: KernelValue, source: Recalled) -> Lanes:
        stages = [value.ready(at) for at in range(len(source.place.offsets))]
        found = self._locals[source.memory].read(source, stages)
        nothing = Const(0, value.form.bits)
        kept = [found.get(at, nothing) for at in range(len(source.place.offsets))]
        if not source.new:
            return kept
        new = self._wires.copies(source.new, value.lanes, None)
        if source.when == ALWAYS:
            return new
        whens = (self._control.truth(source.when, stage) for stage in stages)
        return [Mux(*parts) for parts in zip(whens, new, kept, strict=True)]

    def _masked(self, value: KernelValue, source: Masked) -> Lanes:
        stages = [value.ready(at) for at in range(prod(self.kernel.lane_counts(value)))]
        copies = self._wires.copies(source.operand, value.lanes, stages)
        idle = self._wires.copies(source.idle, value.lanes, stages)
        whens = source.whens * (len(copies) // len(source.whens))
        found: Lanes = []
        for at, (when, stage) in enumerate(zip(whens, stages, strict=True)):
            does = self._control.truth(when, stage)
            found.append(copies[at] if when == ALWAYS else Mux(does, copies[at], idle[at]))
        return found

    def _store(self, store: LocalWrite) -> None:
        stages = [store.stage + late for late in store.late] or store.stage
        copies = self._wires.copies(store.value, store.place.lanes, stages)
        self._locals[store.memory].write(store, copies, self.enable)

    def _send(self, send: Send) -> None:
        last = self.kernel.depth_cycles - 1
        copies = self._wires.copies(send.value, send.place.lanes, last)
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
