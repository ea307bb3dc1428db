"""The best engine of a search, of whatever kind, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class _HasCycles(Protocol):
    @property
    def cycles(self) -> int: ...


class _HasRun(Protocol):
    @property
    def run(self) -> _HasCycles: ...


EvaluationT = TypeVar("EvaluationT", bound=_HasRun)


@dataclass(frozen=True, slots=True)
class EngineAnswer(Generic[EvaluationT]):
    """The best engine, and what is proved of it."""

    evaluation: EvaluationT
    bound_cycles: int
    """No engine of the space that fits takes less; the run, where the search finished."""
    roofline_cycles: int
    """No hardware with as many products and bytes a cycle takes less."""
    simulated: int
    """Shapes that were simulated: those that fit."""
    shapes: int
    """Shapes that there are."""
    solve_seconds: float
    """Of processor time."""

    @property
    def cycles(self) -> int:
        """Return the simulated cycles of the run."""
        return self.evaluation.run.cycles

    @property
    def gap(self) -> float:
        """Return how far the run may be above the optimum, relative to it."""
        return (self.cycles - self.bound_cycles) / self.cycles
