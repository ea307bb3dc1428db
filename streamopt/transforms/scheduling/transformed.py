"""One step of the scheduling language: carried out where all dependences allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from streamopt.errors import LegalityError
from streamopt.ir.loop_steps import (
    After,
    Fuse,
    Interchange,
    Partition,
    PipelineLoop,
    Shift,
    Skew,
    Split,
    Tile,
    Unroll,
)
from streamopt.transforms.scheduling.legality import legality_problems
from streamopt.transforms.scheduling.loop_changes import interchanged, shifted, skewed, split, tiled
from streamopt.transforms.scheduling.nest_changes import fused, placed_after

if TYPE_CHECKING:
    from streamopt.ir.loop_steps import LoopStep, Step
    from streamopt.transforms.scheduling.timed import TimedProgram

__all__ = ["step_text", "transformed"]


def step_text(step: Step) -> str:
    """Return a step as the call that makes it: ``C.interchange(i, k)``."""
    of = step.array if isinstance(step, Partition) else step.node
    name, *arguments = _call(step)
    return f"{of}.{name}({', '.join(map(str, arguments))})"


def _call(step: Step) -> tuple[object, ...]:
    """Return name and arguments of the call."""
    match step:
        case Interchange():
            return "interchange", step.first, step.second
        case Split():
            return "split", step.loop, step.factor
        case Tile():
            return "tile", f"({', '.join(step.loops)})", f"({', '.join(map(str, step.factors))})"
        case Skew():
            return "skew", *step.loops, *step.factors
        case Shift():
            return "shift", step.loop, step.amount
        case After() | Fuse():
            return type(step).__name__.lower(), step.other, *([step.loop] if step.loop else [])
        case PipelineLoop():
            return "pipeline", step.loop, *([] if step.ii is None else [f"ii={step.ii}"])
        case Unroll():
            return "unroll", step.loop, *([step.factor] if step.factor else [])
        case Partition():
            return "partition", step.kind, step.factor, step.dimension
        case _:
            assert_never(step)


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
