"""The top module: processes, and the FIFOs and buffers between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from amaranth.hdl import ClockDomain, Const, Instance, Module, Signal, Value

from streamopt.ir.network import Fifo, Memory, Network, Place
from streamopt.rtl.blocks.buffer import BufferMemory
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import ProcessModule, memory_size
from streamopt.rtl.printing import verilog_text

Block: TypeAlias = BufferMemory | Delay | FifoBlock | LutMemory | OperatorTree


class TopModule:
    """Makes the top module of a design, whose processes have been made; used once.

    Attributes
    ----------
    blocks
        Modules that it uses beside the processes.
    """

    def __init__(self, name: str, processes: Sequence[ProcessModule], network: Network) -> None:
        self._name, self._processes = name, processes
        self._module, self._domain = Module(), ClockDomain("sync")
        self._module.domains += self._domain
        self.blocks: list[Block] = []
        self._inside: dict[tuple[str, str], Signal] = {}
        """Wires that don't leave the design, by process and port."""
        for fifo in network.fifos:
            self._join_fifo(identifier(fifo.name), fifo)
        for memory in network.memories:
            if memory.place is Place.PING_PONG:
                self._join_buffer(memory)

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
        users = [(p, a) for p in self._processes for a in p.accesses if a.memory == memory.name]
        words, banks = memory_size(memory)
        reads = [(process, access.name) for process, access in users if not access.is_write]
        (writer, name) = next((process, a.name) for process, a in users if a.is_write)
        block = BufferMemory(banks * memory.element.bits, words, len(reads))
        self.blocks.append(block)
        joined = {"i_clk": self._domain.clk, "i_write": self._wire(writer, f"{name}_write")}
        joined["i_write_at"] = self._wire(writer, f"{name}_address")
        joined["i_given"] = self._wire(writer, f"{name}_given")
        for at, (reader, name) in enumerate(reads):
            joined[f"i_enable_{at}"] = self._wire(reader, f"{name}_enable")
            joined[f"i_read_at_{at}"] = self._wire(reader, f"{name}_address")
            joined[f"o_taken_{at}"] = self._wire(reader, f"{name}_data")
        self._module.submodules[f"buffer_{identifier(memory.name)}"] = Instance(
            block.name, **joined
        )

    def verilog(self) -> str:
        """Return the module's text."""
        start, done = Signal(name="start"), Signal(name="done")
        ends = {p.name: Signal(name=f"{p.name}_done") for p in self._processes}
        outside: list[Signal] = [*ends.values()]
        ended: Value = Const(1, 1)
        for process in self._processes:
            joined: dict[str, Value] = {"i_start": start, "o_done": ends[process.name]}
            if process.waits:
                joined["i_ready"] = self._filled(process, ends)
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
        assert self._domain.rst is not None
        ports = [self._domain.clk, self._domain.rst, start, done, *outside]
        return verilog_text(self._module, self._name, ports)

    def _filled(self, reader: ProcessModule, ends: Mapping[str, Signal]) -> Value:
        """Return whether those are done that write a process' buffers."""
        wanted = {access.memory for access in reader.accesses if not access.is_write}
        ready: Value = Const(1, 1)
        for process in self._processes:
            if any(access.is_write and access.memory in wanted for access in process.accesses):
                ready = ready & ends[process.name]
        return ready
