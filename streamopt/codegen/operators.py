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
_LETTERS = {ElementType.FLOAT: "f", ElementType.DOUBLE: "d", ElementType.HALF: "h"}


def _operation(operator: Operator, element: ElementType) -> str:
    """Return the name that ``bind_op`` has for an operator: ``fadd``, ``dmul``, ..."""
    return _LETTERS[element] + operator


OPERATOR_FUNCTION_NAMES = frozenset(
    f"{_operation(operator, element)}_{implementation}"
    for element in _LETTERS
    for operator in _SYMBOLS
    for implementation in BINDABLE[Operator.ADD if operator is Operator.SUB else operator]
)
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
