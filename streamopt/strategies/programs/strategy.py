"""Mathematical programs as strategies: a solver, and how the problem is stated for it."""

from dataclasses import dataclass

from streamopt.errors import Diagnostic
from streamopt.space.objective import Latency
from streamopt.strategies.paper_only import refusal
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

COMPACT, PAPER = FORMULATIONS = ("compact", "paper")


@dataclass(frozen=True, slots=True)
class SolverProgram:
    """A formulation, handed to a solver."""

    solver: str = ""
    """A name of `streamopt.solvers.registry`; empty for the default one."""
    formulation: str = COMPACT
    """``compact``, an exact linear program, or ``paper``, the published MINLP."""

    @property
    def name(self) -> str:
        """Return the name of the solver."""
        from streamopt.solvers.registry import default_solver

        return self.solver or default_solver()

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why the formulation can't state a problem (E513, E514, E517, E523 to E526)."""
        if self.formulation == COMPACT:
            return None
        if self.formulation not in FORMULATIONS:
            hint = f"choose one of {', '.join(FORMULATIONS)}"
            return Diagnostic("E514", f"there is no formulation '{self.formulation}'", hint=hint)
        reason = refusal(problem, "the formulation 'paper'", "leave --formulation out")
        if reason is not None:
            return reason
        if not isinstance(problem.objective, Latency):
            wanted = problem.objective.name
            message = f"the paper formulation minimises the latency, not the {wanted}"
            return Diagnostic("E517", message, hint="use the compact formulation")
        if problem.level.untiled_first:
            message = "the paper's program states one level at a time; opt4 is opt2 and then opt3"
            return Diagnostic("E513", message, hint="use the compact formulation for opt4")
        return None

    def solve(self, run: Run) -> Solution:
        """Return the answer of the solver."""
        from streamopt.strategies.programs.minlp import solve_compact, solve_paper

        return (solve_compact if self.formulation == COMPACT else solve_paper)(run, self.name)
