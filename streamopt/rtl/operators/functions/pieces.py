"""Functions in pieces: a polynomial for each, whose coefficients a table has.

A piece is a function of ``t`` in ``[-1/2, 1/2]``; its polynomial goes through it at the nodes of
Chebyshev, and is evaluated by Horner's rule, with the product of each step cut off below the last
place of the coefficient that is added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi

from amaranth.hdl import Value

from streamopt.rtl.operators.stages import CutPlaces


@dataclass(frozen=True, slots=True)
class Pieces:
    """Coefficients of polynomials, as whole numbers.

    Attributes
    ----------
    rows
        For each piece its coefficients, from the highest power down to the constant.
    points
        Bits behind the binary point of each.
    widths
        Bits of each, in two's complement.
    """

    rows: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def words(self) -> list[int]:
        """Return the coefficients of each piece side by side."""
        return [self._word(row) for row in self.rows]

    def _word(self, row: Sequence[int]) -> int:
        word = at = 0
        for mantissa, width in zip(row, self.widths, strict=True):
            word |= (mantissa & ((1 << width) - 1)) << at
            at += width
        return word


def fitted(
    value: Callable[[int, float], float], pieces: int, degree: int, fraction_bits: int
) -> Pieces:
    """Return polynomials for a function.

    Parameters
    ----------
    value
        Of a piece, at ``t``.
    fraction_bits
        Of the constants; each further coefficient has one less for each bit that its power can't
        reach: ``t**k`` is at most ``2**-k``.
    """
    nodes = [cos((2 * k + 1) * pi / (2 * degree + 2)) / 2 for k in range(degree + 1)]
    fits = [_polynomial(nodes, [value(piece, t) for t in nodes]) for piece in range(pieces)]
    points = tuple(fraction_bits - power + 2 * (power > 0) for power in range(degree, -1, -1))
    rows = tuple(
        tuple(round(c * 2.0**point) for c, point in zip(fit, points, strict=True)) for fit in fits
    )
    widths = tuple(
        max(max(c, ~c).bit_length() for c in column) + 1 for column in zip(*rows, strict=True)
    )
    return Pieces(rows, points, widths)


def _polynomial(nodes: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the coefficients of the polynomial through some points, the highest power first."""
    differences = [*values]
    for order in range(1, len(nodes)):
        for at in range(len(nodes) - 1, order - 1, -1):
            step = nodes[at] - nodes[at - order]
            differences[at] = (differences[at] - differences[at - 1]) / step
    found = [differences[-1]]
    for node, constant in zip(nodes[-2::-1], differences[-2::-1], strict=True):
        shifted = [*found, 0.0]
        for at, c in enumerate(found):
            shifted[at + 1] -= node * c
        shifted[-1] += constant
        found = shifted
    return found


def places(degree: int) -> int:
    """Return the places of registers that an evaluation has."""
    return 1 + 2 * degree


def evaluated(
    stages: CutPlaces, pieces: Pieces, index: Value, t: Value, *others: Value
) -> tuple[Value, ...]:
    """Return the value of a piece at ``t``, signed, and other values that keep up with it.

    Parameters
    ----------
    t
        In two's complement, in units of ``2**-len(t)``.
    """
    word = stages.looked_up(index, pieces.words, sum(pieces.widths))
    word, t, *kept = stages.cut(word, t, *others)
    at, total = 0, None
    for place, width in enumerate(pieces.widths):
        coefficient = word[at : at + width].as_signed()
        at += width
        if total is None:
            total = coefficient
            continue
        product = total * t.as_signed()
        product, word, t, *kept = stages.cut(product, word, t, *kept)
        coefficient = word[at - width : at].as_signed()
        drop = pieces.points[place - 1] + len(t) - pieces.points[place]
        total = coefficient + (product.as_signed() >> drop)
        total, word, t, *kept = stages.cut(total[: width + 1], word, t, *kept)
        total = total.as_signed()
    assert total is not None
    return total, *kept
