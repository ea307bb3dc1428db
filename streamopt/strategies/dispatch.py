"""Strategies by name, and the answer of the first that accepts a problem."""

from collections.abc import Sequence
from dataclasses import replace

from streamopt.errors import Diagnostic, SolverError
from streamopt.solvers.registry import SOLVERS, WITHOUT_SOLVER, default_solver, get, unknown_solver
from streamopt.solvers.result import Proof
from streamopt.space.objective import FewestDsps, Latency, LatencyThenDsps
from streamopt.strategies.acceptance import first_accepting
from streamopt.strategies.exact.strategy import ExactSearch
from streamopt.strategies.oracle.strategy import EXHAUSTIVE, ExhaustiveSearch
from streamopt.strategies.portfolio.portfolio import Portfolio
from streamopt.strategies.programs.strategy import COMPACT, SolverProgram
from streamopt.strategies.protocol import Strategy
from streamopt.strategies.resources.infeasible_limits import latency_target_missed
from streamopt.strategies.resources.within import answer_within
from streamopt.strategies.run import SEARCH, NotReachedError, OutOfReachError, Run
from streamopt.strategies.solution import Solution

AUTO, _, _, RACE = WITHOUT_SOLVER

STRATEGIES: dict[str, tuple[Strategy, ...]] = {
    AUTO: (ExactSearch(), SolverProgram()),
    SEARCH: (ExactSearch(),),
    EXHAUSTIVE: (ExhaustiveSearch(),),
}
"""By name, as ``--solver`` has it: the strategies that are asked, in this order. Beside them there
are the names of solvers, and races."""


def strategies(solver: str, formulation: str = COMPACT) -> tuple[Strategy, ...]:
    """Return the strategies of a name, in the order in which they are asked.

    ``auto`` is the exact search, and the default solver (CP-SAT where it is installed, else HiGHS)
    where that doesn't do: at opt4, for the paper's program, and on graphs that are too entangled
    for it. ``race`` is the exact search beside the default solver, ``race:NAME,NAME`` are those
    that are named.

    Raises
    ------
    SolverError
        If a solver is unknown (E501) or not installed (E504), or a race has less than two sides
        (E518).
    """
    kind, _, names = solver.partition(":")
    if kind == RACE:
        return (Portfolio(_sides(solver, names, formulation)),)
    if solver == AUTO and formulation != COMPACT:
        return (SolverProgram(formulation=formulation),)
    return STRATEGIES.get(solver) or (_program(solver, formulation),)


def _program(solver: str, formulation: str) -> Strategy:
    """Return the strategy of a solver.

    Raises
    ------
    SolverError
        E501 for a name that nothing has, E504 for a solver that isn't installed.
    """
    if solver not in SOLVERS:
        raise unknown_solver(solver, (*STRATEGIES, RACE))
    get(solver)  # what is missing is said before a search begins
    return SolverProgram(solver, formulation)


def _sides(solver: str, text: str, formulation: str) -> tuple[Strategy, ...]:
    known = {name: own[0] for name, own in STRATEGIES.items() if len(own) == 1}
    names = dict.fromkeys(text.split(",") if text else (SEARCH, default_solver()))
    sides = tuple(known.get(name) or _program(name, formulation) for name in names)
    if len(names) < 2:
        message = f"'{solver}' is a race of one"
        hint = f"name two or more, such as {RACE}:{SEARCH},{default_solver()}"
        raise SolverError(Diagnostic("E518", message, hint=hint))
    return sides


def answer(run: Run, asked: Sequence[Strategy]) -> Solution:
    """Return the answer to the problem of a run, for any objective and with any limits.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401 to E405).
    SolverError
        If no strategy accepts the problem (E510, E513 to E519), no schedule within the latency
        target was found in time (E516), no design within other limits was found (E522) or is
        looked for by this solver (E521), or as the strategy raises.
    """
    problem = run.problem
    if problem.limits is not None:
        free = answer(run.part(replace(problem, limits=None), silent=True), asked)
        return answer_within(run, problem.limits, free, searches=isinstance(asked[0], ExactSearch))
    try:
        is_oracle = isinstance(asked[0], ExhaustiveSearch)
        if isinstance(problem.objective, LatencyThenDsps) and not is_oracle:
            return _latency_then_dsps(run, asked)
        return first_accepting(run, asked)
    except OutOfReachError:
        alone = STRATEGIES[AUTO] if isinstance(asked[0], Portfolio) else asked
        raise latency_target_missed(
            problem, lambda other: answer(run.part(other, silent=True), alone)
        ) from None
    except NotReachedError as error:
        assert isinstance(problem.objective, FewestDsps)
        raise SolverError(
            Diagnostic(
                "E516",
                f"{error.solver} was stopped before it found a schedule of {problem.graph.name} "
                f"within {problem.objective.within_cycles} cycles; one takes "
                f"{error.bound} DSPs or more",
                hint="give more time, or a higher --latency-target",
            )
        ) from None


def _latency_then_dsps(run: Run, asked: Sequence[Strategy]) -> Solution:
    """Return a schedule of fewest DSPs among those of the least latency that was found."""
    problem = run.problem
    first = first_accepting(run.part(replace(problem, objective=Latency())), asked)
    kept = replace(problem, objective=FewestDsps(max(1, first.latency_cycles)))
    try:
        second = first_accepting(run.part(kept), asked)
    except NotReachedError as error:
        return replace(
            first,
            problem=problem,
            proof=Proof.FEASIBLE,
            stop=error.stop,
            second_bound=error.bound,
            message="the DSPs were not made fewer in time",
        )
    is_proved = first.proof.is_closed
    proof = second.proof if is_proved else Proof.FEASIBLE
    return replace(
        second,
        problem=problem,
        bound=first.bound,
        second_bound=second.bound if is_proved else 0,
        proof=first.proof if proof is Proof.OPTIMAL else proof,
        stop=second.stop if is_proved else first.stop,
        solve_seconds=run.clock.seconds(),
        message=second.message if is_proved else first.message,
    )
