"""A product, sums of its rows, and what scales by them: FIFOs, a bypass around a sum, a buffer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.codegen.backends.registry import emit
from streamopt.transforms.apply import apply
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from streamopt.codegen.design import Design

ROW_SUMS_PROGRAM = program(
    {
        "x": "input 4 8", "W": "weight 8 8", "a": "internal 4 8", "s": "internal 4",
        "t": "internal 4 8", "y": "output 8 4",
    },
    {
        "gemm": "i 4, j 8, k 8: a[i][j] += x[i][k] * W[k][j]",
        "sum": "i 4, j 8: s[i] += a[i][j]",
        "scale": "i 4, j 8: t[i][j] = a[i][j] * s[i]",
        "turn": "i 8, j 4: y[i][j] = t[j][i] + 1",
    },
)  # fmt: skip
WIDE: dict[str, str] = dict.fromkeys(("gemm", "sum", "scale"), "j 2")
ROW_SUMS = scheduled(ROW_SUMS_PROGRAM, {}, WIDE, ping_pong=("t",))

LEAST_DEPTH_ELEMS = 3
"""Tokens of a row in each lane of ``a``, before the sum of the row lets ``scale`` begin, less the
one that ``gemm`` can hand to ``sum`` before it writes to ``scale``."""


def with_depth(depth_elems: int) -> Design:
    bypass = next(
        e.channel for e in ROW_SUMS.graph.edges if (e.array, e.consumer) == ("a", "scale")
    )
    channels = tuple(
        replace(plan, depth_elems=depth_elems) if plan.channel == bypass else plan
        for plan in ROW_SUMS.schedule.channels
    )
    return emit(apply(ROW_SUMS.graph, replace(ROW_SUMS.schedule, channels=channels)))


DESIGN = with_depth(LEAST_DEPTH_ELEMS)
KERNEL = f"{DESIGN.top}.cpp"
