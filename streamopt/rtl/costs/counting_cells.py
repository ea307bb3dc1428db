"""Cells of the registers that count along a loop nest, as `streamopt.rtl.blocks.counting` has them.

A register adds one of a few constants, which conditions choose: where no constant has a bit, its
carry passes without a LUT.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from streamopt.ir.program import Loop
from streamopt.rtl.kernel.subscripts import CountedDigit, TileSum
from streamopt.target.resources import Resources

_REMAINDER_LUTS = 3
"""For each bit of a remainder: its sum, the comparison, and the choice."""
_DIVISION_LUTS = 2
"""For each bit of a digit that doesn't count by constant steps."""


class CountingCells:
    """Collects the registers of one nest's sums, each once.

    Parameters
    ----------
    tiles
        Loops, outermost first.
    """

    def __init__(self, tiles: Sequence[Loop]) -> None:
        self._tiles = tiles
        self._known: dict[object, Resources] = {}

    @property
    def cells(self) -> Resources:
        """Return the cells of what was added."""
        return sum(self._known.values(), Resources())

    def add(self, counted: TileSum, first: int, bits: int) -> None:
        """Add a sum and a constant, in some bits."""
        key = (counted, first, bits)
        if key in self._known or counted.is_constant:
            return
        parts = len(counted.digits) + any(counted.steps)
        luts = bits * (parts - 1)
        for digit, factor in counted.digits:
            self._digit(digit, factor, bits)
        if any(counted.steps):
            ones = ones_among(self._moves(counted.steps), bits)
            self._known["linear", counted.steps, first, bits] = Resources(luts=ones, ffs=bits)
        else:
            luts += ones_among([first], bits)
        self._known[key] = Resources(luts=luts)

    def _digit(self, digit: CountedDigit, scale: int, bits: int) -> None:
        key = ("digit", digit, scale, bits)
        if digit.inner.digits:
            low, high = digit.inner.bounds(self._tiles)
            self.add(digit.inner, digit.first, max(1, (high - low + digit.first).bit_length()))
            self._known[key] = Resources(luts=_DIVISION_LUTS * bits)
            return
        steps, divisor = digit.inner.steps, digit.divisor
        own = max(1, (divisor - 1).bit_length())
        rest = ("remainder", steps, digit.first % divisor, divisor)
        self._known[rest] = Resources(luts=_REMAINDER_LUTS * own, ffs=own)
        if not digit.is_quotient and scale == 1 and bits >= own:
            return
        at = 0 if digit.is_quotient else 1
        by = [scale * divmod(step, divisor)[at] for step in self._moves(steps)]
        carried = scale if digit.is_quotient else -scale * divisor
        ones = ones_among(by, bits) + ones_among([carried], bits)
        self._known[key] = Resources(luts=ones, ffs=bits)

    def _moves(self, steps: Sequence[int]) -> list[int]:
        """Return by what a sum may move from one iteration to the next."""
        found: list[int] = []
        rewind = 0
        for step, tile in reversed([*zip(steps, self._tiles, strict=True)]):
            found.append(step - rewind)
            rewind += step * (tile.trip_count - 1)
        return [*found, -rewind]


def ones_among(numbers: Iterable[int], bits: int) -> int:
    """Return in how many of some bits at least one number has a one.

    Examples
    --------
    >>> ones_among([1, 4, 5], 8), ones_among([-1], 8)
    (2, 8)
    """
    joined = 0
    for number in numbers:
        joined |= number % (1 << bits)
    return joined.bit_count()
