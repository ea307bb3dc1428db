"""Reductions over many terms in unknown order, with a bound that holds for every order.

With terms ``(t_i, e_i)`` as `streamopt.verification.reference.error_bounds` has them, ``i = 1 ..
n``, and ``gamma_n(u) = n u / (1 - n u)``:

    sum      sum e_i + gamma_n(u) sum (|t_i| + e_i) + gamma_n(v) sum |t_i| + n t
    product  prod (|t_i| + e_i) (1 + gamma_n(u)) - prod |t_i| + 4 gamma_n(v) prod (|t_i| + e_i)
             + n t prod max(1, |t_i| + e_i)
    max      largest distance between max t_i and max (t_i - e_i), max (t_i + e_i); min likewise

The factor of a sum holds for every bracketing ([1] equation 4.4: each term passes through at
most n - 1 additions, one more for the identity), so for partial sums and trees of adders too.
The last term of the product is what an underflowing partial product can grow to. A sum of exact
multiples of a grain ``g`` is exact, in every order, if ``sum |t_i| <= 2**24 g``: no partial sum
needs rounding.

References
----------
[1] Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, chapters 3 and 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.operators import Reduction
from streamopt.verification.reference.bounded_array import Bounded, V, interval, settled
from streamopt.verification.reference.error_bounds import Reals
from streamopt.verification.reference.integers import whole

if TYPE_CHECKING:
    from streamopt.verification.reference.bounded_array import FloatArray

_SLACK = 1.0 + 2.0**-20  # rounding of sums of up to 2**32 bounds


class Accumulator(ABC):
    """Running reduction of one array; terms arrive in blocks.

    Attributes
    ----------
    terms
        Number of terms.
    size
        Sum of the absolute values of a sum's terms; None for other reductions.
    """

    def __init__(self, size: int, arithmetic: Reals) -> None:
        self.arithmetic = arithmetic
        self.terms: FloatArray = np.zeros(size)
        self.size: FloatArray | None = None
        self.grain = np.inf

    def add(self, targets: NDArray[np.intp], axes: tuple[int, ...], block: Bounded) -> None:
        """Combine a block, reduced over ``axes``, into the flat elements ``targets``.

        Parameters
        ----------
        targets
            Flat indices, of the block's shape with length 1 along ``axes``.
        block
            Terms in their full shape.
        """
        combined = float(np.prod([block.value.shape[axis] for axis in axes], dtype=np.int64))
        np.add.at(self.terms, targets.ravel(), combined)
        self.grain = min(self.grain, block.grain)
        self._combine(targets.ravel(), axes, block)

    def finish(self) -> Bounded:
        """Return the flat results; where no term arrived they mean nothing."""
        result = self._result()
        off = result.bound * _SLACK
        safe = np.abs(result.value) + off < self.arithmetic.largest
        safe |= (off == 0) & np.isinf(result.value)
        return Bounded(result.value, np.where(safe, off, np.inf), result.grain, result.ends)

    def _gamma(self, unit: float) -> FloatArray:
        part = self.terms * unit
        return np.where(part < 1.0, part / np.maximum(1.0 - part, unit), np.inf)

    @abstractmethod
    def _combine(
        self, targets: NDArray[np.intp], axes: tuple[int, ...], block: Bounded
    ) -> None: ...

    @abstractmethod
    def _result(self) -> Bounded: ...


class _Sum(Accumulator):
    def __init__(self, size: int, arithmetic: Reals) -> None:
        super().__init__(size, arithmetic)
        self.value, self.size, self.bound = self._sums = np.zeros((3, size))

    def _combine(self, targets: NDArray[np.intp], axes: tuple[int, ...], block: Bounded) -> None:
        np.add.at(self.value, targets, block.value.sum(axis=axes).ravel())
        np.add.at(self._sums[1], targets, np.abs(block.value).sum(axis=axes).ravel())
        np.add.at(self.bound, targets, block.bound.sum(axis=axes).ravel())

    def _result(self) -> Bounded:
        here, there = self._gamma(self.arithmetic.unit), self._gamma(V)
        size = self._sums[1]
        bound = self.bound + here * (size + self.bound) + there * size
        bound += self.terms * self.arithmetic.underflow
        exact = self.arithmetic.exact(size, self.bound, self.grain)
        return Bounded(self.value, np.where(exact, 0.0, bound), self.grain)


class _Product(Accumulator):
    def __init__(self, size: int, arithmetic: Reals) -> None:
        super().__init__(size, arithmetic)
        self.value, self.high, self.growth = np.ones((3, size))

    def _combine(self, targets: NDArray[np.intp], axes: tuple[int, ...], block: Bounded) -> None:
        high = np.abs(block.value) + block.bound
        np.multiply.at(self.value, targets, block.value.prod(axis=axes).ravel())
        np.multiply.at(self.high, targets, high.prod(axis=axes).ravel())
        np.multiply.at(self.growth, targets, np.maximum(high, 1.0).prod(axis=axes).ravel())

    def _result(self) -> Bounded:
        here, there = self._gamma(self.arithmetic.unit), self._gamma(V)
        propagated = np.maximum(self.high - np.abs(self.value), 0.0)
        rounding = (here + 4.0 * there) * self.high
        underflow = self.terms * self.arithmetic.underflow * self.growth
        return Bounded(self.value, propagated + rounding + underflow)


class _Extreme(Accumulator):
    def __init__(self, size: int, arithmetic: Reals, reduction: Reduction) -> None:
        super().__init__(size, arithmetic)
        self.extreme = np.maximum if reduction is Reduction.MAX else np.minimum
        self.value, self.low, self.high = np.full((3, size), reduction.identity)

    def _combine(self, targets: NDArray[np.intp], axes: tuple[int, ...], block: Bounded) -> None:
        low, high = (np.broadcast_to(end, block.value.shape) for end in interval(block))
        for kept, terms in ((self.value, block.value), (self.low, low), (self.high, high)):
            self.extreme.at(kept, targets, self.extreme.reduce(terms, axis=axes).ravel())

    def _result(self) -> Bounded:
        unknown = np.full(self.value.shape, np.inf)
        return settled(self.value, unknown, self.grain, (self.low, self.high))


def accumulator(reduction: Reduction, size: int, arithmetic: Reals) -> Accumulator:
    """Return an empty accumulator for an array of ``size`` elements."""
    match reduction:
        case Reduction.ADD:
            return _Sum(size, arithmetic)
        case Reduction.MUL:
            return _Product(size, arithmetic)
        case Reduction.MAX | Reduction.MIN:
            return _Extreme(size, arithmetic, reduction)


class WholeSums:
    """Sums of whole numbers of any size, which wrap around at the end."""

    def __init__(self, size: int) -> None:
        self._value: NDArray[Any] = np.zeros(size, object)
        self._bound = np.zeros(size)

    def add(self, targets: NDArray[np.intp], block: Bounded, axes: tuple[int, ...]) -> None:
        """Add a block, summed over ``axes``, to the flat elements ``targets``."""
        numbers = whole(block.value).sum(axis=axes, keepdims=True)
        np.add.at(self._value, targets.ravel(), np.ravel(numbers))
        np.add.at(self._bound, targets.ravel(), np.ravel(block.bound.sum(axis=axes)))

    def finish(self) -> Bounded:
        """Return the flat sums."""
        return Bounded(self._value, self._bound)
