"""Ways to close one gap that take turns: no one knows beforehand which of them suits a graph."""

from collections.abc import Callable, Iterator, Sequence

from streamopt.work import spent

FRUITLESS = 2.0
"""By how much dearer work becomes to a way with each of its rounds that was of no use."""


def take_turns(ways: Sequence[Iterator[bool]], state: Callable[[], object]) -> None:
    """Go on with the way that has worked least, step by step, until all are at their ends.

    Work after useless rounds counts more, so that a way that does not suit a graph takes ever
    less of it. Work is counted, not timed: the same steps are taken again.

    Parameters
    ----------
    ways
        They yield after each step, whether it ends a round; the first one begins.
    state
        Returns what is known: a round was of use if one of its steps changed it.
    """
    worked = dict.fromkeys(range(len(ways)), 0.0)
    weights, useful = [1.0] * len(ways), [False] * len(ways)
    while worked:
        way = min(worked, key=worked.__getitem__)
        before, began = state(), spent()
        ends_round = next(ways[way], None)
        worked[way] += weights[way] * (spent() - began)
        useful[way] = useful[way] or state() != before
        if ends_round is None:
            del worked[way]
        elif ends_round:
            weights[way] = 1.0 if useful[way] else FRUITLESS * weights[way]
            useful[way] = False
