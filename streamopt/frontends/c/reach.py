"""Which elements a function touches: every access with the loops and conditions around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import (
    Compare,
    Logic,
    LogicOp,
    Read,
    Select,
    children,
    is_affine_condition,
    negated,
)
from streamopt.ir.isl_text import affine_text, condition_text
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from streamopt.errors import SourceLoc
    from streamopt.ir.expression import Access, Condition, Expression
    from streamopt.ir.source import Item

__all__ = ["Context", "accesses_of", "interval_in"]


@dataclass(frozen=True, slots=True)
class Context:
    """What is around an access.

    Attributes
    ----------
    conditions
        Those that are affine; is_certain tells whether these are all.
    """

    loops: tuple[RangeLoop, ...] = ()
    conditions: tuple[Condition, ...] = ()
    is_certain: bool = True
    loc: SourceLoc | None = None

    @property
    def key(self) -> Hashable:
        """Return what tells contexts with different values apart."""
        return (*(loop.iterator for loop in self.loops), self.conditions, self.is_certain)

    def under(self, condition: Condition, *, holds: bool) -> Context:
        """Return the context where a condition holds or does not."""
        conditions, is_certain = _affine_parts(condition, holds=holds)
        return replace(
            self,
            conditions=(*self.conditions, *conditions),
            is_certain=self.is_certain and is_certain,
        )


def accesses_of(
    items: Iterable[Item], context: Context | None = None
) -> Iterator[tuple[Access, Context]]:
    """Yield every access of a function body, in the order of the text."""
    around = context or Context()
    for item in items:
        here = replace(around, loc=item.loc)
        match item:
            case RangeLoop(body=body):
                yield from accesses_of(body, replace(around, loops=(*around.loops, item)))
            case Branch(condition, then, otherwise):
                yield from _reads(condition, here)
                yield from accesses_of(then, around.under(condition, holds=True))
                yield from accesses_of(otherwise, around.under(condition, holds=False))
            case Assign(target, value):
                yield from _reads(value, here)
                yield target, here


def _reads(value: Expression, context: Context) -> Iterator[tuple[Access, Context]]:
    match value:
        case Read(access):
            yield access, context
        case Select(condition, then, otherwise):
            yield from _reads(condition, context)
            yield from _reads(then, context.under(condition, holds=True))
            yield from _reads(otherwise, context.under(condition, holds=False))
        case Logic(op, operands):
            for operand in operands:
                yield from _reads(operand, context)
                context = context.under(operand, holds=op == LogicOp.AND)
        case _:
            for operand in children(value):
                yield from _reads(operand, context)


def _affine_parts(condition: Condition, *, holds: bool) -> tuple[tuple[Condition, ...], bool]:
    """Return affine conditions that follow, and whether nothing else does."""
    if is_affine_condition(condition):
        return (condition if holds else negated(condition),), True
    if isinstance(condition, Compare) or (condition.op == LogicOp.AND) != holds:
        return (), False
    parts = [_affine_parts(operand, holds=holds) for operand in condition.operands]
    return tuple(c for found, _ in parts for c in found), False


def interval_in(
    value: Affine, context: Context, ranges: Mapping[str, tuple[int, int]], *, is_exact: bool
) -> tuple[int, int] | None:
    """Return the lowest and highest value in a context; None where that is never reached.

    The values in between need not all occur. If it need not be exact, it may be too large.
    """
    box = value.interval(ranges)
    is_box = not context.conditions and all(map(_is_plain, context.loops))
    is_box = is_box and all(isinstance(atom, Iter) for atom, _ in value.terms)
    return box if is_box or not is_exact else _exact(value, context)


def _is_plain(loop: RangeLoop) -> bool:
    """Return whether a loop has constant bounds, and runs."""
    if any(bound.terms for bound in (*loop.lower, *loop.upper)):
        return False
    return max(b.constant for b in loop.lower) < min(b.constant for b in loop.upper)


def _exact(value: Affine, context: Context) -> tuple[int, int] | None:
    import islpy

    names = {loop.iterator: f"c{position}" for position, loop in enumerate(context.loops)}
    constraints = [f"s = {affine_text(value, names)}"]
    for loop in context.loops:
        own = names[loop.iterator]
        constraints += [f"{affine_text(bound, names)} <= {own}" for bound in loop.lower]
        constraints += [f"{own} < {affine_text(bound, names)}" for bound in loop.upper]
    constraints += [condition_text(condition, names) for condition in context.conditions]
    exists = f"exists ({', '.join(names.values())}: " if names else "("
    reached = islpy.Set(f"{{ [s] : {exists}{' and '.join(constraints)}) }}")
    if reached.is_empty():
        return None
    return reached.dim_min_val(0).to_python(), reached.dim_max_val(0).to_python()
