"""A sequential nest as C++ that computes one scalar after another, in C's types and order.

It is the same program as that of `streamopt.verification.exact.scalar_code`, for a compiler, and
knows nothing of how designs are emitted. Numbers are plain, or have bounds: then sums that an
element takes up may have been added in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from streamopt.ir import expression as ir
from streamopt.ir.affine import FloorDiv, Iter, Mod
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.affine import Affine, Atom
    from streamopt.ir.program import Array, Nest, Statement

_CALLS = {
    ir.Function.SQRT: "root_of",
    ir.Function.ABS: "absolute_of",
    ir.Function.MAX: "largest",
    ir.Function.MIN: "smallest",
    ir.Function.FLOOR: "floor_of",
    ir.Function.CEIL: "ceil_of",
}
"""Functions that every platform rounds alike."""

_FLOATS = (ElementType.FLOAT, ElementType.DOUBLE)
_INTEGER_CALLS = {
    ir.BinaryOp.DIV: "quotient",
    ir.BinaryOp.MOD: "remainder_of",
    ir.BinaryOp.SHL: "shifted_left",
    ir.BinaryOp.SHR: "shifted_right",
}


@dataclass(frozen=True, slots=True)
class ScalarCpp:
    """Prints one nest.

    Attributes
    ----------
    arrays
        Those that it touches; their elements are parameters, in this order.
    iterators
        Name of each iterator in the code.
    has_bounds
        Whether floating-point numbers have bounds.
    in_any_order
        Whether sums may have been added in any order.
    """

    nest: Nest
    arrays: Mapping[str, Array]
    iterators: Mapping[str, str]
    has_bounds: bool
    in_any_order: bool = False

    def text(self) -> str:
        """Return a function ``run`` with C linkage.

        It returns 0 at the end, 1 where a comparison isn't sure, and 2 for a subscript outside its
        array, which it leaves in ``outside``.
        """
        positions = [*self.arrays]
        pointers = [f"void *p{at}" for at in range(len(positions))]
        lines = ['#include "in_order.h"', "using namespace in_order;", 'extern "C" int run(']
        lines[-1] += f"{', '.join(pointers)}, int64_t *outside) try {{"
        for at, name in enumerate(positions):
            kind = self.kind(self.arrays[name].element)
            lines.append(f"{kind} *const a{at} = static_cast<{kind} *>(p{at});")
        lines += self._sums()
        for loop in self.nest.loops:
            name = self.iterators[loop.name]
            lines.append(f"for (int64_t {name} = 0; {name} < {loop.trip_count}; {name}++) {{")
        lines += [line for statement in self.nest.statements for line in self._lines(statement)]
        lines += ["}"] * len(self.nest.loops)
        lines += ["return 0;", "} catch (const Unsure &) {", "return 1;"]
        lines += ["} catch (const Outside &found) {"]
        lines += ["outside[0] = found.subscript;", "outside[1] = found.extent;", "return 2;", "}"]
        return "\n".join([*lines, ""])

    def _sums(self) -> Iterator[str]:
        """Yield the terms of the elements that are sums of any order."""
        for name in dict.fromkeys(s.target.array for s in self.nest.statements if self.is_sum(s)):
            at = self._position(name)
            yield f"static Terms t{at}[{max(1, self.arrays[name].size_elems)}];"
            yield f"for (Terms &one : t{at}) one = Terms();"

    def _position(self, name: str) -> int:
        return [*self.arrays].index(name)

    def is_sum(self, statement: Statement) -> bool:
        """Return whether a statement adds a number with a bound to an element."""
        if not (self.has_bounds and self.in_any_order) or _term(statement) is None:
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
        found = _term(statement)
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
        return f"Number<{element}>" if self.has_bounds and element.is_float else str(element)

    def element(self, name: str) -> ElementType:
        """Return the element type of an array."""
        return self.arrays[name].element

    def place(self, access: ir.Access) -> str:
        """Return the text of an array element."""
        array, flat = self.arrays[access.array], ""
        for subscript, extent in zip(access.subscripts, array.shape, strict=True):
            text = self.affine(subscript)
            low, high = subscript.bounds(self.nest.trip_counts)
            if low < 0 or high >= extent:
                text = f"at({text}, {extent})"
            flat = f"({flat}) * {extent} + {text}" if flat else text
        return f"a{self._position(access.array)}[{flat or 0}]"

    def affine(self, value: Affine) -> str:
        """Return the text of an affine expression."""
        parts = [f"{factor} * {self._atom(atom)}" for atom, factor in value.terms]
        return " + ".join([*parts, str(value.constant)])

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Iter(name):
                return self.iterators[name]
            case FloorDiv(value, divisor):
                return f"floored({self.affine(value)}, {divisor})"
            case Mod(value, divisor):
                return f"modulo({self.affine(value)}, {divisor})"
            case _:
                assert_never(atom)

    def condition(self, condition: ir.Condition) -> str:
        """Return the text of a truth value."""
        match condition:
            case ir.Compare(op, left, right):
                element = compared_type(left, right, self.element) or ElementType.DOUBLE
                sides = self.value(left, element), self.value(right, element)
                return f"({sides[0]} {op} {sides[1]})"
            case ir.Logic(op, operands):
                symbol = "&&" if op is ir.LogicOp.AND else "||"
                return f"({f' {symbol} '.join(map(self.condition, operands))})"
            case _:
                assert_never(condition)

    def value(self, expression: ir.Expression, wanted: ElementType) -> str:
        """Return the text of an expression's value, converted to a type."""
        element = expression_type(expression, self.element) or wanted
        text = self._value(expression, element)
        return text if element is wanted else f"to<{self.kind(wanted)}>({text})"

    def _value(self, expression: ir.Expression, element: ElementType) -> str:
        match expression:
            case ir.Literal(value):
                return self._literal(value, element)
            case ir.Read(access):
                return self.place(access)
            case ir.Index(value):
                return f"{element}({self.affine(value)})"
            case ir.Cast(_, operand):
                return self.value(operand, element)
            case ir.Binary(op, left, right):
                types = operand_types(expression, element, self.element)
                sides = self.value(left, types[0]), self.value(right, types[1])
                return self._operated(op, *sides, element)
            case ir.Call(function, arguments):
                listed = ", ".join(self.value(argument, element) for argument in arguments)
                return f"{_CALLS[function]}({listed})"
            case ir.Select(condition, then, otherwise):
                sides = self.value(then, element), self.value(otherwise, element)
                return f"({self.condition(condition)} ? {sides[0]} : {sides[1]})"
            case ir.Compare() | ir.Logic():
                return f"{element}({self.condition(expression)})"
            case _:
                assert_never(expression)

    def _operated(self, op: ir.BinaryOp, left: str, right: str, element: ElementType) -> str:
        if element.is_float:
            return f"({left} {op} {right})"
        call = _INTEGER_CALLS.get(op)
        text = f"{call}({left}, {right})" if call else f"{left} {op} {right}"
        return f"{element}({text})"

    def _literal(self, value: float, element: ElementType) -> str:
        if not element.is_float:
            return f"{element}(INT64_C({int(value)}))"
        text = value.hex() if abs(value) < float("inf") else f"{'-' if value < 0 else ''}INFINITY"
        plain = f"{element}({text})"
        return f"to<{self.kind(element)}>({plain})" if self.has_bounds else plain


def _term(statement: Statement) -> tuple[ir.BinaryOp, ir.Expression] | None:
    """Return the term that a statement adds to its element or subtracts from it, if it does."""
    own = ir.Read(statement.target)
    match statement.value:
        case ir.Binary(ir.BinaryOp.ADD as op, left, right) if own in (left, right):
            term = right if left == own else left
        case ir.Binary(ir.BinaryOp.SUB as op, left, term) if left == own:
            pass
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
    return types and plain and all(function in _CALLS for function in calls)


def has_sums(nest: Nest, arrays: Mapping[str, Array]) -> bool:
    """Return whether elements take up numbers that are rounded, so that the order tells."""
    names = {loop.name: loop.name for loop in nest.loops}
    code = ScalarCpp(nest, arrays, names, has_bounds=True, in_any_order=True)
    return any(map(code.is_sum, nest.statements))
