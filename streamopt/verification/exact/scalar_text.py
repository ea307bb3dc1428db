"""Expressions of a nest as text, in C's types and order, whatever language the text is in."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias, assert_never

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Atom, FloorDiv, Iter, Mod
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import ElementType
from streamopt.ir.program import Array

Pair: TypeAlias = tuple[str, str]
Types: TypeAlias = tuple[ElementType, ElementType]


class ScalarWords(NamedTuple):
    """The words of a language, most with places for operands.

    ``number`` and ``truth`` make a number of type ``element`` of an index and of a condition.
    """

    floored: str
    modulo: str
    both: str
    either: str
    chosen: str
    number: str
    truth: str


@dataclass(frozen=True, slots=True)
class ScalarText(ABC):
    """Prints expressions of one nest; a subclass has the words of a language."""

    words: ClassVar[ScalarWords]

    arrays: Mapping[str, tuple[int, Array]]
    """Position of each array among the generated function's parameters, and the array."""
    trip_counts: Mapping[str, int]
    """By iterator."""
    iterators: Mapping[str, str]
    """Name of each iterator in the generated code."""

    def element(self, name: str) -> ElementType:
        """Return the element type of an array."""
        return self.arrays[name][1].element

    def place(self, access: ir.Access) -> str:
        """Return the text of an array element."""
        position, array = self.arrays[access.array]
        flat = ""
        for subscript, extent in zip(access.subscripts, array.shape, strict=True):
            text = self.affine(subscript)
            low, high = subscript.bounds(self.trip_counts)
            if low < 0 or high >= extent:
                text = f"at({text}, {extent})"
            flat = f"({flat}) * {extent} + {text}" if flat else text
        return f"a{position}[{flat or 0}]"

    def affine(self, value: Affine) -> str:
        """Return the text of an affine expression."""
        parts = [f"{factor} * {self._atom(atom)}" for atom, factor in value.terms]
        return " + ".join([*parts, str(value.constant)])

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Iter(name):
                return self.iterators[name]
            case FloorDiv(value, divisor):
                return self.words.floored.format(self.affine(value), divisor)
            case Mod(value, divisor):
                return self.words.modulo.format(self.affine(value), divisor)
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
                word = self.words.both if op is ir.LogicOp.AND else self.words.either
                return f"({f' {word} '.join(map(self.condition, operands))})"
            case _:
                assert_never(condition)

    def value(self, expression: ir.Expression, wanted: ElementType) -> str:
        """Return the text of an expression's value, converted to a type."""
        element = expression_type(expression, self.element) or wanted
        text = self._value(expression, element)
        return text if element is wanted else self._converted(text, element, wanted)

    def _value(self, expression: ir.Expression, element: ElementType) -> str:
        match expression:
            case ir.Literal(value):
                return self._literal(value, element)
            case ir.Read(access):
                return self.place(access)
            case ir.Index(value):
                return self.words.number.format(self.affine(value), element=element)
            case ir.Cast(_, operand):
                return self.value(operand, element)
            case ir.Binary(op, left, right):
                types = operand_types(expression, element, self.element)
                sides = self.value(left, types[0]), self.value(right, types[1])
                return self._operated(op, sides, types, element)
            case ir.Call(function, arguments):
                listed = ", ".join(self.value(argument, element) for argument in arguments)
                return f"{self._function(function, element)}({listed})"
            case ir.Select(condition, then, otherwise):
                branches = self.value(then, element), self.value(otherwise, element)
                return self.words.chosen.format(self.condition(condition), *branches)
            case ir.Compare() | ir.Logic():
                return self.words.truth.format(self.condition(expression), element=element)
            case _:
                assert_never(expression)

    @abstractmethod
    def _converted(self, text: str, element: ElementType, wanted: ElementType) -> str:
        """Return the text of a conversion between two types."""

    @abstractmethod
    def _literal(self, value: float, element: ElementType) -> str:
        """Return the text of a number."""

    @abstractmethod
    def _operated(self, op: ir.BinaryOp, sides: Pair, types: Types, element: ElementType) -> str:
        """Return the text of an operation on operands of some types, with a result of another."""

    @abstractmethod
    def _function(self, function: ir.Function, element: ElementType) -> str:
        """Return the name of a function of a type."""
