"""Prices of a linear program by a primal-dual interior-point method [1] with correctors [2].

The normal equations of the relaxation are as sparse as the graph, but for the rows that all labels
share, which are eliminated last. The prices lie within the optimal face and not at a vertex of it,
so they change little when columns are added. They need not be optimal to be of use: the caller
looks at the prices of every iteration, and says when to end.

[1] Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2(4), 1992.
[2] Gondzio, Multiple centrality corrections in a primal-dual method for linear programming,
    Computational Optimization and Applications 6(2), 1996.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import linalg

from streamopt.work import TUNING as WORK
from streamopt.work import spend

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Matrix = Any
"""A sparse array of scipy."""


@dataclass(frozen=True, slots=True)
class InteriorPointTuning:
    """Steps and factorizations of the interior-point method; not measured."""

    most_iterations: int = 100  # factorizations, at most
    boundary: float = 0.95  # share of the way to the boundary that a step takes
    # added to the diagonal of the normal equations: relative to it, and in any case
    diagonal: tuple[float, float] = (1e-11, 1e-13)
    # complementarity, relative to the costs, from which rounding leaves nothing to gain
    close: float = 1e-9
    correctors: int = 3  # of an iteration, at most, as long as steps get longer
    # share by which a corrector makes steps longer, at least, to be taken
    least_progress: float = 0.05
    longer: float = 0.3  # by how much longer a step a corrector is made for
    # times the centre, from which a product is an outlier; below a share of it likewise
    outlier: float = 10.0
    # least entries of a row that is eliminated last, and most columns for each of them
    dense: tuple[int, int] = (2000, 4)


TUNING = InteriorPointTuning()


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """Minimise ``costs @ x`` with ``matrix @ x == limits`` and ``x >= 0``; feasible and bounded."""

    costs: Floats
    matrix: Matrix
    limits: Floats


@dataclass(frozen=True, slots=True)
class InteriorPoint:
    """Variables, prices and reduced costs inside their bounds; rows may still be violated."""

    values: Floats
    prices: Floats
    reduced: Floats


def interior_points(
    program: LinearProgram, is_last: Callable[[InteriorPoint], bool]
) -> InteriorPoint:
    """Return the last of the interior points that lead to the optimum.

    Parameters
    ----------
    is_last
        Called with every point; true ends the iteration.
    """
    system = _Normal(program.matrix)
    point = _first_point(program, system)
    for _ in range(TUNING.most_iterations):
        size = 1.0 + abs(_inner(program.costs, point.values))
        if is_last(point) or _complementarity(point) * len(point.values) < TUNING.close * size:
            break
        try:
            later = _next_point(program, system, point)
        except RuntimeError:  # a pivot of zero: rounding leaves nothing to gain
            break
        if not np.isfinite(_complementarity(later)):
            break
        point = later
    return point


def _complementarity(point: InteriorPoint) -> float:
    return _inner(point.values, point.reduced) / len(point.values)


def _inner(left: Floats, right: Floats) -> float:
    """Return the inner product, by one thread and in one order of summation."""
    return float((left * right).sum())


class _Normal:
    """The equations ``(matrix * weights) @ matrix.T @ y = right`` for any weights."""

    def __init__(self, matrix: Matrix) -> None:
        by_row = matrix.tocsr()
        entries = np.diff(by_row.indptr)
        self.matrix, self.transposed = by_row, matrix.T.tocsr()
        is_dense = entries > max(TUNING.dense[0], matrix.shape[1] // TUNING.dense[1])
        self._sparse: Integers = _ordered(by_row, np.flatnonzero(~is_dense))
        self._dense: Integers = np.flatnonzero(is_dense)
        self._rows = by_row[self._sparse]
        self._pattern, self._products = _products(self._rows)
        self._others = by_row[self._dense].toarray()

    def factor(self, weights: Floats) -> None:
        """Take other weights."""
        library = cast("Any", sparse)
        normal = self._pattern
        normal.data = self._products @ weights
        diagonal = normal.diagonal()
        normal = normal + library.diags_array(TUNING.diagonal[0] * diagonal + TUNING.diagonal[1])
        self._lower = _factored(normal, "NATURAL")
        spend(WORK.paths.pivot * self._lower.nnz)
        if len(self._dense):
            weighted = self._others * weights
            self._across = self._rows @ weighted.T
            self._through = self._lower.solve(self._across)
            corner = np.array([[_inner(one, other) for other in self._others] for one in weighted])
            self._corner = corner - self._across.T @ self._through

    def solved(self, right: Floats) -> Floats:
        """Return the solution for the last weights."""
        result = np.empty_like(right)
        first: Floats = self._lower.solve(right[self._sparse])
        if len(self._dense):
            rest: Floats = right[self._dense] - self._across.T @ first
            algebra: Any = np.linalg
            second: Floats = algebra.solve(self._corner, rest)
            first = first - self._through @ second
            result[self._dense] = second
        result[self._sparse] = first
        return result


def _factored(normal: Matrix, order: str) -> Any:
    """Return the factors of a symmetric matrix, its rows in an order that the solver names."""
    solver = cast("Any", linalg)
    return solver.splu(
        normal.tocsc(),
        permc_spec=order,
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _ordered(by_row: Matrix, rows: Integers) -> Integers:
    """Return rows in an order in which the factors of their normal equations have few entries."""
    library = cast("Any", sparse)
    pattern = abs(by_row[rows])
    normal = pattern @ pattern.T
    heavy = normal + library.diags_array(np.asarray(normal.sum(axis=1)).ravel() + 1.0)
    places: Integers = np.argsort(_factored(heavy, "MMD_AT_PLUS_A").perm_c)
    return rows[places]


def _products(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Return ``matrix @ matrix.T``, and its entries as products with the weights of the columns.

    Both are symmetric, so that the order of the entries is the same by rows and by columns.
    """
    library = cast("Any", sparse)
    size = int(matrix.shape[0])
    ones = library.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    pattern = (ones @ ones.T).tocsc()
    pattern.sort_indices()
    lengths: Integers = np.diff(pattern.indptr)
    place = np.repeat(np.arange(size), lengths) * size + pattern.indices
    columns = matrix.tocsc()
    heads: Integers = columns.indptr.astype(np.int64)
    counts = np.diff(heads)
    starts: Integers = np.concatenate([[0], np.cumsum(counts * counts)])
    entries = np.empty(starts[-1], dtype=np.int64)
    values = np.empty(starts[-1])
    sizes: list[int] = sorted(set(counts[counts > 0].tolist()))
    for count in sizes:
        those: Integers = np.flatnonzero(counts == count)
        inside = np.add.outer(heads[those], np.arange(count))
        rows, factors = columns.indices[inside].astype(np.int64), columns.data[inside]
        keys = (rows[:, :, None] * size + rows[:, None, :]).reshape(len(those), -1)
        to = np.add.outer(starts[those], np.arange(count * count))
        entries[to] = np.searchsorted(place, keys)
        values[to] = (factors[:, :, None] * factors[:, None, :]).reshape(keys.shape)
    return pattern, library.csc_array((values, entries, starts), (len(place), matrix.shape[1]))


def _first_point(program: LinearProgram, system: _Normal) -> InteriorPoint:
    """Return the first point of [1]: least squares, moved inside the bounds."""
    system.factor(np.ones(len(program.costs)))
    values = system.transposed @ system.solved(program.limits)
    prices = system.solved(system.matrix @ program.costs)
    reduced = program.costs - system.transposed @ prices
    values += max(0.0, -1.5 * float(values.min()))
    reduced += max(0.0, -1.5 * float(reduced.min()))
    product = _inner(values, reduced)
    return InteriorPoint(
        values=values + 0.5 * product / max(float(reduced.sum()), TUNING.close) + TUNING.close,
        prices=prices,
        reduced=reduced + 0.5 * product / max(float(values.sum()), TUNING.close) + TUNING.close,
    )


def _next_point(program: LinearProgram, system: _Normal, point: InteriorPoint) -> InteriorPoint:
    """Return the point after a predictor step and its correctors."""
    values, reduced = point.values, point.reduced
    weights = values / reduced
    system.factor(weights)
    missing = program.limits - system.matrix @ values
    excess = program.costs - system.transposed @ point.prices - reduced

    def direction(target: Floats) -> tuple[Floats, Floats, Floats]:
        right = missing + system.matrix @ (weights * excess - target / reduced)
        prices = system.solved(right)
        costs = excess - system.transposed @ prices
        return target / reduced - weights * costs, prices, costs

    mean = _complementarity(point)
    more, _, costs = direction(-values * reduced)
    primal_step, dual_step = _step(values, more), _step(reduced, costs)
    after = _inner(values + primal_step * more, reduced + dual_step * costs) / len(values)
    centre = min(1.0, max(0.0, after / mean)) ** 3 * mean
    target = centre - values * reduced - more * costs
    more, prices, costs = direction(target)
    primal_step, dual_step = _step(values, more), _step(reduced, costs)
    for _ in range(TUNING.correctors):
        tried = _corrected(point, (primal_step, more), (dual_step, costs), centre)
        others = direction(target + tried)
        longer_primal, longer_dual = _step(values, others[0]), _step(reduced, others[2])
        if longer_primal + longer_dual < (1.0 + TUNING.least_progress) * (primal_step + dual_step):
            break
        target = target + tried
        (more, prices, costs), primal_step, dual_step = others, longer_primal, longer_dual
    return InteriorPoint(
        values=values + TUNING.boundary * primal_step * more,
        prices=point.prices + TUNING.boundary * dual_step * prices,
        reduced=reduced + TUNING.boundary * dual_step * costs,
    )


def _corrected(
    point: InteriorPoint, primal: tuple[float, Floats], dual: tuple[float, Floats], centre: float
) -> Floats:
    """Return the target that moves the outliers among the products of a longer step inwards [2]."""
    (primal_step, more), (dual_step, costs) = primal, dual
    primal_step, dual_step = (
        min(1.0, primal_step + TUNING.longer),
        min(1.0, dual_step + TUNING.longer),
    )
    products = (point.values + primal_step * more) * (point.reduced + dual_step * costs)
    low, high = centre / TUNING.outlier, centre * TUNING.outlier
    moved = np.clip(products, low, high) - products
    return np.maximum(moved, -high)


def _step(place: Floats, direction: Floats) -> float:
    """Return how far a direction stays inside, at most the whole of it."""
    inward = direction < 0
    ratios = place[inward] / -direction[inward]
    return min(1.0, float(ratios.min(initial=1.0)))
