"""Tile loops of a phase, with bounds in tiles that hold every lane with work, and few others.

Before::

    any order of i from k + 1 to 400, j from 0 to i + 1; i in 16 lanes, j in 32

After::

    tiles i from (k + 1) / 16 to 25, j from 0 to (16 * i + 47) / 32

Bounds of a tile loop that is further out than the loops its own bounds are about come from
projection (Fourier-Motzkin).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.stepping.steps import StepLoop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamopt.ir.affine import Atom
    from streamopt.ir.stepping.steps import Phase

    Reach = Mapping[str, tuple[int, int]]
    """Lowest and highest value by iterator."""

LANE = ".lane"
"""Behind the name of a loop: which of its lanes."""


def tile_loops(
    phase: Phase, around: Sequence[StepLoop], lanes: Mapping[str, int], order: Sequence[str]
) -> tuple[StepLoop, ...]:
    """Return the tile loops of a phase.

    Parameters
    ----------
    around
        Loops that run in order around it.
    lanes
        By loop.
    order
        Of all its loops, outermost first.
    """
    reach = reach_of((*around, *phase.loops))
    loops = {loop.name: loop for loop in phase.loops}
    domain = [part for loop in phase.loops for part in _constraints(loop)]
    found: list[StepLoop] = []
    for at, name in enumerate(order):
        inner, outer = order[at + 1 :], order[:at]
        known = _projected(domain, inner)
        others = {loop: lanes[loop] for loop in order if loop != name}
        facts = [
            _extreme(fact, others, largest=True)
            for count in range(at + 1)
            for gone in combinations(outer, count)
            for fact in _projected(known, gone)
            if _factor(fact, name) and _is_plain(fact, name)
        ]
        least, last = loops[name].least // lanes[name], (loops[name].end - 1) // lanes[name]
        tiles = {**reach, **reach_of(found)}
        lower = _bounds((fact for fact in facts if _factor(fact, name) > 0), name, lanes[name])
        upper = _bounds((fact for fact in facts if _factor(fact, name) < 0), name, lanes[name])
        found.append(
            StepLoop(
                name,
                _strictest([Affine.of(least), *lower], tiles, largest=True),
                _strictest([Affine.of(last + 1), *upper], tiles, largest=False),
                least,
                max(least, last + 1),
            )
        )
    return tuple(found)


def lane_places(tiles: Iterable[StepLoop], lanes: Mapping[str, int]) -> dict[str, Affine]:
    """Return every iterator over tile and lane; a tile loop of one value is that value."""
    found: dict[str, Affine] = {}
    for tile in tiles:
        is_single = tile.trip_count == 1
        place = Affine.of(tile.least) if is_single else Affine.iterator(tile.name)
        count = lanes.get(tile.name, 1)
        lane = Affine.iterator(tile.name + LANE) if count > 1 else Affine()
        found[tile.name] = place.scaled(count) + lane
    return found


def reach_of(loops: Iterable[StepLoop]) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest value of every iterator."""
    return {loop.name: (loop.least, max(loop.least, loop.end - 1)) for loop in loops}


def _constraints(loop: StepLoop) -> Iterator[Affine]:
    """Yield what is not negative inside the loop's bounds."""
    iterator = Affine.iterator(loop.name)
    yield from (iterator - bound for bound in loop.lower)
    yield from (bound - iterator - Affine.of(1) for bound in loop.upper)


def _factor(fact: Affine, name: str) -> int:
    return fact.factors.get(name, 0)


def _projected(facts: Sequence[Affine], names: Iterable[str]) -> list[Affine]:
    """Return facts about the other iterators; those with these in quotients are left out."""
    known = list(facts)
    for name in names:
        kept = [fact for fact in known if name not in fact.iterators()]
        ups, downs = (
            [fact for fact in known if sign * _factor(fact, name) > 0 and _is_plain(fact, name)]
            for sign in (1, -1)
        )
        kept += [
            up.scaled(-_factor(down, name)) + down.scaled(_factor(up, name))
            for up in ups
            for down in downs
        ]
        known = list(dict.fromkeys(kept))
    return known


def _is_plain(fact: Affine, name: str) -> bool:
    """Return whether an iterator is in no quotient or remainder."""
    return not any(
        name in atom.value.iterators() for atom, _ in fact.terms if not isinstance(atom, Iter)
    )


def _extreme(value: Affine, lanes: Mapping[str, int], *, largest: bool) -> Affine:
    """Return a bound of a value over the lanes of loops, with tiles for iterators."""
    total = Affine.of(value.constant)
    for atom, factor in value.terms:
        up = largest == (factor > 0)
        total += _extreme_atom(atom, lanes, largest=up).scaled(factor)
    return total


def _extreme_atom(atom: Atom, lanes: Mapping[str, int], *, largest: bool) -> Affine:
    match atom:
        case Iter(name):
            count = lanes.get(name, 1)
            tile = Affine.iterator(name).scaled(count)
            return tile + Affine.of(count - 1) if largest else tile
        case FloorDiv(value, divisor):
            return _extreme(value, lanes, largest=largest).floordiv(divisor)
        case Mod(value, divisor):
            if all(lanes.get(name, 1) == 1 for name in value.iterators()):
                return Affine(((atom, 1),))
            return Affine.of(divisor - 1 if largest else 0)


def _bounds(facts: Iterable[Affine], name: str, lanes: int) -> Iterator[Affine]:
    """Yield bounds in tiles that facts set: the lowest tile, or the one after the last."""
    for fact in dict.fromkeys(facts):
        factor = _factor(fact, name)
        rest = fact - Affine.iterator(name).scaled(factor)
        divisor = abs(factor) * lanes
        if factor > 0:
            yield _floor(rest.scaled(-1) + Affine.of(factor - 1), divisor)
        else:
            yield _floor(rest, divisor) + Affine.of(1)


def _floor(value: Affine, divisor: int) -> Affine:
    """Return a quotient, without the terms that are divided exactly."""
    if divisor == 1:
        return value
    whole = tuple((atom, by // divisor) for atom, by in value.terms if by % divisor == 0)
    rest = tuple((atom, by) for atom, by in value.terms if by % divisor)
    quotient, constant = divmod(value.constant, divisor)
    return Affine(whole, quotient) + Affine(rest, constant).floordiv(divisor)


def _strictest(bounds: Sequence[Affine], reach: Reach, *, largest: bool) -> tuple[Affine, ...]:
    """Return the bounds that matter somewhere, with dividends that are never negative."""
    kept: list[Affine] = []
    for bound in dict.fromkeys(bounds):
        if any(_implies(other, bound, reach, largest=largest) for other in kept):
            continue
        kept = [one for one in kept if not _implies(bound, one, reach, largest=largest)]
        kept.append(bound)
    return tuple(_not_negative(bound, reach) for bound in kept)


def _implies(strict: Affine, loose: Affine, reach: Reach, *, largest: bool) -> bool:
    apart = strict - loose if largest else loose - strict
    if apart.interval(reach)[0] >= 0:
        return True
    dividends = _as_quotient(strict), _as_quotient(loose)
    if dividends[0][1] != dividends[1][1]:
        return False
    apart = dividends[0][0] - dividends[1][0]
    return (apart if largest else apart.scaled(-1)).interval(reach)[0] >= 0


def _as_quotient(value: Affine) -> tuple[Affine, int]:
    """Return (dividend, divisor) of a sum with one quotient of its own, else the value and 1."""
    quotients = [(atom, by) for atom, by in value.terms if isinstance(atom, FloorDiv)]
    if len(quotients) != 1 or quotients[0][1] != 1:
        return value, 1
    atom = quotients[0][0]
    rest = value - Affine(((atom, 1),))
    return atom.value + rest.scaled(atom.divisor), atom.divisor


def _not_negative(value: Affine, reach: Reach) -> Affine:
    """Return a value whose quotients have dividends that C divides like the mathematics."""
    total = Affine.of(value.constant)
    for atom, factor in value.terms:
        term = Affine(((atom, 1),))
        if isinstance(atom, FloorDiv):
            inner = _not_negative(atom.value, reach)
            rounds = max(0, -(inner.interval(reach)[0] // atom.divisor))
            moved = inner + Affine.of(rounds * atom.divisor)
            term = Affine(((FloorDiv(moved, atom.divisor), 1),)) - Affine.of(rounds)
        total += term.scaled(factor)
    return total
