"""What every strategy returns: a schedule, and what is known of how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.prediction import Prediction
    from streamopt.ir.schedule import Schedule
    from streamopt.solvers.result import Proof, Stop
    from streamopt.space.level import LevelName

__all__ = ["Request", "Solution"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to solve: a graph at a level, under limits.

    Attributes
    ----------
    tiling_limit
        Least trip count of a tile loop, for loops longer than it.
    """

    graph: Graph
    level: LevelName
    dsp_limit: int
    tiling_limit: int = 16


@dataclass(frozen=True, slots=True)
class Solution:
    """A schedule with its certificate.

    Attributes
    ----------
    prediction
        The performance model's integers for the schedule; its latency is the objective.
    bound_cycles
        No schedule of the request has a lower latency; equal to the objective where proved.
    proof, stop
        What was proved, and why the search ended.
    solve_seconds
        From the request to the answer: rows, models, searches and read-back.
    """

    request: Request
    schedule: Schedule
    prediction: Prediction
    bound_cycles: int
    proof: Proof
    stop: Stop
    solver: str
    solver_version: str
    seed: int
    solve_seconds: float
    message: str = ""

    @property
    def objective_cycles(self) -> int:
        """Return the latency of the schedule."""
        return self.prediction.latency_cycles

    @property
    def gap(self) -> float:
        """Return how far the objective may be above the optimum, relative to the objective."""
        return (self.objective_cycles - self.bound_cycles) / max(1, self.objective_cycles)
