"""Designs that opt6 begins with: what opt5 answers, as built: (O19).

opt5 counts by the model of the paper, so its design may take more than the region has, or much
less. It is asked again, with another number of DSPs, until its design is within.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from streamopt.errors import StreamoptError
from streamopt.pipeline.asking import PUBLISHED_TILING_LIMIT
from streamopt.pipeline.budgets import Trial, largest_within
from streamopt.pipeline.ties import fastest_of_equals
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.strategies.dispatch import AUTO, choose
from streamopt.strategies.ported_request import request_with_ports
from streamopt.strategies.solution import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.pipeline.beyond.form import Form
    from streamopt.pipeline.beyond.judging import Tried
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.clock import SearchClock
    from streamopt.strategies.solution import Solution

__all__ = ["quicker_designs"]

MOST_TRIALS = 5
"""Numbers of DSPs that opt5 is asked with."""
FIRST_SHARE = 0.4
"""Of the time limit, for the first answer of opt5; mostly it is proved long before."""
SHARE = 0.1
"""Likewise, for each answer with another number of DSPs."""


def quicker_designs(
    plain: Form,
    request: Request,
    options: SolveOptions,
    clock: SearchClock,
    keep: Callable[[Tried], None],
) -> None:
    """Hand on designs of opt5.

    Parameters
    ----------
    plain
        The graph as it is, as a form.
    request
        Of opt6; its limit on DSPs is of all operators.
    keep
        Called with each design at once.

    Raises
    ------
    KeyboardInterrupt
        If the user pressed Ctrl-C, after what was found till then was kept.
    SearchStoppedError
        If the time is up.
    """

    def ask(budget: int) -> Trial[Tried]:
        clock.check()
        answer = _opt5(plain, request, budget, options, clock)
        tried = plain.answered(answer)
        keep(tried)
        if answer.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        used = max(tried.used.dsps, tried.chosen.dsps)
        if not tried.is_within:
            used = ceil(tried.excess * request.dsp_limit)
        return Trial(tried, budget, used, answer.prediction.dsps)

    # what opt5 can't take, or has too few DSPs for, is left to the search
    with suppress(StreamoptError):
        largest_within(ask, request.dsp_limit, MOST_TRIALS, may_grow=True)


def _opt5(
    plain: Form, request: Request, budget: int, options: SolveOptions, clock: SearchClock
) -> Solution:
    """Return the answer of opt5 under a limit on DSPs of its own count."""
    on, limit = plain.region.on, options.time_limit_seconds
    tiles = request.tiling_limit if request.tiling_limit > 1 else PUBLISHED_TILING_LIMIT
    asked = Request(request.graph, LevelName.OPT5, budget, tiles, fixed=request.fixed)
    asked = request_with_ports(asked, request.ports, (AUTO, "compact"), on)
    if limit is not None:
        left = clock.seconds_for_solver()
        assert left is not None
        limit = min(left, (FIRST_SHARE if budget == request.dsp_limit else SHARE) * limit)
    silent = replace(options, time_limit_seconds=limit, on_progress=None)
    return fastest_of_equals(choose(asked, AUTO, "compact", silent), AUTO, silent, on)
