"""Nodes where branches of a fork meet: labels of their producers by pairs, if there are few (E30).

A branch without nodes has one label of a state, so as many pairs as labels go on from the same
walks of the fork with the same factors; no time is rounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamopt.search.deadline.join import walk_alike
from streamopt.search.deadline.subtrees import Candidates, SubtreeLabels, numbered
from streamopt.search.deadline.tree import Tree
from streamopt.search.labels.component import Mode

Integers = npt.NDArray[np.int64]

MOST_PAIRS = 1_000_000
"""Pairs of labels at once: 8 MB an array."""
MOST_CANDIDATES = 8_000_000
"""Likewise, times the rows that a pair goes with, about."""


@dataclass(frozen=True, slots=True)
class AgreeingLabels:
    """Labels of all producers of a node with equal factors; arrays have one entry a choice."""

    chosen: Integers
    """Shape (choices, producers)."""
    factors: dict[int, Integers]
    dsps: Integers
    """Of all of them."""


def agreeing_labels(
    tree: Tree, node: int, producers: Sequence[SubtreeLabels]
) -> AgreeingLabels | None:
    """Return the labels of producers that agree and leave enough DSPs; None if they are many."""
    choices = tree.problem.nodes[node]
    spare = tree.spare[node] - int(choices.dsps.min())
    first = producers[0]
    found = AgreeingLabels(np.arange(len(first))[:, None], dict(first.factors), first.dsps)
    for producer in producers[1:]:
        shared = [index for index in producer.factors if index in found.factors]
        both = [np.concatenate([found.factors[k], producer.factors[k]]) for k in shared]
        number, _ = numbered(both, len(found.dsps) + len(producer))
        pairs = _pairs(number[: len(found.dsps)], number[len(found.dsps) :])
        if pairs is None:
            return None
        left, right = pairs
        dsps = found.dsps[left] + producer.dsps[right]
        fits = np.flatnonzero(dsps <= spare)
        left, right = left[fits], right[fits]
        factors = {index: own[left] for index, own in found.factors.items()}
        factors |= {k: own[right] for k, own in producer.factors.items() if k not in factors}
        chosen = np.column_stack([found.chosen[left], right])
        found = AgreeingLabels(chosen, factors, dsps[fits])
    own = tree.factors[node]
    states = numbered([own[index] for index in found.factors if index in own], len(choices))[1]
    return found if len(found.dsps) * len(choices) <= MOST_CANDIDATES * states else None


def candidates_of_pairs(
    tree: Tree,
    node: int,
    producers: Sequence[SubtreeLabels],
    pairs: AgreeingLabels,
    mode: Mode,
) -> Iterator[Candidates]:
    """Yield the labels of a node with several producers, by rows to which these look alike.

    Without its DSPs, a fork has ended as soon as it can. In restricted labels it ends with the
    other branch, which is later.
    """
    choices, own, channels = tree.problem.nodes[node], tree.factors[node], tree.problem.ins[node]
    streams = [tree.problem.channels[channel].streams for channel in channels]
    shared = [index for index in pairs.factors if index in own]
    columns = [own[index] for index in shared]
    for channel in (e for e, is_stream in zip(channels, streams, strict=True) if is_stream):
        columns += [choices.walks[channel], choices.epilogue[channel]]
    for rows in _groups(columns, len(choices)):
        some = int(rows[0])
        fits = np.ones(len(pairs.dsps), dtype=np.bool_)
        for index in shared:
            fits &= pairs.factors[index] == own[index][some]
        places = np.flatnonzero(fits)
        start, end = np.zeros((2, len(places)), dtype=np.int64)
        lasts = [p.last_cycles[pairs.chosen[places, k]] for k, p in enumerate(producers)]
        latest = np.max(lasts, axis=0)
        for place, channel in enumerate(channels):
            producer, label = producers[place], pairs.chosen[places, place]
            arrival = last = lasts[place]
            if mode is Mode.RESTRICTED and not tree.carries[channel]:
                arrival = latest
            if streams[place]:
                alike = walk_alike(choices.walks[channel][some], producer.walk[label])
                arrival = np.where(alike, producer.first_cycles[label], arrival)
                late = int(choices.epilogue[channel][some])
                end = np.maximum(end, np.where(alike, last + late, 0))
            start = np.maximum(start, arrival)
        for row in rows.tolist():
            yield Candidates(
                np.full(len(places), row),
                start,
                np.maximum(start + int(choices.last_write[row]), end),
                pairs.dsps[places] + int(choices.dsps[row]),
                {k: values[places] for k, values in pairs.factors.items() if k not in own},
                pairs.chosen[places],
            )


def _pairs(left: Integers, right: Integers) -> tuple[Integers, Integers] | None:
    """Return the places of all pairs of equal numbers; None if they are many."""
    order = np.argsort(right, kind="stable")
    ranked = right[order]
    low = np.searchsorted(ranked, left, side="left")
    counts = np.searchsorted(ranked, left, side="right") - low
    total = int(counts.sum())
    if total > MOST_PAIRS:
        return None
    ones = np.repeat(np.arange(len(left)), counts)
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return ones, order[np.repeat(low, counts) + within]


def _groups(columns: Sequence[Integers], count: int) -> list[Integers]:
    """Return the places of equal rows of some columns together."""
    number, groups = numbered(columns, count)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.searchsorted(number[order], np.arange(1, groups)))
