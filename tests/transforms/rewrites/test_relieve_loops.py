"""Sequential nests as wavefronts compute the same, and their innermost loop carries nothing."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.transforms.rewrites.relieve_loops import RelieveLoops
from tests.support.programs.of_graphs import check_same

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

SEIDEL = """
void seidel(float A[9][7]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 5; j++)
                A[i + 1][j + 1] = (A[i + 1][j] + A[i][j + 2] + A[i + 1][j + 1]) / 3.0f;
}
"""
IN_PLACE = """
void in_place(float A[8][7], float B[8][7]) {{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 5; j++)
                A[i + 1][j + 1] = B[i][j] + {reads};
}}
"""


def loaded(text: str, folder: Path) -> Program:
    file = folder / "kernel.c"
    file.write_text(text)
    return so.load(file)


@pytest.mark.parametrize("case", range(12))
def test_random_stencils_compute_the_same(case: int, tmp_path: Path) -> None:
    rng = random.Random(case)
    around = rng.sample([*product(range(3), range(3))], rng.randint(1, 5))
    terms = [f"{at}.0f * A[i + {i}][j + {j}]" for at, (i, j) in enumerate(around, 1)]
    source = loaded(IN_PLACE.format(reads=" + ".join(terms)), tmp_path)
    graph = so.dataflow(source)
    relieved = RelieveLoops()(graph)
    waits = (1, 0) in around
    assert (relieved != graph) == waits
    check_same(source, relieved)
