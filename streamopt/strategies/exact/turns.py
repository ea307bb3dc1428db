"""Searches interleaved by the work that each has done, as none suits every graph (a portfolio)."""

from collections.abc import Callable, Iterator, Sequence

from streamopt.work import spent

PENALTY_FACTOR = 2.0
"""By which the weight of a search's work grows with each of its rounds without improvement."""


def take_turns(
    searches: Sequence[Iterator[float]],
    state: Callable[[], object],
    first_weights: Sequence[float] = (),
) -> None:
    """Run searches to their ends; each step goes to the one of least weighted work.

    That is its work so far, and what its round has still to do at its pace, where it says how much
    of the round is done: rounds that would take very long are not begun in vain. A search keeps
    its first weight until a round of it ends; from then on each round without
    improvement multiplies the weight, and an improvement makes it 1. So the share of the work
    shifts, as with the arms of a bandit, to searches that improve what is known. Work is counted,
    not timed, so that a run is deterministic.

    Parameters
    ----------
    searches
        Each yields after every step: the share of its round that is done, 0 if that isn't known
        and 1 at the end of the round. Of equal ones the first begins.
    state
        Returns what is known: a round is an improvement if one of its steps changes it.
    first_weights
        1 for all where not given.
    """
    weighted_work = dict.fromkeys(range(len(searches)), 0.0)
    weights = list(first_weights) or [1.0] * len(searches)
    improved = [False] * len(searches)
    rounds = [(0.0, 0.0)] * len(searches)  # work in each one's round, and the share that is done

    def at_end(search: int) -> float:
        work, share = rounds[search]
        to_come = work / share - work if share else 0.0
        return weighted_work[search] + weights[search] * to_come

    while weighted_work:
        at = min(weighted_work, key=at_end)
        before, began = state(), spent()
        share = next(searches[at], None)
        work = spent() - began
        weighted_work[at] += weights[at] * work
        improved[at] = improved[at] or state() != before
        if share is None:
            del weighted_work[at]
        elif share < 1:
            rounds[at] = rounds[at][0] + work, share
        else:
            weights[at] = 1.0 if improved[at] else PENALTY_FACTOR * weights[at]
            improved[at], rounds[at] = False, (0.0, 0.0)
