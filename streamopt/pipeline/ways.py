"""One way to decide a graph, and the row of what it gives: what tables and sweeps are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from streamopt.evaluation.design import evaluated, frame_interval_cycles
from streamopt.evaluation.fifo_sizing import FifoSizing
from streamopt.pipeline.evaluation_records import evaluation_record
from streamopt.pipeline.rivals import design, design_record
from streamopt.pipeline.solving import record_of_every_level, solve
from streamopt.target.device import or_usual

if TYPE_CHECKING:
    from streamopt.errors import StreamoptError
    from streamopt.ir.graph import Graph
    from streamopt.target.device import Target

__all__ = ["Row", "Way", "refusal", "row_of"]

Row: TypeAlias = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Way:
    """A level with a solver, or a strategy of another system; one of both names is empty.

    Attributes
    ----------
    dsp
        DSPs as `streamopt.solve` counts them for a level, as built for a strategy.
    solver, tiling_limit, time_limit_seconds, seed
        See `streamopt.solve`; a strategy has none of them.
    """

    level: str = ""
    strategy: str = ""
    dsp: int = 2560
    solver: str = "auto"
    tiling_limit: int | None = None
    time_limit_seconds: float | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        """Return the level or the strategy."""
        return self.level or self.strategy


def row_of(graph: Graph, way: Way, on: Target | None = None) -> Row:
    """Return what a way gives for a graph, simulated and with what it takes as built.

    Raises
    ------
    StreamoptError
        Where there is no design; `refusal` makes a row of it.
    """
    if way.strategy:
        made = design(graph, way.strategy, dsp=way.dsp, on=on)
        interval: Row = {"interval_cycles": frame_interval_cycles(made.evaluation)}
        return _named(graph, way) | design_record(made) | interval
    solution = solve(
        graph,
        level=way.level,
        dsp=way.dsp,
        tiling_limit=way.tiling_limit,
        solver=way.solver,
        time_limit_seconds=way.time_limit_seconds,
        seed=way.seed,
        fifos=FifoSizing(on=on),
    )
    found = evaluated(graph, solution.schedule, or_usual(on))
    return {
        **record_of_every_level(solution),
        **evaluation_record(found),
        "interval_cycles": frame_interval_cycles(found),
        "fifo_channels": len(solution.schedule.fifos),
        "channels": len(solution.schedule.channels),
    }


def refusal(graph: Graph, way: Way, error: StreamoptError) -> Row:
    """Return the row of a way that gives no design, with the reason as ``message``."""
    reasons = "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)
    asked: Row = {} if way.strategy else {"solver": way.solver, "seed": way.seed}
    return _named(graph, way) | asked | {"message": reasons}


def _named(graph: Graph, way: Way) -> Row:
    from streamopt.perf.paper.dsp import roofline_cycles

    return {
        "name": graph.name,
        "strategy" if way.strategy else "level": way.name,
        "dsp_limit": way.dsp,
        "roofline_cycles": roofline_cycles(graph, way.dsp),
    }
