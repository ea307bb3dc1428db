"""The places of a flattened loop: rounds of loops in order, and visits of phases inside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.stepping.stepped import LanedPhase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.stepping.stepped import LanedItem, SteppedNest
    from streamopt.ir.stepping.steps import StepLoop


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a phase runs."""

    number: int
    """Of the place, counted from 0 as they stand."""
    phase: LanedPhase
    tiles: tuple[StepLoop, ...]
    """Its tile loops but those of sums, which are rounds around it."""

    @property
    def warm_up(self) -> int:
        """Return the iterations ahead of the first in which it only fetches."""
        return self.phase.warm_up


@dataclass(frozen=True, slots=True)
class Round:
    """A loop whose iterations run in order; its number is that of the wait where it has none."""

    number: int
    loop: StepLoop
    inside: tuple[Place, ...]


Place: TypeAlias = Round | Visit


def places_of(nest: SteppedNest) -> tuple[Place, ...]:
    """Return the outermost places of a nest."""
    numbers = iter(range(1 << 30))
    return _placed(nest.items, numbers)


def _placed(items: tuple[LanedItem, ...], numbers: Iterator[int]) -> tuple[Place, ...]:
    found: list[Place] = []
    for item in items:
        if isinstance(item, LanedPhase):
            found.append(_visit(item, item.tiles, numbers))
        else:
            number = next(numbers)
            found.append(Round(number, item.loop, _placed(item.items, numbers)))
    return tuple(found)


def _visit(phase: LanedPhase, tiles: tuple[StepLoop, ...], numbers: Iterator[int]) -> Place:
    number = next(numbers)
    if tiles and tiles[0].name in phase.phase.sums:
        return Round(number, tiles[0], (_visit(phase, tiles[1:], numbers),))
    return Visit(number, phase, tiles)


def visits(places: tuple[Place, ...]) -> Iterator[Visit]:
    """Yield the visits as they stand."""
    for place in places:
        if isinstance(place, Visit):
            yield place
        else:
            yield from visits(place.inside)


def rounds(places: tuple[Place, ...]) -> Iterator[Round]:
    """Yield the rounds as they stand, outer ones first."""
    for place in places:
        if isinstance(place, Round):
            yield place
            yield from rounds(place.inside)
