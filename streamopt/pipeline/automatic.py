"""POM's two stages on a program: steps on its loops, then tiles for its graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from streamopt.evaluation.fifo_sizing import LEAST_FIFOS
from streamopt.ir.loop_steps import Partition
from streamopt.pipeline.rivals import designed
from streamopt.strategies.pom import dependence_steps, design
from streamopt.strategies.rival import RivalName, RivalRequest
from streamopt.target.device import or_usual

if TYPE_CHECKING:
    from streamopt.ir.loop_steps import LoopStep
    from streamopt.pipeline.rivals import RivalDesign
    from streamopt.pipeline.scheduled_program import Decided, ScheduledProgram
    from streamopt.target.device import Target

__all__ = ["automatic_design", "automatic_steps"]


def automatic_steps(scheduled: ScheduledProgram) -> tuple[LoopStep, ...]:
    """Return the steps of the first stage, none for statements that a user has taken steps for."""
    kept = frozenset(step.node for step in scheduled.steps if not isinstance(step, Partition))
    return dependence_steps(scheduled.timed, kept).steps


def automatic_design(found: Decided, dsp: int, on: Target | None = None) -> RivalDesign:
    """Return the design of the second stage, which keeps to what is fixed.

    Raises
    ------
    StrategyError
        As `streamopt.pipeline.rivals.design`, and E561.
    """
    request = RivalRequest(found.graph, dsp, or_usual(on))
    strategy = partial(design, fixed=found.fixed)
    return designed(RivalName.POM, strategy, request, LEAST_FIFOS)
