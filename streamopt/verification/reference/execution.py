"""The reference interpreter: what a program computes, and how far its elements may be rounded.

Executes the source program, before any transform, in double precision, nest by nest and block by
block with NumPy. Next to every value it carries a rigorous bound on the distance to any evaluation
of the same operations in the array's element type, in any order of summation: the derivation is in
`streamopt.verification.reference.error_bounds` (operations) and
`streamopt.verification.reference.accumulate` (reductions). Types are C's, see
`streamopt.ir.expression`. A sequential nest runs in its order, one scalar at a time
(`streamopt.verification.reference.in_order`).

An element that no nest has written is NaN, with an infinite bound.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import MAX_ELEMENT_BITS, ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Compare,
    Expression,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    affine_conjuncts,
    negated,
    reads,
)
from streamopt.ir.expression import Condition as ConditionTree
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Nest, Program, Statement
from streamopt.verification.reference.accumulate import WholeSums, accumulator
from streamopt.verification.reference.blocks import BLOCK_POINTS, Point, blocks, point_of
from streamopt.verification.reference.bounded_array import (
    Bounded,
    BoundedCondition,
    compare_bounded,
    join_conditions,
    replaced,
    select_bounded,
)
from streamopt.verification.reference.contraction import contracted, contraction_of
from streamopt.verification.reference.error_bounds import Reals
from streamopt.verification.reference.fixed_point import (
    Arithmetic,
    FixedArrays,
    arithmetic_of,
    difference,
    in_type,
    term_type,
)
from streamopt.verification.reference.in_order import execute_in_order
from streamopt.verification.reference.integers import Integers, as_doubles

if TYPE_CHECKING:
    from streamopt.verification.reference.bounded_array import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Values of one array, and how far an evaluation in its element type may be off."""

    value: FloatArray
    """Double precision, of the array's shape."""
    bound: FloatArray
    """Absolute, per element; infinite where nothing can be promised."""


def execute(
    program: Program, inputs: Mapping[str, NDArray[Any]], *, in_any_order: bool = False
) -> Mapping[str, Result]:
    """Return value and bound of every array after the program has run.

    Parameters
    ----------
    inputs
        Values of all inputs and weights, in their arrays' shapes. Values that the element type
        can't represent are allowed; the bound then includes their rounding.
    in_any_order
        Whether sums of sequential nests may have been added in any order, too.

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
            if nest.sequential:
                execute_in_order(program, nest, state, in_any_order=in_any_order)
                continue
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
        given = inputs.get(array.name, program.values.get(array.name))
        if given is None:
            problems.append(Diagnostic("E710", f"{array.role} {array.name} has no values"))
            continue
        value = np.asarray(given, dtype=np.float64)
        if not array.takes(value.shape):
            message = f"{array.role} {array.name} has shape {value.shape}, expected {array.shape}"
            problems.append(Diagnostic("E710", message))
        state[array.name] = arithmetic_of(array.element).given(value.ravel())
    if problems:
        raise VerificationError(*problems)
    return state


def _result(array: Array, flat: Bounded) -> Result:
    flat = replace(flat, value=flat.value.astype(np.float64))
    bound = np.where(np.isnan(flat.value) | np.isnan(flat.bound), np.inf, flat.bound)
    if array.element.is_fixed:
        fraction = array.element.fixed_point.fraction_bits
        bound = np.ldexp(bound, -fraction)
        flat = Bounded(np.ldexp(flat.value, -fraction), bound)
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
        others += [a for s in nest.statements for e in s.expressions for a in reads(e)]
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
        self.element = self.target.element
        used = statement.target.iterators()
        self.reached: NDArray[np.bool_] | None = None
        self.idle = tuple(axis for axis, loop in enumerate(nest.loops) if loop.name not in used)

    def run(self) -> None:
        """Carry it out."""
        contraction = contraction_of(self.nest, self.statement, self._element)
        total = None
        if contraction is not None:
            total = contracted(contraction, self.target.size_elems, self._value, self._flat)
        if total is None:
            self._run_term_by_term()
            return
        trips, old = self.nest.trip_counts, self.state[self.target.name]
        every = point_of(trips, map(range, trips.values()))
        here = self._flat(self.statement.target, every).ravel()
        found = Integers(self.element).convert(total.at(here))
        self.state[self.target.name] = replaced(old, [(here, found)])

    def _run_term_by_term(self) -> None:
        reduction, old = self.statement.reduction, self.state[self.target.name]
        if reduction is None:
            self.state[self.target.name] = replaced(old, self._assigned())
            return
        reals = Reals.of(self.element if self.element.is_float else ElementType.DOUBLE)
        sums = accumulator(reduction, self.target.size_elems, reals)
        for term, point in self._terms(reduction):
            targets, full = self._block(as_doubles(term), point)
            sums.add(targets, self.idle, full)
        total = sums.finish()
        is_large = self.element.is_integer and self.element.bits > MAX_ELEMENT_BITS
        if is_large and reduction is Reduction.ADD and np.any(total.bound):
            whole = WholeSums(self.target.size_elems)
            for term, point in self._terms(reduction):
                whole.add(*self._block(term, point), self.idle)
            total = whole.finish()
        arithmetic = arithmetic_of(self.element)
        if isinstance(arithmetic, FixedArrays):
            total = arithmetic.reduced(total, sums.size)
        elif isinstance(arithmetic, Integers):
            total = arithmetic.convert(total)
        here = np.flatnonzero(sums.terms > 0)
        self.state[self.target.name] = replaced(old, [(here, total.at(here))])

    def _terms(self, reduction: Reduction) -> Iterator[tuple[Bounded, Point]]:
        """Yield the blocks of what a reduction starts from, and of its terms."""
        extents = self._extents(every=True)
        if self.statement.start is not None:
            first = [range(1) if axis in self.idle else e for axis, e in enumerate(extents)]
            for point in self._points(first):
                yield self._value(self.statement.start, point, self.element), point
        for point in self._points(extents):
            yield self._guarded_term(reduction, point), point

    def _guarded_term(self, reduction: Reduction, point: Point) -> Bounded:
        """Return the terms of a block; the reduction's identity where the guard doesn't hold."""
        guard = self.statement.guard
        element = term_type(self.element) if self.element.is_fixed else self.element
        if guard is None:
            return self._value(self.statement.value, point, element)
        condition = self._condition(guard, point)
        with self._under(guard, point):
            term = self._value(self.statement.value, point, element)
        identity = reduction.identity
        nothing = Bounded(np.asarray(identity), np.zeros(()), np.inf)
        if not np.isfinite(identity):
            never = np.zeros(np.shape(condition.unsure), np.bool_)
            found = select_bounded(BoundedCondition(condition.holds, never), term, nothing)
            unsure = np.where(condition.unsure, np.inf, found.bound)
            return Bounded(found.value, unsure, term.grain, found.ends)
        return select_bounded(condition, term, nothing)

    def _block(self, term: Bounded, point: Point) -> tuple[NDArray[np.intp], Bounded]:
        """Return the elements that a block of terms goes to, and the terms in their full shape."""
        shape = tuple(len(np.ravel(axis)) for axis in point.values())
        kept = tuple(1 if axis in self.idle else n for axis, n in enumerate(shape))
        targets = np.broadcast_to(self._flat(self.statement.target, point), kept)
        return targets, _broadcast(term, shape)

    def _assigned(self) -> Iterator[tuple[NDArray[np.intp], Bounded]]:
        """Yield assigned blocks; loops that the target doesn't use leave their last value."""
        for point in self._points(self._extents(every=False)):
            shape = tuple(len(np.ravel(axis)) for axis in point.values())
            result = self._value(self.statement.value, point, self.element)
            targets = np.broadcast_to(self._flat(self.statement.target, point), shape)
            yield targets, _broadcast(result, shape)

    def _extents(self, *, every: bool) -> list[range]:
        return [
            range(loop.trip_count)
            if every or axis not in self.idle
            else range(loop.trip_count - 1, loop.trip_count)
            for axis, loop in enumerate(self.nest.loops)
        ]

    def _points(self, extents: list[range]) -> Iterator[Point]:
        """Yield blocks of the domain in program order: one index array per loop, broadcasting."""
        names = [loop.name for loop in self.nest.loops]
        for block in blocks(extents, BLOCK_POINTS):
            yield point_of(names, block)

    def _flat(self, access: Access, point: Point) -> NDArray[np.intp]:
        """Return the flat index of an access at every point of a block."""
        flat: Any = np.zeros((1,) * len(point), dtype=np.intp)
        shape = self.arrays[access.array].shape
        for subscript, extent in zip(access.subscripts, shape, strict=True):
            index = np.asarray(subscript.evaluate(point))
            outside = (index < 0) | (index >= extent)
            if self.reached is not None:
                index, outside = np.where(outside, 0, index), outside & self.reached
            if outside.any():
                worst = int(np.broadcast_to(subscript.evaluate(point), outside.shape)[outside][0])
                message = f"nest '{self.nest.name}': subscript {subscript} of {access} reaches "
                message += f"{worst}, outside 0 .. {extent - 1}"
                raise VerificationError(Diagnostic("E712", message, self.statement.loc))
            flat = flat * extent + index
        return flat

    @contextmanager
    def _under(self, condition: ConditionTree, point: Point) -> Generator[None]:
        """Evaluate what only the points where a condition holds need."""
        before = self.reached
        for part in affine_conjuncts(condition):
            holds = self._condition(part, point).holds
            self.reached = holds if self.reached is None else self.reached & holds
        yield
        self.reached = before

    def _element(self, name: str) -> ElementType:
        return self.arrays[name].element

    def _value(self, expression: Expression, point: Point, wanted: ElementType) -> Bounded:
        """Return an expression's value at every point of a block, converted to a type."""
        element = expression_type(expression, self._element) or wanted
        value = self._evaluate(expression, point, element)
        return value if element is wanted else in_type(value, element, wanted)

    def _evaluate(self, expression: Expression, point: Point, element: ElementType) -> Bounded:
        arithmetic = arithmetic_of(element)
        match expression:
            case Literal(value):
                return arithmetic.literal(value)
            case Read(access):
                return self._read(access, point, arithmetic)
            case Index(value):
                return arithmetic.given(np.asarray(value.evaluate(point), dtype=np.float64))
            case Cast(_, operand):
                return self._value(operand, point, element)
            case Binary():
                return self._operated(expression, point, arithmetic)
            case Call(function, arguments):
                values = tuple(self._value(argument, point, element) for argument in arguments)
                return arithmetic.call(function, values)
            case Select():
                return self._selected(expression, point, element)
            case Compare() | Logic():
                truth = self._condition(expression, point)
                ones = (Bounded(np.asarray(v), np.zeros(()), 1.0) for v in (1.0, 0.0))
                return select_bounded(truth, *ones)
            case _:
                assert_never(expression)

    def _read(self, access: Access, point: Point, arithmetic: Arithmetic) -> Bounded:
        source, flat = self.state[access.array], self._flat(access, point)
        if isinstance(arithmetic, FixedArrays):
            return arithmetic.read(source.value[flat], source.bound[flat])
        return source.at(flat)

    def _operated(self, operation: Binary, point: Point, arithmetic: Arithmetic) -> Bounded:
        types = operand_types(operation, arithmetic.element, self._element)
        left = self._value(operation.left, point, types[0])
        right = self._value(operation.right, point, types[1])
        if isinstance(arithmetic, FixedArrays):
            return arithmetic.binary(operation.op, left, right, types)
        return arithmetic.binary(operation.op, left, right)

    def _selected(self, expression: Select, point: Point, element: ElementType) -> Bounded:
        truth = self._condition(expression.condition, point)
        with self._under(expression.condition, point):
            then = self._value(expression.then, point, element)
        with self._under(negated(expression.condition), point):
            otherwise = self._value(expression.otherwise, point, element)
        found = select_bounded(truth, then, otherwise)
        return replace(found, bound=np.asarray(found.bound, np.float64))

    def _condition(self, condition: ConditionTree, point: Point) -> BoundedCondition:
        match condition:
            case Compare(op, left, right):
                element = compared_type(left, right, self._element) or ElementType.DOUBLE
                sides = self._value(left, point, element), self._value(right, point, element)
                if element.is_fixed:
                    nothing = Bounded(np.zeros(()), np.zeros(()), 1.0)
                    return compare_bounded(op, difference(*sides), nothing)
                return compare_bounded(op, *sides)
            case Logic(op, operands):
                return self._joined(op, operands, point)
            case _:
                assert_never(condition)

    def _joined(
        self, op: LogicOp, operands: Sequence[ConditionTree], point: Point
    ) -> BoundedCondition:
        """Join truths; an operand is evaluated where those before it leave the result open."""
        first, *rest = operands
        truth = self._condition(first, point)
        if not rest:
            return truth
        with self._under(first if op is LogicOp.AND else negated(first), point):
            return join_conditions(op, truth, self._joined(op, rest, point))


def _broadcast(term: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Return a value of a block at every point of it."""
    value, bound = (np.broadcast_to(part, shape) for part in (term.value, term.bound))
    if term.ends is None:
        return Bounded(value, bound, term.grain)
    low, high = (np.broadcast_to(end, shape) for end in term.ends)
    return Bounded(value, bound, term.grain, (low, high))
