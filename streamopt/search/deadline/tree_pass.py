"""One pass over a tree: whether some schedule is within a deadline and the DSPs (E26), (E27).

In a graph in which every node has one outgoing channel, few tile classes are open at any channel,
so the least DSPs of a subtree can be tabled by state, first and last write of its end. The pass is
exact but for the grid: relaxed it rules deadlines out, restricted it finds schedules.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from streamopt.search.deadline.completion import Profile, profile
from streamopt.search.deadline.join import candidates_of_join, walk_alike
from streamopt.search.deadline.subtrees import Candidates, SubtreeLabels, numbered, thinned
from streamopt.search.deadline.tree import Tree
from streamopt.search.instance import SearchInstance
from streamopt.search.labels.component import Mode, SearchStoppedError, SearchTooLargeError

MOST_WAITING = 1_500_000
"""Candidates that wait to be thinned together: about 12 MB an array."""
MOST_LABELS = 400_000
"""Labels of a node."""


@dataclass(frozen=True, slots=True)
class PassEffort:
    """How fine the grid is, which way it rounds, and when to stop."""

    cells: int
    """Of first and of last writes, each."""
    mode: Mode
    """Times and DSPs are rounded down if relaxed; if restricted, labels are schedules."""
    should_stop: Callable[[], bool]
    """Called at every node; true ends the pass."""
    profiles: Sequence[Profile] = ()
    """Of a relaxed pass with this deadline or a later one."""
    waits_for_all: bool = False
    """Whether a node that reads all before it writes starts so late that its producer has ended by
    then."""


@dataclass(frozen=True, slots=True)
class PassResult:
    """The label of the least last write of all, with what subtrees need."""

    last_cycles: int
    rows: dict[str, int]
    """By node of the graph; of a schedule if the pass was restricted."""
    profiles: tuple[Profile, ...]
    """By node; bounds if the pass was relaxed."""


def tree_pass(
    problem: SearchInstance, horizon_cycles: int, effort: PassEffort
) -> PassResult | None:
    """Return the label of the least last write within a deadline and the DSPs, if there is one.

    A relaxed pass without any proves that there is no schedule; else its label's last write is a
    bound of all within the deadline.

    Parameters
    ----------
    problem
        A tree; only the limit on its DSPs is looked at.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    SearchTooLargeError
        If there are more labels than there is memory for.
    """
    tree = Tree(problem, horizon_cycles, effort.profiles)
    labels: list[SubtreeLabels] = []
    for node in range(len(problem.nodes)):
        found = _node_labels(tree, node, labels, effort)
        if found is None:
            return None
        labels.append(found)
    return PassResult(
        int(labels[-1].last_cycles.min()), _rows(tree, labels), tuple(map(profile, labels))
    )


def _node_labels(
    tree: Tree, node: int, known: Sequence[SubtreeLabels], effort: PassEffort
) -> SubtreeLabels | None:
    """Return the labels of a node, few of every state; None if there are none.

    Candidates are thinned whenever there are many.
    """
    kept: list[SubtreeLabels] = []
    waiting = 0
    for part in _candidates(tree, node, known, effort):
        if effort.should_stop():
            raise SearchStoppedError
        kept.append(tree.labels(node, part))
        waiting += len(kept[-1])
        if waiting > MOST_WAITING:
            kept = [_few(SubtreeLabels.together(kept), tree, effort)]
            waiting = 0
    if not sum(map(len, kept)):
        return None
    return _few(SubtreeLabels.together(kept), tree, effort)


def _few(labels: SubtreeLabels, tree: Tree, effort: PassEffort) -> SubtreeLabels:
    """Return labels on the finest grid, up to that of the effort, that leaves few enough."""
    cells = effort.cells
    while True:
        labels = thinned(labels, cells, effort.mode, tree.problem.dsp_limit)
        if len(labels) <= MOST_LABELS:
            return labels
        if cells == 1:
            raise SearchTooLargeError
        cells //= 2


def _rows(tree: Tree, labels: Sequence[SubtreeLabels]) -> dict[str, int]:
    """Return the rows of the label of the least last write."""
    problem = tree.problem
    chosen = {len(labels) - 1: int(np.argmin(labels[-1].last_cycles))}
    for node in range(len(labels) - 1, -1, -1):
        for place, channel in enumerate(problem.ins[node]):
            producer = problem.channels[channel].producer
            chosen[producer] = int(labels[node].before[chosen[node], place])
    rows = {node: int(labels[node].row[label]) for node, label in chosen.items()}
    return problem.named_rows(rows)


def _candidates(
    tree: Tree, node: int, known: Sequence[SubtreeLabels], effort: PassEffort
) -> Iterator[Candidates]:
    problem = tree.problem
    producers = [known[problem.channels[e].producer] for e in problem.ins[node]]
    if len(producers) > 1:
        yield from candidates_of_join(tree, node, producers, effort.cells, effort.mode)
    elif producers:
        yield from _after_one(tree, node, producers[0], waits_for_all=effort.waits_for_all)
    else:
        choices = problem.nodes[node]
        count = len(choices)
        none = np.zeros(count, dtype=np.int64)
        before = np.zeros((count, 0), dtype=np.int64)
        yield Candidates(np.arange(count), none, choices.last_write, choices.dsps, {}, before)


def _after_one(
    tree: Tree, node: int, producer: SubtreeLabels, *, waits_for_all: bool
) -> Iterator[Candidates]:
    """Yield a label for every row and label of the one producer that go together."""
    channel = tree.problem.ins[node][0]
    choices, factors = tree.problem.nodes[node], tree.factors[node]
    rows, shared = len(choices), [k for k in producer.factors if k in factors]
    both = [np.concatenate([factors[k], producer.factors[k]]) for k in shared]
    number, states = numbered(both, rows + len(producer))
    for state in range(states):
        own = np.flatnonzero(number[:rows] == state)
        theirs = np.flatnonzero(number[rows:] == state)
        row, label = np.repeat(own, len(theirs)), np.tile(theirs, len(own))
        start = end = producer.last_cycles[label]
        if tree.problem.channels[channel].streams:
            alike = walk_alike(choices.walks[channel][row], producer.walk[label])
            start = np.where(alike, producer.first_cycles[label], start)
            epilogue = choices.epilogue[channel][row]
            end = end + epilogue
            if waits_for_all:
                last_write = choices.last_write[row]
                is_early = last_write - epilogue <= choices.first_write[row]
                start = np.where(is_early, np.maximum(start, end - last_write), start)
        yield Candidates(
            row,
            start,
            np.maximum(start + choices.last_write[row], end),
            choices.dsps[row] + producer.dsps[label],
            {k: own[label] for k, own in producer.factors.items() if k not in factors},
            label[:, None],
        )
