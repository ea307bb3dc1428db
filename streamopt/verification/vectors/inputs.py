"""Deterministic inputs: the same on every platform, and exact in every element type.

Element ``n`` of an array is one step of the SplitMix64 generator [1] from a key that the seed and
the array's name give, reduced to a multiple of ``2**-bits`` in [-1, 1]. Fewer bits leave more room
for exact sums. Two corrections keep values away from where a program is ill-conditioned:

- a weight that a sum of ``n`` terms reads is scaled by a power of two near ``1 / sqrt(n)``, as in
  a trained network, so that layers neither saturate nor vanish;
- an array that is read inside a divisor, a root or a logarithm is drawn from [0.5, 1.5].

Both hold for an array that is read through copies of it too. A square matrix that a sequential
nest divides by, or takes roots of, is symmetric and diagonally dominant, as decompositions need.
Integers are whole numbers of at most 7 in size; fixed-point numbers are scaled by a power of two,
into their range and to 3 bits at least. Weights that came with the program keep their values.

Others may be asked for, by a range, ``0.5:1.5``, or by ``spd``: a square matrix is symmetric and
positive definite, as decompositions and solvers need. A way holds for one array, ``A=spd``, or for
all that have no way of their own; there ``spd`` leaves arrays that aren't square matrices as they
are. Values may be given as well.

References
----------
[1] Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import ceil, log2, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.expression import Binary, BinaryOp, Call, Function, Read, reads, walk
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Program, Role, Statement
from streamopt.verification.storage import numbers_of, stored

_FIXED_BITS = 3


def make_inputs(
    program: Program, seed: int = 0, bits: int = 8, shrink: int = 0, ways: InputWays | None = None
) -> Mapping[str, NDArray[np.float64]]:
    """Return values of all inputs and weights, in their arrays' shapes.

    Parameters
    ----------
    ways
        How arrays are drawn instead, and values of others.
    bits
        Values are whole multiples of ``2**-bits`` before a weight's scale, ``2**-(bits + 1)`` in
        [0.5, 1.5]; at most 20.
    shrink
        Inputs around 0 are divided by ``2**shrink``, for programs that divide by what is left of
        1 after they are taken away.
    """
    origin = _origins(program)
    positive: set[str] = set()
    terms: dict[str, int] = {}
    for count, statement in _statements(program):
        positive.update(origin.get(name, name) for name in _delicate(statement))
        for access in (a for e in statement.expressions for a in reads(e)):
            name = origin.get(access.array, access.array)
            terms[name] = max(count, terms.get(name, 1))
    decomposed = {source for nest in program.nests for _, source in nest.carries} & positive
    asked = ways or InputWays()
    given = {**program.values, **asked.values}
    values: dict[str, NDArray[np.float64]] = {}
    for array in program.arrays:
        if array.name in given:
            values[array.name] = np.asarray(given[array.name], np.float64).reshape(array.shape)
        elif array.is_given:
            drawn, way = _symmetric(array, seed, bits), asked.of(array)
            if way is None and array.name in decomposed and is_square(array):
                way = DEFINITE
            if way is not None:
                drawn = _drawn_by(way, drawn, array)
            elif array.name in positive and not array.element.is_integer:
                drawn = 1.0 + drawn / 2.0
            else:
                drawn = _around_zero(drawn, array, terms.get(array.name, 1), shrink)
            values[array.name] = drawn if isinstance(way, InputRange) else _within(drawn, array)
    return values


def _around_zero(
    drawn: NDArray[np.float64], array: Array, terms: int, shrink: int
) -> NDArray[np.float64]:
    """Return numbers in [-1, 1] as whole numbers, or scaled by a power of two."""
    if array.element.is_integer:
        whole = np.rint(drawn * 7.0)
        return whole if array.element.is_signed else np.abs(whole)
    if array.role is Role.WEIGHT:
        return drawn * 2.0 ** -ceil(log2(terms) / 2.0)
    return drawn * 2.0**-shrink


def _drawn_by(way: Way, drawn: NDArray[np.float64], array: Array) -> NDArray[np.float64]:
    """Return numbers around 0 brought into a range, or a definite matrix made of them."""
    if not isinstance(way, InputRange):
        return _dominant(drawn)
    middle, half = (way.low + way.high) / 2.0, (way.high - way.low) / 2.0
    inside = np.clip(middle + half * drawn, way.low, way.high)
    return numbers_of(stored(inside, array.element), array.element)


def _within(drawn: NDArray[np.float64], array: Array) -> NDArray[np.float64]:
    """Return values near 1 brought into the range of a fixed-point type, with some of its bits."""
    if not array.element.is_fixed:
        return drawn
    form = array.element.fixed_point
    scale = min(form.integer_bits - 2, max(0, _FIXED_BITS - form.fraction_bits))
    return numbers_of(stored(np.ldexp(drawn, scale), array.element), array.element)


def _dominant(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a symmetric matrix of positive elements with a heavy diagonal."""
    size = 2.0 ** ceil(log2(4 * len(drawn)))
    return (2.0 + drawn + drawn.T) / size + 2.0 * np.eye(len(drawn))


def _origins(program: Program) -> dict[str, str]:
    """Return the array that each array is a plain copy of, through any number of copies."""
    origins: dict[str, str] = {}
    for nest in program.nests:
        origins.update((target, origins.get(source, source)) for target, source in nest.carries)
    for _, statement in _statements(program):
        match statement.value:
            case Read(access) if statement.reduction is None:
                source = origins.get(access.array, access.array)
                if program.array(source).is_given:
                    origins.setdefault(statement.target.array, source)
            case _:
                pass
    return origins


def _symmetric(array: Array, seed: int, bits: int) -> NDArray[np.float64]:
    key = sha256(f"{seed}:{array.name}".encode()).digest()[:8]
    steps = np.arange(1, array.size_elems + 1, dtype=np.uint64)
    state = np.frombuffer(key, dtype="<u8") + steps * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    steps_each_side = 2**bits
    level = (state >> np.uint64(16)) % np.uint64(2 * steps_each_side + 1)
    return ((level.astype(np.float64) - steps_each_side) / steps_each_side).reshape(array.shape)


def _statements(program: Program) -> Iterator[tuple[int, Statement]]:
    """Yield every statement and the number of terms of each of its sums, 1 without a sum."""
    for nest in program.nests:
        for statement in nest.statements:
            used = statement.target.iterators()
            trips = (loop.trip_count for loop in nest.loops if loop.name not in used)
            yield prod(trips) if statement.reduction is Reduction.ADD else 1, statement


def _delicate(statement: Statement) -> Iterator[str]:
    for node in (part for e in statement.expressions for part in walk(e)):
        match node:
            case Binary(BinaryOp.DIV, _, inner) | Call(Function.SQRT | Function.LOG, (inner,)):
                yield from (access.array for access in reads(inner))
            case _:
                pass


_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER})", re.ASCII)
_HINT = (
    "write 0.5:1.5, spd, A=0.5:1.5, A=spd, or the path of a file data.npz; "
    "shapes of a PyTorch module as 1x3x32x32,1x10:int64"
)


@dataclass(frozen=True, slots=True)
class InputRange:
    """Numbers from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return the text that says so."""
        return f"{self.low!r}:{self.high!r}"


@dataclass(frozen=True, slots=True)
class Definite:
    """A symmetric positive definite matrix."""

    def __str__(self) -> str:
        """Return the text that says so."""
        return "spd"


DEFINITE = Definite()
Way: TypeAlias = InputRange | Definite


@dataclass(frozen=True, slots=True, eq=False)
class InputWays:
    """Ways by array, ``""`` for all others, and the values that are given."""

    ways: Mapping[str, Way] = field(default_factory=dict[str, "Way"])
    values: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, "NDArray[Any]"])

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the ways as texts, which `parsed_ways` reads."""
        return tuple(f"{name}={way}" if name else str(way) for name, way in self.ways.items())

    @property
    def are_given(self) -> bool:
        """Return whether anything is said at all."""
        return bool(self.ways or self.values)

    def of(self, array: Array) -> Way | None:
        """Return how an array is drawn; None for as usual."""
        own = self.ways.get(array.name)
        if own is not None:
            return own
        common = self.ways.get("")
        return None if common == DEFINITE and not is_square(array) else common

    def check(self, program: Program) -> None:
        """Refuse what doesn't suit a program.

        Raises
        ------
        VerificationError
            E725 for a name that is no input or weight, for ``spd`` of an array that is no square
            matrix, and for values of another shape.
        """
        problems = [*self._problems({array.name: array for array in program.arrays})]
        if problems:
            raise VerificationError(*problems)

    def _problems(self, arrays: Mapping[str, Array]) -> Iterator[Diagnostic]:
        given = ", ".join(name for name, array in arrays.items() if array.is_given)
        for name in dict.fromkeys([*filter(None, self.ways), *self.values]):
            array = arrays.get(name)
            if array is None or not array.is_given:
                message = f"'{name}' is no input or weight of the program"
                yield Diagnostic("E725", message, hint=f"it has {given or 'none'}")
            elif self.ways.get(name) == DEFINITE and not is_square(array):
                message = f"{name} can't be symmetric and positive definite: its shape is "
                hint = "spd is for square matrices"
                yield Diagnostic("E725", f"{message}{array.shape}", hint=hint)
            elif name in self.values and not array.takes(self.values[name].shape):
                found = f"the values of '{name}' have shape {self.values[name].shape}"
                yield Diagnostic("E725", f"{found}, expected {array.shape}")


def is_square(array: Array) -> bool:
    """Return whether an array is a square matrix of numbers that are not whole."""
    return (
        len(array.shape) == 2
        and array.shape[0] == array.shape[1] > 1
        and not array.element.is_integer
    )


def parsed_ways(texts: Iterable[str]) -> dict[str, Way]:
    """Return ways by array.

    Raises
    ------
    VerificationError
        E724 for texts that say no way.
    """
    found: dict[str, Way] = {}
    problems: list[Diagnostic] = []
    for text in texts:
        name, sign, said = text.rpartition("=")
        way = _way(said)
        if way is None or (sign and not name):
            message = f"'{text}' doesn't say how test inputs are drawn"
            problems.append(Diagnostic("E724", message, hint=_HINT))
        else:
            found[name] = way
    if problems:
        raise VerificationError(*problems)
    return found


def _way(text: str) -> Way | None:
    if text == str(DEFINITE):
        return DEFINITE
    ends = _RANGE.fullmatch(text)
    if ends is None:
        return None
    low, high = map(float, ends.groups())
    return InputRange(low, high) if low <= high and math.isfinite(high - low) else None
