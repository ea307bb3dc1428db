"""Operators on floating-point numbers of one format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import e

from amaranth.hdl import Cat, Const, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating import adder, comparison, division, fused, multiplier
from streamopt.rtl.operators.functions.exponential import exponential, exponential_places
from streamopt.rtl.operators.functions.logarithm import logarithm, logarithm_places
from streamopt.rtl.operators.functions.odd import odd, odd_places
from streamopt.rtl.operators.functions.reciprocal import reciprocal, reciprocal_places
from streamopt.rtl.operators.number_format import TRUTH, NumberFormat
from streamopt.rtl.operators.stages import CutPlaces, spread


@dataclass(frozen=True, slots=True)
class FloatKind:
    """A kind of operator on numbers of one format."""

    logic: Callable[..., Value]
    places: tuple[int, ...] | Callable[[FloatFormat], int]
    """Where its logic may be cut, the most useful place first; or how many places there are, of
    rows that are all alike."""
    operands: int = 2
    result: NumberFormat | None = None
    """Format of a result that is no number of the leaf's own; None for one that is."""


def _negated(stages: CutPlaces, form: FloatFormat, number: Value) -> Value:
    return Cat(number[:-1], ~number[-1])


def _absolute(stages: CutPlaces, form: FloatFormat, number: Value) -> Value:
    return Cat(number[:-1], Const(0, 1))


def _subtracted(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    return adder.add(stages, form, left, _negated(stages, form, right))


def _unequal(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    return ~comparison.equal(stages, form, left, right)


FLOAT_KINDS = {
    "add": FloatKind(adder.add, adder.PLACES),
    "sub": FloatKind(_subtracted, adder.PLACES),
    "mul": FloatKind(multiplier.multiply, multiplier.PLACES),
    "fma": FloatKind(fused.multiply_add, fused.PLACES, operands=3),
    "div": FloatKind(division.divide, division.quotient_places),
    "sqrt": FloatKind(division.square_root, division.root_places, operands=1),
    "neg": FloatKind(_negated, (), operands=1),
    "abs": FloatKind(_absolute, (), operands=1),
    "lt": FloatKind(comparison.less, comparison.PLACES, result=TRUTH),
    "le": FloatKind(partial(comparison.less, or_equal=True), comparison.PLACES, result=TRUTH),
    "eq": FloatKind(comparison.equal, comparison.PLACES, result=TRUTH),
    "ne": FloatKind(_unequal, comparison.PLACES, result=TRUTH),
    "exp": FloatKind(partial(exponential, base=e), exponential_places, operands=1),
    "exp2": FloatKind(partial(exponential, base=2.0), exponential_places, operands=1),
    "log": FloatKind(logarithm, logarithm_places, operands=1),
    "tanh": FloatKind(partial(odd, name="tanh"), odd_places, operands=1),
    "erf": FloatKind(partial(odd, name="erf"), odd_places, operands=1),
    "recip": FloatKind(reciprocal, reciprocal_places, operands=1),
    "max": FloatKind(comparison.larger, comparison.PLACES),
    "min": FloatKind(partial(comparison.larger, or_smaller=True), comparison.PLACES),
}


@dataclass(frozen=True, slots=True)
class FloatLeaf:
    """An operator on floating-point numbers, as it is built."""

    kind: str
    form: FloatFormat
    levels: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"{self.kind}_{self.form.name}_{self.levels}"

    @property
    def operands(self) -> tuple[NumberFormat, ...]:
        """Return the format of each operand."""
        return (self.form,) * FLOAT_KINDS[self.kind].operands

    @property
    def result(self) -> NumberFormat:
        """Return the format of the result."""
        return FLOAT_KINDS[self.kind].result or self.form

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        places = FLOAT_KINDS[self.kind].places
        return spread(places(self.form), self.levels) if callable(places) else places

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return the result."""
        return FLOAT_KINDS[self.kind].logic(stages, self.form, *operands)
