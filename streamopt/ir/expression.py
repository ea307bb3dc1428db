"""Expression trees: what a statement computes from array elements, iterators and literals.

Types are those of C: an operation on two types computes in the wider one
(`streamopt.ir.element.common_type`), and a literal takes the type of what it is combined with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign
from typing import TypeAlias, assert_never

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.operators import BinaryOp, CompareOp, Function, LogicOp


@dataclass(frozen=True, slots=True)
class Access:
    """An access function: which element of an array an iteration touches ([1] section 3.4)."""

    array: str
    subscripts: tuple[Affine, ...]

    def iterators(self) -> tuple[str, ...]:
        """Return the iterators in the subscripts, each once, in order of first appearance."""
        return tuple(dict.fromkeys(name for s in self.subscripts for name in s.iterators()))

    def substitute(self, renamed: Mapping[str, Affine]) -> Access:
        """Return the access with iterators replaced by expressions."""
        return Access(self.array, tuple(s.substitute(renamed) for s in self.subscripts))

    def __str__(self) -> str:
        """Return C-like text, for instance ``A[i][k + 1]``."""
        return self.array + "".join(f"[{subscript}]" for subscript in self.subscripts)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Read:
    """The value of an array element."""

    access: Access


@dataclass(frozen=True, slots=True)
class Index:
    """The value of an affine expression of the iterators, a 32-bit integer."""

    value: Affine


@dataclass(frozen=True, slots=True)
class Cast:
    """The operand converted to an element type, as C does."""

    element: ElementType
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right``; a negation is ``-0.0 - x``, which changes the sign of zeros too."""

    op: BinaryOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one or two arguments."""

    function: Function
    arguments: tuple[Expression, ...]
    is_choice: bool = False
    """Whether the source compares the arguments and takes one, so that hardware may do the same;
    only in passes over a source."""


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` as a truth value."""

    op: CompareOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logic:
    """Truth values joined by one connective, left to right; at least two."""

    op: LogicOp
    operands: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """``then if condition else otherwise``; the branch that isn't taken is not evaluated."""

    condition: Condition
    then: Expression
    otherwise: Expression


Condition: TypeAlias = Compare | Logic
Expression: TypeAlias = Literal | Read | Index | Cast | Binary | Call | Compare | Logic | Select


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct operands, left to right."""
    match expression:
        case Literal() | Read() | Index():
            return ()
        case Cast(_, operand):
            return (operand,)
        case Binary(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case Logic(_, operands):
            return operands
        case Select(condition, then, otherwise):
            return (condition, then, otherwise)
        case _:
            assert_never(expression)


def rebuild(expression: Expression, operands: tuple[Expression, ...]) -> Expression:
    """Return the same operation on other operands; the inverse of `children`."""
    match expression:
        case Literal() | Read() | Index():
            return expression
        case Cast(element):
            return Cast(element, *operands)
        case Binary(op):
            return Binary(op, *operands)
        case Logic(op):
            return Logic(op, tuple(map(_condition, operands)))
        case Compare(op):
            return Compare(op, *operands)
        case Call(function, _, is_choice):
            return Call(function, operands, is_choice)
        case Select():
            condition, then, otherwise = operands
            return Select(_condition(condition), then, otherwise)
        case _:
            assert_never(expression)


def rewrite(expression: Expression, leaf: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with every literal, read and index replaced by what ``leaf`` makes."""
    operands = children(expression)
    if not operands:
        return leaf(expression)
    return rebuild(expression, tuple(rewrite(operand, leaf) for operand in operands))


def rewrite_condition(condition: Condition, leaf: Callable[[Expression], Expression]) -> Condition:
    """Return a condition rewritten as `rewrite` does."""
    return _condition(rewrite(condition, leaf))


def substitute(expression: Expression, renamed: Mapping[str, Affine]) -> Expression:
    """Return the expression with iterators replaced by affine expressions."""
    return rewrite(expression, _renaming(renamed))


def substitute_condition(condition: Condition, renamed: Mapping[str, Affine]) -> Condition:
    """Return the condition with iterators replaced by affine expressions."""
    return rewrite_condition(condition, _renaming(renamed))


def _renaming(renamed: Mapping[str, Affine]) -> Callable[[Expression], Expression]:
    return moved_leaf(lambda a: a.substitute(renamed), lambda value: value.substitute(renamed))


def moved_leaf(
    access: Callable[[Access], Access], index: Callable[[Affine], Affine] = lambda index: index
) -> Callable[[Expression], Expression]:
    """Return the function for `rewrite` that replaces the accesses of reads, and indices."""

    def leaf(part: Expression) -> Expression:
        match part:
            case Read(read):
                return Read(access(read))
            case Index(value):
                return Index(index(value))
            case _:
                return part

    return leaf


def _condition(expression: Expression) -> Condition:
    assert isinstance(expression, Compare | Logic)
    return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its operands, depth first, left to right."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def depth_of(expression: Expression) -> int:
    """Return how many operations are inside each other, at most."""
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [child for part in level for child in children(part)]
    return depth


def reads(expression: Expression) -> tuple[Access, ...]:
    """Return the distinct accesses read, in order of first appearance."""
    found = (node.access for node in walk(expression) if isinstance(node, Read))
    return tuple(dict.fromkeys(found))


def of_affine(value: Affine) -> Index | Literal:
    """Return the operand that an affine expression is: a number where it has no iterators."""
    return Index(value) if value.terms else Literal(float(value.constant))


def as_affine(operand: Expression) -> Affine | None:
    """Return an index or a whole number as an affine expression; None for others."""
    match operand:
        case Index(value):
            return value
        case Literal(value) if float(value).is_integer():
            return Affine.of(int(value))
        case _:
            return None


def affine_difference(comparison: Compare) -> Affine | None:
    """Return ``left - right`` of a comparison of affine expressions; None for others."""
    left, right = as_affine(comparison.left), as_affine(comparison.right)
    return None if left is None or right is None else left - right


def equations(condition: Condition | None) -> Iterator[Affine]:
    """Yield affine expressions that are 0 wherever a condition holds: its conjuncts say so."""
    for part in () if condition is None else conjuncts(condition):
        if isinstance(part, Compare) and part.op is CompareOp.EQ:
            difference = affine_difference(part)
            if difference is not None:
                yield difference


def is_affine_condition(condition: Condition) -> bool:
    """Return whether a condition depends on the iterators alone, by affine expressions."""
    match condition:
        case Compare(_, left, right):
            return as_affine(left) is not None and as_affine(right) is not None
        case Logic(_, operands):
            return all(map(is_affine_condition, operands))
        case _:
            assert_never(condition)


def uncast(expression: Expression) -> Expression:
    """Return the expression inside the casts around it."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def is_negation(expression: Expression) -> bool:
    """Return whether an expression is ``-0.0 - x``; ``0.0 - x`` makes no negative zero."""
    match expression:
        case Binary(BinaryOp.SUB, Literal(0.0 as zero), _):
            return copysign(1.0, zero) < 0.0
        case _:
            return False


def negated(condition: Condition) -> Condition:
    """Return the opposite of a condition, for values that aren't numbers too.

    Nothing is less than, equal to or greater than such a value, so ``a < b`` on data has the
    opposite ``(a < b) == 0``.
    """
    match condition:
        case Compare(CompareOp.EQ, Compare() as inner, Literal(0.0)):
            return inner
        case Compare(op, left, right):
            exact = op in (CompareOp.EQ, CompareOp.NE) or is_affine_condition(condition)
            if not exact:
                return Compare(CompareOp.EQ, condition, Literal(0.0))
            return Compare(op.opposite, left, right)
        case Logic(op, operands):
            other = LogicOp.OR if op is LogicOp.AND else LogicOp.AND
            return Logic(other, tuple(map(negated, operands)))
        case _:
            assert_never(condition)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Return conditions, one at least, as one."""
    return conditions[0] if len(conditions) == 1 else Logic(LogicOp.AND, tuple(conditions))


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Return the conditions that a condition joins by *and*, or the condition alone."""
    match condition:
        case Logic(LogicOp.AND, operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case _:
            return (condition,)


def affine_conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Return affine conditions that hold wherever a condition does."""
    return tuple(part for part in conjuncts(condition) if is_affine_condition(part))


def conditional_reads(
    expression: Expression, under: tuple[Condition, ...] = ()
) -> Iterator[tuple[Access, tuple[Condition, ...]]]:
    """Yield every read with the affine conditions under which it is evaluated."""
    match expression:
        case Read(access):
            yield access, under
        case Select(condition, then, otherwise):
            yield from conditional_reads(condition, under)
            yield from conditional_reads(then, (*under, *affine_conjuncts(condition)))
            opposite = affine_conjuncts(negated(condition))
            yield from conditional_reads(otherwise, (*under, *opposite))
        case Logic(op, operands):
            for operand in operands:
                yield from conditional_reads(operand, under)
                reached = operand if op is LogicOp.AND else negated(operand)
                under = (*under, *affine_conjuncts(reached))
        case _:
            for operand in children(expression):
                yield from conditional_reads(operand, under)
