"""Runs an action in a process of its own, within limits of time and memory."""

from __future__ import annotations

import os
import resource
import signal
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["CPU_SECONDS", "MEMORY_BYTES", "Outcome", "attempt"]

CPU_SECONDS = 20
MEMORY_BYTES = 2 * 2**30
_WALL_SECONDS = 150
"""Of a process that waits for something that never comes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one input ended.

    Attributes
    ----------
    fault
        What must not be; empty if all is well.
    """

    name: str
    said: str
    fault: str
    cpu_seconds: float
    resident_mib: float


def attempt(name: str, action: Callable[[], str], folder: Path) -> Outcome:
    """Return how an action ends in a process of its own, which has a folder for what it says."""
    said, errors = folder / "said", folder / "stderr"
    child = os.fork()
    if child == 0:
        _run(action, said, errors)
    _, status, used = os.wait4(child, 0)
    text = said.read_text(errors="replace") if said.exists() else ""
    shown = errors.read_text(errors="replace")
    fault = ""
    if os.WIFSIGNALED(status):
        fault = signal.Signals(os.WTERMSIG(status)).name
    elif os.WEXITSTATUS(status):
        fault = f"{text[-3000:]}\n{shown[-1000:]}"
    elif "Traceback" in shown or "E900" in shown:
        fault = shown[-3000:]
    cpu = used.ru_utime + used.ru_stime
    return Outcome(name, text[:300], fault, round(cpu, 2), round(used.ru_maxrss / 1024, 1))


def _run(action: Callable[[], str], said: Path, errors: Path) -> None:
    """Run an action within limits and end the process: 0 if it ended as it may."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        signal.alarm(_WALL_SECONDS)
        stream = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(stream, 2)
        os.dup2(stream, 1)
        said.write_text("")
        said.write_text(action())
        code = 0
    except BaseException:  # a fault, whatever it is
        said.write_text(traceback.format_exc())
    finally:
        os._exit(code)
