"""A FIFO: registers or LUT memory, first word falls through, and nothing passes in one cycle."""

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Instance, Module, Mux, Signal, Value

from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.printing import Netlist, netlist

_GIVES = ("writable", "taken", "readable")


@dataclass(frozen=True, slots=True)
class FifoBlock:
    """A FIFO of a width and a depth.

    What is written can be read in the next cycle, and a slot that is read be written in the next:
    ``readable`` and ``writable`` depend on a count in registers alone.
    """

    width: int
    depth: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"fifo_{self.width}x{self.depth}"

    @property
    def memory(self) -> LutMemory:
        """Return the memory inside."""
        return LutMemory(self.width, self.depth)

    def instance(self, domain: ClockDomain, joined: Mapping[str, Value]) -> Instance:
        """Return a FIFO in a module with a clock, given what is at its other ports."""
        clock, reset = self.clocks(domain)
        ways = {name: "o" if name in _GIVES else "i" for name in joined}
        ports = {f"{ways[name]}_{name}": value for name, value in joined.items()}
        return Instance(self.name, i_clk=clock, i_rst=reset, **ports)

    @staticmethod
    def clocks(domain: ClockDomain) -> tuple[Signal, Signal]:
        """Return clock and reset of a module that has a FIFO."""
        assert domain.rst is not None
        return domain.clk, domain.rst

    def source(self) -> Netlist:
        """Return the module."""
        module, domain = Module(), ClockDomain("sync")
        module.domains += domain
        write, read = Signal(name="write"), Signal(name="read")
        given, taken = Signal(self.width, name="given"), Signal(self.width, name="taken")
        writable, readable = Signal(name="writable"), Signal(name="readable")
        count = Signal(self.depth.bit_length(), name="count")
        bits = max(1, (self.depth - 1).bit_length())
        places = [Signal(bits, name=name) for name in ("write_at", "read_at")]
        module.d.comb += [writable.eq(count != self.depth), readable.eq(count != 0)]
        module.d.sync += count.eq((count + write - read)[: len(count)])
        for place, moves in zip(places, (write, read), strict=True):
            with module.If(moves):
                module.d.sync += place.eq(Mux(place == self.depth - 1, 0, place + 1))
        assert domain.rst is not None
        module.submodules.memory = Instance(
            self.memory.name,
            i_clk=domain.clk,
            i_write=write,
            i_write_at=places[0],
            i_given=given,
            i_read_at_0=places[1],
            o_taken_0=taken,
        )
        ports = [domain.clk, domain.rst, write, given, writable, read, taken, readable]
        return netlist(module, self.name, ports)
