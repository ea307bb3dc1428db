"""Digits of a constant factor in signed binary: a product by it adds as many shifted copies."""

MOST_ADDED = 2
"""Digits up to which a product is wires and an adder."""


def signed_digits(factor: int) -> int:
    """Return the digits that are not 0 in a factor's non-adjacent form, its shortest.

    ``n xor 3n`` has a bit for each of them.

    Examples
    --------
    >>> [signed_digits(n) for n in (64, 20, 30, 19, 190)]
    [1, 2, 2, 3, 3]
    """
    return (factor ^ 3 * factor).bit_count()


def needs_multiplier(factor: int) -> bool:
    """Return whether a product by a constant is more than wires and an adder."""
    return signed_digits(factor) > MOST_ADDED
