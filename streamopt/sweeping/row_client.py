"""The other end of `row_server`: a server of rows, started when it is needed and after a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt
from streamopt.errors import Diagnostic, SweepError

if TYPE_CHECKING:
    from streamopt.pipeline.comparing import Row

__all__ = ["RowClient"]

READY = b"ready\n"
"""The first line of a server; it isn't imported, for that would load all that rows need."""

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Rows that are measured at the same time must not take each other's processors."""


class RowClient:
    """Measures one point after the other; close it, or it closes when its process ends."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None

    def row(self, task: str) -> Row:
        """Return the row of a task, a line of JSON as `streamopt.sweeping.points.task_of` gives.

        Raises
        ------
        SweepError
            E888 if the server can't start.
        """
        server = self._running()
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            server.stdin.write(task.encode() + b"\n")
            server.stdin.flush()
            answer = server.stdout.readline()
        except (OSError, ValueError):
            answer = b""
        if answer.endswith(b"\n"):
            return json.loads(answer)
        self.close()
        message = f"the process that measures ended with code {server.returncode}"
        return {"status": "crashed", "message": message}

    def close(self) -> None:
        """End the server, and a row that it measures."""
        server, self._server = self._server, None
        if server is not None:
            for pipe in (server.stdin, server.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        continue
            server.wait()

    def interrupt(self) -> None:
        """End the server from another thread than the one that waits for its answer.

        It ends the row first, which a signal would leave alone.
        """
        server = self._server
        if server is not None and server.stdin is not None:
            server.stdin.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._server is None:
            top = str(Path(streamopt.__file__).parents[1])
            paths = [top, *filter(None, [os.environ.get("PYTHONPATH")])]
            self._server = subprocess.Popen(
                [sys.executable, "-m", "streamopt.sweeping.row_server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={
                    **dict.fromkeys(ONE_THREAD, "1"),
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(paths),
                },
                start_new_session=True,  # an interrupt of the terminal is for who asks, not for it
            )
            _wait_until_ready(self._server)
        return self._server


def _wait_until_ready(server: subprocess.Popen[bytes]) -> None:
    assert server.stdout is not None
    if server.stdout.readline() != READY:
        message = "the process that measures rows can't start"
        raise SweepError(Diagnostic("E888", message, hint="its own words are on stderr"))
