"""The top module: processes, and the FIFOs and buffers between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from streamopt.ir.network import Fifo, Memory, Network, Place
from streamopt.rtl.blocks.buffer import BufferMemory, writer_suffix
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.frame_count import FrameCount
from streamopt.rtl.blocks.lanes import OperatorLanes
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.registers import RegisterStore
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.blocks.word_choice import WordChoice
from streamopt.rtl.emission.frames import FrameOrder
from streamopt.rtl.emission.masters import WordEnd, WordMasters, movers_of
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import OutsideAccess, ProcessModule
from streamopt.rtl.emission.structure import NamedBits, StructureModule
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.phase_parts import word_cycles
from streamopt.rtl.outside.word_streams import word_streams
from streamopt.rtl.rtl_design import OutsidePort

_WRITE_WIRES = ("write", "write_at", "given")
_PORTS = {"i": "input", "o": "output"}
_INSIDE = (Place.PING_PONG, Place.LOCAL)
"""Places of memories that belong to the design."""
Block: TypeAlias = (
    BufferMemory
    | Delay
    | FifoBlock
    | FrameCount
    | LutMemory
    | OperatorLanes
    | OperatorTree
    | RegisterStore
    | WordChoice
    | WordEnd
)
_User: TypeAlias = tuple[ProcessModule, OutsideAccess]


class TopModule:
    """Makes the top module of a design, whose processes have been made; used once.

    Attributes
    ----------
    blocks
        Modules that it uses beside the processes.
    channels
        FIFOs and buffers between processes, as often as they are there.
    frames
        Which of them the processes are in.
    masters
        What reads arrays off the chip.
    outside
        Its ports to memories.

    Parameters
    ----------
    follows
        The loop nest after which another one of the same process runs.
    frame_bits
        Of a frame's number.
    tables
        By memory, the words of those that nobody writes.
    """

    def __init__(
        self,
        name: str,
        processes: Sequence[ProcessModule],
        network: Network,
        follows: Mapping[str, str],
        frame_bits: int,
        tables: Mapping[str, Sequence[int]],
    ) -> None:
        self._processes, self._tables = processes, tables
        self._module = StructureModule(name)
        self._clock = self._module.port("input", "clk")
        self._reset = self._module.port("input", "rst")
        places = {memory.name: memory.place for memory in network.memories}
        streams = word_streams(network)
        written = {
            process.name
            for name, process in movers_of(processes, streams).items()
            if streams[name].is_written
        }
        self.frames = FrameOrder(self._module, processes, follows, places, written, frame_bits)
        self.blocks: list[Block] = [self.frames.count]
        self.channels: list[BufferMemory | FifoBlock] = []
        self.outside: list[OutsidePort] = []
        self.masters = WordMasters(self._module, processes, streams, self.frames)
        begins = {p.name: self._module.wire(f"{p.name}_ready") for p in processes}
        self._may_begin = begins
        self.masters.join(self._clock, self._reset, begins)
        self.frames.join(self._clock, self._reset, begins)
        for master in self.masters.blocks:
            self.blocks += [master, master.fifo, master.fifo.memory]
        self._inside: dict[tuple[str, str], NamedBits] = {**self.masters.inside}
        """Wires that don't leave the design, by process and port."""
        for fifo in network.fifos:
            self._join_fifo(identifier(fifo.name), fifo)
        used = {access.memory for process in processes for access in process.accesses}
        for memory in network.memories:
            if memory.name in used and memory.place in _INSIDE:
                is_held = memory.place is Place.LOCAL and not word_cycles(memory)
                (self._join_registers if is_held else self._join_buffer)(memory)
            elif memory.name in tables:
                self._join_table(memory)
            elif memory.name in used:
                self._join_outside(memory)

    def _wire(self, process: ProcessModule, port: str) -> NamedBits:
        """Return the wire at a port of a process."""
        bits = len(process.ports[port][1])
        wire = self._module.wire(f"{process.name}_{port}", bits)
        self._inside[process.name, port] = wire
        return wire

    def _join_fifo(self, name: str, fifo: Fifo) -> None:
        block = FifoBlock(fifo.element.bits * prod(fifo.lanes), fifo.depth_elems)
        self.blocks += [block, block.memory]
        self.channels.append(block)
        writer = next(p for p in self._processes if f"{name}_writable" in p.ports)
        reader = next(p for p in self._processes if f"{name}_readable" in p.ports)
        sides = {"write": writer, "given": writer, "writable": writer}
        sides |= {"read": reader, "taken": reader, "readable": reader}
        joined = {"clk": self._clock, "rst": self._reset}
        for side, process in sides.items():
            joined[side] = self._wire(process, f"{name}_{side}")
        self._module.instance(block.name, f"fifo_{name}", joined)

    def _join_buffer(self, memory: Memory) -> None:
        users = self._users(memory)
        words, banks = memory_size(memory)
        name, bits = identifier(memory.name), memory.element.bits
        reads = [(process, access) for process, access in users if not access.is_write]
        own = banks if any(access.banks for _, access in users) else 0
        writers = self._writers(memory)
        is_double = memory.place is Place.PING_PONG
        width = bits if own else banks * bits
        block = BufferMemory(width, words, len(reads), len(writers), is_double)
        written = [self._written(f"{name}{writer_suffix(at)}", one, own) for at, one in writers]
        asked = self._asked(reads, own)

        def part(wire: NamedBits) -> NamedBits:
            return wire.each(own) if own else wire

        joined = {"clk": self._clock}
        for at, wires in enumerate(written):
            for wire, value in zip(_WRITE_WIRES, wires, strict=True):
                joined[f"{wire}{writer_suffix(at)}"] = part(value)
        for at, (enable, address, data) in enumerate(asked):
            joined[f"enable_{at}"] = enable
            joined[f"read_at_{at}"] = part(address)
            joined[f"taken_{at}"] = part(data)
        if is_double:
            writer = next(process for process, access in users if access.is_write)
            joined["written"] = self._low(writer)
            joined |= {f"of_{at}": self._low(p) for at, (p, _) in enumerate(reads)}
        self.blocks.append(block)
        self.channels += [block] * (own or 1)
        if own:
            self._module.instances(block.name, f"buffer_{name}", own, joined)
        else:
            self._module.instance(block.name, f"buffer_{name}", joined)

    def _asked(self, reads: Sequence[_User], own: int) -> list[tuple[NamedBits, ...]]:
        """Return the wires of reads of a memory: enable, address and data."""
        found: list[tuple[NamedBits, ...]] = []
        for process, access in reads:
            wires = (f"{access.name}_{wire}" for wire in ("enable", "address", "data"))
            enable, address, data = (self._wire(process, wire) for wire in wires)
            found.append((enable, self._for_banks(address, access, own), data))
        return found

    def _join_table(self, memory: Memory) -> None:
        """Add a memory of known words for each bank, or one where banks have one address."""
        reads, (words, banks) = self._users(memory), memory_size(memory)
        own = banks if any(access.banks for _, access in reads) else 0
        asked, parts = self._asked(reads, own), own or 1
        width = banks * memory.element.bits // parts
        for at in range(parts):
            mine = (word >> at * width & (1 << width) - 1 for word in self._tables[memory.name])
            block = BufferMemory(width, words, len(reads), 0, table=tuple(mine))
            joined = {"clk": self._clock}
            for port, (enable, address, data) in enumerate(asked):
                joined[f"enable_{port}"] = enable
                joined[f"read_at_{port}"] = address.part(at, parts)
                joined[f"taken_{port}"] = data.part(at, parts)
            self.blocks.append(block)
            self.channels.append(block)
            self._module.instance(block.name, f"table_{identifier(memory.name)}_{at}", joined)

    def _join_outside(self, memory: Memory) -> None:
        """Bring the ports to a memory outside; those of nests that write one by one are one."""
        for process, access in self._users(memory):
            if not access.is_write:
                self._bring(f"{process.name}_{access.name}", (process, access), access.banks)
        for at, one in self._writers(memory):
            (process, access), *others = one
            if not others:
                self._bring(f"{process.name}_{access.name}", (process, access), access.banks)
                continue
            banks = memory.banks if any(access.banks for _, access in one) else 0
            port = f"{identifier(memory.name)}_joined{writer_suffix(at)}"
            self._bring(port, (process, access), banks)
            written = self._written(f"{port}_now", one, banks)
            for wire, value in zip(("write", "address", "given"), written, strict=True):
                given = self._module.port("output", f"{port}_{wire}", value.bits)
                self._module.let(given, value.text)

    def _bring(self, name: str, user: _User, banks: int) -> None:
        process, access = user
        bits, frame = access.address_bits, self.frames.of(process.name).text
        port = OutsidePort(access.memory, name, access.is_write, bits, banks, frame)
        self.outside.append(port)

    def _join_registers(self, memory: Memory) -> None:
        name, bits, banks = identifier(memory.name), memory.element.bits, memory.banks
        users, stores = self._users(memory), self._writers(memory)
        puts = [(process, access) for process, access in users if access.is_put]
        reads = [(process, access) for process, access in users if not access.is_write]
        counts = tuple(access.banks for _, access in reads)
        block = RegisterStore(bits, banks, len(stores), len(puts), counts)
        self.blocks.append(block)
        joined = {"clk": self._clock}
        for at, one in stores:
            wires = self._written(f"{name}{writer_suffix(at)}", one, 1)
            joined |= {f"{w}_{at}": v for w, v in zip(_WRITE_WIRES, wires, strict=True)}
        for at, (process, access) in enumerate(puts):
            joined[f"put_{at}"] = self._wire(process, f"{access.name}_write")
            joined[f"put_given_{at}"] = self._wire(process, f"{access.name}_given")
        for at, (process, access) in enumerate(reads):
            joined[f"read_at_{at}"] = self._wire(process, f"{access.name}_address")
            joined[f"taken_{at}"] = self._wire(process, f"{access.name}_data")
        self._module.instance(block.name, f"registers_{name}", joined)

    def _low(self, process: ProcessModule) -> NamedBits:
        """Return the bit that says which half of a buffer a process is in."""
        number = self.frames.of(process.name)
        return number.part(0, number.bits)

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
    ) -> tuple[NamedBits, NamedBits, NamedBits]:
        """Return bits, addresses and data of those who use a write port, one after another."""
        found: list[tuple[NamedBits, NamedBits, NamedBits]] = []
        for process, access in writes:
            wires = (f"{access.name}_{wire}" for wire in ("write", "address", "given"))
            write, address, given = (self._wire(process, wire) for wire in wires)
            bits = write if access.banks == banks else self._repeated(write, banks)
            found.append((bits, self._for_banks(address, access, banks), given))
        first, *others = found
        if not others:
            return first
        write, address, given = (wire.text for wire in first)
        for one, at, data in others:
            write = f"{write} | {one.text}"
            address = f"|{one.text} ? {at.text} : {address}"
            given = f"|{one.text} ? {data.text} : {given}"
        texts = (write, address, given)
        chosen = tuple(
            self._module.let(self._module.wire(f"{name}_{kind}", wire.bits), text)
            for kind, wire, text in zip(_WRITE_WIRES, first, texts, strict=True)
        )
        return chosen[0], chosen[1], chosen[2]

    def _for_banks(self, address: NamedBits, access: OutsideAccess, banks: int) -> NamedBits:
        """Return the address of each bank, where some access has them."""
        return self._repeated(address, banks) if banks and not access.banks else address

    def _repeated(self, wire: NamedBits, times: int) -> NamedBits:
        every = self._module.wire(f"{wire.text}_for_all", times * wire.bits)
        return self._module.let(every, f"{{{times}{{{wire.text}}}}}")

    def verilog(self) -> str:
        """Return the module's text."""
        module = self._module
        hold = module.port("input", "hold", len(self._processes))
        for at, process in enumerate(self._processes):
            joined = {"clk": self._clock, "rst": self._reset, "hold": hold.part(at, hold.bits)}
            joined |= {
                "ready": self._may_begin[process.name],
                "frame": self.frames.ended(process.name),
            }
            for port, (direction, signal) in process.ports.items():
                wire = self._inside.get((process.name, port))
                name = f"{process.name}_{port}"
                joined[port] = wire or module.port(_PORTS[direction], name, len(signal))
            module.instance(process.name, f"process_{process.name}", joined)
        return module.verilog()
