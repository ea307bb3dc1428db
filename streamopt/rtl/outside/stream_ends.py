"""AXI4-Stream at the ends of a design: words in sequence, of all frames one after another.

Words that are gathered belong to one iteration of a mover. The last beat of a frame that a design
writes is marked; of one that it reads, the count of beats says which that is.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Module, Mux, Signal

from streamopt.ir.ports import WORD_FIFO_DEPTH
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.outside.beats import gather, scatter
from streamopt.rtl.printing import Netlist, netlist


@dataclass(frozen=True, slots=True)
class ReadStream:
    """Beats that are taken as they come, and gathered in a FIFO.

    Attributes
    ----------
    gathered
        Beats of a word of the FIFO.
    """

    word_bits: int
    gathered: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"read_stream_{self.word_bits}x{self.gathered}"

    @property
    def fifo(self) -> FifoBlock:
        """Return the FIFO inside."""
        return FifoBlock(self.word_bits * self.gathered, WORD_FIFO_DEPTH)

    def source(self) -> Netlist:
        """Return the module."""
        module, domain = Module(), ClockDomain("sync")
        module.domains += domain
        data, valid = Signal(self.word_bits, name="tdata"), Signal(name="tvalid")
        ready, last = Signal(name="tready"), Signal(name="tlast")
        read, readable = Signal(name="read"), Signal(name="readable")
        taken = Signal(self.fifo.width, name="taken")
        is_whole, word = gather(module, valid & ready, data, self.gathered)
        written = {"write": is_whole, "given": word, "writable": ready}
        own = {**written, "read": read, "taken": taken, "readable": readable}
        module.submodules.fifo = self.fifo.instance(domain, own)
        ports = [*self.fifo.clocks(domain), read, readable, taken, valid, ready, data, last]
        return netlist(module, self.name, ports)


@dataclass(frozen=True, slots=True)
class WriteStream:
    """Words that leave a FIFO in beats; ``written`` counts the frames.

    Attributes
    ----------
    gathered
        Beats of a word of the FIFO.
    beats
        Of a frame.
    frame_bits
        Of the number of a frame.
    """

    word_bits: int
    gathered: int
    beats: int
    frame_bits: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        sizes = (self.word_bits, self.gathered, self.beats, self.frame_bits)
        return f"write_stream_{'x'.join(map(str, sizes))}"

    @property
    def fifo(self) -> FifoBlock:
        """Return the FIFO inside."""
        return FifoBlock(self.word_bits * self.gathered, WORD_FIFO_DEPTH)

    def source(self) -> Netlist:
        """Return the module."""
        module, domain = Module(), ClockDomain("sync")
        module.domains += domain
        data, valid = Signal(self.word_bits, name="tdata"), Signal(name="tvalid")
        ready, last = Signal(name="tready"), Signal(name="tlast")
        write, writable = Signal(name="write"), Signal(name="writable")
        given = Signal(self.fifo.width, name="given")
        word = Signal(self.fifo.width, name="word")
        written = Signal(self.frame_bits, name="written")
        sent = Signal(max(1, (self.beats - 1).bit_length()), name="sent")
        moves = valid & ready
        module.d.comb += last.eq(sent == self.beats - 1)
        with module.If(moves):
            module.d.sync += [
                sent.eq(Mux(last, 0, sent + 1)),
                written.eq((written + last)[: self.frame_bits]),
            ]
        leaves = scatter(module, moves, word, data, self.gathered)
        own = {"write": write, "given": given, "writable": writable}
        own |= {"read": leaves, "taken": word, "readable": valid}
        module.submodules.fifo = self.fifo.instance(domain, own)
        ports = [*self.fifo.clocks(domain), write, given, writable, written]
        return netlist(module, self.name, [*ports, valid, ready, data, last])
