"""Problems for strategies, in few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Latency, Objective
from streamopt.strategies.problem import Problem

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

LATENCY = Latency()


def problem_of(
    graph: Graph,
    dsp: int,
    tiling_limit: int = 2,
    *,
    level: LevelName = LevelName.OPT5,
    objective: Objective = LATENCY,
) -> Problem:
    """Return a problem of a graph at a level."""
    return Problem(graph, SpaceOptions(LEVELS[level], dsp, tiling_limit), objective)
