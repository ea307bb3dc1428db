"""Tables of one graph: levels and strategies of other systems side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from streamopt.errors import StrategyError
from streamopt.pipeline.evaluating import FifoSizing, evaluate, evaluation_record
from streamopt.pipeline.rivals import design, design_record
from streamopt.pipeline.solving import record_of_every_level, solve
from streamopt.space.level import LevelName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pandas as pd

    from streamopt.ir.graph import Graph
    from streamopt.target.device import Target

__all__ = ["Row", "compare", "records"]

Row: TypeAlias = dict[str, str | int | float]


def records(
    graph: Graph,
    *,
    levels: Iterable[str] = tuple(LevelName),
    strategies: Iterable[str] = (),
    dsp: int = 2560,
    tiling_limit: int | None = None,
    solver: str = "auto",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on: Target | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[Row]:
    """Return one row a level and one a strategy, all with the same members.

    A level's row is what `record` and `evaluation_record` give, a strategy's what `design_record`
    gives; a member that one of them lacks is empty. A strategy that can't take the graph has a row
    with the reason as ``message``.

    Parameters
    ----------
    strategies
        Of other systems: ``hida``, ``scalehls``, ``codo``, ``pom``. Their DSPs are as built.
    time_limit_seconds
        For each level.
    on
        The target that is simulated; the U280 where not given.
    on_progress
        Called with (level or strategy, rows done, rows in all) before each row.
    """
    asked, rivals, rows = tuple(levels), tuple(strategies), list[Row]()
    for done, name in enumerate(asked + rivals):
        if on_progress is not None:
            on_progress(name, done, len(asked) + len(rivals))
        if done >= len(asked):
            rows.append(_strategy_row(graph, name, dsp, on))
            continue
        solution = solve(
            graph,
            level=name,
            dsp=dsp,
            tiling_limit=tiling_limit,
            solver=solver,
            time_limit_seconds=time_limit_seconds,
            seed=seed,
            fifos=FifoSizing(on=on),
        )
        found = evaluate(graph, solution.schedule, on)
        rows.append({**record_of_every_level(solution), **evaluation_record(found)})
    if not rivals:
        return rows
    members = dict.fromkeys(member for row in rows for member in row)
    return [{member: row.get(member, "") for member in members} for row in rows]


def _strategy_row(graph: Graph, name: str, dsp: int, on: Target | None) -> Row:
    from streamopt.perf.dsp import roofline_cycles

    row: Row = {
        "name": graph.name,
        "strategy": name,
        "dsp_limit": dsp,
        "roofline_cycles": roofline_cycles(graph, dsp),
    }
    try:
        return row | design_record(design(graph, name, dsp=dsp, on=on))
    except StrategyError as error:
        return row | {"message": "; ".join(d.message for d in error.diagnostics)}


def compare(
    graph: Graph,
    *,
    levels: Iterable[str] = tuple(LevelName),
    strategies: Iterable[str] = (),
    dsp: int = 2560,
    tiling_limit: int | None = None,
    solver: str = "auto",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on: Target | None = None,
) -> pd.DataFrame:
    """Return the rows of `records` as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(
        records(
            graph,
            levels=levels,
            strategies=strategies,
            dsp=dsp,
            tiling_limit=tiling_limit,
            solver=solver,
            time_limit_seconds=time_limit_seconds,
            seed=seed,
            on=on,
        )
    )
