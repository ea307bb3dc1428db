"""An AXI4 master that reads an array from its first word to its last, in bursts.

It asks for as many beats as it has room for, so that it always takes what comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Module, Mux, Signal

from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.outside.beats import gather
from streamopt.rtl.outside.bursts import MasterSizes, add_bursts
from streamopt.rtl.printing import Netlist, netlist


@dataclass(frozen=True, slots=True)
class ReadMaster:
    """A master behind which words stand in a FIFO of a depth."""

    sizes: MasterSizes
    depth: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"read_master_{self.sizes}x{self.depth}"

    @property
    def fifo(self) -> FifoBlock:
        """Return the FIFO inside."""
        return FifoBlock(self.sizes.word_bits * self.sizes.gathered, self.depth)

    def source(self) -> Netlist:
        """Return the module."""
        module, domain = Module(), ClockDomain("sync")
        module.domains += domain
        sizes, room = self.sizes, self.depth * self.sizes.gathered
        free, read = Signal(room.bit_length(), name="free", init=room), Signal(name="read")
        bursts = add_bursts(module, sizes, "ar", free >= sizes.burst_beats)
        freed = Mux(read, sizes.gathered, 0) - Mux(bursts.moves, bursts.beats, 0)
        module.d.sync += free.eq((free + freed)[: len(free)])
        comes, always = Signal(name="rvalid"), Signal(name="rready")
        data = Signal(sizes.word_bits, name="rdata")
        module.d.comb += always.eq(1)
        is_whole, word = gather(module, comes, data, sizes.gathered)
        readable, taken = Signal(name="readable"), Signal(self.fifo.width, name="taken")
        written = {"write": is_whole, "given": word, "writable": Signal(name="writable")}
        joined = {**written, "read": read, "taken": taken, "readable": readable}
        module.submodules.fifo = self.fifo.instance(domain, joined)
        own = [*self.fifo.clocks(domain), read, readable, taken, *bursts.ports]
        return netlist(module, self.name, [*own, comes, always, data])
