"""Progress on stderr: a checklist of stages that changes on a terminal, elsewhere lines.

Without a terminal there is a line every 10 s, and one at the end of each stage where there are
several.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING

import typer

from streamopt.running.steps import Listener, StepEnd

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from streamopt.solvers.base import Progress

LINE_SECONDS = 10.0
"""Between two lines where stderr is no terminal."""
REDRAWN_HZ = 8.0
"""On a terminal."""
WIDE, BAR = 120, 24
"""Columns of a terminal from which there is a bar, and its width."""
SOON = 0.02
"""Share of the effort before which nothing is said of the time that is left."""


class StageState(Enum):
    """The mark of a stage on a terminal, the same in ASCII, and its style."""

    WAITING = ("·", "-", "dim")
    RUNNING = ("▸", ">", "bold")
    DONE = ("✓", "+", "green")
    KEPT = ("=", "=", "green")
    FAILED = ("✗", "x", "red")


@dataclass(slots=True)
class Stage:
    """A line of the checklist."""

    name: str
    words: str = ""
    """On the work under way, or on its result."""
    state: StageState = StageState.WAITING
    share: float | None = None
    """Of the stage that is done; None where nobody knows."""
    seconds: float = 0.0
    started: float = field(default_factory=perf_counter)
    counted_from: tuple[float, float] | None = None
    """When a share was first told, and that share: the pace is measured from there."""

    @property
    def elapsed_seconds(self) -> float:
        """Return how long it takes so far, or took."""
        return perf_counter() - self.started if self.state is StageState.RUNNING else self.seconds


class Board(Listener):
    """The stages of a command, as they are shown; its methods are told what happens."""

    def __init__(self, names: Sequence[str]) -> None:
        self.stages = {name: Stage(name) for name in names}
        self.now = self.stages[names[0]]
        self.tells_ends = False

    def begin(self, name: str, words: str = "") -> None:
        """Begin a stage."""
        self.now = self.stages[name] = Stage(name, words, StageState.RUNNING)

    def end(self, name: str, words: str, outcome: str = StepEnd.DONE) -> None:
        """End a stage, and show its result."""
        stage = self.stages[name]
        stage.seconds = stage.elapsed_seconds
        stage.words, stage.state, stage.share = words, StageState[outcome.upper()], None
        if self.tells_ends:
            typer.echo(plain(stage), err=True)

    def say(self, words: str, share: float | None = None) -> None:
        """Change the words of the stage that runs, and how much of it is done."""
        self.now.words, self.now.share = words, share

    def count(self, done: int, total: int, words: str) -> None:
        """Show that a number of things is done, with the time that the others may take."""
        share = done / max(1, total)
        self.say(f"{words}, {done} of {total} done{_left(self.now, share)}", share)

    def search(self, progress: Progress) -> None:
        """Show incumbent, bound and gap of a search, and the effort it has taken."""
        found, bound = progress.incumbent, progress.bound
        parts: list[str] = []
        if found is not None:
            parts.append(f"incumbent {found:,.0f}")
        if bound is not None:
            parts.append(f"bound {bound:,.0f}")
        if found and bound is not None:
            parts.append(f"gap {100 * (found - bound) / found:.1f} %")
        share = None
        if progress.limit:
            share = min(1.0, progress.spent / progress.limit)
            parts.append(f"effort {progress.spent:.0f} of {progress.limit:.0f}")
        at_most = "" if share is None else _left(self.now, share, "at most ")
        self.say(f"{', '.join(parts)}{at_most}", share)

    def level(self, name: str, done: int, total: int) -> None:
        """Show the level that is being solved, and how many are done."""
        self.count(done, total, name)

    def front(self, points: int, open_boxes: int) -> None:
        """Show the points of a front, and how many parts of it are still open."""
        self.say(f"{points} points, {open_boxes} parts open")

    def fifos(self, done: int, most: int) -> None:
        """Show how many FIFO depths were tried."""
        self.say(f"FIFO depths, {done} of at most {most} simulations", done / max(1, most))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the checklist."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        table = Table.grid(padding=(0, 1))
        for column in (1, max(map(len, self.stages)), 8):
            table.add_column(width=column, no_wrap=True, justify="right" if column == 8 else "left")
        table.add_column(ratio=1)
        is_wide = options.max_width >= WIDE
        if is_wide and any(stage.share is not None for stage in self.stages.values()):
            table.add_column(width=BAR)
        for stage in self.stages.values():
            mark, ascii_mark, style = stage.state.value
            seconds = "" if stage.state is StageState.WAITING else f"{stage.elapsed_seconds:.1f} s"
            bar = "" if stage.share is None else ProgressBar(1.0, stage.share)
            shown = ascii_mark if options.ascii_only else mark
            cells = (f"[{style}]{shown}[/]", stage.name, seconds, stage.words, bar)
            table.add_row(*cells[: len(table.columns)])
        yield table


def plain(stage: Stage) -> str:
    """Return a stage as a line of text."""
    marks = {StageState.KEPT: " (unchanged)", StageState.FAILED: " FAILED"}
    words = f": {stage.words}" if stage.words else ""
    return f"{stage.elapsed_seconds:.0f} s: {stage.name}{marks.get(stage.state, '')}{words}"


def _left(stage: Stage, share: float, at_most: str = "") -> str:
    """Return the time that is left if the rest goes on as since the first share."""
    now = perf_counter()
    if stage.counted_from is None:
        stage.counted_from = now, share
    began, before = stage.counted_from
    if not SOON <= share - before < 1.0 - before:
        return ""
    seconds = (now - began) * (1.0 - share) / (share - before)
    time = f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f", {at_most}{time} left"


@contextmanager
def showing(*names: str, quiet: bool) -> Generator[Board | None]:
    """Yield the board of a command's stages, the first of which runs; None if none is to be shown.

    The checklist of several stages stays on a terminal, the line of a single one goes.
    """
    if quiet:
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    console, board = Console(stderr=True), Board(names)
    board.begin(names[0])
    if console.is_terminal:
        with Live(
            board,
            console=console,
            refresh_per_second=REDRAWN_HZ,
            transient=len(names) == 1,
            redirect_stdout=False,
        ):
            yield board
        return
    board.tells_ends = len(names) > 1
    ended = Event()

    def tell() -> None:
        while not ended.wait(LINE_SECONDS):
            typer.echo(plain(board.now), err=True)

    thread = Thread(target=tell, name="streamopt-progress", daemon=True)
    thread.start()
    try:
        yield board
    finally:
        ended.set()
        thread.join()
