"""Ctrl-C and SIGTERM: a word on stderr, exit code 130, and what was found is kept."""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

import typer

from streamopt.cli.entry import EXIT_INTERRUPTED
from streamopt.errors import StreamoptError
from streamopt.space.objective import Objective

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from streamopt.cli.output import Output
    from streamopt.strategies.solution import Solution

__all__ = ["EXIT_INTERRUPTED", "cost_words", "interrupted", "keeping", "let_sigterm_interrupt"]


def let_sigterm_interrupt() -> None:
    """Let SIGTERM end a command as Ctrl-C does, with all that is tidied up then."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def interrupted(words: str = "") -> NoReturn:
    """End with exit code 130, and say what there is."""
    typer.echo(f"interrupted{words}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def cost_words(solution: Solution) -> str:
    """Return the objective of a solution and its bound, in words."""
    match solution.request.objective:
        case Objective.INTERVAL:
            cost, bound = solution.interval_cycles, solution.bound_interval_cycles
            return f"{cost} cycles between frames, bound {bound}"
        case Objective.DSPS:
            return f"{solution.prediction.dsps} DSPs, bound {solution.bound_dsps}"
        case Objective.LATENCY | Objective.LATENCY_DSPS:
            return f"{solution.objective_cycles} cycles, bound {solution.bound_cycles}"


@contextmanager
def keeping(to: Output) -> Generator[Callable[[Solution], None]]:
    """Yield what writes every incumbent to a file, so that whatever happens leaves the last one.

    In ``result`` it is marked as not final, with the bound so far. An interrupt or an error says
    where it is.
    """
    last: list[Solution] = []

    def keep(solution: Solution) -> None:
        if to.incumbents is not None:
            _write(to, solution)
        last[:] = [solution]

    try:
        yield keep
    except KeyboardInterrupt:
        interrupted(f": {_told(to, last[0])}" if last else " before a first schedule")
    except StreamoptError:
        if last and to.incumbents is not None:
            typer.echo(f"kept the best schedule so far: {_told(to, last[0])}", err=True)
        raise


def _told(to: Output, solution: Solution) -> str:
    costs = cost_words(solution)
    return f"found {costs}" if to.incumbents is None else f"wrote {to.incumbents}, {costs}"


def _write(to: Output, solution: Solution) -> None:
    from streamopt import pipeline
    from streamopt.formats.schedule_json import save_schedule_json

    assert to.incumbents is not None
    if to.project is not None:
        with suppress(OSError):  # what follows says that it can't be written
            to.incumbents.parent.mkdir(parents=True, exist_ok=True)
    row = {**pipeline.record(solution), "final": False}
    save_schedule_json(to.incumbents, solution.schedule, row)
