"""How many elements of one bank an iteration of a phase touches.

Lanes of accesses whose subscripts differ by constants move together, so what they touch is counted
exactly, equal elements once. Other accesses may meet anywhere: their fullest banks add up. So do
those in different cycles of an iteration, which meet as accesses of two iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.affine import Atom

CACHED_LOADS = 8192
"""Asked for with one set of copies after another."""


@dataclass(frozen=True, slots=True)
class LanedSubscript:
    """A subscript as a moving part, the same in all lanes, and where lanes are from there."""

    moving: Affine
    offset: Affine
    """Over lane iterators, and others where lanes are anywhere."""
    modulus: int = 0
    """Elements that differ by it are one; 0 for none."""
    is_free: bool = False
    """Whether lanes are anywhere: nothing is known of their banks."""


@dataclass(frozen=True, slots=True)
class LanedAccess:
    """An access of the lanes of a phase."""

    subscripts: tuple[LanedSubscript, ...]
    """Of the memory."""
    extents: tuple[tuple[str, int], ...]
    """Pairs (lane iterator, lanes), of those that the subscripts use."""
    told: tuple[tuple[str, int], ...] = ()
    """Pairs (iterator, number) that hold where the access happens."""
    slot: int = 0
    """In which part of an iteration it happens: accesses of equal ones share a cycle."""

    def where(self, told: tuple[tuple[str, int], ...]) -> LanedAccess:
        """Return the access in iterations where iterators have some numbers."""
        if not told:
            return self
        known = {name: Affine.of(number) for name, number in told}
        subscripts: list[LanedSubscript] = []
        for one in self.subscripts:
            moving = one.moving.substitute(known)
            offset = one.offset + Affine.of(moving.constant)
            moving -= Affine.of(moving.constant)
            subscripts.append(LanedSubscript(moving, offset, one.modulus, one.is_free))
        return LanedAccess(tuple(subscripts), self.extents)

    @property
    def moving(self) -> tuple[Affine, ...]:
        """Return the moving parts, by dimension."""
        return tuple(s.moving.ordered(sorted(s.moving.iterators())) for s in self.subscripts)


def laned_access(
    subscripts: Sequence[Affine],
    position: Mapping[str, Affine],
    lanes: Mapping[str, int],
    told: Mapping[str, int] = MappingProxyType({}),
) -> LanedAccess:
    """Return an access over tiles and lanes.

    Parameters
    ----------
    position
        By loop of the phase: its iterator over tile and lane.
    lanes
        By lane iterator.
    told
        Iterators of loops in order that have one number wherever the access happens.
    """
    found = tuple(_laned(subscript.substitute(position), lanes) for subscript in subscripts)
    used = {name for s in subscripts for name in s.substitute(position).iterators()}
    extents = tuple((name, n) for name, n in lanes.items() if name in used)
    return LanedAccess(found, extents, tuple(sorted(told.items())))


def _laned(subscript: Affine, lanes: Mapping[str, int]) -> LanedSubscript:
    match subscript.terms, subscript.constant:
        case ((Mod(value, divisor), 1),), 0 if any(name in lanes for name in value.iterators()):
            inner = _laned(value, lanes)
            return LanedSubscript(inner.moving, inner.offset, divisor, inner.is_free)
        case _:
            pass
    moving, offset, is_free = Affine(), Affine.of(subscript.constant), False
    for atom, factor in subscript.terms:
        still, lane, known = _split(atom, lanes)
        moving += still.scaled(factor)
        offset += lane.scaled(factor)
        is_free |= not known
    return LanedSubscript(moving, offset, 0, is_free)


def _split(atom: Atom, lanes: Mapping[str, int]) -> tuple[Affine, Affine, bool]:
    """Return (moving part, part of lanes, whether they are apart) of a term."""
    whole = Affine(((atom, 1),))
    match atom:
        case Iter(name):
            return (Affine(), whole, True) if name in lanes else (whole, Affine(), True)
        case FloorDiv(value, divisor) if any(name in lanes for name in value.iterators()):
            inner = _laned(value, lanes)
            steps = inner.moving
            if all(by % divisor == 0 for _, by in steps.terms) and not inner.is_free:
                still = Affine(tuple((a, by // divisor) for a, by in steps.terms))
                return still, inner.offset.floordiv(divisor), not inner.modulus
            return Affine(), whole, False
        case Mod(value, _) if any(name in lanes for name in value.iterators()):
            return Affine(), whole, False
        case _:
            return whole, Affine(), True


def fullest_bank(accesses: Iterable[LanedAccess], factors: tuple[int, ...]) -> int:
    """Return the most elements of one bank that accesses touch in one iteration."""
    return _fullest_of(frozenset(accesses), factors)


@lru_cache(maxsize=CACHED_LOADS)
def _fullest_of(every: frozenset[LanedAccess], factors: tuple[int, ...]) -> int:
    slots: dict[int, list[LanedAccess]] = {}
    for access in every:
        slots.setdefault(access.slot, []).append(access)
    return sum(
        max(_meeting(own, told, factors) for told in {(), *(access.told for access in own)})
        for own in slots.values()
    )


def _meeting(
    every: Iterable[LanedAccess], told: tuple[tuple[str, int], ...], factors: tuple[int, ...]
) -> int:
    """Return the most elements of one bank where iterators have some numbers."""
    known = dict(told)
    accesses = [
        access.where(told)
        for access in every
        if (known or not access.told)
        and all(known.get(name, number) == number for name, number in access.told)
    ]
    groups: dict[tuple[Affine, ...], list[LanedAccess]] = {}
    for access in accesses:
        groups.setdefault(access.moving, []).append(access)
    return sum(_fullest(frozenset(group), factors) for group in groups.values())


@lru_cache(maxsize=CACHED_LOADS)
def _fullest(group: frozenset[LanedAccess], factors: tuple[int, ...]) -> int:
    """Return the most elements of a bank that accesses of one moving part touch."""
    places = np.concatenate([_places(access, factors) for access in group])
    places = np.unique(places, axis=0)
    banks = places[:, : len(factors)] % np.array(factors)
    _, counts = np.unique(banks, axis=0, return_counts=True)
    return int(counts.max())


def _places(access: LanedAccess, factors: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return bank coordinates and what tells elements apart, a row for each lane."""
    names = [name for name, _ in access.extents]
    shape = tuple(count for _, count in access.extents) or (1,)
    grid = np.indices(shape).reshape(len(shape), -1)
    point = dict(zip(names, grid, strict=False))
    each = np.arange(prod(shape))
    columns: list[npt.NDArray[np.int64]] = []
    apart: list[npt.NDArray[np.int64]] = []
    for subscript, factor in zip(access.subscripts, factors, strict=True):
        unknown = subscript.is_free or (subscript.modulus % factor if subscript.modulus else 0)
        if unknown:
            columns.append(np.zeros_like(each))
            apart.append(each)
        else:
            value = np.broadcast_to(np.asarray(subscript.offset.evaluate(point)), each.shape)
            columns.append(value.astype(np.int64))
            apart.append(np.zeros_like(each))
    return np.stack([*columns, *apart], axis=1)


def offsets(subscript: LanedSubscript, extents: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Return the different places of lanes along a dimension, from the moving part on.

    Parameters
    ----------
    extents
        Lanes by iterator; all others stand still.
    """
    names = subscript.offset.iterators()
    shape = tuple(extents.get(name, 1) for name in names) or (1,)
    grid = np.indices(shape).reshape(len(shape), -1)
    value = subscript.offset.evaluate(dict(zip(names, grid, strict=False)))
    return np.unique(np.asarray(value, dtype=np.int64))
