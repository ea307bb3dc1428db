"""One formula, several algebras.

The formulas of the model use only ``+``, ``*`` and `Algebra.maximum`, so the same line gives
integers (read-back, certificates), SymPy expressions (reports, notebooks) and the nonlinear
expressions of a mathematical program.
"""

from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from streamopt.extras import require


class Arithmetic(Protocol):
    """Operations that a value must offer to be a number of the model."""

    def __add__(self, other: Any, /) -> Any:
        """Return the sum with a value or an integer."""
        ...

    def __mul__(self, other: Any, /) -> Any:
        """Return the product with a value or an integer."""
        ...


T = TypeVar("T", bound=Arithmetic)


class Algebra(Protocol, Generic[T]):
    """How constants and maxima are made for one kind of value."""

    def constant(self, value: int) -> T:
        """Return the integer as a value."""
        ...

    def maximum(self, values: Iterable[T]) -> T:
        """Return the largest of one or more values."""
        ...


class _Integers:
    """Plain integers."""

    def constant(self, value: int) -> int:
        return value

    def maximum(self, values: Iterable[int]) -> int:
        return max(values)


class _Symbols:
    """SymPy expressions; imported when first made, as SymPy is slow to load."""

    def __init__(self) -> None:
        require("sympy", "report", "writing formulas")
        import sympy

        self._sympy: Any = sympy

    def constant(self, value: int) -> Any:
        return self._sympy.Integer(value)

    def maximum(self, values: Iterable[Any]) -> Any:
        return self._sympy.Max(*values)


INTEGERS: Algebra[int] = _Integers()


def symbolic() -> Algebra[Any]:
    """Return the algebra of SymPy expressions; E890 if SymPy isn't installed."""
    return _Symbols()
