"""Numbers of rows of columns, and cells of labels."""

import numpy as np

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


def test_one_cell_has_the_least_times_and_dsps_if_relaxed() -> None:
    random = np.random.default_rng(1)
    count = 1000
    first = random.integers(5, 10**10, count)
    last, dsps = first + random.integers(0, 10**10, count), random.integers(1, 5000, count)
    places = np.arange(count)
    labels = SubtreeLabels(np.zeros_like(first), {}, first, last, dsps, places, places[:, None])
    merged = thinned(labels, 1, Mode.RELAXED)
    least = int(first.min()), int(last.min()), int(dsps.min())
    assert (*merged.first_cycles, *merged.last_cycles, *merged.dsps) == least
    kept = thinned(labels, 1, Mode.RESTRICTED)
    assert kept.row.tolist() == [int(dsps.argmin())]
    assert kept.last_cycles.tolist() == [int(last[dsps.argmin()])]
