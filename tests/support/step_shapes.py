"""Steps as short texts: trip counts of loops in order, and of phases' loops in braces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.stepping.steps import Repeat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.stepping.steps import StepItem


def shape(items: Sequence[StepItem]) -> str:
    """Return loops in order as ``trips (inside)``, phases as ``{trips}``, sums with a plus."""
    parts: list[str] = []
    for item in items:
        if isinstance(item, Repeat):
            parts.append(f"{item.loop.trip_count} ({shape(item.items)})")
        else:
            loops = (
                f"{'+' if loop.name in item.sums else ''}{loop.trip_count}" for loop in item.loops
            )
            parts.append(f"{{{' '.join(loops)}}}")
    return ", ".join(parts)
