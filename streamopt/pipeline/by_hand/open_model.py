"""The mathematical program of a graph, open for constraints and an objective of the user's own.

::

    m = so.model(graph, dsp=2560)
    m.require(m.rows["gemm1"].dsps <= 800, "mine")
    solution = m.solve("highs")
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, OptionError
from streamopt.formulation.compact import model as compact
from streamopt.formulation.compact.variables import Compact
from streamopt.formulation.tags import Tag, pyo
from streamopt.ir.graph import Graph
from streamopt.options import checked
from streamopt.pipeline.answering import problem_of
from streamopt.pipeline.by_hand.model_search import ChangedModel, ModelSearch, exact_answer
from streamopt.pipeline.by_hand.node_terms import ByName, NodeTerms
from streamopt.pipeline.solving import USUAL, WHOLE
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space
from streamopt.strategies.paper_only import check_published
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run

if TYPE_CHECKING:
    from streamopt.pipeline.solved import Solved
    from streamopt.pipeline.sources.readers import Readable

OWN = "own"
"""In place of an equation's number in the tag of a user's constraint."""


class OpenModel:
    """The compact program of a graph (``models/formulations/compact.md``), as a Pyomo model.

    Every loop order and every vector of unroll factors of a node is a row, also those that no
    optimum without further constraints would have.

    Attributes
    ----------
    graph, problem
        The graph, and the question about it that the model answers.
    pyomo
        The model, a ``pyomo.environ.ConcreteModel``.
    rows
        By node: expressions in its choice; see `NodeTerms`.
    fifo
        By channel that can be a FIFO: the binary that says whether it is one.
    """

    def __init__(self, graph: Graph, problem: Problem, program: Compact) -> None:
        self.graph = graph
        self.problem = problem
        self.program = program
        self.pyomo: Any = program.formulation.model
        self.rows: dict[str, NodeTerms] = ByName(
            {name: NodeTerms(name, rows, program) for name, rows in program.rows.items()}
        )
        self.fifo: dict[str, Any] = ByName(program.fifo)
        self.objective_name = ""
        self._objective: Any = self.pyomo.objective

    @property
    def latency(self) -> Any:
        """The variable of the latency, in cycles."""
        return self.pyomo.latency

    @property
    def dsps(self) -> Any:
        """The DSPs of all nodes together."""
        return sum(terms.dsps for terms in self.rows.values())

    @checked()
    def require(self, constraint: Any, name: str = "mine") -> Any:
        """Add a constraint, and return Pyomo's row of it.

        Parameters
        ----------
        constraint
            An equation or inequality of Pyomo in the variables of the model.
        name
            By which messages tell it; several constraints may share one.

        Raises
        ------
        OptionError
            E549 if it has no variables, so that nothing can be chosen to meet it.
        """
        if not _is_open(constraint):
            message = f"'{name}' is {str(constraint)[:60]}, not a constraint on the choices"
            hint = "compare expressions of the model: m.rows['node'].dsps <= 100"
            raise OptionError(Diagnostic("E549", message, hint=hint))
        return self.program.formulation.require(constraint, Tag(OWN, OWN, name))

    @checked()
    def minimize(self, expression: Any, name: str = "mine") -> None:
        """Minimize an expression instead of the latency.

        Parameters
        ----------
        expression
            Of Pyomo, in the variables of the model.
        name
            By which messages tell it.
        """
        self._objective.deactivate()
        self.pyomo.own_objective = pyo.Objective(expr=expression, sense=pyo.minimize)
        self._objective, self.objective_name = self.pyomo.own_objective, name

    @property
    def own_rows(self) -> dict[str, list[Any]]:
        """The active constraints that the user has added, by name."""
        tags, listed = self.program.formulation.tags, self.pyomo.rows
        found: dict[str, list[Any]] = {}
        for row in self.pyomo.component_data_objects(pyo.Constraint, active=True):
            tag = tags.get(row.name) if row.parent_component() is listed else None
            if tag is None or tag.equation == OWN:
                name = row.name if tag is None else tag.subject
                found.setdefault(name, []).append(row)
        return found

    @property
    def changes(self) -> str:
        """The user's own constraints and objective, in words; empty for none."""
        words = [f"'{name}'" for name in self.own_rows]
        if self.objective_name:
            words.append(f"the objective '{self.objective_name}'")
        return ", ".join(words)

    @checked()
    def solve(
        self, solver: str = "auto", *, time_limit: float | None = None, effort: Effort = USUAL
    ) -> Solved:
        """Return a best schedule of the model as it is now.

        The bound and the proof are those of the model with the user's constraints. A solver that
        computes in floating point claims its optimum; it is proved where it meets the bound of the
        exact search on the model without them.

        Parameters
        ----------
        solver
            ``auto``, or a name of `streamopt.available_solvers`.
        time_limit
            Seconds; None for no limit.
        effort
            As for `streamopt.solve`; its solver is not asked.

        Raises
        ------
        InfeasibleError
            E411 if no schedule meets all constraints; names those of the user that can't be met
            together.
        SolverError
            E516 if none was found in time, E527 if a constraint on times is met by a schedule that
            waits, which no design does; or as the solver raises.
        """
        from streamopt.pipeline.answering import as_built, ported
        from streamopt.pipeline.solved import solved
        from streamopt.solvers.registry import default_solver
        from streamopt.target.device import or_usual

        run = Run(self.problem, replace(effort, solver=solver).options(time_limit))
        changed = ChangedModel(
            self.program, self.own_rows, self._objective, self.objective_name, self.changes
        )
        name = default_solver() if solver == "auto" else solver
        found = ModelSearch(changed, run, name).answer()
        fifos = effort.fifos
        device = or_usual(None if fifos is None else fifos.on)
        return solved(as_built(ported(found, self.problem), fifos, device), self.graph)

    def __repr__(self) -> str:
        """Return the size of the model and the user's changes on one line."""
        size = f"{self.pyomo.nvariables():,} variables, {self.pyomo.nconstraints():,} constraints"
        with_ = f", with {self.changes}" if self.changes else ""
        return f"<OpenModel of {self.graph.name} at {self.problem.level.name}: {size}{with_}>"


def _is_open(constraint: Any) -> bool:
    """Return whether a value is an equation or inequality that has a variable."""
    pyomo: Any = import_module("pyomo.core.expr")
    visitor: Any = import_module("pyomo.core.expr.visitor")
    if not hasattr(constraint, "is_expression_type"):
        return False
    is_relation = constraint.is_expression_type(pyomo.ExpressionType.RELATIONAL)
    return is_relation and any(True for _ in visitor.identify_variables(constraint))


@checked(level=LevelName)
def model(
    graph: Readable,
    *,
    level: str = LevelName.OPT5,
    dsp: int | None = None,
    space: Space = WHOLE,
) -> OpenModel:
    """Return the mathematical program of a graph, to add constraints to and to solve.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    level
        ``opt1`` to ``opt5``.
    dsp
        DSPs that a design may use, in the paper's accounting; 2560 where not given.
    space
        What may be decided beyond the level, and what is fixed.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SolverError
        E523 for opt6, which has no such program.
    """
    given, problem = problem_of(graph, LevelName(level), dsp, space)
    check_published(problem.level, "a model of your own", "ask for opt5")
    decisions = problem.decision_space()
    rows = node_rows(decisions, prune=False)
    untiled = None
    if problem.level.untiled_first:
        untiled = exact_answer(problem.within(level=LEVELS[LevelName.OPT2])).latency_cycles
    program = compact.build(
        decisions,
        rows,
        horizon_cycles=sum(int(own.times.last_write.max()) for own in rows.values()),
        untiled_limit_cycles=untiled,
    )
    return OpenModel(given, problem, program)
