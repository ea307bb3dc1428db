"""C simulation: compiles a project with our own HLS headers and runs its testbench."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, VerificationError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HEADERS", "Run", "compile_and_run"]

HEADERS = Path(__file__).parent / "include"
"""Directory of ``hls_stream.h``."""

_FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas")
_STREAM_ERRORS = {
    4: "a process reads from an empty stream",
    5: "a stream is not empty at the end",
}
_SHOWN_LINES = 5


@dataclass(frozen=True, slots=True)
class Run:
    """What a testbench that came to its end said."""

    passed: bool
    output: str
    warnings: str


def compile_and_run(
    directory: Path,
    sources: Sequence[str],
    arguments: Sequence[str] = (),
    time_limit_s: float = 300.0,
    compiler: str = "g++",
) -> Run:
    """Compile the sources of a project outside of it, and run the program in the project.

    Parameters
    ----------
    sources
        Paths relative to the directory.
    arguments
        Of the testbench: data directory and output directory.
    time_limit_s
        For the compiler, and again for the run.

    Raises
    ------
    VerificationError
        E701 without the compiler, E702 if the sources don't compile, E703 for a stream that is
        read empty or not drained, E704 after the time limit, E705 for a crash, E706
        if the testbench lacks a file.
    """
    path = shutil.which(compiler)
    if path is None:
        hint = "install g++, or name another C++17 compiler"
        message = f"C++ compiler '{compiler}' is not on the PATH"
        raise VerificationError(Diagnostic("E701", message, hint=hint))
    with tempfile.TemporaryDirectory(prefix="streamopt-csim-") as build:
        program = str(Path(build) / "testbench")
        command = [path, *_FLAGS, f"-I{HEADERS}", *sources, "-o", program]
        code, _, messages = _finish(command, directory, time_limit_s, "the compiler")
        if code != 0:
            raise VerificationError(_compile_problem(directory, messages))
        # Local arrays live on the stack, as large as the buffers they stand for.
        script = 'ulimit -s "$(ulimit -H -s)"; exec "$0" "$@"'
        command = ["/bin/sh", "-c", script, program, *arguments]
        code, output, errors = _finish(command, directory, time_limit_s, "the testbench")
    _check_exit(code, errors)
    return Run(code == 0, output, messages)


def _compile_problem(directory: Path, messages: str) -> Diagnostic:
    errors = [line for line in messages.splitlines() if "error" in line]
    shown = "\n  ".join((errors or messages.splitlines())[:_SHOWN_LINES])
    return Diagnostic("E702", f"the design in {directory} does not compile:\n  {shown}")


def _check_exit(code: int, errors: str) -> None:
    said = "\n  ".join(errors.splitlines()[:_SHOWN_LINES])
    if code in (0, 1):
        return
    if code in _STREAM_ERRORS:
        message = f"{_STREAM_ERRORS[code]}:\n  {said}"
        hint = "what is written and what is read differ in number"
        raise VerificationError(Diagnostic("E703", message, hint=hint))
    if code == 2:
        raise VerificationError(Diagnostic("E706", f"the testbench could not run:\n  {said}"))
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    raise VerificationError(Diagnostic("E705", f"the testbench ended with {how}\n  {said}"))


def _finish(
    command: Sequence[str], directory: Path, time_limit_s: float, who: str
) -> tuple[int, str, str]:
    """Run a command to its end; on time-out end it and all its children."""
    with subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
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
