"""Operators as modules: a clock, an enable, operands, and a result some cycles later.

Each is written once in a design, however often it is used, under a name that says what it is:
``add_f32_5`` is an adder of binary32 with five registers on the way. One without registers is no
module, but logic where it is used.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

from amaranth.hdl import ClockDomain, Module, Signal, Value

from streamopt.rtl.operators.number_format import NumberFormat
from streamopt.rtl.operators.stages import CutPlaces
from streamopt.rtl.printing import Netlist, netlist, verilog_texts

OPERANDS = ("a", "b", "c")
"""Names of the ports, in order."""


class OperatorBlock(Protocol):
    """An operator as it is built: a frozen value, so that equal ones are one module."""

    @property
    def name(self) -> str:
        """Return the name of its module."""
        ...

    @property
    def levels(self) -> int:
        """Return the cycles from operands to result, while it is enabled."""
        ...

    @property
    def operands(self) -> tuple[NumberFormat, ...]:
        """Return the format of each operand."""
        ...

    @property
    def result(self) -> NumberFormat:
        """Return the format of the result."""
        ...

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        ...

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return the result."""
        ...


@cache
def source_of(leaf: OperatorBlock) -> Netlist:
    """Return the module: ports ``clk``, ``en``, operands ``a`` .. and result ``y``."""
    module, domain = Module(), ClockDomain("sync", reset_less=True)
    module.domains += domain
    enable, result = Signal(name="en"), Signal(leaf.result.bits, name="y")
    taken = [
        Signal(form.bits, name=name) for name, form in zip(OPERANDS, leaf.operands, strict=False)
    ]
    stages = CutPlaces(module, enable, leaf.levels, leaf.order)
    module.d.comb += result.eq(leaf.logic(stages, *stages.operands(*taken)))
    ports = [domain.clk, enable, *taken, result]
    return netlist(module, leaf.name, ports)


@cache
def verilog_of(leaf: OperatorBlock) -> str:
    """Return the text of a module alone."""
    return verilog_texts([source_of(leaf)])[0]
