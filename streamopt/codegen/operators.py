"""Functions of one operator each, so that ``bind_op`` can say what it is built from.

The pragma wants a variable that takes the operator's result, in the function that defines it
(Vitis HLS 2023.2, UG1399): a small inlined function has one wherever the operator stands in an
expression, and computes nothing that the expression would not.
"""

from dataclasses import dataclass

from streamopt.codegen.tree import CppFunction, CppStatement, Pragma
from streamopt.ir.element import ElementType
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import BINDABLE, Binding, bound_implementation

_SYMBOLS = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*"}
_LETTERS = {ElementType.FLOAT: "f", ElementType.DOUBLE: "d", ElementType.HALF: "h"}


def _operation(operator: Operator, element: ElementType) -> str:
    """Return the name that ``bind_op`` has for an operator: ``fadd``, ``dmul``, ..."""
    return _LETTERS[element] + operator


@dataclass(frozen=True, slots=True)
class _Narrow:
    """Products of integers of 8 or 9 bits."""

    bits: int
    factor: ElementType
    product: ElementType

    def name(self, built_from: Implementation) -> str:
        """Return the function of a product in LUTs, or of two in one DSP."""
        return f"int{self.bits}_mul_{built_from}"


_NARROW = {
    8: _Narrow(8, ElementType.INT8, ElementType.INT16),
    9: _Narrow(9, ElementType.INT16, ElementType.INT32),
}
OPERATOR_FUNCTION_NAMES = frozenset(
    f"{_operation(operator, element)}_{implementation}"
    for element in _LETTERS
    for operator in _SYMBOLS
    for implementation in BINDABLE[Operator.ADD if operator is Operator.SUB else operator]
) | {
    kind.name(built_from)
    for kind in _NARROW.values()
    for built_from in (Implementation.FABRIC, Implementation.PACKED)
}
"""All functions that emitted code may have."""


class OperatorFunctions:
    """The functions of a design that were called so far."""

    def __init__(self) -> None:
        self._defined: dict[str, CppFunction] = {}

    @property
    def items(self) -> tuple[CppFunction, ...]:
        """Return the definitions, by name."""
        return tuple(function for _, function in sorted(self._defined.items()))

    def name(
        self, binding: Binding, operator: Operator, element: ElementType, number: int = 0
    ) -> str | None:
        """Return the function for an operator; None where its choice is the tool's."""
        built_from = bound_implementation(binding, operator, element, number)
        if built_from is None:
            return None
        name = f"{_operation(operator, element)}_{built_from}"
        bound = f"op={_operation(operator, element)} impl={built_from}"
        self._defined.setdefault(name, _function(name, _SYMBOLS[operator], element, element, bound))
        return name

    def narrow_product(self, bits: int) -> str:
        """Return the function of a product of integers of 8 or 9 bits that is built from LUTs."""
        kind = _NARROW[bits]
        name = kind.name(Implementation.FABRIC)
        bound = f"op=mul impl={Implementation.FABRIC}"
        self._defined.setdefault(name, _function(name, "*", kind.factor, kind.product, bound))
        return name

    def packed_products(self, bits: int) -> str:
        """Return the function of two products of such integers with a factor in common."""
        kind = _NARROW[bits]
        name = kind.name(Implementation.PACKED)
        self._defined.setdefault(name, _packed_products(name, kind))
        return name


def product_type(bits: int) -> ElementType:
    """Return the type of a product of integers of 8 or 9 bits."""
    return _NARROW[bits].product


def _packed_products(name: str, kind: _Narrow) -> CppFunction:
    """Return two products as one: the upper one is 1 less where the lower one is negative.

    The factors in fields of 18 bits take 27 bits of the multiplier of 27 by 18: a product takes
    twice its factor's bits, and two factors of 9 bits above -256 fit.
    """
    bits = kind.bits
    body = (
        Pragma("inline"),
        CppStatement("const ap_int<27> both = second * (1 << 18) + first;"),
        CppStatement(f"const ap_int<{bits}> factor = common;"),
        CppStatement(f"const ap_int<{27 + bits}> products = both * factor;"),
        Pragma("bind_op variable=products op=mul impl=dsp"),
        CppStatement("const ap_int<18> lower = products;"),
        CppStatement(f"first_product = static_cast<{kind.product}>(lower);"),
        CppStatement(f"const ap_int<{9 + bits}> upper = products >> 18;"),
        CppStatement(f"second_product = static_cast<{kind.product}>(upper + (lower < 0 ? 1 : 0));"),
    )
    factors = tuple(f"const {kind.factor} {text}" for text in ("common", "first", "second"))
    products = (f"{kind.product} &first_product", f"{kind.product} &second_product")
    return CppFunction(f"static void {name}", (*factors, *products), body)


def _function(
    name: str, symbol: str, operand: ElementType, result: ElementType, bound: str
) -> CppFunction:
    body = (
        Pragma("inline"),
        CppStatement(f"const {result} result = left {symbol} right;"),
        Pragma(f"bind_op variable=result {bound}"),
        CppStatement("return result;"),
    )
    parameters = (f"const {operand} left", f"const {operand} right")
    return CppFunction(f"static {result} {name}", parameters, body)
