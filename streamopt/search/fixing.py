"""Rows that a schedule better than a known one can still take, by reduced costs (E15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.component import Component

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.columns import Priced
    from streamopt.search.relaxation import Relaxation

    Flags = npt.NDArray[np.bool_]

__all__ = ["few_rows", "kept_rows"]

STEP = 2.0
"""Between reduced costs that are tried."""
STEPS = 12


def kept_rows(problem: Relaxation, priced: Priced, slack: float) -> dict[str, Flags]:
    """Return which rows of every node of the graph some label of low reduced cost takes.

    Parameters
    ----------
    slack
        Highest reduced cost of a label that is kept, in horizons: with the distance from the
        bound to a known schedule, every better schedule is kept.
    """
    instance = problem.cut.problem
    kept = [np.zeros(len(choices.dsps), dtype=bool) for choices in instance.nodes]
    low = (priced.reduced <= slack) | (priced.weights > 0)
    for place, piece in enumerate(problem.cut.pieces):
        flags = low[problem.offsets[place] : problem.offsets[place + 1]]
        waiting: list[tuple[Component, Flags]] = [(piece, flags)]
        while waiting:
            component, taken = waiting.pop()
            for part, back in zip(component.parts, component.back[taken].T, strict=True):
                if isinstance(part, Component):
                    inside = np.zeros(len(part), dtype=bool)
                    inside[back] = True
                    waiting.append((part, inside))
                else:
                    kept[part][back] = True
    return {name: flags for name, flags in zip(instance.names, kept, strict=True) if name}


def few_rows(problem: Relaxation, priced: Priced, most_rows: int) -> dict[str, Flags]:
    """Return the rows of lowest reduced costs, at most about as many; see `kept_rows`."""
    slack = priced.bound * STEP**-STEPS
    kept = kept_rows(problem, priced, slack)
    for _ in range(STEPS):
        slack *= STEP
        more = kept_rows(problem, priced, slack)
        if sum(int(flags.sum()) for flags in more.values()) > most_rows:
            break
        kept = more
    return kept
