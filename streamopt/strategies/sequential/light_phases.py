"""Fewer lanes for phases that have little to do beside others.

Before (Gram-Schmidt, 200 lanes along i in each phase)::

    phase {i}:     nrm[k] = nrm[k] + A[i][k] * A[i][k]        200 multipliers for 1 of 240 columns
    phase {j, i}:  R[k][j] = R[k][j] + Q[i][k] * A[i][j]      200 x 1

After, with about as many operators: 50 lanes of the first phase, 200 x 2 of the second; or 200 of
the first, which are some of the second's (`streamopt.transforms.stepped.like`).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from streamopt.ir.stepping.steps import Phase, Steps, walk_phases

LIGHT = 16
"""Times fewer iterations than the largest phase has."""
PARTS = (2, 4, 5, 8, 10)
"""Of the lanes that loops of light phases get otherwise."""
MANY_LANES = 16
"""Of a light phase: fewer take little."""
MOST_PHASES = 2
"""Light phases whose lanes differ: all have one part where there are more."""


class LightPhases:
    """The phases of an order with few iterations, by the loops that they alone have."""

    def __init__(self, steps: Steps) -> None:
        most = max(map(_iterations, steps.phases), default=0)
        light = [own for own in steps.phases if LIGHT * _iterations(own) <= most]
        heavy = {loop.name for own in steps.phases if own not in light for loop in own.loops}
        laned = set(steps.laned) - heavy
        loops = (tuple(loop.name for loop in own.loops if loop.name in laned) for own in light)
        self._loops = tuple(names for names in loops if names)
        self._sums = {name for own in light if _has_like(own, steps.phases) for name in own.sums}

        totals = [
            (own, _iterations(own) * prod(loop.trip_count for loop in around))
            for own, around in walk_phases(steps.items)
        ]
        mainly = max((total for _, total in totals), default=0)
        self._often = {
            loop.name for own, total in totals if LIGHT * total > mainly for loop in own.loops
        }

    def are_rare(self, names: Iterable[str]) -> bool:
        """Return whether only phases that have little to do in all have any of some loops."""
        return self._often.isdisjoint(names)

    def lightened(self, lanes: Mapping[str, int]) -> Iterator[dict[str, int]]:
        """Yield lanes with parts of those of light phases that have many, the least lanes first."""
        wide = [own for own in self._loops if prod(lanes[name] for name in own) >= MANY_LANES]
        together = len(wide) > MOST_PHASES
        groups = [tuple(name for own in wide for name in own)] if together else wide
        ladders = [(*reversed(PARTS), *((1,) if self._sums & {*names} else ())) for names in groups]
        for parts in product(*ladders) if groups else ():
            found = dict(lanes)
            for names, part in zip(groups, parts, strict=True):
                widest = max(names, key=lambda name: lanes[name])
                divided = names if together else (widest,)
                found |= {name: -(-lanes[name] // part) for name in divided}
            yield found


def _iterations(phase: Phase) -> int:
    return prod(loop.trip_count for loop in phase.loops)


def _has_like(own: Phase, phases: Iterable[Phase]) -> bool:
    """Return whether a sum may use the lanes of another phase: one of as many terms elsewhere."""
    terms = [loop.trip_count for loop in own.loops if loop.name in own.sums]
    others = [one for one in phases if one.sums and _iterations(one) > _iterations(own)]
    return any(
        [loop.trip_count for loop in one.loops if loop.name in one.sums] == terms for one in others
    )
