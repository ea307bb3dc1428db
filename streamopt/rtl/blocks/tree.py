"""A balanced tree of operators: the terms of several lanes combined to one."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Instance, Module, Signal, Value

from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.printing import verilog_text


@dataclass(frozen=True, slots=True)
class OperatorTree:
    """Operators that combine neighbours until one term is left; a term without one waits."""

    leaf: OperatorBlock
    terms: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"{self.leaf.name}_of_{self.terms}"

    @property
    def waiting(self) -> tuple[Delay, ...]:
        """Return the block in which terms wait; none if their number is a power of two."""
        is_whole = self.terms & (self.terms - 1) == 0
        return () if is_whole else (Delay(self.leaf.result.bits, self.leaf.levels),)

    def verilog(self) -> str:
        """Return the module's text: ports ``clk``, ``en``, all terms side by side, and ``y``."""
        module, domain = Module(), ClockDomain("sync", reset_less=True)
        module.domains += domain
        bits = self.leaf.result.bits
        enable, given = Signal(name="en"), Signal(bits * self.terms, name="terms")
        result = Signal(bits, name="y")
        terms: list[Value] = [given[at * bits : (at + 1) * bits] for at in range(self.terms)]
        level = 0
        while len(terms) > 1:
            level += 1
            combined: list[Value] = []
            for at in range(0, len(terms), 2):
                made = Signal(bits, name=f"level_{level}_{at // 2}")
                clock = {"i_clk": domain.clk, "i_en": enable}
                if at + 1 < len(terms):
                    part = Instance(
                        self.leaf.name, **clock, i_a=terms[at], i_b=terms[at + 1], o_y=made
                    )
                else:
                    (delay,) = self.waiting
                    part = Instance(delay.name, **clock, i_given=terms[at], o_taken=made)
                module.submodules[f"part_{level}_{at // 2}"] = part
                combined.append(made)
            terms = combined
        module.d.comb += result.eq(terms[0])
        return verilog_text(module, self.name, [domain.clk, enable, given, result])
