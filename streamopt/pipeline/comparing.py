"""Tables of one graph: levels, solvers, DSP limits and other systems' strategies side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import (
    Diagnostic,
    InfeasibleError,
    SimulationError,
    SolverError,
    StrategyError,
)
from streamopt.extras import require
from streamopt.pipeline.options import checked
from streamopt.pipeline.reading import dataflow
from streamopt.pipeline.ways import Way, refusal, row_of
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.strategies.rival import RivalName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    import pandas as pd

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.pipeline.ways import Row
    from streamopt.target.device import Target

__all__ = ["compare", "records"]


@checked(levels=LevelName, strategies=RivalName)
def records(
    graph: Graph | Program | str | PathLike[str],
    *,
    levels: Iterable[str] = tuple(LevelName),
    strategies: Iterable[str] = (),
    dsp: int | Iterable[int] = 2560,
    tiling_limit: int | None = None,
    solver: str | Iterable[str] = "auto",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on: Target | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[Row]:
    """Return one row a level and solver, and one a strategy, at every DSP limit.

    All rows have the same members: a level's row is what `record` and `evaluation_record` give, a
    strategy's what `design_record` gives; a member that one of them lacks is empty. What has no
    design, for instance within its limits, has a row with the reason as ``message``.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    levels
        ``opt1`` to ``opt6``; none for strategies alone.
    strategies
        Of other systems: ``hida``, ``scalehls``, ``codo``, ``pom``. Their DSPs are as built.
    dsp
        DSPs that a design may use: one limit, or several.
    tiling_limit
        Least trip count of a tile loop; where not given, the level's own.
    solver
        One or several, as for `solve`.
    time_limit_seconds
        For each level; None for no limit.
    seed
        Of the solvers.
    on
        The target that is simulated; the U280 where not given.
    on_progress
        Called with (level or strategy, rows done, rows in all) before each row. A solve that is
        interrupted is the last row.

    Raises
    ------
    InfeasibleError
        E402 for a limit below 1.
    """
    graph = dataflow(graph)
    _check_positive(budgets := (dsp,) if isinstance(dsp, int) else tuple(dsp))
    solvers = (solver,) if isinstance(solver, str) else tuple(solver)
    names, rivals = tuple(levels), tuple(strategies)
    ways = [
        way
        for budget in budgets
        for way in (
            *(
                Way(level, "", budget, one, tiling_limit, time_limit_seconds, seed)
                for level in names
                for one in solvers
            ),
            *(Way(strategy=strategy, dsp=budget) for strategy in rivals),
        )
    ]
    rows: list[Row] = []
    for done, way in enumerate(ways):
        if on_progress is not None:
            on_progress(way.name, done, len(ways))
        try:
            rows.append(row_of(graph, way, on))
        except (InfeasibleError, SimulationError, SolverError, StrategyError) as error:
            rows.append(refusal(graph, way, error))
        if rows[-1].get("stop") == Stop.INTERRUPTED:
            break
    members = dict.fromkeys(member for row in rows for member in row)
    return [{member: row.get(member, "") for member in members} for row in rows]


def _check_positive(budgets: tuple[int, ...]) -> None:
    wrong = [str(budget) for budget in budgets if budget < 1]
    if wrong:
        message = f"dsp is {', '.join(wrong)}"
        raise InfeasibleError(Diagnostic("E402", message, hint="give whole numbers of at least 1"))


@checked(levels=LevelName, strategies=RivalName)
def compare(
    graph: Graph | Program | str | PathLike[str],
    *,
    levels: Iterable[str] = tuple(LevelName),
    strategies: Iterable[str] = (),
    dsp: int | Iterable[int] = 2560,
    tiling_limit: int | None = None,
    solver: str | Iterable[str] = "auto",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on: Target | None = None,
) -> pd.DataFrame:
    """Return the rows of `records` as a DataFrame.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    levels
        ``opt1`` to ``opt6``; none for strategies alone.
    strategies
        Of other systems: ``hida``, ``scalehls``, ``codo``, ``pom``. Their DSPs are as built.
    dsp
        DSPs that a design may use: one limit, or several.
    tiling_limit
        Least trip count of a tile loop; where not given, the level's own.
    solver
        One or several, as for `solve`.
    time_limit_seconds
        For each level; None for no limit.
    seed
        Of the solvers.
    on
        The target that is simulated; the U280 where not given.

    Raises
    ------
    MissingExtraError
        E890 if pandas isn't installed.
    """
    require("pandas", "report", "a DataFrame")
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
