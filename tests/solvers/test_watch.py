"""The worker thread of a solve: time left, progress in order, and two kinds of interrupt."""

from __future__ import annotations

import threading
import time

import pytest

from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.watch import Watch, finite


def test_result_and_error_of_the_search_come_back() -> None:
    def fail() -> None:
        raise ValueError("from the search")

    assert Watch(SolveOptions()).run(lambda: 7, lambda: None) == 7
    with pytest.raises(ValueError, match="from the search"):
        Watch(SolveOptions()).run(fail, lambda: None)


def test_should_stop_is_polled_and_stop_repeated_until_it_helps() -> None:
    calls: list[float] = []
    ended = threading.Event()

    def stop() -> None:
        calls.append(time.perf_counter())
        if len(calls) == 3:  # the first requests came before the search listened
            ended.set()

    watch = Watch(SolveOptions(should_stop=lambda: True))
    assert watch.run(lambda: ended.wait(5), stop)
    assert watch.interrupted


def test_progress_is_delivered_in_order_with_infinities_as_none() -> None:
    events: list[Progress] = []
    watch = Watch(SolveOptions(on_progress=events.append))

    def search() -> None:
        watch.report(None, -1e100)
        watch.report(9.0, 3.0)
        watch.report(float("inf"), 4.0)

    watch.run(search, lambda: None)
    assert [(e.incumbent, e.bound) for e in events] == [(None, None), (9.0, 3.0), (None, 4.0)]


def test_remaining_time_is_never_zero() -> None:
    assert Watch(SolveOptions()).remaining_seconds() is None
    watch = Watch(SolveOptions(time_limit_seconds=1e-9))
    assert watch.remaining_seconds() == 1e-3


@pytest.mark.parametrize("number", [None, float("inf"), -1e20, 1e30])
def test_infinity_has_many_names(number: float | None) -> None:
    assert finite(number) is None
