"""Commands that end: by themselves, or with all their children at a time limit."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from streamopt.errors import Diagnostic, VerificationError


def run_to_end(
    command: Sequence[str],
    directory: Path,
    time_limit_s: float,
    who: str,
    told: Mapping[str, str] | None = None,
) -> tuple[int, str, str]:
    """Run a command to its end, and return its exit code, output and errors.

    Parameters
    ----------
    who
        The subject of the message at the time limit.
    told
        Variables of the environment besides ours.

    Raises
    ------
    VerificationError
        E704 after the time limit.
    """
    with subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C", **(told or {})},
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=time_limit_s)
        except BaseException as stopped:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(stopped, subprocess.TimeoutExpired):
                message = f"{who} ran for more than {time_limit_s:g} s"
                raise VerificationError(Diagnostic("E704", message)) from None
            raise
    return process.returncode, output, errors
