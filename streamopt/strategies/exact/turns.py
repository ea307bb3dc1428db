"""Searches interleaved by the work that each has done, as none suits every graph (a portfolio)."""

from collections.abc import Callable, Iterator, Sequence

from streamopt.work import spent

PENALTY_FACTOR = 2.0
"""By which the weight of a search's work grows with each of its rounds without improvement."""


def take_turns(
    searches: Sequence[Iterator[bool]],
    state: Callable[[], object],
    first_weights: Sequence[float] = (),
) -> None:
    """Run searches to their ends; each step goes to the one of least weighted work so far.

    A search keeps its first weight until a round of it ends; from then on each round without
    improvement multiplies the weight, and an improvement makes it 1. So the share of the work
    shifts, as with the arms of a bandit, to searches that improve what is known. Work is counted,
    not timed, so that a run is deterministic.

    Parameters
    ----------
    searches
        Each yields after every step, true at the end of a round; of equal ones the first begins.
    state
        Returns what is known: a round is an improvement if one of its steps changes it.
    first_weights
        1 for all where not given.
    """
    weighted_work = dict.fromkeys(range(len(searches)), 0.0)
    weights = list(first_weights) or [1.0] * len(searches)
    improved = [False] * len(searches)
    while weighted_work:
        at = min(weighted_work, key=weighted_work.__getitem__)
        before, began = state(), spent()
        ends_round = next(searches[at], None)
        weighted_work[at] += weights[at] * (spent() - began)
        improved[at] = improved[at] or state() != before
        if ends_round is None:
            del weighted_work[at]
        elif ends_round:
            weights[at] = 1.0 if improved[at] else PENALTY_FACTOR * weights[at]
            improved[at] = False
