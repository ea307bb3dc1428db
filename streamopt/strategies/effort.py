"""The options of a search: who looks for a schedule, how, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing
from streamopt.options import option_group
from streamopt.strategies.solution import Solution

if TYPE_CHECKING:
    from streamopt.solvers.base import Progress, SolveOptions


@option_group()
@dataclass(frozen=True, slots=True)
class Effort:
    """Who looks for a schedule, how, and who is told.

    Attributes
    ----------
    solver
        ``auto``, ``search``, ``exhaustive``, a solver of `available_solvers`, ``race`` or
        ``race:NAME,NAME``.
    formulation
        ``compact``, an exact linear program, or ``paper``, the published MINLP.
    profile
        Options of the solver: a name in ``solvers/<solver>/``, or the path of a TOML file.
    seed
        Of the solver.
    threads
        Of the solver. With one, the same input, seed and versions give the same schedule.
    fifos
        How FIFO depths are found by simulation; None for all tokens of a lane.
    work
        The most that is done, in the unit of `streamopt.work`: about a processor second. At opt6,
        where neither this nor a time limit is given, 25, so that the same input gives the same
        design on every machine.
    on_progress
        Called with elapsed seconds, incumbent and bound from time to time.
    on_incumbent
        Called with every better schedule at once, before FIFO depths are found.
    """

    solver: str = "auto"
    formulation: str = "compact"
    profile: str | None = None
    seed: int = 0
    threads: int = 1
    fifos: FifoSizing | None = LEAST_FIFOS
    work: float | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_incumbent: Callable[[Solution], None] | None = None

    def options(self, time_limit: float | None) -> SolveOptions:
        """Return the options of the solver, with a time limit in seconds.

        Raises
        ------
        SolverError
            If a limit is out of range (E507).
        """
        from streamopt.solvers.base import SolveOptions
        from streamopt.solvers.profiles import load_profile

        if self.work is not None and not self.work > 0:
            raise SolverError(Diagnostic("E507", f"the work must be positive, not {self.work:g}"))
        options = SolveOptions(time_limit, self.seed, self.threads, on_progress=self.on_progress)
        if self.profile is None:
            return options
        return replace(options, profile=load_profile(self.solver, self.profile))
