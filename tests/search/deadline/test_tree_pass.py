"""Passes over small random trees against all combinations of rows."""

from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

from streamopt.search.deadline.tree_pass import PassEffort, PassResult, tree_pass
from streamopt.search.instance import NO_WALK, Choices, SearchInstance, Wiring
from streamopt.search.labels.component import Mode, SearchStoppedError

DSPS = 40
EXACT = 10_000
"""Cells that keep all times of a small tree apart."""
SEEDS = range(60)


def _random_tree(rng: Random) -> SearchInstance:
    """Return a tree of up to six nodes, with classes that some of them share, ended by a join."""
    wiring = Wiring((DSPS,))
    count = rng.randint(3, 6)
    shared = {index: rng.sample(range(count), 2) for index in range(rng.randint(0, 3))}
    waiting: list[int] = []
    for node in range(count):
        rows = rng.randint(2, 4)
        first = np.array([rng.randint(1, 20) for _ in range(rows)])
        last = first + np.array([rng.randint(0, 60) for _ in range(rows)])
        usage = np.array([[rng.randint(1, 15)] for _ in range(rows)])
        factors = {
            index: np.array([rng.choice((1, 2, 4)) for _ in range(rows)])
            for index, users in shared.items()
            if node in users
        }
        assert wiring.add(Choices(first, last, usage, factors=factors), f"n{node}") == node
        if node and rng.random() < 0.6:
            before = rng.sample(waiting, min(len(waiting), rng.randint(1, 2)))
            waiting = [other for other in waiting if other not in before]
            for producer in before:
                _connect(wiring, rng, producer, node)
        waiting.append(node)
    wiring.join_node(waiting)
    return wiring.instance()


def _connect(wiring: Wiring, rng: Random, producer: int, consumer: int) -> None:
    streams = rng.random() < 0.8
    channel = wiring.connect(producer, consumer, streams=streams)
    if streams:
        for node in (producer, consumer):
            choices = wiring.nodes[node]
            choices.walks[channel] = np.array(
                [rng.choice((NO_WALK, 0, 1)) for _ in range(len(choices))]
            )
        choices = wiring.nodes[consumer]
        spans = [rng.randint(0, int(last)) for last in choices.last_write]
        choices.epilogue[channel] = np.array(spans)


def _latency(
    problem: SearchInstance, rows: tuple[int, ...], *, waits_for_all: bool = False
) -> int | None:
    """Return the latency of one row a node by (E2); None if factors differ or DSPs are too many."""
    factors: dict[int, int] = {}
    for choices, row in zip(problem.nodes, rows, strict=True):
        for index, own in choices.factors.items():
            if factors.setdefault(index, int(own[row])) != own[row]:
                return None
    used = sum(int(own.dsps[row]) for own, row in zip(problem.nodes, rows, strict=True))
    if used > problem.dsp_limit:
        return None
    firsts: list[int] = []
    lasts: list[int] = []
    for node, (choices, row) in enumerate(zip(problem.nodes, rows, strict=True)):
        start, end = 0, 0
        for number in problem.ins[node]:
            producer = problem.channels[number].producer
            start_of = lasts[producer]
            if problem.channels[number].streams:
                last_read = int(choices.last_write[row] - choices.epilogue[number][row])
                if waits_for_all and last_read <= choices.first_write[row]:
                    start = max(start, lasts[producer] - last_read)
                walk = problem.nodes[producer].walks[number][rows[producer]]
                if walk == choices.walks[number][row] != NO_WALK:
                    start_of = firsts[producer]
                    end = max(end, lasts[producer] + int(choices.epilogue[number][row]))
            start = max(start, start_of)
        firsts.append(start + int(choices.first_write[row]))
        lasts.append(max(start + int(choices.last_write[row]), end))
    return lasts[-1]


def _all_latencies(problem: SearchInstance, *, waits_for_all: bool = False) -> Iterator[int]:
    for rows in product(*(range(len(choices)) for choices in problem.nodes)):
        latency = _latency(problem, rows, waits_for_all=waits_for_all)
        if latency is not None:
            yield latency


def _passed(
    problem: SearchInstance, deadline: int, cells: int, mode: Mode, known: PassResult | None = None
) -> PassResult | None:
    profiles = () if known is None else known.profiles
    return tree_pass(problem, deadline, PassEffort(cells, mode, lambda: False, profiles))


def _rows(problem: SearchInstance, found: PassResult) -> tuple[int, ...]:
    return tuple(found.rows.get(name, 0) for name in problem.names)


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_grids_find_the_optimum_and_rule_out_one_cycle_less(seed: int) -> None:
    problem = _random_tree(Random(seed))
    best = min(_all_latencies(problem), default=None)
    deadline = 1000 if best is None else best
    is_chain = all(len(ins) <= 1 for ins in problem.ins)
    for mode in Mode:
        found = _passed(problem, deadline, EXACT, mode)
        assert (None if found is None else found.last_cycles) == best
        if best is not None:
            assert _passed(problem, best - 1, EXACT, mode) is None
        if found is not None and (mode is Mode.RESTRICTED or is_chain):
            assert _latency(problem, _rows(problem, found)) == best


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cells", [1, 2, 3])
def test_coarse_grids_bound_from_below_and_find_real_schedules(seed: int, cells: int) -> None:
    problem = _random_tree(Random(seed))
    best = min(_all_latencies(problem), default=None)
    if best is None:
        return
    below = _passed(problem, best + 40, cells, Mode.RELAXED)
    assert below is not None
    assert below.last_cycles <= best
    above = _passed(problem, best + 40, cells, Mode.RESTRICTED)
    if above is not None:
        assert _latency(problem, _rows(problem, above)) == above.last_cycles >= best
    finer = _passed(problem, best, EXACT, Mode.RESTRICTED, below)
    assert finer is not None
    assert finer.last_cycles == best  # completions drop no label of an optimum


def test_a_pass_can_be_stopped() -> None:
    problem = _random_tree(Random(0))
    with pytest.raises(SearchStoppedError):
        tree_pass(problem, 1000, PassEffort(4, Mode.RELAXED, lambda: True))


@pytest.mark.parametrize("seed", SEEDS)
def test_passes_know_nodes_that_wait_for_all(seed: int) -> None:
    problem = _random_tree(Random(seed))
    least = min(_all_latencies(problem, waits_for_all=True), default=None)
    if least is None:
        return

    def passed(deadline: int, cells: int, mode: Mode) -> PassResult | None:
        effort = PassEffort(cells, mode, lambda: False, waits_for_all=True)
        return tree_pass(problem, deadline, effort)

    rough = passed(least, 4, Mode.RELAXED)
    assert rough is not None
    assert rough.last_cycles <= least
    if all(len(ins) <= 1 for ins in problem.ins):  # joins don't know
        found = passed(least, EXACT, Mode.RESTRICTED)
        assert found is not None
        assert _latency(problem, _rows(problem, found), waits_for_all=True) == least
        assert passed(least - 1, EXACT, Mode.RELAXED) is None
