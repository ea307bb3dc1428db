"""Where a design goes: an HLS project, or the file of its schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule
    from streamopt.target.device import Target

__all__ = ["Output"]


@dataclass(frozen=True, slots=True)
class Output:
    """Where a design goes.

    Attributes
    ----------
    project
        Directory of the HLS project; None for the schedule alone.
    schedule_file
        Where the schedule goes without a project.
    seed
        Of the test bench's data.
    """

    project: Path | None
    schedule_file: Path
    seed: int

    @property
    def place(self) -> Path:
        """Return what is written."""
        return self.project or self.schedule_file

    def write(
        self,
        program: Program,
        schedule: Schedule,
        row: dict[str, str | int | float],
        on: Target,
    ) -> None:
        """Write a schedule, with what is known of it.

        Raises
        ------
        StreamoptError
            If it can't be written (E116), or as emission does.
        """
        from streamopt import pipeline
        from streamopt.frontends.schedule_json import save_schedule_json

        if self.project is None:
            save_schedule_json(self.schedule_file, schedule, row)
            return
        settings = pipeline.VitisSettings(part=on.part, clock_ns=on.clock_ns)
        pipeline.write(
            program, schedule, self.project, result=row, seed=self.seed, settings=settings
        )
