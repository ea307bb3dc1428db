"""Array partition: equation (1) of [1] V-C2, from the accesses of an unrolled body.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import gcd
from typing import TypeAlias, assert_never

from streamopt.ir.affine import Affine, Atom, FloorDiv, Iter, Mod
from streamopt.ir.expression import Access


class Fashion(StrEnum):
    """How elements go to banks."""

    CYCLIC = "cyclic"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class DimensionPartition:
    """How one dimension of an array is split."""

    fashion: Fashion
    factor: int


def metric(offsets: Iterable[int]) -> float:
    """Return P of equation (1): accesses over the largest distance of two of them plus one.

    Parameters
    ----------
    offsets
        Distinct indices in one dimension, relative to each other.

    Examples
    --------
    >>> metric([0, 1]), metric([0, 4])
    (1.0, 0.4)
    """
    found = set(offsets)
    return len(found) / (max(found) - min(found) + 1)


def array_partition(addresses: Sequence[Address]) -> tuple[DimensionPartition, ...]:
    """Return the partition of each dimension of an array for all accesses to it.

    Accesses are counted by dimension, as the published partitions are; those whose distance is
    not constant are counted apart, and the largest factor wins.
    """
    dimensions = zip(*addresses, strict=True)
    return tuple(_dimension(set(places)) for places in dimensions)


def _dimension(places: set[LanePlace]) -> DimensionPartition:
    groups: dict[str, set[int]] = {}
    for place in places:
        groups.setdefault(place.moving, set()).add(place.offset)
    widest = max(groups.values(), key=lambda offsets: (len(offsets), metric(offsets)))
    fashion = Fashion.CYCLIC if metric(widest) >= 1 else Fashion.BLOCK
    return DimensionPartition(fashion, len(widest))


def bank_of(address: Address, partition: Sequence[DimensionPartition]) -> int | None:
    """Return the number of the bank that an access goes to; None where it isn't always the same.

    An access whose bank is not known may go to any of them.
    """
    bank = 0
    for place, split in zip(address, partition, strict=True):
        if split.factor == 1:
            continue
        if split.fashion is Fashion.BLOCK or place.step % split.factor != 0:
            return None
        bank = bank * split.factor + place.offset % split.factor
    return bank


@dataclass(frozen=True, slots=True)
class LanePlace:
    """One subscript in one lane: ``moving + offset``."""

    moving: str
    """The part that changes from tile to tile; places with equal ones have a constant distance."""
    offset: int
    step: int
    """The moving part is a multiple of it; 0 where nothing moves."""


Address: TypeAlias = tuple[LanePlace, ...]


def addresses(
    access: Access, tiles: Mapping[str, int], lanes: Mapping[str, int]
) -> dict[tuple[int, ...], Address]:
    """Return where an access goes, by lane of a tile.

    Parameters
    ----------
    tiles
        Tile size of every loop that has more than one tile; others don't move.
    lanes
        Extent of every loop that has lanes; a key has a value for each, in this order.
    """
    loops = tuple(lanes)
    columns = [_column(subscript, tiles, lanes) for subscript in access.subscripts]
    found: dict[tuple[int, ...], Address] = {}
    for lane in product(*(range(extent) for extent in lanes.values())):
        value = dict(zip(loops, lane, strict=True))
        found[lane] = tuple(places[tuple(value[name] for name in used)] for used, places in columns)
    return found


def _column(
    subscript: Affine, tiles: Mapping[str, int], lanes: Mapping[str, int]
) -> tuple[Sequence[str], dict[tuple[int, ...], LanePlace]]:
    """Return the loops whose lanes a subscript tells apart, and its place in each of them."""
    used = [name for name in subscript.iterators() if name in lanes]
    points = product(*(range(lanes[name]) for name in used))
    return used, {
        point: _place(subscript, tiles, dict(zip(used, point, strict=True))) for point in points
    }


def _place(value: Affine, tiles: Mapping[str, int], lane: Mapping[str, int]) -> LanePlace:
    moving: dict[str, int] = {}
    offset, step = value.constant, 0
    for atom, factor in value.terms:
        name, inside, multiple = _atom(atom, tiles, lane)
        offset += factor * inside
        if multiple:
            moving[name] = moving.get(name, 0) + factor
            step = gcd(step, factor * multiple)
    text = " + ".join(f"{factor}*{name}" for name, factor in sorted(moving.items()) if factor)
    return LanePlace(text, offset, step)


def _atom(atom: Atom, tiles: Mapping[str, int], lane: Mapping[str, int]) -> tuple[str, int, int]:
    """Return name and step of what moves in an atom, and the offset in between."""
    match atom:
        case Iter(name):
            return name, lane.get(name, 0), tiles.get(name, 0)
        case FloorDiv(value, divisor):
            inner = _place(value, tiles, lane)
            if not inner.step:
                return "", inner.offset // divisor, 0
            whole, _ = _split(inner, divisor)
            return f"({inner.moving} + {whole}) / {divisor}", 0, 1
        case Mod(value, divisor):
            inner = _place(value, tiles, lane)
            if not inner.step:
                return "", inner.offset % divisor, 0
            whole, rest = _split(inner, divisor)
            return f"({inner.moving} + {whole}) % {divisor}", rest, gcd(inner.step, divisor)
        case _:
            assert_never(atom)


def _split(inner: LanePlace, divisor: int) -> tuple[int, int]:
    """Return the offset as a multiple of what divides step and divisor, and the rest.

    Adding the rest changes neither the quotient by the divisor nor, but for the rest itself, the
    remainder.
    """
    common = gcd(inner.step, divisor)
    rest = inner.offset % common
    return inner.offset - rest, rest
