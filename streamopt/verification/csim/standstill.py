"""Standstills: the likely cause, from what the simulation knows at the end.

A process that writes one token too few makes a ring wait just as a shallow FIFO does. The tokens so
far tell them apart: a producer that left one out has handed over a wrong one, or has gone on to a
later iteration.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from streamopt.codegen.layout import DesignLayout
from streamopt.errors import Diagnostic

_HOLDS = re.compile(r"holds (\d+) of (\d+) (.+)")


@dataclass(frozen=True, slots=True)
class Standstill:
    """State of a design that could not go on."""

    ended: frozenset[str] = frozenset()
    """Processes that have come to their end; ``*`` for all."""
    full: Mapping[str, int] = field(default_factory=dict[str, int])
    """Depth of each stream without room."""

    def has_ended(self, process: str) -> bool:
        """Return whether a process has come to its end."""
        return not self.ended.isdisjoint((process, "*"))


def read_standstill(trace: Path) -> Standstill:
    """Return the state that a run left in its trace; an empty one where it left none."""
    path = trace / "standstill.tokens"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    ended = frozenset(line.removeprefix("ended ") for line in lines if line.startswith("ended "))
    held = [found.groups() for line in lines if (found := _HOLDS.fullmatch(line))]
    return Standstill(ended, {name: int(of) for size, of, name in held if size == of != "0"})


def explained(
    problem: Diagnostic, token: Diagnostic | None, state: Standstill, layout: DesignLayout
) -> Diagnostic:
    """Return a deadlock (E708) with its likely cause as its hint; other problems as they are.

    Parameters
    ----------
    token
        The first wrong one of the run, E716; None where all are right so far.
    """
    if problem.code != "E708":
        return problem
    if token is not None:
        hint = "what E716 names is the likely cause: a guard or loop bound that writes too few "
        return replace(problem, hint=f"{hint}tokens or other ones, not the depth of a FIFO")
    planned = {port.name: port.depth_elems for port in layout.channels}
    waited = {name: of for name, of in state.full.items() if f" {name} (depth" in problem.message}
    for name, depth in waited.items():
        scheduled = planned.get(name.partition("[")[0])
        if scheduled is not None and depth < scheduled:
            hint = f"all tokens so far are right; FIFO {name} is full with {depth} elements, "
            return replace(problem, hint=f"{hint}where the schedule gives it {scheduled}")
    listed = ", ".join(f"{name} with {depth}" for name, depth in waited.items()) or "none"
    hint = f"all tokens so far are right; full are {listed}: a FIFO is too shallow, or its "
    return replace(problem, hint=f"{hint}consumer reads in another order than it is written")
