"""A line of progress on stderr: it changes on a terminal, and comes every 10 s elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from streamopt.solvers.base import Progress

LINE_SECONDS = 10.0
"""Between two lines where stderr is no terminal."""


class _Status(Protocol):
    """Shows a text until the next one."""

    def update(self, status: str) -> None: ...


class _Lines:
    """The text of now, printed every few seconds."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ended = Event()
        self._started = perf_counter()
        self._thread = Thread(target=self._run, name="streamopt-progress", daemon=True)
        self._thread.start()

    def update(self, status: str) -> None:
        """Change the text."""
        self._text = status

    def _run(self) -> None:
        while not self._ended.wait(LINE_SECONDS):
            typer.echo(f"{perf_counter() - self._started:.0f} s: {self._text}", err=True)

    def end(self) -> None:
        """Print no more."""
        self._ended.set()
        self._thread.join()


@contextmanager
def _status(text: str, *, quiet: bool) -> Generator[_Status | None]:
    """Yield a status that shows a text on stderr; None if there is to be none."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield None
    elif console.is_terminal:
        with console.status(text) as status:
            yield status
    else:
        lines = _Lines(text)
        try:
            yield lines
        finally:
            lines.end()


class Solving:
    """The stages of one solve, as they are shown."""

    def __init__(self, what: str, status: _Status) -> None:
        self._what = what
        self._status = status

    def search(self, progress: Progress) -> None:
        """Show elapsed time, incumbent, bound and gap of the search."""
        parts = [f"solving {self._what}"]
        if not isinstance(self._status, _Lines):  # which tell the time themselves
            parts.append(f"{progress.elapsed_seconds:.1f} s")
        if progress.incumbent is not None:
            parts.append(f"incumbent {progress.incumbent:.0f}")
        if progress.bound is not None:
            parts.append(f"bound {progress.bound:.0f}")
        if progress.incumbent and progress.bound is not None:
            gap = 100 * (progress.incumbent - progress.bound) / progress.incumbent
            parts.append(f"gap {gap:.1f} %")
        self._status.update(", ".join(parts))

    def fifos(self, done: int, most: int) -> None:
        """Show how many FIFO depths were tried."""
        self._status.update(f"sizing FIFOs of {self._what}, {done} of at most {most} simulations")


@contextmanager
def solving(name: str, level: str, *, quiet: bool) -> Generator[Solving | None]:
    """Yield callbacks that show the progress of a solve of a program."""
    what = f"{name} at {level}"
    with _status(f"solving {what}", quiet=quiet) as status:
        yield None if status is None else Solving(what, status)


@contextmanager
def comparing(what: str, *, quiet: bool) -> Generator[Callable[[str, int, int], None] | None]:
    """Yield a callback that shows which level is being solved, and how many are left."""
    with _status(f"solving {what}", quiet=quiet) as status:
        yield (
            None
            if status is None
            else lambda level, done, total: status.update(
                f"solving {what} at {level}, {done} of {total} levels done"
            )
        )


@contextmanager
def tracing(what: str, *, quiet: bool) -> Generator[Callable[[int, int], None] | None]:
    """Yield a callback that shows the points of a front, and the parts that are still open."""
    with _status(f"tracing the front of {what}", quiet=quiet) as status:
        yield (
            None
            if status is None
            else lambda points, open_boxes: status.update(
                f"tracing the front of {what}, {points} points, {open_boxes} parts open"
            )
        )
