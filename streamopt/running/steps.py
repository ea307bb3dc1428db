"""The steps of a run, and who is told of them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from streamopt.solvers.base import Progress


class Step(StrEnum):
    """A step of a run, in order."""

    READ = "read"
    GRAPH = "graph"
    SOLVE = "solve"
    WRITE = "write"
    VERIFY = "verify"
    REPORT = "report"

    @property
    def place(self) -> int:
        """Return its place in the order."""
        return list(Step).index(self)


class StepEnd(StrEnum):
    """The end of a step: it was done, had been done before, or failed."""

    DONE = "done"
    KEPT = "kept"
    FAILED = "failed"


class Listener(Protocol):
    """Is told of a run while it goes on."""

    def begin(self, name: str, words: str = "") -> None:
        """Hear that a step begins."""
        ...

    def end(self, name: str, words: str, outcome: str = StepEnd.DONE) -> None:
        """Hear how a step ended."""
        ...

    def search(self, progress: Progress) -> None:
        """Hear of the incumbent and the bound of the search."""
        ...

    def fifos(self, done: int, most: int) -> None:
        """Hear how many simulations the sizing of FIFOs has made."""
        ...


class Silence(Listener):
    """A listener that says nothing."""

    def begin(self, name: str, words: str = "") -> None:
        """Hear that a step begins."""

    def end(self, name: str, words: str, outcome: str = StepEnd.DONE) -> None:
        """Hear how a step ended."""

    def search(self, progress: Progress) -> None:
        """Hear of the search."""

    def fifos(self, done: int, most: int) -> None:
        """Hear of the sizing of FIFOs."""
