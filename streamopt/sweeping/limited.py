"""Calls in a process of their own, within seconds; it ends with all its children."""

import os
import resource
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from streamopt.errors import StreamoptError

Result = TypeVar("Result")

WALL_FACTOR = 12
"""Times as long as its processor seconds a call may take on a busy machine."""


class GivenUpError(Exception):
    """A call gave nothing; the message is the reason, for a table."""


class CrashedError(GivenUpError):
    """The process of a call ended without an answer."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"the process ended with exit code {exit_code}")
        self.exit_code = exit_code


def limited(
    processor_seconds: float, function: Callable[..., Result], *arguments: object
) -> Result:
    """Return the answer of a call.

    Parameters
    ----------
    processor_seconds
        For each process of the call, compilers among them.
    function
        Importable by name, as its arguments and its result are.

    Raises
    ------
    GivenUpError
        With code and message of its error, or that it took too long.
    """
    try:
        return within(
            WALL_FACTOR * processor_seconds, _on_processor, processor_seconds, function, *arguments
        )
    except CrashedError as error:
        over = error.exit_code in (-signal.SIGXCPU, -signal.SIGKILL)
        words = f"more than {processor_seconds:g} s of processor time" if over else "it crashed"
        raise GivenUpError(words) from error


def within(wall_seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
    """Return the answer of a call that may take so long, however little of it on a processor.

    Parameters
    ----------
    function
        Importable by name, as its arguments and its result are.

    Raises
    ------
    GivenUpError
        With code and message of its error, or that it took too long; `CrashedError` if its process
        ended without an answer.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(theirs, function, arguments), daemon=False)
    process.start()
    theirs.close()
    answer: Any = GivenUpError(f"no answer within {wall_seconds:g} s")
    try:
        if ours.poll(wall_seconds):
            answer = ours.recv()
    except EOFError:
        process.join()
        answer = CrashedError(process.exitcode)
    finally:
        _end(process)
        process.join()
    if isinstance(answer, GivenUpError):
        raise answer
    return answer


def _on_processor(seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
    whole = max(1, round(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    return function(*arguments)


def _call(pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    os.setsid()  # the group is what _end ends: compilers and compiled programs are in it
    try:
        pipe.send(function(*arguments))
    except StreamoptError as error:
        codes = " ".join(diagnostic.code for diagnostic in error.diagnostics)
        pipe.send(GivenUpError(f"{codes}: {error.diagnostics[0].message}"))
    except Exception as error:  # a row says what happened, and the run goes on
        pipe.send(GivenUpError(f"{type(error).__name__}: {error}"))


def _end(process: SpawnProcess) -> None:
    """End a process that was started, and those of its group."""
    assert process.pid is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it is over, or was starting and has no group yet
        process.kill()
