"""Registers that count along a loop nest: sums over its counters, and their digits.

A sum makes one constant step for the innermost loop that isn't at its end. So do its digits, with a
carry; nothing is multiplied or divided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value

from streamopt.ir.program import Loop
from streamopt.rtl.kernel.subscripts import CountedDigit, TileSum


class PointCounting:
    """Makes sums out of counters that move in any way, each once."""

    def __init__(
        self, module: Module, tiles: Sequence[Loop], counters: Mapping[str, Signal]
    ) -> None:
        self._module, self._tiles, self._counters = module, tiles, counters
        self._known: dict[object, Signal] = {}

    def total(self, counted: TileSum, first: int, bits: int) -> Value:
        """Return a sum and a constant, in some bits."""
        found: Value | None = None
        for digit, factor in counted.digits:
            part = self.digit(digit, factor, bits)
            found = part if found is None else (found + part)[:bits]
        if any(counted.steps):
            linear = self._linear(counted.steps, first, bits)
            return linear if found is None else (found + linear)[:bits]
        start = Const(first % (1 << bits), bits)
        if found is None:
            return start
        return (found + start)[:bits] if first else found

    def _linear(self, steps: tuple[int, ...], first: int, bits: int) -> Value:
        """Return a sum of counters and a constant."""
        key = (steps, first, bits)
        if key not in self._known:
            found: Value = Const(first % (1 << bits), bits)
            for tile, step in zip(self._tiles, steps, strict=True):
                if step:
                    found = found + self._counters[tile.name] * (step % (1 << bits))
            self._known[key] = Signal(bits, name="place")
            self._module.d.comb += self._known[key].eq(found[:bits])
        return self._known[key]

    def digit(self, digit: CountedDigit, scale: int, bits: int) -> Value:
        """Return a digit times a constant, in some bits."""
        key = (digit, scale, bits)
        if key not in self._known:
            self._known[key] = self._divided(digit, scale, bits)
        return self._known[key]

    def _divided(self, digit: CountedDigit, scale: int, bits: int) -> Signal:
        """Return a digit of a sum that has digits itself, which don't count by constant steps."""
        low, high = digit.inner.bounds(self._tiles)
        above = -(-max(0, -low - digit.first) // digit.divisor)  # so that nothing is negative
        first = digit.first + above * digit.divisor
        inside = Signal(max(1, (high + first).bit_length()), name="divided")
        self._module.d.comb += inside.eq(self.total(digit.inner, first, len(inside)))
        part = inside // digit.divisor - above if digit.is_quotient else inside % digit.divisor
        found = Signal(bits, name="digit")
        self._module.d.comb += found.eq(part * scale if scale != 1 else part)
        return found


class TileCounting(PointCounting):
    """Makes registers of sums over the counters of a nest.

    Parameters
    ----------
    at_end
        By loop, whether it and all inside are in their last iteration.
    moves
        Whether an iteration starts in this cycle.
    """

    def __init__(
        self, module: Module, tiles: Sequence[Loop], at_end: Sequence[Value], moves: Value
    ) -> None:
        super().__init__(module, tiles, {})
        self._at_end, self._moves = at_end, moves
        self._carries: dict[object, tuple[Signal, Signal]] = {}

    def digit(self, digit: CountedDigit, scale: int, bits: int) -> Value:
        """Return a digit times a constant, in some bits."""
        key = (digit, scale, bits)
        if key in self._known or digit.inner.digits:
            return super().digit(digit, scale, bits)
        remainder, carry = self._division(digit.inner.steps, digit.first, digit.divisor)
        if not digit.is_quotient and scale == 1 and bits >= len(remainder):
            return remainder
        whole, rest = divmod(digit.first, digit.divisor)
        first = scale * (whole if digit.is_quotient else rest)
        register = Signal(bits, name="digit", init=first % (1 << bits))
        at = 0 if digit.is_quotient else 1
        moving = self._moving(digit.inner.steps)
        by = [(when, scale * divmod(step, digit.divisor)[at]) for when, step in moving]
        carried = scale if digit.is_quotient else -scale * digit.divisor
        step = _chosen(by, bits) + Mux(carry, Const(carried % (1 << bits), bits), 0)
        with self._module.If(self._moves):
            self._module.d.sync += register.eq((register + step)[:bits])
        self._known[key] = register
        return register

    def _moving(self, steps: Sequence[int]) -> list[tuple[Value, int]]:
        """Return the steps of a sum with when they are made; the last that holds counts."""
        found: list[tuple[Value, int]] = []
        rewind = 0
        for position in reversed(range(len(steps))):
            inside = (*self._at_end[position + 1 :], Const(1, 1))[0]
            found.append((inside, steps[position] - rewind))
            rewind += steps[position] * (self._tiles[position].trip_count - 1)
        return [*found, (self._at_end[0], -rewind)]

    def _linear(self, steps: tuple[int, ...], first: int, bits: int) -> Value:
        key = (steps, first, bits)
        if key not in self._known:
            register = Signal(bits, name="address", init=first % (1 << bits))
            step = _chosen(self._moving(steps), bits)
            with self._module.If(self._moves):
                self._module.d.sync += register.eq((register + step)[:bits])
            self._known[key] = register
        return self._known[key]

    def _division(self, steps: tuple[int, ...], first: int, divisor: int) -> tuple[Signal, Signal]:
        """Return the remainder of a sum, and whether its next step carries."""
        key = (steps, first % divisor, divisor)
        if key not in self._carries:
            bits = max(1, (divisor - 1).bit_length())
            register = Signal(bits, name="remainder", init=first % divisor)
            carry = Signal(name="carry")
            by = [(when, step % divisor) for when, step in self._moving(steps)]
            summed = Signal(bits + 1, name="summed")
            self._module.d.comb += [
                summed.eq(register + _chosen(by, bits)),
                carry.eq(summed >= divisor),
            ]
            with self._module.If(self._moves):
                self._module.d.sync += register.eq(
                    Mux(carry, (summed - divisor)[:bits], summed[:bits])
                )
            self._carries[key] = (register, carry)
        return self._carries[key]


def _chosen(by: Sequence[tuple[Value, int]], bits: int) -> Value:
    """Return the last number whose condition holds."""
    step: Value = Const(0, bits)
    for when, number in by:
        step = Mux(when, Const(number % (1 << bits), bits), step)
    return step
