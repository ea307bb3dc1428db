"""Programs and files opened for steps on their loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.options import checked
from streamopt.pipeline.reading import PLAIN, SourceOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from streamopt.ir.loop_steps import Step
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source
    from streamopt.pipeline.scheduling import Scheduling


@checked()
def schedule(
    source: Program | Source | str | PathLike[str],
    steps: Sequence[Step] = (),
    *,
    options: SourceOptions = PLAIN,
) -> Scheduling:
    """Return the schedule of a program, on which steps can be taken.

    Parameters
    ----------
    source
        A program, or what `streamopt.load` reads; the loops of C and MLIR are taken as written.
    steps
        To take at once, for instance those of `streamopt.load_steps`.
    options
        How a file is read; see `streamopt.load`.

    Raises
    ------
    FrontendError
        With all problems of a file.
    LegalityError
        If a step would break a dependence (E237) or can't be taken (E231 to E239).
    """
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source
    from streamopt.pipeline.reading import load_written
    from streamopt.pipeline.scheduled_program import scheduled_program
    from streamopt.pipeline.scheduling import Scheduling

    written = source if isinstance(source, Program | Source) else load_written(source, options)
    made = Scheduling(scheduled_program(written))
    for step in steps:
        made.take(step)
    return made
