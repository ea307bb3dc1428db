"""Requests whose design has boundary ports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.evaluation.boundary_ports import with_boundary
from streamopt.space.level import LEVELS
from streamopt.target.device import or_usual
from streamopt.transforms.ports.movers import moved_arrays

if TYPE_CHECKING:
    from streamopt.ir.ports import PortPlan
    from streamopt.strategies.solution import Request
    from streamopt.target.device import Target

__all__ = ["request_with_ports"]


def request_with_ports(
    request: Request, ports: tuple[PortPlan, ...], by: tuple[str, str], on: Target | None
) -> Request:
    """Return a request whose graph has movers, and whose costs keep to their channels.

    At opt6 the graph and its costs are for each form anew: see `boundary_of_form`.

    Parameters
    ----------
    by
        Solver and formulation.

    Raises
    ------
    SolverError
        E525 for what knows nothing of channels: the exhaustive search, and the paper's
        formulation.
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E334 for a table of one that
        is written or has no values.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    if not ports:
        return request
    solver, formulation = by
    if solver == "exhaustive" or formulation != "compact":
        message = f"{request.level} by {solver} on the formulation '{formulation}' has no ports"
        hint = "leave --solver and --formulation out; or solve without, and emit with --port"
        raise SolverError(Diagnostic("E525", message, hint=hint))
    if LEVELS[request.level].is_as_built:
        moved_arrays(request.graph, ports)  # refuses ports of arrays that don't cross
        return replace(request, ports=ports)
    graph, costs = with_boundary(request.graph, request.costs, ports, or_usual(on))
    return replace(request, graph=graph, costs=costs, ports=ports)
