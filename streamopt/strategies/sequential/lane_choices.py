"""Lanes that are worth building: a ladder for each group of loops, ranked by an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from streamopt.perf.turns.bubbles import LeastLength
from streamopt.strategies.sequential.lane_groups import idle_loops
from streamopt.strategies.sequential.light_phases import LightPhases
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.stepping.steps import Steps
    from streamopt.strategies.sequential.phase_counts import PhaseCounts

    Lanes = tuple[tuple[str, int], ...]
    """By loop."""

MOST_LANES = 2_048
"""Of a phase: more have no DSPs on any device of ours."""
SHORT = 8
"""Iterations of a loop that may have any number of lanes."""
MOST_CHOICES = 4_000
"""Combinations that are estimated; of more, ladders are thinned."""
MOST_BETTER = 3
"""Choices that are as good as one that is kept: banks may keep the others from being built."""
MOST_FASTEST = 60
"""Of the fastest by the estimate, whatever they take, as it is rough."""

MUCH = 0.4
"""Of the limits, from which on light phases have fewer lanes than others."""


@dataclass(frozen=True, slots=True)
class UnitCost:
    """A phase with one lane, as built, and what each further lane adds."""

    # dsps, luts: of one lane
    dsps: int
    luts: int
    # more_dsps, more_luts: of each further one, about
    more_dsps: float
    more_luts: float
    least_cycles: int
    """Of a visit, about: until what it writes can be read."""


@dataclass(frozen=True, slots=True)
class LaneChoice:
    """Lanes of loops, with about what they come to."""

    lanes: Lanes
    cycles: float
    dsps: int
    luts: int

    def rank(self) -> tuple[float, int, int, int, Lanes]:
        """Return a key: the fastest first, then those that take less."""
        widest = max((count for _, count in self.lanes), default=1)
        return self.cycles, self.dsps, self.luts, widest, self.lanes

    @property
    def is_binary(self) -> bool:
        """Return whether all lanes are powers of two: no index that moves chooses their banks."""
        return all(count & (count - 1) == 0 for _, count in self.lanes)


def lane_choices(
    steps: Steps,
    groups: Sequence[Sequence[str]],
    counts: PhaseCounts,
    units: Mapping[str, UnitCost],
    limits: tuple[int, int],
) -> list[LaneChoice]:
    """Return choices within limits on DSPs and LUTs that may be fast for what they take.

    The fastest come first.
    """
    most = {loop.name: loop.trip_count for loop in steps.loops}
    ladders = [_ladder(max(most[name] for name in group)) for group in groups]
    spared = (frozenset[str](), *idle_loops(steps, groups))
    if len(spared) > 1:
        shared = sorted({lanes for own in ladders for lanes in own})
        ladders = [[lanes for lanes in shared if lanes <= own[-1]] for own in ladders]
    light = LightPhases(steps)
    ladders = _thinned(ladders, [light.are_rare(group) for group in groups])
    kept: list[tuple[Mapping[str, int], tuple[int, int]]] = []
    spend(WORK.rows.vector * prod(map(len, ladders)) * len(steps.phases))
    for factors, idle in product(product(*ladders), spared):
        if idle and len(set(factors)) > 1:
            continue  # sweeps with lanes of their own have operators of their own
        lanes = {name: f for group, f in zip(groups, factors, strict=True) for name in group}
        lanes |= dict.fromkeys(idle, 1)
        lanes = {name: min(f, most[name]) for name, f in lanes.items()}
        for own in (lanes, *light.lightened(lanes)):
            amounts = _amounts(steps, units, own, limits)
            if amounts is not None:
                kept.append((own, amounts))
            if own is not lanes and not _take_much(amounts, limits):
                break  # of parts, the first has the fewest lanes
    eager = {phase.name: LeastLength() for phase in steps.phases}
    ranked = sorted(
        (LaneChoice(tuple(own.items()), float(counts.cycles(own, eager)), *a) for own, a in kept),
        key=LaneChoice.rank,
    )
    rows = [choice for choice in ranked if is_of_rows(steps, choice)]
    binary = [choice for choice in ranked if choice.is_binary]
    return [*dict.fromkeys((*ranked[:MOST_FASTEST], *front(ranked), *front(binary), *rows))]


def _thinned(ladders: Sequence[list[int]], are_rare: Sequence[bool]) -> list[list[int]]:
    """Return few enough combinations: those of loops that run rarely are left out first."""
    found = list(ladders)
    while prod(map(len, found)) > MOST_CHOICES:
        sizes = [len(own) for own in found]
        most = max(
            range(len(found)), key=lambda at: (are_rare[at] and sizes[at] > SHORT, sizes[at])
        )
        found[most] = found[most][::2]
    return found


def _take_much(amounts: tuple[int, int] | None, limits: tuple[int, int]) -> bool:
    """Return whether operators of light phases may be wanted elsewhere."""
    if amounts is None:
        return False
    return amounts[0] >= MUCH * limits[0] or amounts[1] >= MUCH * limits[1]


def _amounts(
    steps: Steps,
    units: Mapping[str, UnitCost],
    lanes: Mapping[str, int],
    limits: tuple[int, int],
) -> tuple[int, int] | None:
    """Return about the DSPs and LUTs of lanes; None beyond limits, or for too many of a phase."""
    dsps = luts = 0.0
    for phase in steps.phases:
        unit = units[phase.name]
        copies = prod(lanes.get(loop.name, 1) for loop in phase.loops)
        if copies > MOST_LANES:
            return None
        dsps += unit.dsps + (copies - 1) * unit.more_dsps
        luts += unit.luts + (copies - 1) * unit.more_luts
    amounts = round(dsps), round(luts)
    return None if amounts[0] > limits[0] or amounts[1] > limits[1] else amounts


def _ladder(extent: int) -> list[int]:
    """Return lanes of a loop: powers of two, and those that leave few tiles of equal size.

    All of a short loop: where bounds depend on other loops, any may leave the fewest tiles.
    """
    if extent <= SHORT:
        return [*range(1, max(1, extent) + 1)]
    powers = {2**k for k in range(extent.bit_length()) if 2**k <= extent}
    even = {-(-extent // tiles) for tiles in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)}
    return sorted(powers | even)


def front(choices: Sequence[LaneChoice]) -> Iterator[LaneChoice]:
    """Yield the choices that few others beat in cycles, DSPs and LUTs, the fastest first.

    Of equal ones those come first whose lanes are even among loops: they need fewer banks.
    """
    kept: list[LaneChoice] = []
    for choice in sorted(choices, key=LaneChoice.rank):
        if sum(k.dsps <= choice.dsps and k.luts <= choice.luts for k in kept) < MOST_BETTER:
            kept.append(choice)
            yield choice


def is_of_rows(steps: Steps, choice: LaneChoice) -> bool:
    """Return whether one loop of each phase has several tiles, and no lanes."""
    lanes = dict(choice.lanes)
    several = [
        [loop.name for loop in phase.loops if lanes.get(loop.name, 1) < loop.trip_count]
        for phase in steps.phases
        if len(phase.loops) > 1
    ]
    return bool(several) and all(
        len(names) == 1 and lanes.get(names[0], 1) == 1 for names in several
    )
