"""Subscripts in two digits: ``radix * high + low`` with ``0 <= low < radix`` at every iteration.

Divisions and remainders by the radix then are the digits themselves: ``(16 * h + k) // 16`` is
``h`` and ``(16 * h + k) % 16`` is ``k`` for ``k < 16``.
"""

from collections.abc import Iterable, Mapping
from math import gcd
from typing import assert_never

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod


def digits(
    value: Affine, radix: int, trip_counts: Mapping[str, int]
) -> tuple[Affine, Affine] | None:
    """Return (high, low) with ``value == radix * high + low``; None where low may be no digit.

    Examples
    --------
    >>> subscript = Affine.iterator("h").scaled(16) + Affine.iterator("k") + Affine.of(32)
    >>> high, low = digits(subscript, 16, {"h": 8, "k": 16})
    >>> str(high), str(low)
    ('h + 2', 'k')
    >>> digits(subscript, 16, {"h": 8, "k": 17}) is None
    True
    """
    whole, rest = _parted(value, radix)
    first, last = rest.bounds(trip_counts)
    carry = first // radix
    if last - carry * radix >= radix:
        return None
    return whole + Affine.of(carry), rest - Affine.of(carry * radix)


def is_in_digits(value: Affine, trip_counts: Mapping[str, int]) -> bool:
    """Return whether an expression is a number of which each iterator is one digit, or less.

    Different iterations then have different values: ``16 * h + k`` for ``k < 16``, but no window
    as ``i + k``. One iterator is one digit, whatever it is divided by.
    """
    while len(value.iterators()) > 1:
        value = Affine(value.terms)  # what is added to all iterations tells none apart
        radix = max(abs(factor) for _, factor in value.terms)
        found = digits(value, radix, trip_counts)
        if found is None or found[1] == value:
            return False
        high, value = found
        if len(high.iterators()) > 1:
            return False
    return True


def quotient(value: Affine, divisor: int, trip_counts: Mapping[str, int]) -> Affine:
    """Return ``floor(value / divisor)`` with as few divisions as are seen to be needed."""
    whole, rest = _parted(value, divisor)
    found = digits(rest, divisor, trip_counts)
    if found is not None:
        return whole + found[0]
    for radix in _radices(rest, divisor):
        parts = digits(rest, radix, trip_counts)
        if parts is not None:
            return whole + quotient(parts[0], divisor // radix, trip_counts)
    return whole + rest.floordiv(divisor)


def remainder(value: Affine, divisor: int, trip_counts: Mapping[str, int]) -> Affine:
    """Return ``value`` modulo ``divisor`` with as few remainders as are seen to be needed."""
    _, rest = _parted(value, divisor)
    found = digits(rest, divisor, trip_counts)
    if found is not None:
        return found[1]
    for radix in _radices(rest, divisor):
        parts = digits(rest, radix, trip_counts)
        if parts is not None:
            return remainder(parts[0], divisor // radix, trip_counts).scaled(radix) + parts[1]
    return rest.mod(divisor)


def substituted(
    value: Affine, renamed: Mapping[str, Affine], trip_counts: Mapping[str, int]
) -> Affine:
    """Return the expression with iterators replaced, and divisions and remainders simplified.

    Parameters
    ----------
    trip_counts
        Of the iterators of the result.
    """
    total = Affine.of(value.constant)
    for atom, coefficient in value.terms:
        match atom:
            case Iter(name):
                term = renamed.get(name, Affine.iterator(name))
            case FloorDiv(inner, divisor):
                inside = substituted(inner, renamed, trip_counts)
                term = quotient(inside, divisor, trip_counts)
            case Mod(inner, divisor):
                inside = substituted(inner, renamed, trip_counts)
                term = remainder(inside, divisor, trip_counts)
            case _:
                assert_never(atom)
        total = total + term.scaled(coefficient)
    return total


def _parted(value: Affine, radix: int) -> tuple[Affine, Affine]:
    """Return the multiples of a radix, divided by it, and the other terms."""
    whole = tuple((atom, factor // radix) for atom, factor in value.terms if factor % radix == 0)
    rest = tuple((atom, factor) for atom, factor in value.terms if factor % radix)
    return Affine(whole), Affine(rest, value.constant)


def _radices(value: Affine, divisor: int) -> Iterable[int]:
    """Return the radices below a divisor in which a value may have digits, largest first."""
    found = {gcd(factor, divisor) for _, factor in value.terms}
    return sorted(found - {1, divisor}, reverse=True)
