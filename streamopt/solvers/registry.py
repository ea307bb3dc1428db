"""The solvers by name; nothing is imported before it is asked for."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from streamopt.errors import Diagnostic, SolverError
from streamopt.extras import installing
from streamopt.solvers.base import Capability, Solver

DEFAULT_SOLVERS = ("cpsat", "highs")
"""The first that is installed is the default; the last comes with streamopt."""

SOLVERS: Mapping[str, str] = {
    "cpsat": "streamopt.solvers.cpsat:CpSat",
    "highs": "streamopt.solvers.highs:Highs",
    "scip": "streamopt.solvers.scip:Scip",
    "gurobi": "streamopt.solvers.gurobi:Gurobi",
    "scipy": "streamopt.solvers.scipy_milp:ScipyMilp",
}


WITHOUT_SOLVER = ("auto", "search", "exhaustive", "race")
"""Other words that name a solver; see `streamopt.strategies.dispatch`."""


@dataclass(frozen=True, slots=True)
class SolverStatus:
    """One line of ``streamopt solvers``; ``version`` is empty if the wheel is not installed."""

    name: str
    installed: bool
    version: str
    licence: str
    capabilities: frozenset[Capability]
    extra: str
    """Of streamopt, that brings it; empty for those that come along."""


def get(name: str) -> Solver:
    """Return the adapter of an installed solver.

    Raises
    ------
    SolverError
        E501 for a name that is not in the registry, E504 if its wheel is not installed.
    """
    if name not in SOLVERS:
        raise unknown_solver(name)
    solver = adapter(name)
    if not solver.is_available():
        hint = installing(solver.extra)
        raise SolverError(Diagnostic("E504", f"solver '{name}' is not installed", hint=hint))
    return solver


def unknown_solver(name: str, others: Iterable[str] = WITHOUT_SOLVER) -> SolverError:
    """Return the error for a name that is neither a solver's nor one of the others (E501)."""
    hint = f"known solvers: {', '.join(dict.fromkeys((*others, *SOLVERS)))}"
    return SolverError(Diagnostic("E501", f"unknown solver '{name}'", hint=hint))


def default_solver() -> str:
    """Return the name of the solver for what the exact search can't do."""
    *preferred, last = DEFAULT_SOLVERS
    return next((name for name in preferred if adapter(name).is_available()), last)


def available() -> tuple[SolverStatus, ...]:
    """State of every known solver, in the order of the registry; may take a licence briefly."""
    return tuple(_status(adapter(name)) for name in SOLVERS)


def adapter(name: str) -> Solver:
    """Return the adapter of a known solver, whether it is installed or not."""
    module, _, adapter = SOLVERS[name].partition(":")
    solver: Solver = getattr(importlib.import_module(module), adapter)()
    return solver


def _status(solver: Solver) -> SolverStatus:
    installed = solver.is_available()
    return SolverStatus(
        name=solver.name,
        installed=installed,
        version=solver.version() if installed else "",
        licence=solver.license_status() if installed else solver.licence,
        capabilities=solver.capabilities,
        extra=solver.extra,
    )
