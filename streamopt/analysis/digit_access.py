"""Subscripts that count through a dimension in digits, each an iterator: ``25 * c + 5 * h + w``.

So a full layer reads its weights behind a feature map of 5 x 5 pixels that was flattened.
"""

from collections.abc import Mapping

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access


def as_digits(
    access: Access, shape: tuple[int, ...], trip_counts: Mapping[str, int]
) -> tuple[Access, tuple[int, ...]]:
    """Return an access to an array, and its shape, with a dimension for each digit of a subscript.

    The elements stay where they are, row by row. A subscript that doesn't count through its whole
    dimension in digits stays as it is.

    Examples
    --------
    >>> flat = Affine.iterator("c").scaled(25) + Affine.iterator("h").scaled(5)
    >>> read = Access("W", (flat + Affine.iterator("w"),))
    >>> found, shape = as_digits(read, (400,), {"c": 16, "h": 5, "w": 5})
    >>> str(found), shape
    ('W[c][h][w]', (16, 5, 5))
    """
    subscripts: list[Affine] = []
    extents: list[int] = []
    for subscript, extent in zip(access.subscripts, shape, strict=True):
        loops = _whole_digits(subscript, extent, trip_counts)
        subscripts += map(Affine.iterator, loops) if loops else [subscript]
        extents += [trip_counts[name] for name in loops] or [extent]
    return Access(access.array, tuple(subscripts)), tuple(extents)


def _whole_digits(value: Affine, extent: int, trip_counts: Mapping[str, int]) -> list[str]:
    """Return the iterators that are the digits of a subscript, the highest first; none if not."""
    found: list[str] = []
    weight = 1
    for atom, factor in sorted(value.terms, key=lambda term: term[1]):
        if not isinstance(atom, Iter) or factor != weight:
            return []
        found.append(atom.name)
        weight *= trip_counts[atom.name]
    return found[::-1] if weight == extent and not value.constant else []
