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
into their range and to 3 bits at least. Weights that came with the program keep their values. What
else may be asked for says `streamopt.verification.vectors.input_ways`.

References
----------
[1] Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

from __future__ import annotations

from hashlib import sha256
from math import ceil, log2, prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.expression import Binary, BinaryOp, Call, Function, Read, reads, walk
from streamopt.ir.program import Reduction, Role
from streamopt.verification.storage import numbers_of, stored
from streamopt.verification.vectors.input_ways import DEFINITE, InputRange, InputWays, is_square

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Program, Statement
    from streamopt.verification.vectors.input_ways import Way

__all__ = ["make_inputs"]

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
            values[array.name] = np.asarray(given[array.name], dtype=np.float64)
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
