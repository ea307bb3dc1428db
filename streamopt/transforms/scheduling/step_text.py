"""Steps as a user writes them in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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

if TYPE_CHECKING:
    from streamopt.ir.loop_steps import Step

__all__ = ["step_text"]


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
