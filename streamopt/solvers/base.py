"""The contract of a solver adapter: its declared capabilities, and the options of one solve."""

import importlib
import importlib.metadata
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from streamopt.errors import Diagnostic, SolverError
from streamopt.solvers.result import SolveResult

OnPoint: TypeAlias = Callable[[Mapping[str, float], float | None], None]

# https://github.com/google/or-tools/issues/5246: both wheels bring a libhighs.so.1 of their own
HIGHS_CLASH_HINT = (
    "ortools and highspy 1.15 or later can't share a process: pip install 'highspy<1.15'"
)
LARGEST_SEED = 2_000_000_000  # Gurobi's, the least of all


class Capability(StrEnum):
    """Abilities of an adapter; callers ask for these and never for a solver's name."""

    LINEAR = "linear"  # linear constraints and objective
    INTEGER = "integer"  # integer and binary variables
    CONTINUOUS = "continuous"  # real variables
    NONLINEAR = "nonlinear"  # products, powers and quotients of variables, to global optimality
    ENFORCEMENT = "enforcement"  # reads the `enforced_by` suffix in place of big-M terms
    WARM_START = "warm_start"  # uses `SolveOptions.hint`
    PROGRESS = "progress"  # calls `SolveOptions.on_progress` during the search
    INTERRUPT = "interrupt"  # `should_stop` and Ctrl-C return the incumbent


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a running search; None where nothing is known yet."""

    elapsed_seconds: float
    incumbent: float | None
    bound: float | None
    # spent, limit: the effort, in work or in seconds, and the most that it may become; None without
    # a limit
    spent: float = 0.0
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """How to solve one model."""

    time_limit_seconds: float | None = None
    """Limit on compilation plus search; None for no limit."""
    # seed, threads: passed to the solver; they win over the profile
    seed: int = 0
    threads: int = 2
    integral_objective: bool = True
    """The objective is a whole number at every feasible point, so a bound less than one below the
    incumbent proves it."""
    profile: Mapping[str, object] = field(default_factory=dict[str, object])
    """Native options by their native name, laid over the packaged default profile."""
    on_progress: Callable[[Progress], None] | None = None
    """Called in the thread that called ``solve``, at new incumbents or bounds and at the end."""
    on_point: OnPoint | None = None
    """Called in that thread too, with the values of a new incumbent by variable name and the bound
    so far, during the search; the point isn't checked yet."""
    should_stop: Callable[[], bool] | None = None
    """Polled about twenty times a second; true ends the search with the incumbent."""
    hint: Mapping[str, float] = field(default_factory=dict[str, float])
    """Start values by variable name, complete or not."""

    def __post_init__(self) -> None:
        """Refuse limits that no solver can keep."""
        wrong: list[Diagnostic] = []
        if self.time_limit_seconds is not None and not self.time_limit_seconds > 0:
            message = f"the time limit must be positive, not {self.time_limit_seconds:g} s"
            wrong.append(Diagnostic("E507", message))
        if self.threads < 1:
            message = f"the number of threads must be at least 1, not {self.threads}"
            wrong.append(Diagnostic("E507", message))
        if not 0 <= self.seed <= LARGEST_SEED:
            message = f"the seed must lie in 0 .. {LARGEST_SEED}, not {self.seed}"
            wrong.append(Diagnostic("E507", message))
        if wrong:
            raise SolverError(*wrong)


class Solver(ABC):
    """One adapter; stateless, so one instance may solve many models."""

    name: ClassVar[str]
    """Name in the registry and of the profile folders."""
    capabilities: ClassVar[frozenset[Capability]]
    """Problems that the adapter takes, and services that it has."""
    # binding, distribution: module to import, and PyPI name of its wheel
    binding: ClassVar[str]
    distribution: ClassVar[str]
    extra: ClassVar[str] = ""
    """Of streamopt, that brings the wheel; empty for those that come along."""
    load_hint: ClassVar[str] = "install its wheel again"
    """The remedy where it is installed and does not load."""
    licence: ClassVar[str]
    """Licence of the solver."""
    is_exact: ClassVar[bool] = False
    """Whether it computes in whole numbers. What others say is optimal is their claim: they have
    tolerances, and have been wrong by them."""

    def is_available(self) -> bool:
        """Whether the wheel is installed; imports nothing and takes no licence."""
        return importlib.util.find_spec(self.binding.partition(".")[0]) is not None

    def load(self) -> None:
        """Import the wheel.

        Raises
        ------
        SolverError
            E504 if it is installed and its libraries do not load.
        """
        try:
            importlib.import_module(self.binding)
        except ImportError as error:
            reason = str(error).rpartition("/")[2]
            message = f"solver '{self.name}' does not load: {reason}"
            raise SolverError(Diagnostic("E504", message, hint=self.load_hint)) from error

    def license_status(self) -> str:
        """Return one line on the licence; may take one for a moment."""
        return self.licence

    def version(self) -> str:
        """Version of the wheel, without importing it."""
        return importlib.metadata.version(self.distribution)

    @abstractmethod
    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a Pyomo model and leave the model as it was.

        Raises
        ------
        SolverError
            E502 if the model is not of a kind the solver takes, E503 if the licence forbids it,
            E504 if the wheel does not load, E506 if the profile names an option that the solver
            refuses.
        """
