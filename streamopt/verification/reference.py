"""The reference interpreter: what a program computes, and how far its elements may be rounded.

Executes the source program, before any transform, in double precision, nest by nest and block by
block with NumPy. Next to every value it carries a rigorous bound on the distance to any evaluation
of the same operations in the array's element type, in any order of summation: the derivation is in
`streamopt.verification.error_bounds` (operations) and `streamopt.verification.accumulate`
(reductions). A statement computes in the element type of its target; operands are converted to it.

An element that no nest has written is NaN, with an infinite bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, assert_never

import numpy as np

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.expression import Binary, Call, Compare, Literal, Read, Select, reads
from streamopt.verification.accumulate import accumulator
from streamopt.verification.error_bounds import Arithmetic, Bounded, Condition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from streamopt.ir.expression import Access, Expression
    from streamopt.ir.program import Array, Nest, Program, Statement
    from streamopt.verification.error_bounds import FloatArray

__all__ = ["BLOCK_POINTS", "Result", "execute"]

BLOCK_POINTS = 2**20
"""Most iterations evaluated at once: some ten temporary arrays of 8 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Values of one array, and how far an evaluation in its element type may be off.

    Attributes
    ----------
    value
        Double precision, of the array's shape.
    bound
        Absolute, per element; infinite where nothing can be promised.
    """

    value: FloatArray
    bound: FloatArray


def execute(program: Program, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, Result]:
    """Return value and bound of every array after the program has run.

    Parameters
    ----------
    inputs
        Values of all inputs and weights, in their arrays' shapes. Values that the element type
        can't represent are allowed; the bound then includes their rounding.

    Raises
    ------
    VerificationError
        E710 for inputs that are missing or have another shape, E711 for a nest whose statements
        depend on each other's order, E712 for a subscript outside its array.
    """
    state = _given(program, inputs)
    for array in program.arrays:
        if not array.is_given:
            undefined = np.full((2, array.size_elems), np.nan)
            state[array.name] = Bounded(undefined[0], undefined[1], np.inf)
    with np.errstate(all="ignore"):
        for nest in program.nests:
            _check_independent(nest)
            for statement in nest.statements:
                _Execution(program, nest, statement, state).run()
    return {array.name: _result(array, state[array.name]) for array in program.arrays}


def _given(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, Bounded]:
    state: dict[str, Bounded] = {}
    problems: list[Diagnostic] = []
    for array in program.arrays:
        if not array.is_given:
            continue
        if array.name not in inputs:
            problems.append(Diagnostic("E710", f"{array.role} {array.name} has no values"))
            continue
        value = np.asarray(inputs[array.name], dtype=np.float64)
        if value.shape != array.shape:
            message = f"{array.role} {array.name} has shape {value.shape}, expected {array.shape}"
            problems.append(Diagnostic("E710", message))
        state[array.name] = Arithmetic(array.element).given(value.ravel())
    if problems:
        raise VerificationError(*problems)
    return state


def _result(array: Array, flat: Bounded) -> Result:
    bound = np.where(np.isnan(flat.value) | np.isnan(flat.bound), np.inf, flat.bound)
    return Result(flat.value.reshape(array.shape), bound.reshape(array.shape))


def _check_independent(nest: Nest) -> None:
    """Refuse a nest whose statements can't run one after another over the whole domain.

    They can if every array that the nest writes and touches again is touched at one element per
    iteration, which no other iteration touches.
    """
    names = [loop.name for loop in nest.loops if loop.trip_count > 1]
    for statement in nest.statements:
        target = statement.target
        others = [s.target for s in nest.statements if s is not statement]
        others += [access for s in nest.statements for access in reads(s.value)]
        touched = {access for access in others if access.array == target.array}
        own = {subscript.as_iterator() for subscript in target.subscripts}
        if touched and (touched != {target} or not own.issuperset(names)):
            message = f"nest '{nest.name}' touches {target.array} at several elements in one pass"
            hint = "split the nest so that each statement has its own"
            raise VerificationError(
                Diagnostic("E711", message, statement.loc or nest.loc, hint),
            )


class _Execution:
    """One statement over its whole domain."""

    def __init__(
        self, program: Program, nest: Nest, statement: Statement, state: dict[str, Bounded]
    ) -> None:
        self.nest = nest
        self.statement = statement
        self.state = state
        self.arrays = {array.name: array for array in program.arrays}
        self.target = self.arrays[statement.target.array]
        self.arithmetic = Arithmetic(self.target.element)
        used = statement.target.iterators()
        self.idle = tuple(axis for axis, loop in enumerate(nest.loops) if loop.name not in used)

    def run(self) -> None:
        reduction = self.statement.reduction
        if reduction is None:
            self._assign()
            return
        sums = accumulator(reduction, self.target.size_elems, self.arithmetic)
        for point in self._points(self._extents(every=True)):
            shape = tuple(len(np.ravel(axis)) for axis in point.values())
            term = self._evaluate(self.statement.value, point)
            assert isinstance(term, Bounded)
            value, bound = (np.broadcast_to(part, shape) for part in (term.value, term.bound))
            full = Bounded(value, bound, term.grain)
            kept = tuple(1 if axis in self.idle else n for axis, n in enumerate(shape))
            targets = np.broadcast_to(self._flat(self.statement.target, point), kept)
            sums.add(targets, self.idle, full)
        total, old = sums.finish(), self.state[self.target.name]
        here = sums.terms > 0
        self.state[self.target.name] = Bounded(
            np.where(here, total.value, old.value),
            np.where(here, total.bound, old.bound),
            min(total.grain, old.grain),
        )

    def _assign(self) -> None:
        """Assign block by block; loops that the target doesn't use leave their last value."""
        old = self.state[self.target.name]
        value, bound, grain = old.value.copy(), old.bound.copy(), old.grain
        for point in self._points(self._extents(every=False)):
            shape = tuple(len(np.ravel(axis)) for axis in point.values())
            result = self._evaluate(self.statement.value, point)
            assert isinstance(result, Bounded)
            targets = np.broadcast_to(self._flat(self.statement.target, point), shape).ravel()
            value[targets] = np.broadcast_to(result.value, shape).ravel()
            bound[targets] = np.broadcast_to(result.bound, shape).ravel()
            grain = min(grain, result.grain)
        self.state[self.target.name] = Bounded(value, bound, grain)

    def _extents(self, *, every: bool) -> list[range]:
        return [
            range(loop.trip_count)
            if every or axis not in self.idle
            else range(loop.trip_count - 1, loop.trip_count)
            for axis, loop in enumerate(self.nest.loops)
        ]

    def _points(self, extents: list[range]) -> Iterator[dict[str, NDArray[np.int64]]]:
        """Yield blocks of the domain in program order: one index array per loop, broadcasting."""
        names = [loop.name for loop in self.nest.loops]
        for block in _blocks(extents):
            axes = np.ix_(*(np.asarray(extent, dtype=np.int64) for extent in block))
            yield dict(zip(names, axes, strict=True))

    def _flat(self, access: Access, point: dict[str, NDArray[np.int64]]) -> NDArray[np.intp]:
        """Return the flat index of an access at every point of a block."""
        flat: Any = np.zeros((1,) * len(point), dtype=np.intp)
        for subscript, extent in zip(
            access.subscripts, self.arrays[access.array].shape, strict=True
        ):
            index = np.asarray(subscript.evaluate(point))
            if index.min() < 0 or index.max() >= extent:
                worst = int(index.min()) if index.min() < 0 else int(index.max())
                message = f"nest '{self.nest.name}': subscript {subscript} of {access} reaches "
                message += f"{worst}, outside 0 .. {extent - 1}"
                raise VerificationError(Diagnostic("E712", message, self.statement.loc))
            flat = flat * extent + index
        return flat

    def _evaluate(
        self, expression: Expression, point: dict[str, NDArray[np.int64]]
    ) -> Bounded | Condition:
        match expression:
            case Literal(value):
                return self.arithmetic.literal(value)
            case Read(access):
                return self._read(access, point)
            case Binary(op, left, right):
                return self.arithmetic.binary(op, *self._values(point, left, right))
            case Call(function, arguments):
                return self.arithmetic.call(function, self._values(point, *arguments))
            case Compare(op, left, right):
                return self.arithmetic.compare(op, *self._values(point, left, right))
            case Select(condition, then, otherwise):
                holds = self._evaluate(condition, point)
                assert isinstance(holds, Condition)
                return self.arithmetic.select(holds, *self._values(point, then, otherwise))
            case _:
                assert_never(expression)

    def _values(
        self, point: dict[str, NDArray[np.int64]], *operands: Expression
    ) -> tuple[Bounded, ...]:
        values: list[Bounded] = []
        for operand in operands:
            value = self._evaluate(operand, point)
            assert isinstance(value, Bounded)
            values.append(value)
        return tuple(values)

    def _read(self, access: Access, point: dict[str, NDArray[np.int64]]) -> Bounded:
        source, flat = self.state[access.array], self._flat(access, point)
        operand = Bounded(source.value[flat], source.bound[flat], source.grain)
        if self.arrays[access.array].element is self.target.element:
            return operand
        return self.arithmetic.convert(operand)


def _blocks(extents: list[range]) -> Iterator[tuple[range, ...]]:
    """Split a box into boxes of at most `BLOCK_POINTS` points, in row-major order."""
    points = prod(len(extent) for extent in extents)
    if points <= BLOCK_POINTS:
        yield tuple(extents)
        return
    axis = next(at for at, extent in enumerate(extents) if len(extent) > 1)
    step = max(1, BLOCK_POINTS * len(extents[axis]) // points)
    for start in range(0, len(extents[axis]), step):
        part = extents[axis][start : start + step]
        yield from _blocks([*extents[:axis], part, *extents[axis + 1 :]])
