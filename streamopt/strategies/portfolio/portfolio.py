"""Several strategies on one problem at once, each in a process of its own: the first proof wins.

The best schedule of all sides is held against the best bound of all sides, so a proof may rest on
two of them. Every schedule and bound is told as soon as it is known: a side that is ended, by
a limit, by Ctrl-C or from outside, has lost nothing.

What is proved is the same in every run. The schedule may not be: among equally good ones it is
that of the side that comes first.
"""

import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from typing import BinaryIO, cast

from streamopt.errors import Diagnostic, SolverError
from streamopt.solvers.result import Proof, Stop
from streamopt.space.objective import FewestDsps
from streamopt.strategies.portfolio.worker import (
    Better,
    Done,
    Failed,
    Job,
    Message,
    NewBound,
    NotReached,
    OutOfReach,
    receive,
    send,
)
from streamopt.strategies.problem import Problem
from streamopt.strategies.protocol import Strategy
from streamopt.strategies.run import NOT_FINAL, VERSION, NotReachedError, OutOfReachError, Run
from streamopt.strategies.solution import Solution

POLL_SECONDS = 0.05
GRACE_SECONDS = 0.5
"""Beyond the time limit, for sides to end by themselves, as they may say more then."""


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
                messages.put((job.strategy.name, cast("Message", receive(incoming))))
        except (EOFError, OSError, pickle.UnpicklingError):  # it has ended, or was ended
            messages.put((job.strategy.name, None))
        with suppress(OSError):
            outgoing.close()
        incoming.close()

    listener = Thread(target=listen, name=f"streamopt-race-{job.strategy.name}", daemon=True)
    listener.start()
    return _Side(job.strategy.name, process, listener)


class _Race:
    """A run with all that is known from its sides."""

    def __init__(self, run: Run, names: Sequence[str]) -> None:
        self.run = run
        self._names = names
        self._running = set(names)
        self._silent = set(names)  # ended without an answer, or still running
        self.problems: list[Diagnostic] = []
        self.best: Solution | None = None
        self._found_by = ""
        self._is_claimed = False
        self._exact_bound = 0  # of sides that compute in whole numbers, or whose proof is checked
        self.is_out_of_reach = False

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule can be better than the best of all sides."""
        return self.best is not None and self._exact_bound >= self.best.cost

    def listen(self, messages: SimpleQueue[tuple[str, Message | None]]) -> None:
        """Take messages until there is a proof, the time is up, or nobody is left."""
        limit = self.run.options.time_limit_seconds
        asked = self.run.options.should_stop
        while self._running and not (self.is_proved or self._is_claimed or self.is_out_of_reach):
            if limit is not None and self.run.clock.seconds() > limit + GRACE_SECONDS:
                self.run.stop = Stop.TIME_LIMIT
                return
            if asked is not None and asked():
                self.run.stop = self.run.clock.interrupt()
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
            case NewBound(progress):
                self._raise_bound(name, progress.bound)
            case Better(solution):
                self._raise_bound(name, solution.bound)
                self._keep(name, solution)
            case Done(solution):
                self._silent.discard(name)
                self._raise_bound(name, solution.bound, is_checked=solution.proof is Proof.OPTIMAL)
                self._keep(name, solution)
                self.run.stop = solution.stop
                self._is_claimed |= solution.proof is Proof.CLAIMED
            case OutOfReach():
                self._silent.discard(name)
                self.is_out_of_reach = True
            case NotReached(bound, stop):
                self._silent.discard(name)
                self._raise_bound(name, bound)
                self.run.stop = stop
            case Failed(diagnostics):
                self._silent.discard(name)
                self.problems += diagnostics

    def _raise_bound(self, name: str, bound: float | None, *, is_checked: bool = False) -> None:
        if bound is not None and (is_checked or _is_exact(name)):
            self._exact_bound = max(self._exact_bound, int(bound))
        if bound is not None and int(bound) > self.run.bound:
            self.run.bound = int(bound)
            self._report()

    def _keep(self, name: str, solution: Solution) -> None:
        if self.best is not None and solution.cost >= self.best.cost:
            return
        self.best, self._found_by = solution, name
        if self.run.on_incumbent is not None:
            self.run.on_incumbent(self.solution(solution, Stop.INTERRUPTED, NOT_FINAL))
        self._report()

    def _report(self) -> None:
        if self.run.options.on_progress is not None:
            best = None if self.best is None else float(self.best.cost)
            bound = float(self.run.bound) if best is None else min(best, float(self.run.bound))
            self.run.options.on_progress(self.run.clock.progress(best, bound))

    def _proof(self, best: Solution) -> Proof:
        if self._exact_bound >= best.cost:
            return Proof.OPTIMAL
        return Proof.CLAIMED if self.run.bound >= best.cost else Proof.FEASIBLE

    def reason(self) -> Stop:
        """Return why the race is over."""
        if self.is_proved or self._is_claimed:
            return Stop.FINISHED
        lost = self.run.stop is Stop.FINISHED and self._silent == set(self._names)
        return Stop.FAILED if lost else self.run.stop

    def message(self) -> str:
        """Return who found the schedule, and who did not come to an end although time was left."""
        parts = [f"schedule by {self._found_by}"] if self._found_by else []
        parts += [f"{n} ended early" for n in self._names if n in self._silent - self._running]
        return "; ".join([*parts, *(problem.message for problem in self.problems)])

    def solution(self, best: Solution, stop: Stop, message: str) -> Solution:
        """Return a schedule of some side with what all sides know of it."""
        versions = {best.solver: best.solver_version}
        return replace(
            best,
            bound=min(self.run.bound, best.cost),
            proof=self._proof(best),
            stop=stop,
            solver="+".join(self._names),
            solver_version="+".join(versions.get(n) or _version(n) for n in self._names),
            solve_seconds=self.run.clock.seconds(),
            message=message,
        )

    def answer(self) -> Solution:
        """Return the best of all sides, or the plainest schedule if they had no time to find any.

        Raises
        ------
        SolverError
            If no side can do the problem or lives long enough (E520).
        OutOfReachError, NotReachedError
            If no schedule has the latency target; if none was found in time.
        """
        if self.is_out_of_reach:
            raise OutOfReachError
        run, names = self.run, "+".join(self._names)
        if self.best is None and run.stop is Stop.FINISHED:
            message = f"{names} ended without an answer"
            lost = Diagnostic("E520", message, hint="try one of them alone")
            raise SolverError(*(self.problems or [lost]))
        if self.best is None and isinstance(run.problem.objective, FewestDsps):
            raise NotReachedError(names, run.bound, run.stop)
        best = self.best
        if best is None:
            plainest = run.problem.plainest()
            run.begin(plainest, run.problem.cost(plainest))
            best = replace(run.solution(), solver="", solver_version="")
        return self.solution(best, self.reason(), self.message())


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Strategies side by side: the best schedule of all, with the best bound of all."""

    sides: tuple[Strategy, ...]

    @property
    def name(self) -> str:
        """Return the name."""
        return "race"

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why sides can't share what they find (E519)."""
        if not problem.level.untiled_first:
            return None
        message = "at opt4, what one side may decide depends on what it decided before"
        return Diagnostic("E519", message, hint="name one solver for opt4")

    def solve(self, run: Run) -> Solution:
        """Return the best schedule of the sides with the best bound of all of them.

        Raises
        ------
        InfeasibleError
            If no schedule fits the limits (E401, E402).
        SolverError
            If no side can do the problem or lives long enough (E520).
        OutOfReachError, NotReachedError
            If no schedule has the latency target; if none was found in time.
        """
        run.problem.decision_space()  # refuses limits that nothing fits
        race = _Race(run, [side.name for side in self.sides])
        messages: SimpleQueue[tuple[str, Message | None]] = SimpleQueue()
        running: list[_Side] = []
        try:
            for side in self.sides:
                left = run.clock.seconds_for_solver()
                kept = replace(
                    run.options, time_limit_seconds=left, on_progress=None, should_stop=None
                )
                running.append(_start(Job(run.problem, side, kept), messages))
            race.listen(messages)
        except KeyboardInterrupt:
            run.stop = run.clock.interrupt()
        finally:
            for side in running:
                side.end()
        return race.answer()


def _is_exact(name: str) -> bool:
    from streamopt.solvers.registry import SOLVERS, adapter

    return name not in SOLVERS or adapter(name).is_exact


def _version(name: str) -> str:
    from streamopt.solvers.registry import SOLVERS, get

    return get(name).version() if name in SOLVERS else VERSION
