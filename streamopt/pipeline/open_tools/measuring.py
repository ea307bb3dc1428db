"""Schedules measured: as our own Verilog, in Verilator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.pipeline.building import write
from streamopt.pipeline.solved import verified

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.verification.compare import DesignVerdict


def measured(program: Readable, schedule: Schedule, frames: int = 1) -> DesignVerdict:
    """Return the verdict of Verilator on frames of a schedule as our own Verilog: see `verify`.

    Raises
    ------
    CodegenError
        E640 for a design that can't be Verilog.
    VerificationError
        If it can't be built or run.
    """
    return verified(lambda project: write(program, schedule, project, backend="rtl"), frames=frames)
