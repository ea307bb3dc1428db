"""The states of a run over time as run lengths, as fine as a budget of runs allows.

A page that is zoomed asks for spans of any width. Equal spans would be many where nothing happens
and coarse where much does, so neighbours that look alike are one run; only where too many differ
are all spans of the series made wider.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

SPANS = 4096
"""Spans of a process that never waits, whose frames have exact borders beside."""
STEPS = 20
"""Shares of a span that a picture tells apart: a bar has about as many pixels."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time."""

    span_cycles: int
    """Unit of the lengths."""
    runs: tuple[int, ...]
    """A length, then each value, run after run, from cycle 0."""


def shares(
    frames: Sequence[tuple[int, int]],
    waits: Sequence[tuple[Sequence[int], bool]],
    total_cycles: int,
    most_runs: int,
) -> Series:
    """Return how a process spends its time: percent at work, then percent of each kind of wait.

    Parameters
    ----------
    frames
        First cycle, and first cycle after the last, of each frame in which it runs.
    waits
        Cycles of each wait in equal spans of the run, and whether it is in frames, not before one.
    """
    count = len(waits[0][0]) if waits else min(total_cycles, SPANS)
    width = -(-total_cycles // max(1, count))
    rows = [np.array(cycles, np.int64) for cycles, _ in waits]
    stands = sum((row for row, (_, is_in) in zip(rows, waits, strict=True) if is_in), np.int64(0))
    inside = _inside(frames, np.arange(count + 1) * width)
    values = np.stack([np.maximum(inside - stands, 0), *rows])
    while True:
        steps = np.rint(values * (STEPS / width)).astype(np.int64)
        starts = _starts(steps)
        if starts.size <= most_runs or values.shape[1] < 2:
            break
        values, width = _paired(values).sum(axis=2), 2 * width
    lengths = np.diff(starts, append=values.shape[1])
    means = np.add.reduceat(values, starts, axis=1) / (lengths * width)
    return Series(width, _flat(lengths, np.rint(100 * means).astype(np.int64)))


def heights(values: Sequence[int], total_cycles: int, most_runs: int) -> Series:
    """Return the greatest of values over time, which are given for equal spans of the run."""
    width = -(-total_cycles // max(1, len(values)))
    found = np.array(values, np.int64)[None, :]
    while True:
        starts = _starts(found)
        if starts.size <= most_runs or found.shape[1] < 2:
            break
        found, width = _paired(found).max(axis=2), 2 * width
    lengths = np.diff(starts, append=found.shape[1])
    return Series(width, _flat(lengths, found[:, starts]))


def _inside(frames: Sequence[tuple[int, int]], borders: Numbers) -> Numbers:
    """Return the cycles of each span that are in a frame."""
    covered = np.zeros(borders.size, np.int64)
    for start, end in frames:
        covered += np.clip(borders, start, end) - start
    return np.diff(covered)


def _starts(values: Numbers) -> Numbers:
    """Return where a column differs from the one before."""
    changed = np.any(values[:, 1:] != values[:, :-1], axis=0)
    return np.concatenate([[0], np.flatnonzero(changed) + 1]) if values.shape[1] else np.array([])


def _paired(values: Numbers) -> Numbers:
    """Return pairs of neighbours; the last one may be alone, beside nothing."""
    odd = values.shape[1] % 2
    return np.pad(values, ((0, 0), (0, odd))).reshape(values.shape[0], -1, 2)


def _flat(lengths: Numbers, values: Numbers) -> tuple[int, ...]:
    return tuple(np.concatenate([lengths[None, :], values]).T.ravel().tolist())
