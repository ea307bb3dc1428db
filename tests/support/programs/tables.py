"""A layer with tables of four element types, two of which two nodes read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.support.programs.sketches import program

__all__ = ["BARE", "PROGRAM", "VALUES"]

rng = np.random.default_rng(7)
BARE = program(
    {
        "A": "input 6 10", "B": "weight 10 9", "s": "weight", "gamma": "weight 9 half",
        "f": "weight 9 ap_fixed<12,3>", "C": "internal 6 9", "D": "output 9 6", "E": "output 10",
        "F": "output 9 ap_fixed<12,3>",
    },
    {
        "mm": "i 6, j 9, k 10: C[i][j] += A[i][k] * B[k][j]",
        "act": "i 6, j 9: D[j][i] = max(C[i][j] * s + gamma[j], 0)",
        "row": "k 10, j 9: E[k] += B[k][j]",
        "twice": "j 9: F[j] = f[j] + f[j]",
    },
    name="layer",
)  # fmt: skip
VALUES = {
    "B": rng.normal(size=(10, 9)).astype(np.float32),
    "s": np.array(0.3, np.float32),
    "gamma": rng.normal(size=9).astype(np.float16),
    "f": rng.integers(-900, 900, 9) / 512.0,
}
PROGRAM = replace(BARE, values=VALUES)
