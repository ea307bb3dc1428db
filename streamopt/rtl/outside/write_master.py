"""An AXI4 master that writes an array from its first word to its last, in bursts.

Addresses go ahead of words, which follow as they come. A frame has ended when all are answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Const, Module, Mux, Signal

from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.outside.beats import scatter
from streamopt.rtl.outside.bursts import MasterSizes, add_bursts
from streamopt.rtl.printing import Netlist, netlist

DEPTH = 16
"""Words that wait for the bus."""
UNANSWERED = 8
"""Bursts that may be."""


@dataclass(frozen=True, slots=True)
class WriteMaster:
    """A master that takes words from a FIFO; ``written`` counts its frames."""

    sizes: MasterSizes

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"write_master_{self.sizes}"

    @property
    def fifo(self) -> FifoBlock:
        """Return the FIFO inside."""
        return FifoBlock(self.sizes.word_bits * self.sizes.gathered, DEPTH)

    def source(self) -> Netlist:
        """Return the module."""
        module, domain = Module(), ClockDomain("sync")
        module.domains += domain
        sizes = self.sizes
        unanswered = Signal(UNANSWERED.bit_length(), name="unanswered")
        bursts = add_bursts(module, sizes, "aw", unanswered != UNANSWERED)
        answered, always = Signal(name="bvalid"), Signal(name="bready")
        valid, taken, last = (Signal(name=name) for name in ("wvalid", "wready", "wlast"))
        data = Signal(sizes.word_bits, name="wdata")
        most = UNANSWERED * sizes.burst_beats
        allowed = Signal(most.bit_length(), name="allowed")
        sent = Signal(max(1, sizes.beats.bit_length()), name="sent")
        readable, word = Signal(name="readable"), Signal(self.fifo.width, name="word")
        moves, busy = valid & taken, Signal(name="busy")
        ends = Signal(name="ends")
        written = Signal(sizes.frame_bits, name="written")
        at_end = sent == sizes.beats - 1
        within = sent[: (sizes.burst_beats - 1).bit_length()] if sizes.burst_beats > 1 else None
        full = Const(1, 1) if within is None else within == sizes.burst_beats - 1
        module.d.comb += [
            valid.eq(readable & (allowed != 0)),
            last.eq(full | at_end),
            always.eq(1),
            ends.eq(busy & bursts.is_over & (allowed == 0) & (unanswered == 1) & answered),
        ]
        given = Mux(bursts.moves, bursts.beats, 0) - Mux(moves, Const(1, 1), Const(0, 1))
        module.d.sync += [
            allowed.eq((allowed + given)[: len(allowed)]),
            unanswered.eq((unanswered + bursts.moves - answered)[: len(unanswered)]),
        ]
        with module.If(moves):
            module.d.sync += sent.eq(Mux(at_end, 0, sent + 1))
        with module.If(ends):
            module.d.sync += [busy.eq(0), written.eq(written + 1)]
        with module.If(bursts.begins):
            module.d.sync += busy.eq(1)
        leaves = scatter(module, moves, word, data, sizes.gathered)
        write, writable = Signal(name="write"), Signal(name="writable")
        taken_word = Signal(self.fifo.width, name="given")
        joined = {"write": write, "given": taken_word, "writable": writable}
        joined |= {"read": leaves, "taken": word, "readable": readable}
        module.submodules.fifo = self.fifo.instance(domain, joined)
        own = [*self.fifo.clocks(domain), write, taken_word, writable, written, *bursts.ports]
        return netlist(module, self.name, [*own, valid, taken, last, data, answered, always])
