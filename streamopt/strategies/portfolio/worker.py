"""A side of a portfolio in a process of its own: the job comes on stdin, messages go to stdout.

The process ends with its parent, however that ends: stdin is then closed.
"""

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import BinaryIO, TypeAlias, cast

from streamopt.errors import Diagnostic, StreamoptError
from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.result import Stop
from streamopt.strategies.problem import Problem
from streamopt.strategies.protocol import Strategy
from streamopt.strategies.run import NotReachedError, OutOfReachError, Run
from streamopt.strategies.solution import Solution


@dataclass(frozen=True, slots=True)
class Job:
    """The task of a side; its options have no callbacks, which can't leave a process."""

    problem: Problem
    strategy: Strategy
    options: SolveOptions


@dataclass(frozen=True, slots=True)
class NewBound:
    """A bound of the objective, and what the best is so far."""

    progress: Progress


@dataclass(frozen=True, slots=True)
class Better:
    """A better schedule than all before of this side."""

    solution: Solution


@dataclass(frozen=True, slots=True)
class Done:
    """The answer of a side that ended by itself."""

    solution: Solution


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """It is proved that no schedule has the latency target."""


@dataclass(frozen=True, slots=True)
class NotReached:
    """The side ended without a schedule within the latency target."""

    bound: int
    stop: Stop


@dataclass(frozen=True, slots=True)
class Failed:
    """The side can't do the job."""

    diagnostics: tuple[Diagnostic, ...]


Message: TypeAlias = NewBound | Better | Done | OutOfReach | NotReached | Failed


def send(stream: BinaryIO, value: object) -> None:
    """Write one value."""
    pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def receive(stream: BinaryIO) -> object:
    """Return the next value.

    Raises
    ------
    EOFError, UnpicklingError
        If the other process ended, before or within a value.
    """
    return pickle.load(stream)


def run() -> None:
    """Do the job that stdin holds, and end as soon as stdin is closed."""
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no message
    incoming = cast("BinaryIO", sys.stdin.buffer)
    job = cast("Job", receive(incoming))
    Thread(target=_end_with_parent, args=(sys.stdin.fileno(),), daemon=True).start()
    lock = Lock()

    def tell(message: Message) -> None:
        with lock:
            send(outgoing, message)

    try:
        tell(_answer(job, tell))
    except BrokenPipeError:  # nobody listens any more
        os._exit(1)


def _end_with_parent(incoming: int) -> None:
    while os.read(incoming, 1):
        pass
    os._exit(1)


def _answer(job: Job, tell: Callable[[Message], None]) -> Message:
    from streamopt.strategies.acceptance import first_accepting

    def on_progress(progress: Progress) -> None:
        tell(NewBound(progress))

    options = replace(job.options, on_progress=on_progress)
    try:
        run = Run(job.problem, options, lambda better: tell(Better(better)))
        found = first_accepting(run, [job.strategy])
    except OutOfReachError:
        return OutOfReach()
    except NotReachedError as error:
        return NotReached(error.bound, error.stop)
    except StreamoptError as error:
        return Failed(error.diagnostics)
    return Done(found)
