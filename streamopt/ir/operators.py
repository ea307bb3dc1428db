"""Operations of expressions: their names, and their results on numbers.

Division and remainder of integers truncate towards zero, and shifts to the right keep the sign,
as in C.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any, Self, TypeAlias


class BinaryOp(StrEnum):
    """Arithmetic on two operands."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MOD = "%"
    SHL = "<<"
    SHR = ">>"
    AND = "&"
    OR = "|"
    XOR = "^"

    @property
    def is_for_integers(self) -> bool:
        """Return whether real numbers don't have it."""
        return self not in _OF_REALS

    def of_integers(self, left: int, right: int) -> int:
        """Return the exact result, which no type limits.

        Raises
        ------
        ArithmeticError
            For a division by zero, and a shift by less than 0 or more than 63.

        Examples
        --------
        >>> BinaryOp.DIV.of_integers(-7, 2), BinaryOp.MOD.of_integers(-7, 2)
        (-3, -1)
        """
        return _OF_INTEGERS[self](left, right)

    def of_reals(self, left: float, right: float) -> float:
        """Return the result in double precision.

        Raises
        ------
        ArithmeticError
            For a division by zero, and an operation that only integers have.
        """
        if self.is_for_integers:
            raise ArithmeticError(f"{self.value} takes integers")
        return _OF_REALS[self](float(left), float(right))


class LogicOp(StrEnum):
    """Connectives of truth values."""

    AND = "and"
    OR = "or"


class CompareOp(StrEnum):
    """Comparisons; only inside conditions."""

    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="

    @property
    def opposite(self) -> CompareOp:
        """Return the comparison that holds where this one doesn't, of numbers."""
        return CompareOp(_OPPOSITE[self])

    @property
    def mirrored(self) -> CompareOp:
        """Return the comparison with its sides exchanged."""
        return CompareOp(self.value.translate(_MIRROR))

    def truth(self, low: int, high: int) -> bool | None:
        """Return how all numbers between two bounds compare with 0; None where they differ."""
        if not self.may_hold(low, high):
            return False
        return None if self.opposite.may_hold(low, high) else True

    def may_hold(self, low: Any, high: Any) -> Any:
        """Return whether a number between two bounds compares so with 0, or arrays of such."""
        if self is CompareOp.EQ:
            return (low <= 0) & (high >= 0)
        return self.holds(low, 0) | self.holds(high, 0)

    def holds(self, left: Any, right: Any) -> Any:
        """Return whether ``left op right``: of two numbers, or element by element of arrays."""
        return _HOLDS[self](left, right)


class Reduction(StrEnum):
    """How a reduction statement combines its terms."""

    ADD = "+"
    MUL = "*"
    MAX = "max"
    MIN = "min"

    @property
    def identity(self) -> float:
        """Return the value that a reduction starts from."""
        match self:
            case Reduction.ADD:
                return 0.0
            case Reduction.MUL:
                return 1.0
            case Reduction.MAX:
                return float("-inf")
            case Reduction.MIN:
                return float("inf")


_Span: TypeAlias = "tuple[float, float]"
"""The lowest and the highest value of an argument."""


def _least(span: _Span) -> float:
    low, high = span
    return max(low, -high, 0.0)


def _most(span: _Span) -> float:
    return max(map(abs, span))


def _alone(slope: Callable[[_Span], float]) -> Callable[[_Span], Sequence[float]]:
    return lambda span: [slope(span)]


def _slope_of_tangent(span: _Span) -> float:
    low, high = map(math.tan, span)
    return 1.0 + _most((low, high)) ** 2 if low <= high and span[1] - span[0] < 3 else math.inf


def _slopes_of_logarithm(base: float, off: float = 0.0) -> Callable[[_Span], Sequence[float]]:
    return _alone(lambda x: 1.0 / (off + x[0]) / math.log(base) if off + x[0] > 0 else math.inf)


def _slopes_of_distance(_x: _Span, _y: _Span) -> Sequence[float]:
    return [1.0, 1.0]


def _slopes_of_sign(_x: _Span, sign: _Span) -> Sequence[float]:
    return [1.0, 0.0 if _least(sign) else math.inf]


def _slopes_of_sum(a: _Span, b: _Span, _c: _Span) -> Sequence[float]:
    return [_most(b), _most(a), 1.0]


def _slopes_of_angle(y: _Span, x: _Span) -> Sequence[float]:
    steep = 1.0 / math.hypot(_least(y), _least(x))
    return [math.inf if x[0] <= 0 and _least(y) == 0 else steep] * 2


def _slopes_of_remainder(x: _Span, y: _Span) -> Sequence[float]:
    counts = {math.trunc(one / other) for one in x for other in y}
    return [1.0, *counts] if len(counts) == 1 and _least(y) else [math.inf] * 2


def _whole(value: float) -> int:
    return math.trunc(value)


def _rounded(value: float) -> int:
    """Return the nearest whole number, of two the one that is further from zero."""
    whole = math.trunc(value)
    return whole + int(math.copysign(abs(value - whole) >= 0.5, value))


def _fused(a: float, b: float, c: float) -> float:
    """Return ``a * b + c``, rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    return float(Fraction(a) * Fraction(b) + Fraction(c)) or a * b + c


class Function(StrEnum):
    """Functions that a statement may call, one row each: all stages read this table."""

    EXP = "exp", 1, math.exp
    LOG = "log", 1, math.log
    SQRT = "sqrt", 1, math.sqrt
    TANH = "tanh", 1, math.tanh
    ERF = "erf", 1, math.erf
    SIN = "sin", 1, math.sin
    COS = "cos", 1, math.cos
    ATAN = "atan", 1, math.atan, _alone(lambda _: 1.0)
    TAN = "tan", 1, math.tan, _alone(_slope_of_tangent)
    ASIN = "asin", 1, math.asin, _alone(lambda x: 1.0 / math.sqrt(1.0 - _most(x) ** 2))
    ACOS = "acos", 1, math.acos, _alone(lambda x: 1.0 / math.sqrt(1.0 - _most(x) ** 2))
    SINH = "sinh", 1, math.sinh, _alone(lambda x: math.cosh(_most(x)))
    COSH = "cosh", 1, math.cosh, _alone(lambda x: math.sinh(_most(x)))
    EXP2 = "exp2", 1, math.exp2, _alone(lambda x: math.exp2(x[1]))
    EXPM1 = "expm1", 1, math.expm1, _alone(lambda x: math.exp(x[1]))
    LOG2 = "log2", 1, math.log2, _slopes_of_logarithm(2.0)
    LOG10 = "log10", 1, math.log10, _slopes_of_logarithm(10.0)
    LOG1P = "log1p", 1, math.log1p, _slopes_of_logarithm(math.e, 1.0)
    CBRT = "cbrt", 1, math.cbrt, _alone(lambda x: 1.0 / (3.0 * math.cbrt(_least(x)) ** 2))
    FLOOR = "floor", 1, math.floor
    CEIL = "ceil", 1, math.ceil
    RINT = "rint", 1, round
    TRUNC = "trunc", 1, _whole
    ROUND = "round", 1, _rounded
    ABS = "abs", 1, math.fabs
    MAX = "max", 2, max
    MIN = "min", 2, min
    POW = "pow", 2, math.pow
    ATAN2 = "atan2", 2, math.atan2, _slopes_of_angle
    HYPOT = "hypot", 2, math.hypot, _slopes_of_distance
    FMOD = "fmod", 2, math.fmod, _slopes_of_remainder
    COPYSIGN = "copysign", 2, math.copysign, _slopes_of_sign
    FMA = "fma", 3, _fused, _slopes_of_sum

    _value_: str
    arity: int
    """Number of arguments."""
    of_reals: Callable[..., float]
    """Value in double precision; raises ArithmeticError or ValueError where there is none."""
    slopes: Callable[..., Sequence[float]] | None
    """Of functions whose rounding error has no rule of its own in `streamopt.verification`: for
    each argument, bounds of the partial derivative's size. It takes a pair of each argument's
    lowest and highest value."""

    def __new__(
        cls,
        name: str,
        arity: int,
        of_reals: Callable[..., float],
        slopes: Callable[..., Sequence[float]] | None = None,
    ) -> Self:
        """Make a member of a row."""
        member = str.__new__(cls, name)
        member._value_, member.arity = name, arity
        member.of_reals, member.slopes = of_reals, slopes
        return member

    @property
    def c_name(self) -> str:
        """Return the name in C's library, of the function on doubles."""
        return f"f{self}" if self.keeps_type else self.value

    @property
    def keeps_type(self) -> bool:
        """Return whether integers have an integer result; the others are done in double."""
        return self in (Function.ABS, Function.MAX, Function.MIN)


class Operator(StrEnum):
    """Operators in hardware; with the element type they name a row of a device family's table.

    A function has the operator of its name.
    """

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MOD = "mod"
    BITS = "bits"
    COMPARE = "compare"
    LOGIC = "logic"
    SELECT = "select"
    MIN = "min"
    MAX = "max"
    NEGATE = "negate"
    ABS = "abs"
    RECIPROCAL = "reciprocal"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    TANH = "tanh"
    ERF = "erf"
    SIN = "sin"
    COS = "cos"
    ATAN = "atan"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    SINH = "sinh"
    COSH = "cosh"
    EXP2 = "exp2"
    EXPM1 = "expm1"
    LOG2 = "log2"
    LOG10 = "log10"
    LOG1P = "log1p"
    CBRT = "cbrt"
    FLOOR = "floor"
    CEIL = "ceil"
    RINT = "rint"
    TRUNC = "trunc"
    ROUND = "round"
    POW = "pow"
    ATAN2 = "atan2"
    HYPOT = "hypot"
    FMOD = "fmod"
    COPYSIGN = "copysign"
    FMA = "fma"
    CAST = "cast"
    COPY = "copy"


def _divisor(right: float) -> float:
    if right == 0:
        raise ZeroDivisionError("it divides by zero")
    return right


def _quotient(left: int, right: int) -> int:
    _divisor(right)
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _distance(by: int) -> int:
    if 0 <= by < 64:
        return by
    raise ArithmeticError(f"it shifts by {by}")


_OF_REALS: Mapping[BinaryOp, Callable[[float, float], float]] = {
    BinaryOp.ADD: float.__add__,
    BinaryOp.SUB: float.__sub__,
    BinaryOp.MUL: float.__mul__,
    BinaryOp.DIV: lambda left, right: left / _divisor(right),
}
_OF_INTEGERS: Mapping[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: int.__add__,
    BinaryOp.SUB: int.__sub__,
    BinaryOp.MUL: int.__mul__,
    BinaryOp.DIV: _quotient,
    BinaryOp.MOD: lambda left, right: left - right * _quotient(left, right),
    BinaryOp.AND: int.__and__,
    BinaryOp.OR: int.__or__,
    BinaryOp.XOR: int.__xor__,
    BinaryOp.SHL: lambda left, right: left << _distance(right),
    BinaryOp.SHR: lambda left, right: left >> _distance(right),
}
_OPPOSITE = {"<": ">=", ">=": "<", "<=": ">", ">": "<=", "==": "!=", "!=": "=="}
_MIRROR = str.maketrans("<>", "><")
_HOLDS: Mapping[CompareOp, Callable[[Any, Any], Any]] = {
    CompareOp.LT: operator.lt,
    CompareOp.LE: operator.le,
    CompareOp.GT: operator.gt,
    CompareOp.GE: operator.ge,
    CompareOp.EQ: operator.eq,
    CompareOp.NE: operator.ne,
}
