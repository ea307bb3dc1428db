"""Level opt6: the graph in several forms, each solved under as-built costs, the best one simulated.

A form is the graph after some rewrites. What the search of a form returns is lowered and
simulated, so that it is judged by all that it takes. Where that is more than the device region
has, what the design takes beyond its rows is left to it, and the form is searched again:
``models/formulations/opt6.md``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.boundary_ports import boundary_of_form
from streamopt.pipeline.beyond.effort import Asked, Horizon
from streamopt.pipeline.beyond.form import CLOSE, Form
from streamopt.pipeline.beyond.quicker import quicker_designs
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Proof, Stop
from streamopt.strategies.clock import WorkClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.pipeline.beyond.freedom import Freedom
    from streamopt.pipeline.beyond.judging import Region, Tried
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.clock import SearchClock
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["solve_beyond"]

FIRST_LABELS = 256
"""Labels a state, in the first search of every form."""
MORE_LABELS = (1024, 4096)
"""Likewise, of the form that has the best design then."""
BURSTS = 0.02
"""Share by which a simulation is later than the closed form where bursts are the likely reason."""
NO_CYCLES = 2**62
"""Of no design: more than any has."""
FORMS_SHARE = 0.4
"""Of the time limit, after which no further form is begun."""
SIZING_SHARE = 0.1
"""Of the time limit, for the FIFOs at the end."""
SIZING_RUNS = 40.0
"""Likewise, at least, in times of the first design's judging."""
LAST_RUNS = 18.0
"""Of these, for what follows when FIFOs stay as they are: simulations with the least FIFOs wait for
each other at every cycle, so that they take longer."""


def solve_beyond(
    request: Request,
    freedom: Freedom,
    solver: str,
    options: SolveOptions,
    region: Region,
    on_incumbent: OnIncumbent = None,
    *,
    sizes_fifos: bool = True,
    sizing_clock: SearchClock | None = None,
) -> Solution:
    """Return the schedule of fewest simulated cycles of all forms of the graph.

    Parameters
    ----------
    region
        Where the design must fit.
    sizes_fifos
        Whether FIFOs will be made small, so that a design is judged with those.
    sizing_clock
        Of making them so: what follows that needs time, too, by the size of the graph.

    Raises
    ------
    InfeasibleError
        If no schedule has so few DSPs (E401).
    """
    outside, ports = boundary_of_form(request.graph, request.ports, region.on)
    plain = Form(
        replace(request, ports=ports),
        ((), outside),
        region,
        freedom,
        solver,
        sizes_fifos=sizes_fifos,
    )
    run, stop = _Run(request, options, on_incumbent, plain), Stop.FINISHED
    try:
        run.begin(plain, sizing_clock)
        for names, graph in freedom.forms(request.graph, shares_arguments=bool(request.ports)):
            outside, ports = boundary_of_form(graph, request.ports, region.on)
            asked = replace(request, ports=ports)
            run.look(
                [
                    Form(asked, (names, outside), region, choices, solver, sizes_fifos=sizes_fifos)
                    for choices in freedom.narrowest_first(outside)
                ]
            )
        run.refine()
    except SearchStoppedError:
        stop = run.clock.stop
    except KeyboardInterrupt:
        stop = run.clock.interrupt()
    return run.answer(stop)


class _Run:
    """The forms of one request, and the designs that were tried."""

    def __init__(
        self, request: Request, options: SolveOptions, on_incumbent: OnIncumbent, plain: Form
    ) -> None:
        self._request = request
        self._options = options
        self._on_incumbent = on_incumbent
        self.clock = WorkClock(options)
        self._forms = [plain]
        self._tried: list[tuple[Tried, Form]] = []
        self._quicker: list[tuple[Tried, Form]] = []

    @property
    def _best(self) -> tuple[Tried, Form] | None:
        """Return the best design of all; of equal ones one that was searched for."""
        return _best_of([*self._tried, *self._quicker])

    @property
    def _horizon(self) -> Horizon:
        """Return which designs are of interest."""
        searched = _best_of(self._tried)
        is_near = searched is not None and searched[0].is_within
        best = self._best
        if best is None or not best[0].is_within:
            return Horizon(None, is_near)
        return Horizon(best[0].cycles - is_near, is_near)

    def begin(self, plain: Form, sizing_clock: SearchClock | None) -> None:
        """Take what other levels answer at once.

        Parameters
        ----------
        plain
            The graph as it is.
        sizing_clock
            Told what time to leave, as the run's own is.
        """

        def keep(tried: Tried) -> None:
            self._quicker.append((tried, plain))
            self._report()

        began = self.clock.seconds()
        keep(plain.judged(plain.plainest()))
        judging = self.clock.seconds() - began
        share = SIZING_SHARE * (self._options.time_limit_seconds or 0.0)
        self.clock.leave(max(share, SIZING_RUNS * judging))
        if sizing_clock is not None:
            sizing_clock.leave(LAST_RUNS * judging)
        quicker_designs(plain, self._request, self._options, self.clock, keep)

    def look(self, form: Sequence[Form]) -> None:
        """Look for a design of one form that is better than those of the others.

        Parameters
        ----------
        form
            With fewer choices first, and with all at last, which the bound is of.
        """
        for choices in form:
            if self._is_late():
                return
            self._forms.append(choices)
            with suppress(SearchTooLargeError):
                self._search(choices, FIRST_LABELS, form[-1])

    def refine(self) -> None:
        """Look for better designs of the best form, and for a bound."""
        self._bound(FIRST_LABELS)
        for labels in MORE_LABELS:
            best = _best_of(self._tried) or self._best
            if best is None or self._gap() <= CLOSE:
                return
            _, form = best
            with suppress(SearchTooLargeError):
                self._search(form, labels, form)
            self._bound(labels)

    def answer(self, stop: Stop) -> Solution:
        """Return the best design with its bound.

        Raises
        ------
        InfeasibleError
            If there is none (E401).
        """
        best, form = self._least_over()
        found = best.solution(self._request, self._options.seed, stop)
        latency = found.prediction.latency_cycles
        least = min(latency, self._least_closed_cycles(form))
        bound = min(form.bound_cycles, least)
        return replace(
            found,
            bound_cycles=bound,
            proof=Proof.OPTIMAL if bound == latency else Proof.FEASIBLE,
            solve_seconds=self.clock.seconds(),
            message=f"the best of {len(self._tried) + len(self._quicker)} designs that were "
            "simulated",
            least_found_cycles=least if least < latency else 0,
        )

    def _keep(self, form: Form, effort: Asked, widest: Form) -> None:
        options = replace(self._options, time_limit_seconds=self.clock.seconds_for_solver())
        for tried in form.tried(self._horizon, effort, options, self.clock):
            self._tried.append((tried, widest))
            self._report()

    def _search(self, form: Form, labels: int, widest: Form) -> None:
        """Search a form; again without bursts if they are what makes its best design slow."""
        self._keep(form, Asked(labels, steady=False), widest)
        best = _best_of(self._tried)
        if best is None or best[0].cycles > (1.0 + BURSTS) * best[0].chosen.cycles:
            self._keep(form, Asked(labels, steady=True), widest)

    def _is_late(self) -> bool:
        """Return whether the other forms are left out, as there is a design and little time."""
        best, limit = _best_of(self._tried), self._options.time_limit_seconds
        has_design = best is not None and best[0].is_within
        return has_design and limit is not None and self.clock.seconds() > FORMS_SHARE * limit

    def _bound(self, labels: int) -> None:
        if self._best is None:
            return
        _, form = self._best
        with suppress(SearchTooLargeError):
            form.raise_bound(self._least_closed_cycles(form), labels, self.clock)
        self._report()

    def _gap(self) -> float:
        assert self._best is not None
        best, form = self._best
        return 1.0 - form.bound_cycles / max(1, best.chosen.cycles)

    def _least_closed_cycles(self, form: Form) -> int:
        """Return the least closed form of the designs of a form, of those within the limits."""
        own = [tried for tried, its in [*self._tried, *self._quicker] if its is form]
        within = [tried.predicted_cycles for tried in own if tried.is_within]
        return min(within or [tried.predicted_cycles for tried in own], default=NO_CYCLES)

    def _least_over(self) -> tuple[Tried, Form]:
        """Return the best design, of quick choices where none is within the limits."""
        best = self._best
        if best is not None and best[0].is_within:
            return best
        searched = _best_of(self._tried)
        form = self._forms[-1] if searched is None else searched[1]
        tried = [*self._quicker, *((found, form) for found in form.quickest(self._is_over))]
        least = min(found.chosen.dsps for found, _ in tried)
        if searched is None and least > self._request.dsp_limit:
            raise _nothing_fits(self._request)
        found = _best_of([*tried, *([best] if best else [])])
        assert found is not None
        return found

    def _is_over(self) -> bool:
        limit = self._options.time_limit_seconds
        return limit is not None and self.clock.seconds() > limit

    def _report(self) -> None:
        best = self._best
        if best is None:
            return
        if self._on_incumbent is not None:
            self._on_incumbent(
                best[0].solution(self._request, self._options.seed, Stop.INTERRUPTED)
            )
        if self._options.on_progress is not None:
            seconds, cycles = self.clock.seconds(), float(best[0].cycles)
            self._options.on_progress(Progress(seconds, cycles, float(best[1].bound_cycles)))


def _best_of(pairs: Sequence[tuple[Tried, Form]]) -> tuple[Tried, Form] | None:
    return min(pairs, key=lambda pair: pair[0].rank, default=None)


def _nothing_fits(request: Request) -> InfeasibleError:
    return InfeasibleError(
        Diagnostic(
            "E401",
            f"{request.graph.name} needs more than {request.dsp_limit} DSPs with no unrolling, "
            "when all operators are counted",
            hint="give --dsp a larger number, or let adders be LUTs: --binding free",
        )
    )
