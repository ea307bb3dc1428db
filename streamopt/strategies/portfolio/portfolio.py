"""Several ways to one answer at once, each in a process of its own: the first proof wins.

The best schedule of all sides is held against the best bound of all sides, so a proof may rest on
two of them. Every schedule and bound is told as soon as it is known: a side that is ended, by
a limit, by Ctrl-C or from outside, has lost nothing.

What is proved is the same in every run. The schedule may not be: among equally good ones it is
that of whoever comes first.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO, cast

from streamopt.errors import Diagnostic, SolverError
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Proof, Stop
from streamopt.space.level import LEVELS
from streamopt.space.objective import Objective
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.portfolio.worker import (
    Better,
    Done,
    Failed,
    Job,
    Message,
    NotReached,
    OutOfReach,
    State,
    receive,
    send,
)
from streamopt.strategies.reach import NotReachedError, OutOfReachError
from streamopt.strategies.solution import Solution

if TYPE_CHECKING:
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request

__all__ = ["race"]

POLL_SECONDS = 0.05
GRACE_SECONDS = 0.5
"""What sides get beyond the time limit to end by themselves, as they may say more then."""


@dataclass(frozen=True, slots=True)
class _Side:
    """A running process and what it works with."""

    name: str
    process: subprocess.Popen[bytes]
    listener: Thread

    def end(self) -> None:
        """Kill the process, if it still runs, and wait for its end."""
        self.process.kill()
        self.process.wait()
        self.listener.join()


def _start(job: Job, messages: SimpleQueue[tuple[str, Message | None]]) -> _Side:
    """Start a process on a job; it tells None at its end."""
    code = f"import sys; sys.path[:] = {sys.path!r}\n"
    code += "from streamopt.strategies.portfolio.worker import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the parent alone, which knows the best of all
    )

    def listen() -> None:
        outgoing, incoming = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        try:
            send(outgoing, job)
            while True:
                messages.put((job.solver, cast("Message", receive(incoming))))
        except (EOFError, OSError, pickle.UnpicklingError):  # it has ended, or was ended
            messages.put((job.solver, None))
        with suppress(OSError):
            outgoing.close()
        incoming.close()

    listener = Thread(target=listen, name=f"streamopt-race-{job.solver}", daemon=True)
    listener.start()
    return _Side(job.solver, process, listener)


class _Race:
    """What is known from all sides."""

    def __init__(
        self,
        request: Request,
        names: tuple[str, ...],
        options: SolveOptions,
        on_incumbent: OnIncumbent,
    ) -> None:
        self.clock = SearchClock(options)
        self._request = request
        self._options = options
        self._on_incumbent = on_incumbent
        self._names = names
        self._running = set(names)
        self._silent = set(names)  # ended without an answer, or still running
        self.problems: list[Diagnostic] = []
        self.best: Solution | None = None
        self._found_by = ""
        self.bound = 0
        self._is_claimed = False
        self._exact_bound = 0  # of sides that compute in whole numbers, or whose proof is checked
        self.is_out_of_reach = False
        self.stop = Stop.FINISHED

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule can be better than the best of all sides."""
        return self.best is not None and self._exact_bound >= _cost(self.best)

    def listen(self, messages: SimpleQueue[tuple[str, Message | None]]) -> None:
        """Take messages until there is a proof, the time is up, or nobody is left."""
        limit = self._options.time_limit_seconds
        asked = self._options.should_stop
        while self._running and not (self.is_proved or self._is_claimed or self.is_out_of_reach):
            if limit is not None and self.clock.seconds() > limit + GRACE_SECONDS:
                self.stop = Stop.TIME_LIMIT
                return
            if asked is not None and asked():
                self.stop = self.clock.interrupt()
                return
            try:
                name, message = messages.get(timeout=POLL_SECONDS)
            except Empty:
                continue
            self._take(name, message)

    def _take(self, name: str, message: Message | None) -> None:
        match message:
            case None:
                self._running.discard(name)
            case State(progress):
                self._raise_bound(name, progress.bound)
            case Better(solution):
                self._raise_bound(name, _bound(solution))
                self._keep(name, solution)
            case Done(solution):
                self._silent.discard(name)
                self._raise_bound(name, _bound(solution), is_checked=_is_proved(solution))
                self._keep(name, solution)
                self.stop = solution.stop
                self._is_claimed |= solution.proof is Proof.CLAIMED
            case OutOfReach():
                self._silent.discard(name)
                self.is_out_of_reach = True
            case NotReached(bound, stop):
                self._silent.discard(name)
                self._raise_bound(name, bound)
                self.stop = stop
            case Failed(diagnostics):
                self._silent.discard(name)
                self.problems += diagnostics

    def _raise_bound(self, name: str, bound: float | None, *, is_checked: bool = False) -> None:
        if bound is not None and (is_checked or _is_exact(name)):
            self._exact_bound = max(self._exact_bound, int(bound))
        if bound is not None and int(bound) > self.bound:
            self.bound = int(bound)
            self._report()

    def _keep(self, name: str, solution: Solution) -> None:
        if self.best is not None and _cost(solution) >= _cost(self.best):
            return
        self.best, self._found_by = solution, name
        if self._on_incumbent is not None:
            self._on_incumbent(self.solution(solution, Stop.INTERRUPTED, "not final"))
        self._report()

    def _report(self) -> None:
        if self._options.on_progress is not None:
            best = None if self.best is None else float(_cost(self.best))
            bound = float(self.bound) if best is None else min(best, float(self.bound))
            self._options.on_progress(Progress(self.clock.seconds(), best, bound))

    def _proof(self, best: Solution) -> Proof:
        if self._exact_bound >= _cost(best):
            return Proof.OPTIMAL
        return Proof.CLAIMED if self.bound >= _cost(best) else Proof.FEASIBLE

    def reason(self) -> Stop:
        """Return why the race is over."""
        if self.is_proved or self._is_claimed:
            return Stop.FINISHED
        lost = self.stop is Stop.FINISHED and self._silent == set(self._names)
        return Stop.FAILED if lost else self.stop

    def message(self) -> str:
        """Return who found the schedule, and who did not come to an end although time was left."""
        parts = [f"schedule by {self._found_by}"] if self._found_by else []
        parts += [f"{n} ended early" for n in self._names if n in self._silent - self._running]
        return "; ".join([*parts, *(problem.message for problem in self.problems)])

    def solution(self, best: Solution, stop: Stop, message: str) -> Solution:
        """Return a schedule of some side with what all sides know of it."""
        versions = {best.solver: best.solver_version}
        bound = min(self.bound, _cost(best))
        return _with_bound(
            replace(
                best,
                proof=self._proof(best),
                stop=stop,
                solver="+".join(self._names),
                solver_version="+".join(versions.get(n) or _version(n) for n in self._names),
                solve_seconds=self.clock.seconds(),
                message=message,
            ),
            bound,
        )


def race(
    request: Request,
    names: tuple[str, ...],
    formulation: str,
    options: SolveOptions,
    on_incumbent: OnIncumbent = None,
) -> Solution:
    """Return the best schedule of several solvers with the best bound of all of them.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SolverError
        If the level is opt4 (E519), or no side can do the request or lives long enough (E520).
    OutOfReachError, NotReachedError
        If no schedule has the latency target; if none was found in time.
    """
    if LEVELS[request.level].untiled_first:
        message = "at opt4, what one side may decide depends on what it decided before"
        raise SolverError(Diagnostic("E519", message, hint="name one solver for opt4"))
    request.space()  # refuses limits that nothing fits
    run = _Race(request, names, options, on_incumbent)
    messages: SimpleQueue[tuple[str, Message | None]] = SimpleQueue()
    sides: list[_Side] = []
    try:
        for name in names:
            kept = replace(
                options,
                time_limit_seconds=run.clock.seconds_for_solver(),
                on_progress=None,
                should_stop=None,
            )
            sides.append(_start(Job(request, name, formulation, kept), messages))
        run.listen(messages)
    except KeyboardInterrupt:
        run.stop = run.clock.interrupt()
    finally:
        for side in sides:
            side.end()
    return _result(request, run, "+".join(names))


def _result(request: Request, run: _Race, names: str) -> Solution:
    if run.is_out_of_reach:
        raise OutOfReachError
    best = run.best
    if best is None and run.stop is Stop.FINISHED:
        lost = Diagnostic("E520", f"{names} ended without an answer", hint="try one of them alone")
        raise SolverError(*(run.problems or [lost]))
    if best is None and request.objective is Objective.DSPS:
        raise NotReachedError(names, run.bound, run.stop)
    if best is None:
        best = _first(request)
    return run.solution(best, run.reason(), run.message())


def _first(request: Request) -> Solution:
    """Return the original schedule, for sides that had no time to say anything."""
    schedule = request.plainest()
    return Solution(
        request=request,
        schedule=schedule,
        prediction=request.evaluate(schedule),
        bound_cycles=0,
        proof=Proof.FEASIBLE,
        stop=Stop.TIME_LIMIT,
        solver="",
        solver_version="",
        seed=0,
        solve_seconds=0.0,
    )


def _is_exact(name: str) -> bool:
    from streamopt.solvers.registry import SOLVERS, adapter

    return name not in SOLVERS or adapter(name).is_exact


def _is_proved(solution: Solution) -> bool:
    return solution.proof is Proof.OPTIMAL


def _version(name: str) -> str:
    from streamopt.solvers.registry import SOLVERS, get
    from streamopt.strategies.searched import VERSION

    return get(name).version() if name in SOLVERS else VERSION


def _cost(solution: Solution) -> int:
    match solution.request.objective:
        case Objective.INTERVAL:
            return solution.interval_cycles
        case Objective.DSPS:
            return solution.prediction.dsps
        case Objective.LATENCY | Objective.LATENCY_DSPS:
            return solution.objective_cycles


def _bound(solution: Solution) -> int:
    match solution.request.objective:
        case Objective.INTERVAL:
            return solution.bound_interval_cycles
        case Objective.DSPS:
            return solution.bound_dsps
        case Objective.LATENCY | Objective.LATENCY_DSPS:
            return solution.bound_cycles


def _with_bound(solution: Solution, bound: int) -> Solution:
    match solution.request.objective:
        case Objective.INTERVAL:
            return replace(solution, bound_interval_cycles=bound)
        case Objective.DSPS:
            return replace(solution, bound_dsps=bound)
        case Objective.LATENCY | Objective.LATENCY_DSPS:
            return replace(solution, bound_cycles=bound)
