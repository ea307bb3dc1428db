"""Clusters of close labels, or of close rows, which keep long streams and large graphs small (E7).

Those of one state that are close in every cost fall into one cell. A restricted set keeps the best
one of a cell; a relaxed one replaces it by the componentwise minimum. Cells widen until no state
has more than its share.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import Choices, SearchInstance
from streamopt.search.labels.component import NEVER, Component, Mode, codes, undominated
from streamopt.search.labels.row_subset import RowSubset, states, taken
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClusterTuning:
    """Widths of cells and shares of states; not measured."""

    # relative width of a cell that is tried first; the former for few labels too many
    label_width: float = 1 / 256
    label_growth: float = 1.6  # ratio of a width and the one before it
    row_width: float = 1 / 64
    row_growth: float = 1.5
    usual_states: int = 24  # states with more than these share the labels that these would have
    least_labels: int = 4  # labels that every state may have
    # that a restricted set has: with an encoder's 40,000 no design came in 40 s, but with 1,024 of
    # 9,700 multi_head_attention is slower by half; the other 16 programs have at most 822
    most_states: int = 2048


TUNING = ClusterTuning()


def most_labels(component: Component, labels: int) -> int:
    """Return how many labels a component has at most, with so many a state."""
    states = len(np.unique(codes(component.state)))
    return max(TUNING.least_labels * states, labels * min(states, TUNING.usual_states))


def clustered_labels(component: Component, labels: int, mode: Mode) -> Component:
    """Return a component of at most about ``labels`` labels a state."""
    state = codes(component.state)
    _, counts = np.unique(state, return_counts=True)
    if mode is Mode.RESTRICTED and len(counts) > TUNING.most_states:
        component = _of_promising_states(component, state)
        state = codes(component.state)
        _, counts = np.unique(state, return_counts=True)
    share = TUNING.usual_states * labels // max(1, len(counts))
    labels = max(TUNING.least_labels, min(labels, share))
    if counts.max(initial=0) <= labels:
        return component
    ranked, heads = _clusters(
        (state, _score(component)),
        lambda width: _cells(component, state, width),
        (TUNING.label_width * float(counts.max() / labels) ** 0.5, TUNING.label_growth),
        labels,
    )
    kept = component.taken(ranked[heads])
    if mode is Mode.RESTRICTED:
        return kept
    first, last, usage = (
        np.minimum.reduceat(costs[ranked], heads, axis=0)
        for costs in (component.first, component.last, component.usage)
    )
    return undominated(replace(kept, first=first, last=last, usage=usage))


def _of_promising_states(component: Component, state: Integers) -> Component:
    """Return the labels of as many states as there may be: those with the least best scores."""
    score = _score(component)
    ranked = np.lexsort((score, state))
    heads = ranked[np.flatnonzero(np.r_[True, np.diff(state[ranked]) != 0])]
    kept = heads[np.argsort(score[heads], kind="stable")[: TUNING.most_states]]
    return component.taken(np.flatnonzero(np.isin(state, state[kept])))


def clustered_rows(problem: SearchInstance, most: int, mode: Mode) -> RowSubset:
    """Return an instance with about ``most`` rows of every state of a node."""
    parts = [_clustered(node, most, mode) for node in problem.nodes]
    few = replace(problem, nodes=tuple(node for node, _ in parts))
    return RowSubset(few, tuple(places for _, places in parts))


def _clustered(rows: Choices, most: int, mode: Mode) -> tuple[Choices, Integers]:
    state = states(rows)
    if np.bincount(state).max(initial=0) <= most:
        return rows, np.arange(len(rows))
    logs = np.log(np.maximum(0, _main_costs(rows)) + 1.0)
    ranked, heads = _clusters(
        (state, logs.sum(axis=1)),
        lambda width: codes(np.column_stack([state, _floors(logs, width)])),
        (TUNING.row_width, TUNING.row_growth),
        most,
    )
    best = ranked[heads]
    if mode is Mode.RESTRICTED:
        return taken(rows, best, lambda column: column[best]), best
    return taken(
        rows, best, lambda column: np.minimum.reduceat(column[ranked], heads, axis=0)
    ), best


def _clusters(
    known: tuple[Integers, Floats],
    cells_of: Callable[[float], Integers],
    widths: tuple[float, float],
    most: int,
) -> tuple[Integers, Integers]:
    """Return all places ordered by cells, the best of a cell first, and where each cell begins.

    Parameters
    ----------
    known
        The state of every label or row, and its score: the least one is the best.
    cells_of
        Returns the number of every one's cell for a width.
    widths
        The first one, and the ratio of any to the one before.
    most
        Cells of one state.
    """
    (state, score), (width, growth) = known, widths
    while True:
        cells = cells_of(width)
        spend(WORK.labels.cell * len(cells))
        ranked = np.lexsort((score, cells))
        heads = np.flatnonzero(np.r_[True, np.diff(cells[ranked]) != 0])
        if np.unique(state[ranked[heads]], return_counts=True)[1].max() <= most:
            return ranked, heads
        width *= growth


def _score(component: Component) -> Floats:
    """Return the score of every label; the best one of a cell has the least."""
    score: Floats = np.log(component.last.max(axis=1, initial=1) + 1.0)
    return score + np.log(component.dsps + 1.0) + np.log(component.usage[:, 1:] + 1.0).sum(axis=1)


def _cells(component: Component, state: Integers, width: float) -> Integers:
    """Return the cell of every label: by ratios of last writes and resources, and first writes."""
    scale = max(1.0, width * float(np.median(component.last.max(axis=1))))
    parts = [state]
    parts += [_floors(np.log(column + 1.0), width) for column in component.usage.T]
    for column in component.last.T:
        ratio = _floors(np.log(np.maximum(column, 0) + 1.0), width)
        parts.append(np.where(column == NEVER, -1, ratio))
    for column in component.first.T:
        place = np.floor(np.maximum(column, 0) / scale).astype(np.int64)
        parts.append(np.where(column == NEVER, -1, place))
    return codes(np.stack(parts, axis=1))


def _floors(values: Floats, width: float) -> Integers:
    return np.floor(values / width).astype(np.int64)


def _main_costs(rows: Choices) -> Integers:
    """Return the costs that tell cells apart; resources are those with all channels as FIFOs."""
    used = sum(rows.as_fifo.values(), rows.usage)
    times = [used[:, 0], rows.first_write, rows.last_write, *rows.epilogue.values()]
    return np.concatenate([np.stack(times, axis=1), used[:, 1:]], axis=1)
