"""Calls in a process of their own, which ends with all its children when its time is over."""

from __future__ import annotations

import os
import signal
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeVar

from streamopt.errors import StreamoptError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["within"]

Result = TypeVar("Result")


def within(
    seconds: float, function: Callable[..., Result], *arguments: object
) -> Result | Exception:
    """Return what the call gives, or why it gives nothing: its error, or that it took too long."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    answer: Any = TimeoutError(f"no answer within {seconds:g} s")
    try:
        if ours.poll(seconds):
            answer = ours.recv()
    except EOFError:
        process.join()
        answer = RuntimeError(f"the process ended with exit code {process.exitcode}")
    finally:
        _end(process.pid)
        process.join()
    return answer


def _call(pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    os.setsid()  # the group is what _end ends: compilers and compiled programs are in it
    try:
        pipe.send(function(*arguments))
    except StreamoptError as error:
        codes = " ".join(diagnostic.code for diagnostic in error.diagnostics)
        pipe.send(RuntimeError(f"{codes}: {error.diagnostics[0].message}"))
    except Exception as error:  # a row says what happened, and the run goes on
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _end(group: int | None) -> None:
    if group is None:
        return
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
