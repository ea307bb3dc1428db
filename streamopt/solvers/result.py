"""The result of a solve: the proof, why the search stopped, and the incumbent.

Proof and stop reason are two axes [1]: a search that runs out of time may hold a proof, and one
that finishes may hold none.

References
----------
[1] Pyomo, ``SolutionStatus`` and ``TerminationCondition``,
    https://pyomo.readthedocs.io/en/stable/reference/topical/solvers/interfaces.html
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Proof(StrEnum):
    """The certain knowledge of the model when the solver returns."""

    OPTIMAL = "optimal"  # no better point exists than the incumbent
    CLAIMED = "claimed"  # the solver says so of the incumbent, and nothing here confirms it
    FEASIBLE = "feasible"  # the incumbent meets every constraint; a better one may exist
    INFEASIBLE = "infeasible"  # no point meets every constraint
    NONE = "none"  # no incumbent, and nothing was proved

    @property
    def is_closed(self) -> bool:
        """Whether the solver holds its incumbent for the best there is, proved or not."""
        return self in (Proof.OPTIMAL, Proof.CLAIMED)


class Stop(StrEnum):
    """Why the solver returned."""

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SolveResult:
    """Outcome of one solve of a minimisation model."""

    # proof, stop: what was proved, and why the search ended
    proof: Proof
    stop: Stop
    objective: float | None
    """Value of the incumbent, re-evaluated from ``values``; None without an incumbent."""
    bound: float | None
    """No feasible point has a lower objective; None if the solver gave no bound."""
    wall_seconds: float
    """Compilation of the model plus search."""
    # solver, version, seed: what to name when the run is repeated
    solver: str
    version: str
    seed: int
    values: Mapping[str, float]
    """Value by Pyomo variable name, fixed variables included; empty without an incumbent. Integer
    variables hold whole numbers."""
    message: str = ""
    """The solver's own status, and what went wrong if something did."""

    @property
    def gap(self) -> float | None:
        """Relative gap ``(objective - bound) / max(1, |objective|)``; None if either is unknown.

        >>> SolveResult(Proof.FEASIBLE, Stop.TIME_LIMIT, 50.0, 40.0, 1.0, "highs", "1", 0, {}).gap
        0.2
        """
        if self.objective is None or self.bound is None:
            return None
        return (self.objective - self.bound) / max(1.0, abs(self.objective))
