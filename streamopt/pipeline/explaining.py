"""Explanations of designs: what bounds one, what more of a resource would buy, what to change."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError, ReportError, SolverError
from streamopt.evaluation.design import Evaluation
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.answering import answered, problem_of
from streamopt.pipeline.design_limits import LIMITED, Budget
from streamopt.pipeline.evaluating import evaluate
from streamopt.pipeline.flat_records import record
from streamopt.pipeline.reading import dataflow
from streamopt.report.proof import Facts
from streamopt.space.fixed import Fixed
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import FewestDsps, Objective, ObjectiveName, named_objective
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from streamopt.explanation.explanation import Explanation
    from streamopt.explanation.question import Asking, ChangedProblem, KnownDesign
    from streamopt.pipeline.sources.readers import Readable

SAMPLES = 240
"""Spans of the run in which waits are told; the critical path needs any."""
WORK = 8.0
"""Work of each problem that is solved for an explanation, where nothing is said."""


@checked()
def explain(
    design: Solution | Readable,
    schedule: Schedule | None = None,
    device: Target | None = None,
    *,
    result: Facts | None = None,
    work: float = WORK,
    quick: bool = False,
) -> Explanation:
    """Return why a design is as fast as it is, and what would make it faster.

    Parameters
    ----------
    design
        From `solve`; or a graph, or anything else that `streamopt.load` reads.
    schedule
        Of the graph; None of a solution.
    device
        The target; the U280 where not given.
    result
        What is known of the schedule: `streamopt.record`, or `load_result`.
    work
        The most that is done for each problem that is solved again, in the unit of
        `streamopt.work`: about a processor second.
    quick
        Whether nothing is solved again: what more of a resource would buy is then not told beyond
        what is proved already.

    Raises
    ------
    ReportError
        E874 for a graph without a schedule.
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill.
    """
    from streamopt.explanation.explanation import explained_design

    fixed: Fixed | None = None
    if isinstance(design, Solution):
        graph: Graph = getattr(design, "graph", design.problem.graph)  # of `so.solve`: as given
        schedule = design.schedule
        facts: Facts = {**record(design), **(result or {})}
        fixed = design.problem.space.fixed or None
        if device is None and design.evaluation is not None:
            device = design.evaluation.target
    else:
        graph, facts = dataflow(design), result or {}
    if schedule is None:
        message = "a graph has no schedule that could be explained"
        hint = "give a solution, or a graph with its schedule: so.explain(graph, schedule)"
        raise ReportError(Diagnostic("E874", message, hint=hint))
    found = evaluate(graph, schedule, device, samples=SAMPLES)
    facts = _of_this(facts, found)
    ask = None if quick else _asking(graph, schedule, facts, (found.target, work), fixed)
    return explained_design(known_design(graph, schedule, found, facts, ask))


def known_design(
    graph: Graph, schedule: Schedule, found: Evaluation, facts: Facts, ask: Asking | None = None
) -> KnownDesign:
    """Return a design with its warnings, to be explained."""
    from streamopt.explanation.question import KnownDesign
    from streamopt.transforms.apply import apply
    from streamopt.warnings.cycles import recorded_warnings
    from streamopt.warnings.solution import design_warnings

    scheduled = apply(graph, schedule)
    warned = (*recorded_warnings(facts, found), *design_warnings(scheduled.graph, found))
    return KnownDesign(scheduled, schedule, found, facts, warned, ask)


def _of_this(facts: Facts, found: Evaluation) -> Facts:
    """Return the record of a design; only its cycles where it is of another one.

    Simulations are repeatable, so that other cycles on the same target are of another schedule, or
    of another graph.
    """
    then, on = facts.get("simulated_cycles"), found.target
    is_target = (facts.get("device"), facts.get("clock_ns")) == (on.name, on.clock_ns)
    if then is None or not is_target or int(then) == found.trace.cycles:
        return facts
    return {"simulated_cycles_then": then}


def _asking(
    graph: Graph, schedule: Schedule, facts: Facts, how: tuple[Target, float], fixed: Fixed | None
) -> Asking:
    """Return a function that solves problems beside that of a schedule."""
    device, work = how

    def ask(changed: ChangedProblem) -> Solution | None:
        with suppress(InfeasibleError, SolverError):
            return _answer(graph, schedule, _Changed(facts, changed, device), (work, fixed))
        return None

    return ask


def _answer(
    graph: Graph, schedule: Schedule, of: _Changed, how: tuple[float, Fixed | None]
) -> Solution:
    work, fixed = how
    is_built = LEVELS[of.level].is_as_built
    banks = schedule.most_banks if is_built else None
    space = Space(of.tiling_limit, ports=schedule.ports, fixed=fixed, most_banks=banks)
    asked = rewritten(graph, of.by.rewrites)
    _, problem = problem_of(asked, of.level, of.dsps, space, of.budget)
    problem = replace(problem, objective=of.objective)
    effort = Effort(work=work) if is_built else Effort(work=work, fifos=None)
    options, keeps = effort.options(None), of.dsps is not None
    return answered(problem, space, of.budget, effort, options, keeps_dsps=keeps)


@dataclass(frozen=True, slots=True)
class _Changed:
    """A changed problem, read with what the record of the design says of its own."""

    facts: Facts
    by: ChangedProblem
    device: Target

    @property
    def level(self) -> LevelName:
        return LevelName(self.by.level or str(self.facts.get("level") or LevelName.OPT5))

    @property
    def tiling_limit(self) -> int | None:
        own = None if self.by.level else self._number("tiling_limit")
        return self.by.tiling_limit or own or None

    @property
    def dsps(self) -> int | None:
        """Return the DSPs to keep to; None at opt6 where a limit of the region says them."""
        if LEVELS[self.level].is_as_built and not self.by.level:
            return None
        return self.by.dsps or self._number("dsp_limit") or None

    @property
    def objective(self) -> Objective:
        within = self.by.fewest_dsps_within_cycles
        if within is not None:
            return FewestDsps(within)
        return named_objective(str(self.facts.get("objective") or ObjectiveName.LATENCY))

    @property
    def budget(self) -> Budget:
        limits = {key: self._number(f"{key}_limit") for key in LIMITED}
        given = {key: most for key, most in limits.items() if f"{key}_limit" in self.facts}
        given |= dict(self.by.limits)
        fit = Fit.RAW_DEVICE if LEVELS[self.level].is_as_built and given else None
        return replace(Budget(fit=fit, device=self.device), **given)

    def _number(self, name: str) -> int:
        return int(self.facts.get(name) or 0)
