"""A sequential nest as C++ that computes one scalar after another, in C's types and order.

It is the same program as that of `streamopt.verification.exact.scalar_code`, for a compiler, and
knows nothing of how designs are emitted. Numbers are plain, or have bounds: then sums that an
element takes up may have been added in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.verification.exact.scalar_text import ScalarText, ScalarWords

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.program import Array, Nest, Statement
    from streamopt.verification.exact.scalar_text import Pair, Types

SAME_EVERYWHERE = {
    ir.Function.SQRT: "root_of",
    ir.Function.ABS: "absolute_of",
    ir.Function.MAX: "largest",
    ir.Function.MIN: "smallest",
    ir.Function.FLOOR: "floor_of",
    ir.Function.CEIL: "ceil_of",
    ir.Function.RINT: "nearest_of",
}
"""Functions that every platform rounds alike, and their names in ``in_order.h``."""

_FLOATS = (ElementType.FLOAT, ElementType.DOUBLE)
_ADDS = (ir.BinaryOp.ADD, ir.BinaryOp.SUB)
_INTEGER_CALLS = {
    ir.BinaryOp.DIV: "quotient",
    ir.BinaryOp.MOD: "remainder_of",
    ir.BinaryOp.SHL: "shifted_left",
    ir.BinaryOp.SHR: "shifted_right",
}


@dataclass(frozen=True, slots=True)
class ScalarCpp(ScalarText):
    """Prints one nest; arrays are pointers."""

    words = ScalarWords(
        floored="floored({}, {})",
        modulo="modulo({}, {})",
        both="&&",
        either="||",
        chosen="({} ? {} : {})",
        number="{element}({})",
        truth="{element}({})",
    )

    nest: Nest
    has_bounds: bool
    """Whether floating-point numbers have bounds."""
    in_any_order: bool = False
    """Whether sums may have been added in any order."""
    in_residues: bool = False
    """Whether floating-point numbers are residues modulo a prime, whose sums and products are the
    same in any order."""

    @classmethod
    def of(
        cls, nest: Nest, arrays: Mapping[str, Array], *, has_bounds: bool, in_any_order: bool
    ) -> ScalarCpp:
        """Return the printer of a nest that touches some arrays."""
        places = {name: (at, array) for at, (name, array) in enumerate(arrays.items())}
        names = {loop.name: f"i{at}" for at, loop in enumerate(nest.loops)}
        return cls(places, nest.trip_counts, names, nest, has_bounds, in_any_order)

    def text(self) -> str:
        """Return a function ``run`` with C linkage.

        It returns 0 at the end, 1 where a comparison isn't sure, and 2 for a subscript outside its
        array, which it leaves in ``outside``.
        """
        pointers = [f"void *p{at}" for at in range(len(self.arrays))]
        lines = ['#include "in_order.h"', "using namespace in_order;", 'extern "C" int run(']
        lines[-1] += f"{', '.join(pointers)}, int64_t *outside) try {{"
        for at, array in self.arrays.values():
            kind = self.kind(array.element)
            lines.append(f"{kind} *const a{at} = static_cast<{kind} *>(p{at});")
        lines += [*self._sums(), *self._body()]
        lines += ["return 0;", "} catch (const Unsure &) {", "return 1;"]
        lines += ["} catch (const Outside &found) {"]
        lines += ["outside[0] = found.subscript;", "outside[1] = found.extent;", "return 2;", "}"]
        return "\n".join([*lines, ""])

    def _body(self) -> Iterator[str]:
        for loop in self.nest.loops:
            name = self.iterators[loop.name]
            yield f"for (int64_t {name} = 0; {name} < {loop.trip_count}; {name}++) {{"
        for statement in self.nest.statements:
            yield from self._lines(statement)
        yield "}" * len(self.nest.loops)

    def _sums(self) -> Iterator[str]:
        """Yield the terms of the elements that are sums of any order."""
        for name in dict.fromkeys(s.target.array for s in self.nest.statements if self.is_sum(s)):
            at, array = self.arrays[name]
            yield f"static Terms t{at}[{max(1, array.size_elems)}];"
            yield f"for (Terms &one : t{at}) one = Terms();"

    def is_sum(self, statement: Statement) -> bool:
        """Return whether a statement adds a number with a bound to an element."""
        found = term_of(statement)
        if not (self.has_bounds and self.in_any_order) or found is None or found[0] not in _ADDS:
            return False
        kind = self.element(statement.target.array)
        return kind.is_float and expression_type(statement.value, self.element) is kind

    def _lines(self, statement: Statement) -> Iterator[str]:
        place, element = self.place(statement.target), self.element(statement.target.array)
        guard = "" if statement.guard is None else f"if ({self.condition(statement.guard)}) "
        has_sums = any(
            self.is_sum(s) for s in self.nest.statements if s.target.array == statement.target.array
        )
        terms = self._terms(statement.target)
        if not self.is_sum(statement):
            fresh = f"{terms} = Terms(); " if has_sums else ""
            yield f"{guard}{{ {place} = {self.value(statement.value, element)}; {fresh}}}"
            return
        found = term_of(statement)
        assert found is not None
        kind, (sign, term) = self.kind(element), found
        yield f"{guard}{{"
        yield f"{kind} &own = {place};"
        yield f"const {kind} term = {self.value(term, element)};"
        yield f"own = summed({terms}, own, term, decltype(own.value)(own.value {sign} term.value));"
        yield "}"

    def _terms(self, access: ir.Access) -> str:
        return "t" + self.place(access)[1:]

    def kind(self, element: ElementType) -> str:
        """Return the C++ type of scalars."""
        if element.is_float and self.in_residues:
            return "Residue"
        return f"Number<{element}>" if self.has_bounds and element.is_float else str(element)

    def _converted(self, text: str, element: ElementType, wanted: ElementType) -> str:
        return f"to<{self.kind(wanted)}>({text})"

    def _literal(self, value: float, element: ElementType) -> str:
        if not element.is_float:
            return f"{element}(INT64_C({int(value)}))"
        text = value.hex() if abs(value) < float("inf") else f"{'-' if value < 0 else ''}INFINITY"
        plain = f"{element}({text})"
        is_plain = not (self.has_bounds or self.in_residues)
        return plain if is_plain else f"to<{self.kind(element)}>({plain})"

    def _operated(self, op: ir.BinaryOp, sides: Pair, types: Types, element: ElementType) -> str:
        left, right = sides
        if element.is_float:
            return f"({left} {op} {right})"
        call = _INTEGER_CALLS.get(op)
        text = f"{call}({left}, {right})" if call else f"{left} {op} {right}"
        return f"{element}({text})"

    def _function(self, function: ir.Function, element: ElementType) -> str:
        return SAME_EVERYWHERE[function]


def term_of(statement: Statement) -> tuple[ir.BinaryOp | ir.Function, ir.Expression] | None:
    """Return the operation by which an element takes up a term, and the term, if it does."""
    own = ir.Read(statement.target)
    match statement.value:
        case ir.Binary(ir.BinaryOp.ADD | ir.BinaryOp.MUL as op, left, right) if own in (
            left,
            right,
        ):
            term = right if left == own else left
        case ir.Binary(ir.BinaryOp.SUB as op, left, term) if left == own:
            pass
        case ir.Call(ir.Function.MAX | ir.Function.MIN as op, (left, right)) if own in (
            left,
            right,
        ):
            term = right if left == own else left
        case _:
            return None
    return None if statement.target in ir.reads(term) else (op, term)


def can_be_compiled(nest: Nest, arrays: Sequence[Array]) -> bool:
    """Return whether C++ has all types and operations of a nest as they are everywhere."""
    types = all(a.element.is_integer or a.element in _FLOATS for a in arrays)
    calls = (
        part.function
        for statement in nest.statements
        for expression in statement.expressions
        for part in ir.walk(expression)
        if isinstance(part, ir.Call)
    )
    plain = all(statement.reduction is None for statement in nest.statements)
    return types and plain and all(function in SAME_EVERYWHERE for function in calls)


def has_sums(nest: Nest, arrays: Mapping[str, Array]) -> bool:
    """Return whether elements take up numbers that are rounded, so that the order tells."""
    code = ScalarCpp.of(nest, arrays, has_bounds=True, in_any_order=True)
    return any(map(code.is_sum, nest.statements))
