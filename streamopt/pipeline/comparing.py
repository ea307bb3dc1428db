"""Tables of one graph: levels, solvers, DSP limits and other systems' strategies side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.errors import (
    Diagnostic,
    InfeasibleError,
    SimulationError,
    SolverError,
    StrategyError,
    StreamoptError,
)
from streamopt.evaluation.fifo_sizing import FifoSizing
from streamopt.evaluation.frames import frame_interval_cycles
from streamopt.extras import require
from streamopt.ir.graph import Graph
from streamopt.ir.network import Network, Place
from streamopt.options import checked, option_group
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.evaluating import evaluate_network, load_design
from streamopt.pipeline.flat_records import design_record, evaluation_record, record_of_every_level
from streamopt.pipeline.reading import dataflow
from streamopt.pipeline.rivals import design
from streamopt.pipeline.solving import solve
from streamopt.report.record import Record, Row, table
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space
from streamopt.strategies.rival import RivalName
from streamopt.target.device import Target
from streamopt.target.resources import Fit

if TYPE_CHECKING:
    import pandas as pd

    from streamopt.pipeline.sources.readers import Readable


_CROSSING = (Place.ARGUMENT, Place.RESIDENT, Place.OFF_CHIP)


@dataclass(frozen=True, slots=True)
class ComparisonCase:
    """A level with a solver, a strategy of another system, or its design; the others are empty."""

    level: str = ""
    strategy: str = ""
    dsp: int = 2560
    """DSPs as `streamopt.solve` counts them for a level, as built for a strategy."""
    # solver, tiling_limit, time_limit_seconds, seed, fit: see `streamopt.solve`; a strategy has
    # none of them. An empty ``fit`` is the level's own.
    solver: str = "auto"
    tiling_limit: int | None = None
    time_limit_seconds: float | None = None
    seed: int = 0
    fit: str = ""
    against: str = ""
    """Path of a design, as `streamopt.load_design` takes it."""

    @property
    def name(self) -> str:
        """Return the level, the strategy or the path of the design."""
        return self.level or self.strategy or self.against


@option_group(levels=LevelName, strategies=RivalName, fit=Fit)
@dataclass(frozen=True, slots=True)
class Comparison:
    """The cases: at every DSP limit each level with each solver, each strategy; then designs.

    Attributes
    ----------
    levels
        ``opt1`` to ``opt6``; none for strategies alone.
    strategies
        Of other systems: ``hida``, ``scalehls``, ``codo``, ``pom``. Their DSPs are as built.
    dsp
        DSPs that a design may use: one limit, or several.
    tiling_limit
        Least trip count of a tile loop; where not given, the level's own.
    solver
        One or several, as for `streamopt.solve`.
    time_limit
        Seconds for each level; None for no limit.
    seed
        Of the solvers.
    fit
        The part of the device that designs of levels keep to, as in `streamopt.Budget`.
    against
        Paths of designs that others made, as `streamopt.load_design` takes them.
    """

    levels: Iterable[str] = tuple(LevelName)
    strategies: Iterable[str] = ()
    dsp: int | Iterable[int] = 2560
    tiling_limit: int | None = None
    solver: str | Iterable[str] = "auto"
    time_limit: float | None = None
    seed: int = 0
    fit: str | None = None
    against: Iterable[str | PathLike[str]] = ()

    def cases(self) -> list[ComparisonCase]:
        """Return every case, limit by limit; designs have the first limit.

        Raises
        ------
        InfeasibleError
            E402 for a limit below 1.
        """
        budgets = (self.dsp,) if isinstance(self.dsp, int) else tuple(self.dsp)
        solvers = (self.solver,) if isinstance(self.solver, str) else tuple(self.solver)
        levels, strategies = tuple(self.levels), tuple(self.strategies)
        if wrong := [str(budget) for budget in budgets if budget < 1]:
            hint = "give whole numbers of at least 1"
            raise InfeasibleError(Diagnostic("E402", f"dsp is {', '.join(wrong)}", hint=hint))
        search = (self.tiling_limit, self.time_limit, self.seed, self.fit or "")
        made = [
            ComparisonCase(dsp=limit, against=str(path))
            for limit in budgets[:1]
            for path in self.against
        ]
        return [
            case
            for budget in budgets
            for case in (
                *(ComparisonCase(n, "", budget, by, *search) for n in levels for by in solvers),
                *(ComparisonCase(strategy=name, dsp=budget) for name in strategies),
            )
        ] + made


ALL_LEVELS = Comparison()


@checked()
def records(
    graph: Readable,
    comparison: Comparison = ALL_LEVELS,
    *,
    device: Target | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[Row]:
    """Return one row a case.

    All rows have the same members: a level's row is what `record` and `evaluation_record` give, a
    strategy's what `design_record` gives; a member that one of them lacks is empty. A case without
    a design, for instance within its limits, has a row with the reason as ``message``.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    comparison
        Its levels, strategies, limits and solvers; all levels where not given.
    device
        The target that is simulated; the U280 where not given.
    on_progress
        Called with (level or strategy, rows done, rows in all) before each row. A solve that is
        interrupted is the last row.

    Raises
    ------
    InfeasibleError
        E402 for a limit below 1.
    FrontendError
        If a design can't be read.
    """
    graph, cases = dataflow(graph), comparison.cases()
    for case in cases:
        if case.against:
            load_design(case.against)  # before anything takes long
    rows: list[Record] = []
    for done, case in enumerate(cases):
        if on_progress is not None:
            on_progress(case.name, done, len(cases))
        try:
            rows.append(row_of(graph, case, device))
        except (InfeasibleError, SimulationError, SolverError, StrategyError) as error:
            rows.append(refusal(graph, case, error))
        if rows[-1].get("stop") == Stop.INTERRUPTED:
            break
    return table(rows)


@checked()
def compare(
    graph: Readable,
    *,
    levels: Iterable[str] = tuple(LevelName),
    strategies: Iterable[str] = (),
    dsp: int | Iterable[int] = 2560,
    tiling_limit: int | None = None,
    time_limit: float | None = None,
    against: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    device: Target | None = None,
) -> pd.DataFrame:
    """Return the rows of `records` as a DataFrame.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    levels
        ``opt1`` to ``opt6``; none for strategies alone.
    strategies
        Of other systems: ``hida``, ``scalehls``, ``codo``, ``pom``.
    dsp
        DSPs that a design may use: one limit, or several.
    tiling_limit
        Least trip count of a tile loop; where not given, the level's own.
    time_limit
        Seconds for each level; None for no limit.
    against
        Folders or files of designs that others made, as `load_design` takes them.
    device
        The target that is simulated; the U280 where not given.

    Raises
    ------
    FrontendError
        If a design can't be read.
    MissingExtraError
        E890 if pandas isn't installed.
    """
    require("pandas", "report", "a DataFrame")
    import pandas as pd

    paths = (against,) if isinstance(against, str | PathLike) else tuple(against)
    comparison = Comparison(
        levels, strategies, dsp, tiling_limit, time_limit=time_limit, against=paths
    )
    return pd.DataFrame(records(graph, comparison, device=device))


def row_of(graph: Graph, case: ComparisonCase, device: Target | None = None) -> Record:
    """Return the row of a case, simulated and with the resources that it takes as built.

    Raises
    ------
    StreamoptError
        Where there is no design; `refusal` makes a row of it.
    """
    if case.against:
        return _named(graph, case) | design_row(graph, case.against, case.dsp, device)
    if case.strategy:
        made = design(graph, case.strategy, dsp=case.dsp, device=device)
        interval = Record(interval_cycles=frame_interval_cycles(made.evaluation))
        return _named(graph, case) | design_record(made) | interval
    solution = solve(
        graph,
        level=case.level,
        dsp=case.dsp,
        time_limit=case.time_limit_seconds,
        space=Space(tiling_limit=case.tiling_limit),
        budget=Budget(fit=case.fit or None),
        effort=Effort(solver=case.solver, seed=case.seed, fifos=FifoSizing(on=device)),
    )
    found = solution.evaluation
    assert found is not None  # every answer is judged
    return (
        record_of_every_level(solution)
        | evaluation_record(found)
        | Record(
            dsp_limit=case.dsp,
            interval_cycles=frame_interval_cycles(found),
            fifo_channels=len(solution.schedule.fifos),
            channels=len(solution.schedule.channels),
        )
    )


def refusal(graph: Graph, case: ComparisonCase, error: StreamoptError) -> Record:
    """Return the row of a case that gives no design, with the reason as ``message``."""
    reasons = "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)
    asked = Record() if not case.level else Record(solver=case.solver, seed=case.seed)
    return _named(graph, case) | asked | Record(message=reasons)


def _named(graph: Graph, case: ComparisonCase) -> Record:
    from streamopt.perf.paper.dsp import roofline_cycles

    return Record(
        name=graph.name,
        level=case.level or None,
        strategy=case.strategy or case.against or None,
        dsp_limit=case.dsp,
        roofline_cycles=roofline_cycles(graph, case.dsp),
    )


RTL, SYNTHESIS = "RTL simulation", "synthesis"


def design_row(graph: Graph, path: str, dsp: int, device: Target | None = None) -> Record:
    """Return the row of a design beside a graph, simulated and with its resources as ours.

    Raises
    ------
    FrontendError
        If it can't be read.
    DeadlockError
        If it comes to a standstill.
    """
    begin = perf_counter()
    design = load_design(path)
    seconds = perf_counter() - begin
    found = evaluate_network(design.network, device)
    told = design.measured
    by = RTL if told.rtl_cycles else SYNTHESIS if told.vitis_cycles else None
    return evaluation_record(found) | Record(
        strategy=design.name,
        dsp_limit=dsp,
        interval_cycles=frame_interval_cycles(found),
        measured_cycles=told.rtl_cycles or told.vitis_cycles,
        measured_by=by,
        measured_dsps=told.dsps,
        message=argument_difference(graph, design.network) or None,
        design_seconds=round(seconds, 4),
    )


def argument_difference(graph: Graph, network: Network) -> str:
    """Return how a design's arguments differ from a program's; empty if they have one size each.

    Copies of an argument, and one-dimensional ones of as many elements, count as it.
    """
    between = {edge.array for edge in graph.edges}
    own = {a.name: _shape(a.shape) for a in graph.arrays if a.name not in between}
    others = [m for m in network.memories if m.place in _CROSSING]
    have = Counter(prod(memory.shape) for memory in others if prod(memory.shape) > 1)
    lacking = [name for name, shape in own.items() if prod(shape) > 1 and not have[prod(shape)]]
    if not lacking:
        return ""
    told = ", ".join(f"{name} of {_by(own[name])}" for name in lacking)
    theirs = _listed(_by(m.shape) for m in others if prod(m.shape) > 1)
    return f"no argument of the design has the size of {told}; it has {theirs}"


def _shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent > 1) or (1,)


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, _shape(shape)))


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts)) or "none"
