"""Programs and files opened for steps on their loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from streamopt.ir.loop_steps import Step
from streamopt.ir.source import Source
from streamopt.options import checked
from streamopt.pipeline.sources.readers import PLAIN, SourceOptions, written

if TYPE_CHECKING:
    from streamopt.pipeline.by_hand.scheduling import Scheduling
    from streamopt.pipeline.sources.readers import Readable


@checked()
def schedule(
    source: Readable | Source,
    steps: Sequence[Step] = (),
    *,
    options: SourceOptions = PLAIN,
) -> Scheduling:
    """Return the schedule of a program, on which steps can be taken.

    Parameters
    ----------
    source
        Anything that `streamopt.load` reads; the loops of C and MLIR are taken as written.
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
    from streamopt.pipeline.by_hand.scheduled_program import scheduled_program
    from streamopt.pipeline.by_hand.scheduling import Scheduling

    made = Scheduling(scheduled_program(written(source, options)))
    for step in steps:
        made.take(step)
    return made
