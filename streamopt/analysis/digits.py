"""Quotients and remainders as digits of a number: ``floor(value / divisor) mod modulus``.

A digit of a sum of iterators can be counted along loops: each step adds a constant, and what is
too much is one round. So no divider is built, where the divisor is no power of two.
"""

from dataclasses import dataclass

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod


@dataclass(frozen=True, slots=True)
class Digit:
    """``floor(value / divisor) mod modulus`` of a linear value; a modulus of 0 is none."""

    value: Affine
    divisor: int
    modulus: int

    @property
    def is_of_bits(self) -> bool:
        """Return whether it is some bits of the value."""
        return not (self.divisor & (self.divisor - 1) or self.modulus & (self.modulus - 1))


def digit_of(atom: FloorDiv | Mod) -> Digit | None:
    """Return a quotient or remainder as a digit; None where it is none of a linear value.

    Examples
    --------
    >>> from streamopt.ir.affine import Affine
    >>> row = Affine.iterator("k").floordiv(7).mod(7)
    >>> found = digit_of(row.terms[0][0])
    >>> found.divisor, found.modulus
    (7, 7)
    """
    inner = _digit_inside(atom.value)
    if inner is None:
        return None
    match atom:
        case FloorDiv(_, divisor) if inner.modulus % divisor == 0:
            return Digit(inner.value, inner.divisor * divisor, inner.modulus // divisor)
        case Mod(_, divisor) if inner.modulus % divisor == 0:
            return Digit(inner.value, inner.divisor, divisor)
        case _:
            return None


def is_counted(subscript: Affine) -> bool:
    """Return whether all its quotients and remainders are digits."""
    atoms = (atom for atom, _ in subscript.terms)
    return all(isinstance(atom, Iter) or digit_of(atom) is not None for atom in atoms)


def _digit_inside(value: Affine) -> Digit | None:
    if value.is_linear:
        return Digit(value, 1, 0)
    match value.terms, value.constant:
        case ((atom, 1),), 0 if not isinstance(atom, Iter):
            return digit_of(atom)
        case _:
            return None
