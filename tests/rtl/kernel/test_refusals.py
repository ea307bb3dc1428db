"""Refusals of what RTL has no structure for."""

import pytest
from amaranth.hdl import Cat, Module, Signal

from streamopt.errors import CodegenError
from streamopt.rtl.kernel.refusals import MOST_BITS, check_bits
from streamopt.rtl.printing import netlist, verilog_texts


def test_a_port_that_is_too_wide_is_refused() -> None:
    check_bits("turns", [range(MOST_BITS), range(MOST_BITS)])
    with pytest.raises(CodegenError, match="E640 module 'turns' has an input of 65,568 bits"):
        check_bits("turns", [range(32), range(MOST_BITS + 32)])


def test_inputs_may_be_wide_together() -> None:
    """Amaranth counts all bits of a module's inputs in 16 bits."""
    module = Module()
    inputs = [Signal(40000, name="one"), Signal(40000, name="other")]
    last, found = Signal(name="last"), Signal(2, name="found")
    module.d.comb += found.eq(Cat(inputs[0][39999] & last, inputs[1][39999]))
    (text,) = verilog_texts([netlist(module, "wide", [*inputs, last, found], inputs)])
    for declared in ("input [39999:0] one;", "input [39999:0] other;", "output [1:0] found;"):
        assert f"  {declared}\n" in text
    assert "given_from_outside" not in text
