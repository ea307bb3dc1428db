"""A product, sums of its rows, and what scales by them: FIFOs, a bypass around a sum, a buffer."""

from __future__ import annotations

from tests.support.programs.sketches import program, scheduled

__all__ = ["ROW_SUMS", "ROW_SUMS_PROGRAM"]

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
