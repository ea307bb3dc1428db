"""One step of the scheduling language: carried out where all dependences allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from streamopt.errors import LegalityError
from streamopt.ir.loop_steps import After, Fuse, Interchange, Shift, Skew, Split, Tile
from streamopt.transforms.scheduling.legality import legality_problems
from streamopt.transforms.scheduling.loop_changes import (
    interchanged,
    shifted,
    skewed,
    split,
    tiled,
)
from streamopt.transforms.scheduling.nest_changes import fused, placed_after
from streamopt.transforms.scheduling.step_text import step_text

if TYPE_CHECKING:
    from streamopt.ir.loop_steps import LoopStep
    from streamopt.transforms.scheduling.timed import TimedProgram

__all__ = ["transformed"]


def transformed(program: TimedProgram, step: LoopStep) -> TimedProgram:
    """Return the program with the times that a step gives its statements.

    Raises
    ------
    LegalityError
        - E231 there is no such statement;
        - E232 a statement has no such loop;
        - E233 other statements are in only one of the loops;
        - E234 factors or loops that the step can't be taken with;
        - E235 a name of a loop is taken;
        - E236 a statement can't be placed there;
        - E237 a dependence would be broken.
    """
    found = _changed(program, step)
    problems = tuple(legality_problems(program, found, step_text(step)))
    if problems:
        raise LegalityError(*problems)
    return found


def _changed(program: TimedProgram, step: LoopStep) -> TimedProgram:
    match step:
        case Interchange():
            return interchanged(program, step)
        case Split():
            return split(program, step)
        case Tile():
            return tiled(program, step)
        case Skew():
            return skewed(program, step)
        case Shift():
            return shifted(program, step)
        case After():
            return placed_after(program, step)
        case Fuse():
            return fused(program, step)
        case _:
            assert_never(step)
