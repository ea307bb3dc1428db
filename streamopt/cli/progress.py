"""A line of progress on stderr, only where that is a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.status import Status

    from streamopt.solvers.base import Progress

__all__ = ["comparing", "solving", "tracing"]


@contextmanager
def _status(text: str, *, quiet: bool) -> Generator[Status | None]:
    """Yield a line on stderr that can be changed; None where nobody would see it."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with console.status(text) as status:
        yield status


@contextmanager
def solving(what: str, *, quiet: bool) -> Generator[Callable[[Progress], None] | None]:
    """Yield a progress callback that shows elapsed time, incumbent, bound and gap."""
    with _status(f"solving {what}", quiet=quiet) as status:
        if status is None:
            yield None
            return

        def show(progress: Progress) -> None:
            parts = [f"solving {what}", f"{progress.elapsed_seconds:.1f} s"]
            if progress.incumbent is not None:
                parts.append(f"incumbent {progress.incumbent:.0f}")
            if progress.bound is not None:
                parts.append(f"bound {progress.bound:.0f}")
            if progress.incumbent and progress.bound is not None:
                gap = 100 * (progress.incumbent - progress.bound) / progress.incumbent
                parts.append(f"gap {gap:.1f} %")
            status.update(", ".join(parts))

        yield show


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
