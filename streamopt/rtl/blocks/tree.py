"""A balanced tree of operators: the terms of several lanes combined to one.

It is the tournament of the C++ (`streamopt.codegen.processes.term_tree`): ``r`` terms are followed
by what terms ``2 n`` and ``2 n + 1`` give, until one is left, so that both add in one order.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Instance, Module, Signal, Value

from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.printing import Netlist, netlist


@dataclass(frozen=True, slots=True)
class OperatorTree:
    """Operators that combine neighbours until one term is left; what comes a round early waits."""

    leaf: OperatorBlock
    terms: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"{self.leaf.name}_of_{self.terms}"

    @property
    def waiting(self) -> tuple[Delay, ...]:
        """Return the block in which terms wait; none if their number is a power of two."""
        return (Delay(self.leaf.result.bits, self.leaf.levels),) if self.waits else ()

    @property
    def waits(self) -> frozenset[int]:
        """Return the terms, and sums behind them, that wait for a round."""
        rounds, found = [0] * self.terms, set[int]()
        for pair in range(self.terms - 1):
            both = (2 * pair, 2 * pair + 1)
            last = max(rounds[at] for at in both)
            found |= {at for at in both if rounds[at] < last}
            rounds.append(last + 1)
        return frozenset(found)

    def source(self) -> Netlist:
        """Return the module: ports ``clk``, ``en``, all terms side by side, and ``y``."""
        module, domain = Module(), ClockDomain("sync", reset_less=True)
        module.domains += domain
        bits = self.leaf.result.bits
        enable, given = Signal(name="en"), Signal(bits * self.terms, name="terms")
        result = Signal(bits, name="y")
        terms: list[Value] = [given[at * bits : (at + 1) * bits] for at in range(self.terms)]
        waits = self.waits
        clock = {"i_clk": domain.clk, "i_en": enable}
        for pair in range(self.terms - 1):
            left, right = 2 * pair, 2 * pair + 1
            for at in waits & {left, right}:
                (delay,) = self.waiting
                later = Signal(bits, name=f"waiting_{at}")
                module.submodules[f"wait_{at}"] = Instance(
                    delay.name, **clock, i_given=terms[at], o_taken=later
                )
                terms[at] = later
            made = Signal(bits, name=f"sum_{pair}")
            module.submodules[f"part_{pair}"] = Instance(
                self.leaf.name, **clock, i_a=terms[left], i_b=terms[right], o_y=made
            )
            terms.append(made)
        module.d.comb += result.eq(terms[-1])
        return netlist(module, self.name, [domain.clk, enable, given, result])
