"""Functions of one operator each, so that ``bind_op`` can say what it is built from.

The pragma wants a variable that takes the operator's result, in the function that defines it
(Vitis HLS 2023.2, UG1399): a small inlined function has one wherever the operator stands in an
expression, and computes nothing that the expression would not.
"""

from streamopt.codegen.tree import CppFunction, CppStatement, Pragma
from streamopt.ir.element import ElementType
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import BINDABLE, Binding, bound_implementation

_SYMBOLS = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*"}
_NARROW_FACTORS = ("const int8_t left", "const int8_t right")
_LETTERS = {ElementType.FLOAT: "f", ElementType.DOUBLE: "d", ElementType.HALF: "h"}


def _operation(operator: Operator, element: ElementType) -> str:
    """Return the name that ``bind_op`` has for an operator: ``fadd``, ``dmul``, ..."""
    return _LETTERS[element] + operator


NARROW_PRODUCT, PACKED_PRODUCTS = "int8_mul_fabric", "int8_mul_packed"
"""Functions of a product of narrow integers in LUTs, and of two in one DSP."""
OPERATOR_FUNCTION_NAMES = frozenset(
    f"{_operation(operator, element)}_{implementation}"
    for element in _LETTERS
    for operator in _SYMBOLS
    for implementation in BINDABLE[Operator.ADD if operator is Operator.SUB else operator]
) | {NARROW_PRODUCT, PACKED_PRODUCTS}
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
        self._defined.setdefault(name, _function(name, operator, element, built_from))
        return name

    def narrow_product(self) -> str:
        """Return the function of a product of narrow integers that is built from LUTs."""
        self._defined.setdefault(NARROW_PRODUCT, _narrow_product())
        return NARROW_PRODUCT

    def packed_products(self) -> str:
        """Return the function of two products of narrow integers with a factor in common."""
        self._defined.setdefault(PACKED_PRODUCTS, _packed_products())
        return PACKED_PRODUCTS


def _narrow_product() -> CppFunction:
    body = (
        Pragma("inline"),
        CppStatement("const int16_t result = left * right;"),
        Pragma(f"bind_op variable=result op=mul impl={Implementation.FABRIC}"),
        CppStatement("return result;"),
    )
    return CppFunction(f"static int16_t {NARROW_PRODUCT}", _NARROW_FACTORS, body)


def _packed_products() -> CppFunction:
    """Return two products as one: the upper one is 1 less where the lower one is negative.

    The factors in fields of 18 bits take 27 bits of the multiplier of 27 by 18; a product takes 16.
    """
    body = (
        Pragma("inline"),
        CppStatement("const ap_int<27> both = second * (1 << 18) + first;"),
        CppStatement("const ap_int<35> products = both * common;"),
        Pragma("bind_op variable=products op=mul impl=dsp"),
        CppStatement("const ap_int<18> lower = products;"),
        CppStatement("first_product = static_cast<int16_t>(lower);"),
        CppStatement("const ap_int<17> upper = products >> 18;"),
        CppStatement("second_product = static_cast<int16_t>(upper + (lower < 0 ? 1 : 0));"),
    )
    factors = tuple(f"const int8_t {name}" for name in ("common", "first", "second"))
    products = ("int16_t &first_product", "int16_t &second_product")
    return CppFunction(f"static void {PACKED_PRODUCTS}", (*factors, *products), body)


def _function(
    name: str, operator: Operator, element: ElementType, built_from: Implementation
) -> CppFunction:
    bound = f"op={_operation(operator, element)} impl={built_from}"
    body = (
        Pragma("inline"),
        CppStatement(f"const {element} result = left {_SYMBOLS[operator]} right;"),
        Pragma(f"bind_op variable=result {bound}"),
        CppStatement("return result;"),
    )
    parameters = (f"const {element} left", f"const {element} right")
    return CppFunction(f"static {element} {name}", parameters, body)
