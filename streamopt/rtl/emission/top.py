"""The top module: processes, and the FIFOs and buffers between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

from amaranth.hdl import ClockDomain, Const, Instance, Module, Mux, Signal, Value

from streamopt.ir.network import Fifo, Memory, Network, Place
from streamopt.rtl.blocks.buffer import BufferMemory, writer_suffix
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.lanes import OperatorLanes
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.registers import RegisterStore
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.blocks.word_choice import WordChoice
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import OutsideAccess, ProcessModule
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.phase_parts import word_cycles
from streamopt.rtl.kernel.refusals import check_bits
from streamopt.rtl.printing import verilog_text
from streamopt.rtl.rtl_design import OutsidePort

_WRITE_WIRES = ("write", "write_at", "given")
_INSIDE = (Place.PING_PONG, Place.LOCAL)
"""Places of memories that belong to the design."""
Block: TypeAlias = (
    BufferMemory
    | Delay
    | FifoBlock
    | LutMemory
    | OperatorLanes
    | OperatorTree
    | RegisterStore
    | WordChoice
)
_User: TypeAlias = tuple[ProcessModule, OutsideAccess]


class TopModule:
    """Makes the top module of a design, whose processes have been made; used once.

    Attributes
    ----------
    blocks
        Modules that it uses beside the processes.
    channels
        FIFOs and buffers, as often as they are there.
    outside
        Its ports to memories.

    Parameters
    ----------
    follows
        The loop nest after which another one of the same process runs.
    """

    def __init__(
        self,
        name: str,
        processes: Sequence[ProcessModule],
        network: Network,
        follows: Mapping[str, str],
    ) -> None:
        self._name, self._processes, self._follows = name, processes, follows
        self._module, self._domain = Module(), ClockDomain("sync")
        self._module.domains += self._domain
        self.blocks: list[Block] = []
        self.channels: list[BufferMemory | FifoBlock] = []
        self.outside: list[OutsidePort] = []
        self._given: list[Signal] = []
        self._inside: dict[tuple[str, str], Signal] = {}
        """Wires that don't leave the design, by process and port."""
        for fifo in network.fifos:
            self._join_fifo(identifier(fifo.name), fifo)
        used = {access.memory for process in processes for access in process.accesses}
        for memory in network.memories:
            if memory.name in used and memory.place in _INSIDE:
                is_held = memory.place is Place.LOCAL and not word_cycles(memory)
                (self._join_registers if is_held else self._join_buffer)(memory)
            elif memory.name in used:
                self._join_outside(memory)

    @property
    def _clock(self) -> dict[str, Value]:
        assert self._domain.rst is not None
        return {"i_clk": self._domain.clk, "i_rst": self._domain.rst}

    def _wire(self, process: ProcessModule, port: str) -> Signal:
        """Return the wire at a port of a process."""
        signal = Signal(len(process.ports[port][1]), name=f"{process.name}_{port}")
        self._inside[process.name, port] = signal
        return signal

    def _join_fifo(self, name: str, fifo: Fifo) -> None:
        block = FifoBlock(fifo.element.bits * prod(fifo.lanes), fifo.depth_elems)
        self.blocks += [block, block.memory]
        self.channels.append(block)
        writer = next(p for p in self._processes if f"{name}_writable" in p.ports)
        reader = next(p for p in self._processes if f"{name}_readable" in p.ports)
        sides = {"write": writer, "given": writer, "writable": writer}
        sides |= {"read": reader, "taken": reader, "readable": reader}
        joined = {
            f"{'o' if process.ports[f'{name}_{wire}'][0] == 'i' else 'i'}_{wire}": self._wire(
                process, f"{name}_{wire}"
            )
            for wire, process in sides.items()
        }
        self._module.submodules[f"fifo_{name}"] = Instance(block.name, **self._clock, **joined)

    def _join_buffer(self, memory: Memory) -> None:
        users = self._users(memory)
        words, banks = memory_size(memory)
        name, bits = identifier(memory.name), memory.element.bits
        reads = [(process, access) for process, access in users if not access.is_write]
        own = banks if any(access.banks for _, access in users) else 0
        writers = self._writers(memory)
        block = BufferMemory(bits if own else banks * bits, words, len(reads), len(writers))
        self.blocks.append(block)
        self.channels += [block] * (own or 1)
        written = [self._written(f"{name}{writer_suffix(at)}", one, own) for at, one in writers]
        asked: list[tuple[Value, Value, Value]] = []
        for process, access in reads:
            wires = (f"{access.name}_{wire}" for wire in ("enable", "address", "data"))
            enable, address, data = (self._wire(process, wire) for wire in wires)
            asked.append((enable, _for_banks(address, access, own), data))
        for bank in range(own or 1):
            part = bank if own else None
            joined: dict[str, Value] = {"i_clk": self._domain.clk}
            for at, wires in enumerate(written):
                for wire, value in zip(_WRITE_WIRES, wires, strict=True):
                    joined[f"i_{wire}{writer_suffix(at)}"] = _bank(value, part, own)
            for at, (enable, address, data) in enumerate(asked):
                joined[f"i_enable_{at}"] = enable
                joined[f"i_read_at_{at}"] = _bank(address, part, own)
                joined[f"o_taken_{at}"] = _bank(data, part, own)
            where = f"buffer_{name}" if part is None else f"buffer_{name}_bank_{bank}"
            self._module.submodules[where] = Instance(block.name, **joined)

    def _join_outside(self, memory: Memory) -> None:
        """Bring the ports to a memory outside; those of nests that write one by one are one."""
        for process, access in self._users(memory):
            if not access.is_write:
                self._bring(memory, f"{process.name}_{access.name}", access, access.banks)
        for at, one in self._writers(memory):
            (process, access), *others = one
            if not others:
                self._bring(memory, f"{process.name}_{access.name}", access, access.banks)
                continue
            banks = memory.banks if any(access.banks for _, access in one) else 0
            port = f"{identifier(memory.name)}_joined{writer_suffix(at)}"
            self._bring(memory, port, access, banks)
            written = self._written(f"{port}_now", one, banks)
            for wire, value in zip(("write", "address", "given"), written, strict=True):
                self._given.append(Signal(len(value), name=f"{port}_{wire}"))
                self._module.d.comb += self._given[-1].eq(value)

    def _bring(self, memory: Memory, name: str, access: OutsideAccess, banks: int) -> None:
        bits = access.address_bits
        self.outside.append(OutsidePort(memory.name, name, access.is_write, bits, banks))

    def _join_registers(self, memory: Memory) -> None:
        name, bits, banks = identifier(memory.name), memory.element.bits, memory.banks
        users, stores = self._users(memory), self._writers(memory)
        puts = [(process, access) for process, access in users if access.is_put]
        reads = [(process, access) for process, access in users if not access.is_write]
        counts = tuple(access.banks for _, access in reads)
        block = RegisterStore(bits, banks, len(stores), len(puts), counts)
        check_bits(block.name, (count * bits for count in counts))
        self.blocks.append(block)
        joined: dict[str, Value] = {"i_clk": self._domain.clk}
        for at, (process, access) in enumerate(reads):
            joined[f"i_read_at_{at}"] = self._wire(process, f"{access.name}_address")
            joined[f"o_taken_{at}"] = self._wire(process, f"{access.name}_data")
        for at, one in stores:
            wires = self._written(f"{name}{writer_suffix(at)}", one, 1)
            joined |= {f"i_{w}_{at}": v for w, v in zip(_WRITE_WIRES, wires, strict=True)}
        for at, (process, access) in enumerate(puts):
            joined[f"i_put_{at}"] = self._wire(process, f"{access.name}_write")
            joined[f"i_put_given_{at}"] = self._wire(process, f"{access.name}_given")
        self._module.submodules[f"registers_{name}"] = Instance(block.name, **joined)

    def _users(self, memory: Memory) -> list[_User]:
        """Return the accesses to a memory, and whose they are."""
        return [(p, a) for p in self._processes for a in p.accesses if a.memory == memory.name]

    def _writers(self, memory: Memory) -> list[tuple[int, list[_User]]]:
        """Return the accesses by the write ports that they use; only those of one nest overlap."""
        found: dict[int, list[_User]] = {}
        for process in self._processes:
            writes = (a for a in process.accesses if a.is_write and not a.is_put)
            own = (access for access in writes if access.memory == memory.name)
            for at, access in enumerate(own):
                found.setdefault(at, []).append((process, access))
        return [*found.items()]

    def _written(
        self, name: str, writes: Sequence[_User], banks: int
    ) -> tuple[Value, Value, Value]:
        """Return bits, addresses and data of those who use a write port, one after another."""
        found: list[tuple[Value, Value, Value]] = []
        for process, access in writes:
            wires = (f"{access.name}_{wire}" for wire in ("write", "address", "given"))
            write, address, given = (self._wire(process, wire) for wire in wires)
            bits = write if access.banks == banks else write.replicate(banks)
            found.append((bits, _for_banks(address, access, banks), given))
        if len(found) == 1:
            return found[0]
        (write, address, given), *others = found
        for one, at, data in others:
            write, address, given = (
                write | one,
                Mux(one.any(), at, address),
                Mux(one.any(), data, given),
            )
        signals = tuple(
            Signal(len(value), name=f"{name}_{wire}")
            for value, wire in zip((write, address, given), _WRITE_WIRES, strict=True)
        )
        self._module.d.comb += [
            signal.eq(value) for signal, value in zip(signals, (write, address, given), strict=True)
        ]
        return signals[0], signals[1], signals[2]

    def verilog(self) -> str:
        """Return the module's text.

        Raises
        ------
        CodegenError
            E640 if its ports are too wide together.
        """
        start, done = Signal(name="start"), Signal(name="done")
        hold = Signal(len(self._processes), name="hold")
        ends = {p.name: Signal(name=f"{p.name}_done") for p in self._processes}
        outside = [*ends.values(), *self._given]
        ended: Value = Const(1, 1)
        for at, process in enumerate(self._processes):
            joined: dict[str, Value] = {"i_start": start, "o_done": ends[process.name]}
            joined["i_hold"] = hold[at]
            if process.waits:
                first = self._follows.get(process.name)
                joined["i_ready"] = ends[first] if first else self._filled(process, ends)
            for port, (direction, signal) in process.ports.items():
                wire = self._inside.get((process.name, port))
                if wire is None:
                    wire = Signal(len(signal), name=f"{process.name}_{port}")
                    outside.append(wire)
                joined[f"{direction}_{port}"] = wire
            self._module.submodules[f"process_{process.name}"] = Instance(
                process.name, **self._clock, **joined
            )
            ended = ended & ends[process.name]
        self._module.d.comb += done.eq(ended)
        check_bits(self._name, self._taken_bits())
        assert self._domain.rst is not None
        ports = [self._domain.clk, self._domain.rst, start, done, hold, *outside]
        return verilog_text(self._module, self._name, ports)

    def _taken_bits(self) -> Iterator[int]:
        """Yield the widths of the words that come from memories outside."""
        for process in self._processes:
            for port, (direction, signal) in process.ports.items():
                if direction == "i" and (process.name, port) not in self._inside:
                    yield len(signal)

    def _filled(self, reader: ProcessModule, ends: Mapping[str, Signal]) -> Value:
        """Return whether those are done that write the buffers of a process."""
        nests = [reader.name]
        nests += [name for name in self._follows if self._first(name) == reader.name]
        wanted = {
            access.memory
            for process in self._processes
            if process.name in nests
            for access in process.accesses
            if not access.is_write
        }
        ready: Value = Const(1, 1)
        for process in self._processes:
            fills = any(a.is_write and a.memory in wanted for a in process.accesses)
            if fills and process.name not in nests:
                ready = ready & ends[process.name]
        return ready

    def _first(self, name: str) -> str:
        """Return the first loop nest of a process."""
        while name in self._follows:
            name = self._follows[name]
        return name


def _for_banks(address: Value, access: OutsideAccess, banks: int) -> Value:
    """Return the address of each bank, where some access has them."""
    return address.replicate(banks) if banks and not access.banks else address


def _bank(value: Value, bank: int | None, banks: int) -> Value:
    """Return the part of a value side by side that is one bank's; all of it for none."""
    if bank is None:
        return value
    bits = len(value) // banks
    return value[bank * bits : (bank + 1) * bits]
