"""What strategies say of a latency target that they don't reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.solvers.result import Stop
    from streamopt.space.rows import NodeRows

__all__ = ["NotReachedError", "OutOfReachError", "least_dsps"]


class OutOfReachError(Exception):
    """No schedule of the request has the latency that is wanted: this is proved."""


class NotReachedError(Exception):
    """The search was stopped before it had any schedule of the latency that is wanted.

    Attributes
    ----------
    bound_dsps
        What such a schedule takes at least.
    """

    def __init__(self, solver: str, bound_dsps: int, stop: Stop) -> None:
        self.solver = solver
        self.stop = stop
        self.bound_dsps = bound_dsps
        super().__init__(f"{solver} has none in time")


def least_dsps(rows: Mapping[str, NodeRows]) -> int:
    """Return what the rows of all nodes take at least: a bound of the DSPs of any choice."""
    return sum(int(found.dsps.min()) for found in rows.values())
