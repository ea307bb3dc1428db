"""Operators on whole and fixed-point numbers: exact, then brought into a format.

Bringing drops the bits below the last one, or rounds halves up, and drops upper bits, or takes the
nearest end of the range.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.stages import CutPlaces, spread
from streamopt.rtl.operators.whole_division import divided, rows

_PLACES = (2, 1)
"""Behind what is exact, and at the end."""
_SHIFT_BITS = 6
"""Of a distance: C has none above 63."""


def _signed(form: WholeFormat, bits: Value) -> Value:
    return bits.as_signed() if form.is_signed else bits


def _moved(number: Value, places: int) -> Value:
    """Return a number times a power of two."""
    if places == 0:
        return number
    moved = Cat(Const(0, places), number)
    return moved.as_signed() if number.shape().signed else moved


def _extreme(compare: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    return lambda left, right: Mux(compare(right, left), right, left)


_ALIGNED: dict[str, Callable[[Value, Value], Value]] = {
    "add": operator.add,
    "sub": operator.sub,
    "min": _extreme(operator.lt),
    "max": _extreme(operator.gt),
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
}
"""Operators on two numbers with the same binary point; those on bits take more, too."""
_TESTS = ("lt", "le", "eq", "ne")
_SINGLE: dict[str, Callable[[Value], Value]] = {
    "neg": operator.neg,
    "abs": lambda number: Mux(number < 0, -number, number),
    "as": lambda number: number,
}


@dataclass(frozen=True, slots=True)
class WholeLeaf:
    """An operator on whole or fixed-point numbers, as it is built."""

    kind: str
    """``add``, ``sub``, ``mul``, ``div``, ``mod``, ``min``, ``max``, ``lt``, ``le``, ``eq``,
    ``ne``, ``and``, ``or``, ``xor``, ``shl``, ``shr``, ``neg``, ``abs``, ``as`` for a conversion,
    or ``choose`` for one of two numbers by a truth value."""
    operands: tuple[WholeFormat, ...]
    result: WholeFormat
    levels: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        forms = (*self.operands, self.result)
        return "_".join([self.kind, *(form.name for form in forms), str(self.levels)])

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        if self.kind in ("div", "mod"):
            return spread(rows(self._dividend) + len(_PLACES), self.levels)
        return _PLACES

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return the result."""
        pairs = zip(self.operands, operands, strict=True)
        given = [_signed(form, bits) for form, bits in pairs]
        number, point = self._exact(stages, given)
        is_signed = number.shape().signed
        (cut,) = stages.cut(number)
        (result,) = stages.cut(_into(self.result, cut.as_signed() if is_signed else cut, point))
        return result

    @property
    def _dividend(self) -> WholeFormat:
        one, other = self.operands
        more = max(0, other.fraction_bits) if self.kind == "div" else 0
        return WholeFormat(one.bits + more, one.is_signed)

    def _exact(self, stages: CutPlaces, given: list[Value]) -> tuple[Value, int]:
        """Return the exact number, and the bits behind its binary point."""
        points = [form.fraction_bits for form in self.operands]
        match self.kind:
            case "mul":
                return given[0] * given[1], sum(points)
            case "div" | "mod":
                return self._divided(stages, given)
            case "shl":
                return given[0] << given[1].as_unsigned()[:_SHIFT_BITS], points[0]
            case "shr":
                return given[0] >> given[1].as_unsigned()[:_SHIFT_BITS], points[0]
            case "choose":
                point = max(points[1:])
                sides = (
                    _moved(v, point - own) for v, own in zip(given[1:], points[1:], strict=True)
                )
                return Mux(given[0], *sides), point
            case kind if kind in _SINGLE:
                return _SINGLE[kind](given[0]), points[0]
            case kind:
                point = max(points)
                sides = (_moved(v, point - own) for v, own in zip(given, points, strict=True))
                return reduce(_ALIGNED[kind], sides), 0 if kind in _TESTS else point

    def _divided(self, stages: CutPlaces, given: list[Value]) -> tuple[Value, int]:
        one, other = self.operands
        more = self._dividend.bits - one.bits
        forms = self._dividend, other
        parts = divided(stages, forms, _moved(given[0], more), given[1])
        if self.kind == "mod":
            return parts[1], 0
        return parts[0], one.fraction_bits + more - other.fraction_bits


def _into(target: WholeFormat, number: Value, point: int) -> Value:
    """Return an exact number in a format."""
    drop = point - target.fraction_bits
    if drop <= 0:
        number = _moved(number, -drop)
    else:
        if target.rounds:
            number = number + (1 << (drop - 1))
        number = number >> drop
    if target.saturates:
        number = Mux(number > target.high, target.high, number)
        number = Mux(number < target.low, target.low, number)
    if len(number) < target.bits:
        missing = target.bits - len(number)
        top = number[-1] if number.shape().signed else Const(0, 1)
        return Cat(number, top.replicate(missing))
    return number[: target.bits]
