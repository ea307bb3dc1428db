"""Operators as modules: a clock, an enable, operands, and a result some cycles later.

Each is written once in a design, however often it is used, under a name that says what it is:
``add_f32_5`` is an adder of binary32 with five registers on the way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from amaranth.hdl import ClockDomain, Module, Signal, Value

from streamopt.rtl.operators import adder, comparison, conversion, division, fused, multiplier
from streamopt.rtl.operators.float_format import DOUBLE, FLOAT, HALF, FloatFormat
from streamopt.rtl.operators.stages import CutPlaces, spread
from streamopt.rtl.printing import verilog_text

INTEGER_BITS = 32
"""Of whole numbers that are converted."""


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """A kind of operator on numbers of one format."""

    logic: Callable[..., Value]
    places: tuple[int, ...] | Callable[[FloatFormat], int]
    """Where its logic may be cut, the most useful place first; or how many places there are, of
    rows that are all alike."""
    operands: int = 2
    # operand_bits, result_bits: of what is no number of the format; 0 for one that is
    operand_bits: int = 0
    result_bits: int = 0

    def order(self, form: FloatFormat, levels: int) -> tuple[int, ...]:
        """Return the places for registers, in order."""
        if callable(self.places):
            return spread(self.places(form), levels)
        return self.places


def _into(form: FloatFormat) -> OperatorKind:
    logic = partial(conversion.to_format, into=form)
    return OperatorKind(logic, conversion.PLACES, operands=1, result_bits=form.bits)


KINDS = {
    "add": OperatorKind(adder.add, adder.PLACES),
    "mul": OperatorKind(multiplier.multiply, multiplier.PLACES),
    "fma": OperatorKind(fused.multiply_add, fused.PLACES, operands=3),
    "div": OperatorKind(division.divide, division.quotient_places),
    "sqrt": OperatorKind(division.square_root, division.root_places, operands=1),
    "lt": OperatorKind(comparison.less, comparison.PLACES, result_bits=1),
    "le": OperatorKind(partial(comparison.less, or_equal=True), comparison.PLACES, result_bits=1),
    "eq": OperatorKind(comparison.equal, comparison.PLACES, result_bits=1),
    "max": OperatorKind(comparison.larger, comparison.PLACES),
    "min": OperatorKind(partial(comparison.larger, or_smaller=True), comparison.PLACES),
    "to_i32": OperatorKind(
        partial(conversion.to_integer, bits=INTEGER_BITS),
        conversion.PLACES,
        operands=1,
        result_bits=INTEGER_BITS,
    ),
    "from_i32": OperatorKind(
        partial(conversion.from_integer, bits=INTEGER_BITS),
        conversion.PLACES,
        operands=1,
        operand_bits=INTEGER_BITS,
    ),
    "to_f16": _into(HALF),
    "to_f32": _into(FLOAT),
    "to_f64": _into(DOUBLE),
}
OPERANDS = ("a", "b", "c")
"""Names of the ports, in order."""


@dataclass(frozen=True, slots=True)
class OperatorLeaf:
    """An operator as it is built."""

    kind: str
    form: FloatFormat
    levels: int
    """Cycles from operands to result, while it is enabled."""

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"{self.kind}_{self.form.name}_{self.levels}"

    @property
    def operands(self) -> tuple[str, ...]:
        """Return the ports that take operands."""
        return OPERANDS[: KINDS[self.kind].operands]

    @property
    def result_bits(self) -> int:
        """Return the width of the result."""
        return KINDS[self.kind].result_bits or self.form.bits

    @property
    def operand_bits(self) -> int:
        """Return the width of an operand."""
        return KINDS[self.kind].operand_bits or self.form.bits

    def verilog(self) -> str:
        """Return the module's text: ports ``clk``, ``en``, operands ``a`` .. and result ``y``."""
        kind = KINDS[self.kind]
        module, domain = Module(), ClockDomain("sync", reset_less=True)
        module.domains += domain
        enable, result = Signal(name="en"), Signal(self.result_bits, name="y")
        taken = [Signal(self.operand_bits, name=name) for name in self.operands]
        order = kind.order(self.form, self.levels)
        stages = CutPlaces(module, enable, self.levels, order)
        module.d.comb += result.eq(kind.logic(stages, self.form, *stages.operands(*taken)))
        ports = [domain.clk, enable, *taken, result]
        return verilog_text(module, self.name, ports)
