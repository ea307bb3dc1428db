"""Passes: a graph that runs several times, each time on what the time before has left."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passes:
    """How often a graph runs, one run after the other.

    Attributes
    ----------
    count
        Runs; more than one.
    in_place
        Pairs (output, input) that are one memory off the chip: a run reads each element before it
        writes it, and the next run reads what this one has written.
    """

    count: int
    in_place: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Return one line: how often, and what is updated in place."""
        pairs = ", ".join(f"{output} in the place of {given}" for output, given in self.in_place)
        return f"{self.count} passes, {pairs}"
