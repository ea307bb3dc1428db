"""The reads of a node as windows over maps: quotients as loops, borders as what lies outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from streamopt.analysis.digits import digit_of
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.arithmetic import expression_type, widens
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Cast,
    Compare,
    Condition,
    Expression,
    Literal,
    Read,
    Select,
    affine_conjuncts,
    affine_difference,
    conjuncts,
    uncast,
    walk,
)
from streamopt.ir.operators import CompareOp


class NoLayerError(Exception):
    """A node is no layer; the text says why."""


@dataclass(frozen=True, slots=True)
class Loops:
    """Trip counts of a node's loops, those of digits in the place of the loops that have them."""

    trip_counts: Mapping[str, int]
    parts: Mapping[str, tuple[tuple[str, int], ...]]
    """Of a loop that is split: pairs (loop, what it counts), the largest first."""

    def linear(self, subscript: Affine) -> tuple[dict[str, int], int]:
        """Return the factors of loops in a subscript, and its constant.

        Raises
        ------
        NoLayerError
            If a quotient or remainder is no digit of a loop.
        """
        factors: dict[str, int] = {}
        for atom, factor in subscript.terms:
            for name, own in self._of(atom):
                factors[name] = factors.get(name, 0) + factor * own
        kept = {name: factor for name, factor in factors.items() if self.trip_counts[name] > 1}
        return kept, subscript.constant

    def _of(self, atom: object) -> Iterable[tuple[str, int]]:
        if isinstance(atom, Iter):
            return self.parts.get(atom.name, ((atom.name, 1),))
        digit = _loop_digit(atom)
        if digit is None:
            raise NoLayerError("a subscript has a quotient that is no digit of one loop")
        loop, divisor, modulus = digit
        return [
            (name, counted // divisor)
            for name, counted in self.parts[loop]
            if counted >= divisor and (not modulus or counted < divisor * modulus)
        ]


def loops_of(trip_counts: Mapping[str, int], accesses: Iterable[Access]) -> Loops:
    """Return the loops of a node, one for each digit of a loop that subscripts count in digits.

    Raises
    ------
    NoLayerError
        If the digits of a loop overlap.

    Examples
    --------
    >>> j = Affine.iterator("j")
    >>> access = Access("x", (j.floordiv(25), j.floordiv(5).mod(5), j.mod(5)))
    >>> found = loops_of({"j": 400}, [access])
    >>> found.trip_counts
    {'j/25': 16, 'j/5': 5, 'j/1': 5}
    """
    cuts: dict[str, set[int]] = {}
    for access in accesses:
        for subscript in access.subscripts:
            for atom, _ in subscript.terms:
                digit = None if isinstance(atom, Iter) else _loop_digit(atom)
                if digit is not None:
                    loop, divisor, modulus = digit
                    ends = {divisor, divisor * modulus} if modulus else {divisor}
                    cuts.setdefault(loop, {1}).update(ends)
    counts: dict[str, int] = {}
    parts: dict[str, tuple[tuple[str, int], ...]] = {}
    for loop, count in trip_counts.items():
        counted = sorted((cut for cut in cuts.get(loop, ()) if cut < count), reverse=True)
        if not counted:
            counts[loop] = count
            continue
        parts[loop] = tuple((f"{loop}/{cut}", cut) for cut in counted)
        for (name, cut), above in zip(parts[loop], [count, *counted], strict=False):
            if above % cut:
                raise NoLayerError(f"the digits of loop {loop} overlap")
            counts[name] = above // cut
    return Loops(counts, parts)


def _loop_digit(atom: object) -> tuple[str, int, int] | None:
    """Return the loop, divisor and modulus of a digit; None if it is of no single loop."""
    digit = digit_of(atom)  # type: ignore[arg-type]
    name = None if digit is None else digit.value.as_iterator()
    return None if digit is None or name is None else (name, digit.divisor, digit.modulus)


@dataclass(frozen=True, slots=True)
class WindowOperand:
    """An element that a node reads, or a constant outside of an array."""

    access: Access
    fill: float | None = None
    """Outside of the array; None where nothing is read there."""
    inside: tuple[Condition, ...] = ()
    """Where the element is read."""


ElementOf: TypeAlias = Callable[[str], ElementType]


def without_widening(expression: Expression, element_of: ElementOf) -> Expression:
    """Return the expression inside the casts around it that keep every value."""
    while isinstance(expression, Cast):
        inner = expression.operand
        match inner:
            case Cast(element):
                own: ElementType | None = element
            case Read(access):
                own = element_of(access.array)
            case _:
                own = expression_type(inner, element_of)
        if own is None or not (own is expression.element or widens(own, expression.element)):
            return expression
        expression = inner
    return expression


def operand_of(expression: Expression, element_of: ElementOf) -> WindowOperand | None:
    """Return a read, in widening casts and with a border if it has one; None for anything else."""
    inner = without_widening(expression, element_of)
    match inner:
        case Read(access):
            return WindowOperand(access)
        case Select(condition, then, otherwise):
            read, fill = without_widening(then, element_of), uncast(otherwise)
            if isinstance(read, Read) and isinstance(fill, Literal):
                parts = conjuncts(condition)
                suits = fill.value.is_integer() or element_of(read.access.array).is_float
                if suits and len(affine_conjuncts(condition)) == len(parts):
                    return WindowOperand(read.access, fill.value, parts)
        case _:
            pass
    return None


def check_border(operand: WindowOperand, loops: Loops, shape: tuple[int, ...]) -> None:
    """Refuse an element that is left out where it is inside of its array.

    Raises
    ------
    NoLayerError
        If the conditions aren't those of the bounds of the array.
    """
    allowed: set[tuple[tuple[tuple[str, int], ...], int]] = set()
    for subscript, extent in zip(operand.access.subscripts, shape, strict=True):
        factors, constant = loops.linear(subscript)
        allowed.add((tuple(sorted(factors.items())), constant))
        opposite = {name: -factor for name, factor in factors.items()}
        allowed.add((tuple(sorted(opposite.items())), extent - 1 - constant))
    for condition in operand.inside:
        found = _at_least_zero(condition)
        if found is None:
            raise NoLayerError("an element is left out under another condition than a border")
        factors, constant = loops.linear(found)
        if (tuple(sorted(factors.items())), constant) not in allowed:
            raise NoLayerError("an element is left out inside of its array")


def _at_least_zero(condition: Condition) -> Affine | None:
    """Return an affine expression that is at least 0 where a comparison holds, and only there."""
    difference = affine_difference(condition) if isinstance(condition, Compare) else None
    if difference is None or not isinstance(condition, Compare):
        return None
    match condition.op:
        case CompareOp.GE:
            return difference
        case CompareOp.GT:
            return difference - Affine.of(1)
        case CompareOp.LE:
            return difference.scaled(-1)
        case CompareOp.LT:
            return difference.scaled(-1) - Affine.of(1)
        case _:
            return None


def flat_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the elements between neighbours along each dimension of an array."""
    return tuple(prod(shape[dimension + 1 :]) for dimension in range(len(shape)))


def flat_factors(
    access: Access, shape: tuple[int, ...], loops: Loops
) -> tuple[dict[str, int], int]:
    """Return the elements that a step of each loop moves an access on, and where it begins."""
    factors: dict[str, int] = {}
    offset = 0
    for subscript, stride in zip(access.subscripts, flat_strides(shape), strict=True):
        own, constant = loops.linear(subscript)
        offset += constant * stride
        for name, factor in own.items():
            factors[name] = factors.get(name, 0) + factor * stride
    return factors, offset


def array_reads(expression: Expression) -> list[Access]:
    """Return all reads of an expression, each once."""
    found = (part.access for part in walk(expression) if isinstance(part, Read))
    return list(dict.fromkeys(found))
