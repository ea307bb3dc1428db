"""An AXI4 master that reads an array from its first word to its last, in bursts.

It asks for as many beats as it has room for, so that it always takes what comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, ClockDomain, Const, Instance, Module, Mux, Signal, Value

from streamopt.rtl.blocks.fifo import FifoBlock
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
        is_whole, word = self._gathered(module, comes, data)
        readable, taken = Signal(name="readable"), Signal(self.fifo.width, name="taken")
        assert domain.rst is not None
        module.submodules.fifo = Instance(
            self.fifo.name,
            i_clk=domain.clk,
            i_rst=domain.rst,
            i_write=is_whole,
            i_given=word,
            o_writable=Signal(name="writable"),
            i_read=read,
            o_taken=taken,
            o_readable=readable,
        )
        own = [domain.clk, domain.rst, read, readable, taken, *bursts.ports]
        return netlist(module, self.name, [*own, comes, always, data])

    def _gathered(self, module: Module, comes: Value, data: Signal) -> tuple[Value, Value]:
        """Return whether a word of the FIFO is whole with the beat that comes, and the word."""
        count, bits = self.sizes.gathered, self.sizes.word_bits
        if count == 1:
            return comes, data
        kept = Signal(bits * (count - 1), name="kept")
        at = Signal((count - 1).bit_length(), name="at")
        with module.If(comes):
            module.d.sync += [
                kept.eq(Cat(kept, data)[bits:]),
                at.eq(Mux(at == count - 1, Const(0, len(at)), at + 1)),
            ]
        return comes & (at == count - 1), Cat(kept, data)
