"""A design with everything that is known of it, and the questions that can be asked of a solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from streamopt.errors import DesignWarning
from streamopt.evaluation.design import Evaluation
from streamopt.ir.schedule import Schedule
from streamopt.ir.scheduled import ScheduledGraph, process_name
from streamopt.report.proof import Facts
from streamopt.strategies.solution import Solution


@dataclass(frozen=True, slots=True)
class ChangedProblem:
    """A problem beside the one that a design answers."""

    # level, dsps: others than the problem's; empty or None for the same
    level: str = ""
    dsps: int | None = None
    limits: tuple[tuple[str, int], ...] = ()
    """By option of a limit on the design as built, another amount."""
    tiling_limit: int | None = None
    """Another least trip count of a tile loop."""
    rewrites: tuple[str, ...] = ()
    """That change the graph before."""
    fewest_dsps_within_cycles: int | None = None
    """Asks for the fewest DSPs of a latency in place of the problem's objective."""


Asking: TypeAlias = Callable[[ChangedProblem], "Solution | None"]
"""Solves a changed problem in bounded work; None where no design fits it."""


@dataclass(frozen=True, slots=True)
class KnownDesign:
    """A design to explain."""

    scheduled: ScheduledGraph
    """After the schedule's rewrites."""
    schedule: Schedule
    evaluation: Evaluation
    """As built, with samples in its trace."""
    facts: Facts
    """The record of its result; empty for a schedule made by hand."""
    warnings: tuple[DesignWarning, ...]
    ask: Asking | None
    """Solves other problems; None if nothing is to be solved."""

    @property
    def name(self) -> str:
        """Return the graph's name."""
        return self.scheduled.graph.name

    @property
    def level(self) -> str:
        """Return the level that it was solved at; empty for a schedule made otherwise."""
        return str(self.facts.get("level") or "")

    @property
    def cycles(self) -> int:
        """Return the simulated cycles."""
        return self.evaluation.trace.cycles

    def number(self, name: str) -> int:
        """Return a whole number of the facts; 0 where they don't have it."""
        return int(self.facts.get(name) or 0)

    def nodes_of(self, process: str) -> tuple[str, ...]:
        """Return the nodes of a process."""
        for nodes in self.scheduled.processes:
            if process_name(nodes) == process:
                return tuple(node.node.name for node in nodes)
        return ()


def percent(part: float, whole: float) -> str:
    """Return a share in words: ``98 %``, ``0.4 %``, ``under 0.1 %``."""
    share = 100 * part / max(1, whole)
    if 0 < share < 0.1:
        return "under 0.1 %"
    if 99 < share < 100:
        return f"{min(share, 99.9):.1f} %"
    return f"{share:.1f} %" if share < 10 and share != int(share) else f"{share:.0f} %"


def listed(words: list[str]) -> str:
    """Return words as people list them: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
