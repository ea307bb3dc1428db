"""Arrays of the DSL, and their elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.dsl.facts import NOT_AFFINE, SUBSCRIPTS, Facts, caller
from streamopt.frontends.dsl.values import LoopIndex, Scalar, Value, as_value, whole
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Literal, Read
from streamopt.ir.program import Array
from streamopt.ir.text import expression_text

if TYPE_CHECKING:
    from streamopt.frontends.dsl.values import Operand

_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum // or % a constant"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tensor(Scalar):
    """An array; ``A[i, k + 1]`` is an element.

    Attributes
    ----------
    is_known
        Whether its shape could be told; if not, that is a problem already.
    """

    array: Array
    is_known: bool = True

    @property
    def name(self) -> str:
        """Return the array's name."""
        return self.array.name

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents, outermost first."""
        return self.array.shape

    def __getitem__(self, subscripts: Operand | tuple[Operand, ...]) -> Value:
        listed = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        indices = [subscript_of(subscript, self.name) for subscript in listed]
        facts = Facts.joined(*(index.facts for index in indices))
        wanted, found = len(self.shape), len(indices)
        if self.is_known and wanted != found and not facts.problems:
            dimensions = "1 dimension" if wanted == 1 else f"{wanted} dimensions"
            given = "1 subscript" if found == 1 else f"{found} subscripts"
            message = f"{self.name} has {dimensions}, but is given {given}"
            facts = facts.with_problem(SUBSCRIPTS, message)
        if facts.problems or not self.is_known:
            return Value(Literal(0.0), self.array.element, facts)
        access = Access(self.name, tuple(index.affine for index in indices))
        facts = Facts.joined(facts, Facts(places=((access, caller()),)))
        return Value(Read(access), self.array.element, facts)

    def __iter__(self) -> None:
        raise TypeError(f"{self.name} has no elements to iterate over; its values aren't computed")

    def value(self) -> Value:
        """Return the only element of an array without dimensions."""
        return self[()]

    def __repr__(self) -> str:
        """Return the declaration, for instance ``A[4][8]: float``."""
        return f"{self.name}{''.join(f'[{e}]' for e in self.shape)}: {self.array.element}"


def subscript_of(subscript: object, array: str) -> LoopIndex:
    """Return a subscript as a sum of iterators; one that is none has a problem."""
    if isinstance(subscript, LoopIndex):
        return subscript
    number = whole(subscript)
    if number is not None:
        return LoopIndex.of(Affine.of(number), Facts())
    if isinstance(subscript, slice):
        facts = Facts().with_problem(
            NOT_AFFINE, f"{array} is subscripted by a slice", "write an element, and loop over it"
        )
    else:
        value = as_value(subscript)
        facts = value.facts
        if not facts.problems:
            text = expression_text(value.expression)
            text = f"subscript {text}" if len(text) <= 60 and not facts.pending else "a subscript"
            message = f"{text} of {array} is not affine"
            facts = facts.with_problem(NOT_AFFINE, message, _AFFINE_HINT)
    return LoopIndex.of(Affine(), facts)
