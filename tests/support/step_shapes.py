"""Steps as short texts: trip counts of loops in order, and of phases' loops in braces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.ir.stepping.steps import Repeat
from streamopt.pipeline import SourceOptions, load
from streamopt.transforms.canonicalize import canonicalize
from tests.support.runners.polybench import KERNELS, source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.program import Array
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


def medium(kernel: str) -> tuple[SequentialNode, dict[str, Array]]:
    """Return the sequential node of a kernel of PolyBench at medium size, and all arrays."""
    macros = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    program = load(source(kernel), options=SourceOptions(define=macros, include=[KERNELS]))
    graph = canonicalize(program)
    (node,) = (node for node in graph.nodes if isinstance(node, SequentialNode))
    return node, {array.name: array for array in graph.arrays}
