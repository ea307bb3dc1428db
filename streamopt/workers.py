"""Processes that work for this one: killed when they take too long, and never outliving it.

A `Worker` runs a function of the package in a fresh interpreter, at the other end of a connection
of values; `in_child` forks one that has everything loaded. The user's script is imported by
neither, so it needs no guard.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Workers must not take each other's processors."""
STDERR = 2
LOOK_AGAIN_SECONDS = 1.0
"""How often a child is looked after that ends without an answer while a child of its own lives."""


class TimedOutError(Exception):
    """There was no answer in time."""


class WorkerDiedError(Exception):
    """A process ended without an answer; the message says how."""

    def __init__(self, code: int) -> None:
        super().__init__(f"signal {-code}" if code < 0 else f"exit code {code}")


class Worker:
    """A process that runs a function of one `Connection`, given as ``module:function``.

    Its connection is closed when this process ends, however it does: it should end then.
    """

    def __init__(self, function: str) -> None:
        self.connection, theirs = Pipe()
        paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        usual = dict.fromkeys(ONE_THREAD, "1")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamopt.workers", function, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=STDERR,  # what a solver prints is no answer
            pass_fds=[theirs.fileno()],
            env={**usual, **os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # an interrupt of the terminal is for us, not for it
        )
        theirs.close()

    def receive(self) -> Any:
        """Return the next value of the worker; raises WorkerDiedError if there is none."""
        try:
            return self.connection.recv()
        except (OSError, EOFError):
            raise WorkerDiedError(self.process.wait()) from None

    def ask(self, task: object) -> Any:
        """Return the answer to a task; raises as `receive`."""
        try:
            self.connection.send(task)
        except OSError:
            raise WorkerDiedError(self.process.wait()) from None
        return self.receive()

    def hang_up(self) -> None:
        """Let the worker end; another thread may wait for its answer."""
        with socket.socket(fileno=os.dup(self.connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let the worker end, and wait until it has."""
        self.connection.close()
        self.process.wait()


def in_child(
    function: Callable[[Any], object], task: object, seconds: float, asking: Connection
) -> Any:
    """Return the value of a function in a forked process, which is killed with its group.

    Parameters
    ----------
    asking
        To the process that wants the answer. When it hangs up, the child is killed and this one
        ends.

    Raises
    ------
    TimedOutError
        If there is no answer after that many seconds.
    WorkerDiedError
        If the child ended without an answer.
    """
    deadline = monotonic() + seconds
    ours, theirs = Pipe(duplex=False)
    child = os.fork()
    if not child:
        _be_child(function, task, theirs)
    theirs.close()
    try:
        found = _answers(ours, child, deadline, asking)
    finally:
        ours.close()
        _kill(child)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not found:
        raise WorkerDiedError(code)
    return found[0]


def _be_child(function: Callable[[Any], object], task: object, answers: Connection) -> NoReturn:
    """Work, answer and end: the whole life of a child."""
    code = 1
    try:
        os.setsid()  # the group is what is killed: solvers that run as processes are in it
        answers.send(function(task))
        code = 0
    finally:
        os._exit(code)


def _answers(ours: Connection, child: int, deadline: float, asking: Connection) -> list[object]:
    """Return a child's answer; nothing if it ended without one."""
    while (left := deadline - monotonic()) > 0:
        ready = wait([ours, asking], min(left, LOOK_AGAIN_SECONDS))
        if asking in ready:
            _kill(child)
            os._exit(0)  # nobody asks any more
        if ours in ready:
            try:
                return [ours.recv()]
            except (OSError, EOFError):
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # before it is killed
                return []
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return []
    raise TimedOutError


def _kill(child: int) -> None:
    """Kill a child with its group, or alone where it has none yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    getattr(import_module(module), name)(Connection(int(sys.argv[2])))
