"""Numbers of rows of columns, and labels that stand for others."""

import numpy as np
import pytest

from streamopt.search.deadline.subtrees import SubtreeLabels, numbered, thinned
from streamopt.search.labels.component import Mode

MANY = 40
"""Columns whose combinations are more than integers hold."""


def test_rows_have_one_number_only_if_they_are_equal() -> None:
    random = np.random.default_rng(0)
    rows = np.repeat(random.integers(-1, 7, size=(1, MANY)), 500, axis=0)
    rows[:, 0] = random.integers(-1, 7, size=500)
    rows[:, 1:] = np.where(random.random((500, 1)) < 0.1, 6, rows[:, 1:])
    number, count = numbered(list(rows.T), len(rows))
    assert len(np.unique(number)) == count
    pairs = np.column_stack([number, rows])
    assert len(np.unique(pairs, axis=0)) == count


@pytest.mark.parametrize("dsp_limit", [300, 10**6])
@pytest.mark.parametrize("cells", [1, 8, 64, 5000])
def test_relaxed_labels_replace_all_and_restricted_ones_are_some(
    cells: int, dsp_limit: int
) -> None:
    random = np.random.default_rng(cells)
    count = 2000
    walk = random.integers(0, 3, count)
    first = random.integers(5, 10**10, count)
    last, dsps = first + random.integers(0, 10**10, count), random.integers(1, 300, count)
    places = np.arange(count)
    labels = SubtreeLabels(walk, {}, first, last, dsps, places, places[:, None])
    known = np.column_stack([walk, first, last, dsps])
    merged = thinned(labels, cells, Mode.RELAXED, dsp_limit)
    few = np.column_stack([merged.walk, merged.first_cycles, merged.last_cycles, merged.dsps])
    replaced = (few[:, None, 1:] <= known[:, 1:]).all(axis=2) & (few[:, None, 0] == walk)
    assert replaced.any(axis=0).all()
    kept = thinned(labels, cells, Mode.RESTRICTED, dsp_limit)
    real = np.column_stack([kept.walk, kept.first_cycles, kept.last_cycles, kept.dsps])
    assert (real == known[kept.row]).all()
    assert max(len(kept), len(merged)) < count


def test_dsps_that_few_labels_have_are_kept_apart() -> None:
    count = 20_000
    first, dsps = np.arange(count)[::-1] + 10, np.full(count, 50)
    first[1], dsps[1] = 1, 250
    places = np.arange(count)
    labels = SubtreeLabels(np.zeros_like(first), {}, first, first, dsps, places, places[:, None])
    merged = thinned(labels, 64, Mode.RELAXED, 300)
    assert merged.dsps[np.argmin(merged.first_cycles)] == 250
