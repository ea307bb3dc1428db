"""Reads of stencils are fetched once."""

from __future__ import annotations

import pytest

from tests.codegen.stepped.test_designs import check, kernel
from tests.support.steps import jacobi_2d, ordered, scheduled

STENCIL = """
    for t 0 3
    . phase first: j 0 38, i 0 38
    . : B[i+1][j+1] = 0.25 * (A[i+1][j] + A[i+1][j+2] + A[i+2][j+1] + A[i][j+1])
    . phase second: l 0 38, k 0 38
    . : A[k+1][l+1] = 0.25 * (B[k+1][l] + B[k+1][l+2] + B[k+2][l+1] + B[k][l+1])
"""


@pytest.mark.parametrize("lanes", [{}, {"i": 2, "k": 3}])
def test_rows_behind_the_foremost_are_in_registers(lanes: dict[str, int]) -> None:
    order = ordered("rows", {"A": (40, 40), "B": (40, 40)}, STENCIL)
    design = scheduled(order, **{"j": 38, "l": 38, **lanes})
    nest = design.nodes[0].stepped
    assert nest is not None
    assert [chain.warm_up for p in nest.phases for chain in p.chains] == [
        -(-(2 + lanes.get(loop, 1)) // lanes.get(loop, 1)) - 1 for loop in "ik"
    ]
    assert len(nest.memories) == 2
    assert nest.ii == 1
    check(order, design)
    assert "_window[" in kernel(design)


def test_loops_of_one_tile_are_outermost() -> None:
    order = jacobi_2d(40, 2)
    design = scheduled(order, j=38, l=38)
    nest = design.nodes[0].stepped
    assert nest is not None
    assert [tile.name for tile in nest.phases[0].tiles] == ["j", "i"]
    assert len(nest.memories) == 2
    check(order, design)
