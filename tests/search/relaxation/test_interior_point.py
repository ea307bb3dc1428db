"""The interior-point method against a simplex method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from scipy import optimize, sparse

from streamopt.search.relaxation import interior_point
from streamopt.search.relaxation.interior_point import (
    InteriorPoint,
    InteriorPointTuning,
    LinearProgram,
    interior_points,
)

if TYPE_CHECKING:
    import numpy.typing as npt


def random_program(seed: int) -> tuple[LinearProgram, npt.NDArray[np.float64]]:
    """Return a feasible, bounded program of one dense and many sparse rows, as array too."""
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((12, 40)) < 0.2, rng.normal(size=(12, 40)), 0.0)
    matrix[0] = rng.random(40)
    limits = matrix @ rng.random(40)
    costs = matrix.T @ rng.normal(size=12) + rng.random(40)
    library = cast("Any", sparse)
    return LinearProgram(costs, library.csc_array(matrix), limits), matrix


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dense", [2000, 20])
def test_optimum_is_that_of_a_simplex_method(
    seed: int, dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interior_point, "TUNING", InteriorPointTuning(dense=(dense, 4)))
    program, matrix = random_program(seed)
    library: Any = optimize
    expected = library.linprog(program.costs, A_eq=matrix, b_eq=program.limits, method="highs")
    point = interior_points(program, lambda _: False)
    assert program.costs @ point.values == pytest.approx(expected.fun, rel=1e-6, abs=1e-6)
    assert program.limits @ point.prices == pytest.approx(expected.fun, rel=1e-6, abs=1e-6)
    assert np.allclose(matrix @ point.values, program.limits, atol=1e-6)
    assert min(point.values.min(), point.reduced.min()) > 0.0


def test_every_point_is_shown_and_the_caller_ends_it() -> None:
    program, _ = random_program(0)
    seen: list[InteriorPoint] = []

    def is_last(point: InteriorPoint) -> bool:
        seen.append(point)
        return len(seen) == 3

    assert interior_points(program, is_last) is seen[-1]
    assert len(seen) == 3
