"""The options that say how arrays cross the boundary of a design, as ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.cli.assignments import ports
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.ports import PortPlan
    from streamopt.ir.program import Program
    from streamopt.target.device import Target

__all__ = ["asked_ports"]


def asked_ports(program: Program, texts: Sequence[str] | None, on: Target) -> tuple[PortPlan, ...]:
    """Return the ports that ``--port`` asks for, if any."""
    from streamopt import pipeline

    if not texts:
        return ()
    interface = [text for text in texts if "=" not in text] or [PortKind.MEMORY]
    each = ports([text for text in texts if "=" in text])
    return pipeline.plan_ports(pipeline.dataflow(program), interface[-1], ports=each, on=on)
