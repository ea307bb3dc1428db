"""Larger pieces from smaller ones, by the prices of the relaxation over these (E24).

Reduced costs add up: a schedule that takes certain labels of several pieces costs the bound and
the reduced costs of all of them, at least. So pieces grow by what a better schedule can still take.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.component import NEVER, Component, pruned
from streamopt.search.labels import SearchStoppedError, codes
from streamopt.search.reduction import composed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.columns import Priced
    from streamopt.search.instance import Instance
    from streamopt.search.pieces import Cut
    from streamopt.search.relaxation import Relaxation

    Floats = npt.NDArray[np.float64]

__all__ = ["complete_source", "fused", "pairs"]

MOST_PAIRS = 400_000
"""Pairs of labels that are looked at to put two pieces together."""
WIDE = 5
"""Labels before the pruning, at most, for every one that may be left."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A component with the reduced cost of every label, in horizons."""

    component: Component
    reduced: Floats


def fused(
    program: Relaxation,
    priced: Priced,
    target_cycles: int,
    slack: float,
    most_labels: int,
    should_stop: Callable[[], bool],
) -> Cut | None:
    """Return the pieces without labels that cost too much, joined as far as labels stay few.

    Parameters
    ----------
    target_cycles
        Horizon of the result, at most that of the program.
    slack
        Highest sum of reduced costs, in horizons; schedules that cost more are lost.
    most_labels
        Of a piece that is joined from others.

    Returns
    -------
    Cut or None
        None if no schedule is left.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    """
    known = replace(program.cut, horizon_cycles=target_cycles)
    open_parts: dict[int, _Part] = {}
    for place, piece in enumerate(known.pieces):
        low, high = program.offsets[place : place + 2]
        reduced = priced.reduced[low:high]
        kept = np.flatnonzero(reduced <= slack)
        part = _Part(piece.taken(kept), reduced[kept])
        while (source := complete_source(known.problem, part.component)) is not None:
            if should_stop():
                raise SearchStoppedError
            joined = _joined(known, part, open_parts[source], slack, most_labels)
            if joined is None:
                break
            del open_parts[source]
            part = joined
            if not len(part.component):
                return None
        open_parts[piece.exit] = part
    return replace(known, pieces=tuple(part.component for part in open_parts.values()))


def _joined(cut: Cut, after: _Part, before: _Part, slack: float, most: int) -> _Part | None:
    """Return two parts as one, or None if it would have too many labels."""
    if pairs(after.component, before.component) > MOST_PAIRS:
        return None
    whole = composed(cut.problem, after.component, before.component)
    reduced = after.reduced[whole.back[:, 0]] + before.reduced[whole.back[:, 1]]
    others = cut.known.least_dsps - whole.least_dsps
    earliest = np.array([cut.least(origin) for origin in whole.origins])
    fits = (reduced <= slack) & (whole.dsps <= cut.problem.dsp_limit - others)
    fits &= (whole.last + earliest).max(axis=1, initial=NEVER) <= cut.latest(whole.exit)
    left = whole.taken(np.flatnonzero(fits))
    if len(left) > WIDE * most:
        return None
    left = pruned(left)
    if len(left) > most:
        return None
    sums = after.reduced[left.back[:, 0]] + before.reduced[left.back[:, 1]]
    return _Part(left, sums)


def complete_source(problem: Instance, component: Component) -> int | None:
    """Return the latest source all of whose channels end in the component."""
    ready = (s for s, used in component.used.items() if len(used) == len(problem.outs[s]))
    return max(ready, default=None)


def pairs(after: Component, before: Component) -> int:
    """Return how many pairs of labels agree in the tile classes that both have."""
    common = [name for name in after.properties if name in before.properties]
    left = np.stack([np.zeros_like(after.dsps), *map(after.column, common)], axis=1)
    right = np.stack([np.zeros_like(before.dsps), *map(before.column, common)], axis=1)
    both = codes(np.concatenate([left, right]))
    size = int(both.max(initial=0)) + 1
    counts = np.bincount(both[: len(left)], minlength=size)
    return int(counts @ np.bincount(both[len(left) :], minlength=size))
