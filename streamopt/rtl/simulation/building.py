"""Verilog compiled to a program by Verilator and a C++ compiler."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from streamopt.errors import Diagnostic, VerificationError

VERILATOR = "verilator"
_SHOWN_LINES = 5


def built(
    top: str,
    sources: Sequence[Path],
    main: Path,
    directory: Path,
    time_limit_s: float = 600.0,
    optimized: str = "-O1",
) -> Path:
    """Return the program of a module and a C++ main function.

    Parameters
    ----------
    sources
        Verilog files.
    directory
        What is made stays here.
    optimized
        Option of the C++ compiler.

    Raises
    ------
    VerificationError
        E730 without Verilator, E731 if it or the compiler refuses the design, E704 after the time
        limit.
    """
    path = shutil.which(VERILATOR)
    if path is None:
        hint = "install it: apt install verilator"
        raise VerificationError(Diagnostic("E730", "Verilator is not on the PATH", hint=hint))
    command = [path, "--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    command += ["--x-assign", "0", "--x-initial", "0", "--noassert", "--top-module", top]
    command += ["--Mdir", str(directory / "obj"), "-MAKEFLAGS", f"OPT_FAST={optimized}"]
    command += [*map(str, sources), str(main), "-o", "simulation"]
    code, output = finished(command, directory, time_limit_s, "Verilator")
    if code != 0:
        lines = [line for line in output.splitlines() if "rror" in line] or output.splitlines()
        shown = "\n  ".join(lines[:_SHOWN_LINES])
        raise VerificationError(Diagnostic("E731", f"Verilator refuses {top}:\n  {shown}"))
    return directory / "obj" / "simulation"


def finished(
    command: Sequence[str], directory: Path, time_limit_s: float, who: str
) -> tuple[int, str]:
    """Run a command to its end and return exit code and output; end it at the time limit.

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
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=time_limit_s)
        except BaseException as stopped:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(stopped, subprocess.TimeoutExpired):
                message = f"{who} ran for more than {time_limit_s:g} s"
                raise VerificationError(Diagnostic("E704", message)) from None
            raise
    return process.returncode, output
