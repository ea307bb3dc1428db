"""Operators that lanes share: as many as are paid for, and none taken twice in a cycle."""

from random import Random

import pytest

from streamopt.rtl.kernel.sharing import SharedStart, share, share_trees


def check_starts(starts: list[SharedStart], interval: int) -> None:
    """No operator is taken twice in cycles of one remainder, and there are no more than needed."""
    taken = {(start.unit, start.stage % interval) for start in starts}
    assert len(taken) == len(starts)
    assert {start.unit for start in starts} <= {*range(-(-len(starts) // interval))}


@pytest.mark.parametrize("seed", range(20))
def test_lanes_take_turns(seed: int) -> None:
    rng = Random(seed)
    interval = rng.randint(2, 6)
    readies = [rng.randint(0, 9) for _ in range(rng.randint(1, 40))]
    starts = share(readies, interval)
    check_starts([*starts], interval)
    waits = [start.stage - ready for start, ready in zip(starts, readies, strict=True)]
    assert all(0 <= wait < interval for wait in waits)


def test_lanes_that_are_there_at_once_start_one_after_another() -> None:
    starts = share([3, 3, 3, 3], 4)
    assert [(start.stage, start.unit) for start in starts] == [(3, 0), (4, 0), (5, 0), (6, 0)]


@pytest.mark.parametrize("seed", range(20))
def test_trees_combine_every_term_once(seed: int) -> None:
    rng = Random(seed)
    interval, levels = rng.randint(2, 6), rng.randint(2, 5)
    counts = [rng.randint(1, 9) for _ in range(rng.randint(1, 5))]
    groups = [[rng.randint(0, 9) for _ in range(count)] for count in counts]
    steps, sums = share_trees(groups, interval, levels)
    check_starts([step.start for step in steps], interval)
    for number, group in enumerate(groups):
        ready = dict(enumerate(group))
        used: list[int] = []
        for step in (step for step in steps if step.group == number):
            used += [step.left, step.right]
            assert step.start.stage >= max(ready[step.left], ready[step.right])
            ready[len(ready)] = step.start.stage + levels
        assert sorted(used) == [*range(2 * len(group) - 2)]
        assert sums[number] == ready[len(ready) - 1]
