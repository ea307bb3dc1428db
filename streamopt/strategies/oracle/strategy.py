"""The oracle as a strategy: its answer with the model's integers beside it."""

from dataclasses import dataclass

from streamopt.errors import Diagnostic
from streamopt.solvers.result import Proof, Stop
from streamopt.space.objective import LatencyThenDsps
from streamopt.strategies.paper_only import refusal
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import OutOfReachError, Run
from streamopt.strategies.solution import Solution

EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True, slots=True)
class ExhaustiveSearch:
    """Every schedule of a small space, each walked loop by loop."""

    @property
    def name(self) -> str:
        """Return the name."""
        return EXHAUSTIVE

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why schedules can't be walked; if they are too many, that is told then."""
        return refusal(problem, "the exhaustive search", "leave --solver out")

    def solve(self, run: Run) -> Solution:
        """Return a best schedule by looking at all of them.

        Raises
        ------
        InfeasibleError
            If no schedule fits the limits (E401, E402).
        OutOfReachError
            If none has the latency target.
        SolverError
            If there are too many schedules to look at (E510).
        """
        from streamopt.strategies.oracle.exhaustive import exhaustive

        problem, space = run.problem, run.problem.space
        problem.decision_space()  # refuses limits that nothing fits
        found = exhaustive(
            problem.graph,
            level=space.level,
            dsp_limit=space.dsp_limit,
            tiling_limit=space.tiling_limit,
            objective=problem.objective,
        )
        if found.schedule is None:
            raise OutOfReachError
        has_second = isinstance(problem.objective, LatencyThenDsps)
        return Solution(
            problem=problem,
            schedule=found.schedule,
            prediction=problem.evaluate(found.schedule),
            bound=problem.objective.cost(found),
            second_bound=found.dsps if has_second else 0,
            proof=Proof.OPTIMAL,
            stop=Stop.FINISHED,
            solver=self.name,
            solver_version="1",
            seed=0,
            solve_seconds=run.clock.seconds(),
            message=f"{found.points} schedules looked at",
        )
