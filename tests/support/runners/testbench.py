"""Compiles a project and runs its testbench once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.verification.csim.running import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamopt.verification.csim.running import CsimRun


def compile_and_run(
    directory: Path,
    sources: Sequence[str],
    arguments: Sequence[str] = (),
    time_limit_s: float = 300.0,
    compiler: str = "g++",
    flags: Sequence[str] = (),
) -> CsimRun:
    """Parameters and errors are those of `compiled` and `Compiled.run`."""
    with compiled(directory, sources, time_limit_s, compiler, flags) as program:
        return program.run(arguments)
