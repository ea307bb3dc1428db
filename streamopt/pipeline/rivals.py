"""Designs by the strategies of other systems, on the same graphs, simulator and back ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.evaluation.design import Evaluation, built_resources, evaluated
from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing, sized
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.reading import dataflow
from streamopt.strategies.resources.largest_budget import Trial, largest_within
from streamopt.strategies.rival import Rival, RivalAnswer, RivalName, RivalRequest, rival
from streamopt.target.device import Target, or_usual

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable

MOST_TRIALS = 8
"""Budgets that are tried for a strategy whose own count of DSPs is below what is built."""


@dataclass(frozen=True, slots=True)
class RivalDesign:
    """A strategy's schedule, and what it takes as built.

    Attributes
    ----------
    own_dsp_limit
        DSPs that its own model was given so that the design as built keeps the limit.
    seconds
        Of the strategy, over all budgets that were tried; without simulation and FIFO sizing.
    """

    strategy: RivalName
    answer: RivalAnswer
    schedule: Schedule
    evaluation: Evaluation
    own_dsp_limit: int
    seconds: float


@checked()
def design(
    graph: Readable,
    strategy: str,
    *,
    dsp: int = 2560,
    device: Target | None = None,
    fifos: FifoSizing | None = LEAST_FIFOS,
) -> RivalDesign:
    """Return the design of another system's strategy for a graph.

    A strategy counts DSPs by its own model. Where the design as built has more than the limit, the
    strategy is asked again with less, as a user of the system would.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    strategy
        ``hida``, ``scalehls``, ``codo`` or ``pom``.
    dsp
        DSPs as built, all operators counted.
    device
        The target; the U280 where not given.
    fifos
        How FIFO depths are found; None for all tokens.

    Raises
    ------
    StrategyError
        E530 for an unknown strategy, E531 if it keeps the limit at no budget, or with its own
        reason where it can't take the graph.
    """
    if strategy not in tuple(RivalName):
        hint = f"choose from {', '.join(RivalName)}"
        raise StrategyError(Diagnostic("E530", f"there is no strategy '{strategy}'", hint=hint))
    device = or_usual(device)
    name = RivalName(strategy)
    return designed(name, rival(name), RivalRequest(dataflow(graph), dsp, device), fifos)


def designed(
    name: RivalName, strategy: Rival, request: RivalRequest, fifos: FifoSizing | None
) -> RivalDesign:
    """Return the design of a strategy; ``request`` limits the DSPs as built.

    Raises
    ------
    StrategyError
        As `design`.
    """
    graph, device = request.graph, request.target
    answer, own, seconds = _within(strategy, graph, request.dsp_limit, device)
    schedule = with_visit_lengths(graph, answer.schedule, device)
    if fifos is not None:
        schedule = sized(graph, schedule, replace(fifos, on=device))[0]
    found = evaluated(graph, schedule, device)
    return RivalDesign(name, answer, schedule, found, own, seconds)


def _within(
    strategy: Rival, graph: Graph, dsp: int, device: Target
) -> tuple[RivalAnswer, int, float]:
    """Return the answer for the largest own budget found whose design keeps the limit as built."""
    seconds = 0.0

    def ask(budget: int) -> Trial[RivalAnswer]:
        nonlocal seconds
        started = perf_counter()
        answer = strategy(RivalRequest(graph, budget, device))
        seconds += perf_counter() - started
        used = built_resources(graph, answer.schedule, device).dsps
        return Trial(answer, budget, used, answer.estimated_dsps)

    best = largest_within(ask, dsp, MOST_TRIALS)
    if best is None:
        message = f"{graph.name} takes more than {dsp} DSPs at every budget that was tried"
        raise StrategyError(Diagnostic("E531", message, hint="give more with --dsp"))
    return best.answer, best.budget, seconds
