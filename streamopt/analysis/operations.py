"""Expression trees to operations with named values, equal ones once; the guards of their reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import assert_never

from streamopt.analysis.sum_steps import SumStep
from streamopt.analysis.value_ranges import ValueContext, accumulated_type, built_type, is_shift
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import ElementType
from streamopt.ir.graph import Node
from streamopt.ir.network import Meaning, Operation
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.program import Statement
from streamopt.ir.schedule import Binding, bound_implementation

_BOUND = (ir.BinaryOp.ADD, ir.BinaryOp.SUB, ir.BinaryOp.MUL)

BEFORE = "before"
"""Name of the partial value of a reduction that an iteration finds."""

_BINARY = {
    ir.BinaryOp.ADD: Operator.ADD,
    ir.BinaryOp.SUB: Operator.SUB,
    ir.BinaryOp.MUL: Operator.MUL,
    ir.BinaryOp.DIV: Operator.DIV,
    ir.BinaryOp.MOD: Operator.MOD,
    ir.BinaryOp.SHL: Operator.BITS,
    ir.BinaryOp.SHR: Operator.BITS,
    ir.BinaryOp.AND: Operator.BITS,
    ir.BinaryOp.OR: Operator.BITS,
    ir.BinaryOp.XOR: Operator.BITS,
}


def accumulates(node: Node) -> bool:
    """Return whether a streaming node keeps partial values from one iteration to another."""
    trips = node.trip_counts
    reduces = node.reduction is not None
    return reduces and any(trips[name] > 1 for name in node.reduction_loops)


def add_body(
    operations: OperationList,
    node: Node,
    over: tuple[str, ...] = (),
    *,
    carried: bool = True,
) -> str:
    """Append what one iteration of a streaming node computes; return the name of its result.

    Parameters
    ----------
    over
        Lanes whose terms a tree combines, before one more operator adds them to a partial value.
    carried
        Whether there are partial values, if the node has any; not where an iteration has all terms.
    """
    if node.guard is not None:
        operations.value(node.guard)
    value = operations.value(node.value)
    start = None if node.start is None else operations.value(node.start)
    if node.reduction is None:
        return value
    operator = _reduction_operator(node.reduction)
    element = accumulated_type(node, operations.among)
    if over:
        value = operations.add(operator, element, value, over=over)
    if carried and accumulates(node):
        return operations.add(operator, element, BEFORE, value)
    return value if start is None else operations.add(operator, element, start, value)


def _reduction_operator(reduction: Reduction) -> Operator:
    match reduction:
        case Reduction.ADD:
            return Operator.ADD
        case Reduction.MUL:
            return Operator.MUL
        case Reduction.MAX:
            return Operator.MAX
        case Reduction.MIN:
            return Operator.MIN
        case _:
            assert_never(reduction)


def index_name(value: Affine) -> str:
    """Return the name of a sum over loops as an operand, which no access or operation has."""
    return f"({value})" if value.iterators() else str(value)


class OperationList:
    """Collects the operations of one loop nest; values get names of their own.

    Parameters
    ----------
    among
        Arrays and loops around the expressions.
    fetch
        Makes the access for a read and returns the name of its value.
    binding
        What floating-point operators are built from.
    first
        Number of the first value: operations of the nest before these.
    numbers
        Places of operators in their phase; 0 for others.
    """

    def __init__(
        self,
        among: ValueContext,
        fetch: Callable[[ir.Access], str],
        binding: Binding = (),
        first: int = 0,
        numbers: Mapping[ir.Expression, int] = MappingProxyType({}),
    ) -> None:
        self.operations: list[Operation] = []
        self._binding = binding
        self._first = first
        self._numbers = numbers
        self.among = among
        self._fetch = fetch
        self._known: dict[ir.Expression, str] = {}

    def value(self, expression: ir.Expression) -> str:
        """Return the name of an expression's value, after the operations that make it."""
        known = self._known.get(expression)
        if known is None:
            known = self._known[expression] = self._made(expression)
        return known

    def add(
        self,
        operator: Operator,
        element: ElementType,
        *operands: str,
        over: tuple[str, ...] = (),
        number: int = 0,
        meaning: Meaning | None = None,
    ) -> str:
        """Append one operation and return the name of its result."""
        result = f"t{self._first + len(self.operations)}"
        built_from = bound_implementation(self._binding, operator, element, number)
        self.operations.append(
            Operation(operator, element, operands, result, built_from, over, meaning)
        )
        return result

    def updated(
        self, step: SumStep, element: ElementType, before: str, term: str, over: tuple[str, ...]
    ) -> str:
        """Append a tree of the terms of lanes and the update of a value by it."""
        if not step.is_chosen:
            terms = self.add(step.terms, element, term, over=over)
            return self.add(step.update, element, before, terms)
        is_first = self.add(Operator.COMPARE, element, term, over=over)
        terms = self.add(Operator.SELECT, element, is_first, term, over=over)
        is_first = self.add(Operator.COMPARE, element, before, terms)
        return self.add(Operator.SELECT, element, is_first, before, terms)

    def _made(self, expression: ir.Expression) -> str:
        match expression:
            case ir.Literal(value):
                return str(value)
            case ir.Index(value):
                return index_name(value)
            case ir.Read(access):
                return self._fetch(access)
            case ir.Compare() | ir.Logic() if ir.is_affine_condition(expression):
                return "(index condition)"
            case _:
                return self._operation(expression)

    def _operation(self, expression: ir.Expression) -> str:
        computed = expression_type(expression, self.among.element_of) or ElementType.FLOAT
        element = built_type(expression, computed, self.among)
        meaning = _meaning(expression, computed, self.among.element_of)
        add = partial(self.add, meaning=meaning)
        match expression:
            case ir.Binary(_, _, operand) if ir.is_negation(expression):
                return add(Operator.NEGATE, element, self.value(operand))
            case ir.Binary(_, _, right) if _is_reciprocal(expression, element):
                return add(Operator.RECIPROCAL, element, self.value(right))
            case ir.Binary(ir.BinaryOp.MUL, left, right) if is_shift(expression, element):
                return add(Operator.BITS, computed, self.value(left), self.value(right))
            case ir.Binary(op, left, right):
                operands, number = (
                    (self.value(left), self.value(right)),
                    self._numbers.get(expression, 0),
                )
                return add(_BINARY[op], element, *operands, number=number)
            case ir.Cast(_, operand):
                return add(Operator.CAST, computed, self.value(operand))
            case ir.Call(function, arguments):
                operator = Operator(function.value)
                return add(operator, element, *map(self.value, arguments))
            case ir.Compare(_, left, right):
                compared = compared_type(left, right, self.among.element_of) or ElementType.FLOAT
                element = built_type(expression, compared, self.among)
                return add(Operator.COMPARE, element, self.value(left), self.value(right))
            case ir.Logic(_, operands):
                return add(Operator.LOGIC, computed, *map(self.value, operands))
            case ir.Select(condition, then, otherwise):
                parts = (condition, then, otherwise)
                return add(Operator.SELECT, element, *map(self.value, parts))
            case _:
                raise AssertionError(expression)


def _is_reciprocal(expression: ir.Binary, element: ElementType) -> bool:
    return (expression.op, expression.left) == (ir.BinaryOp.DIV, ir.Literal(1.0)) and (
        element.is_float
    )


def _meaning(
    expression: ir.Expression, computed: ElementType, element_of: Callable[[str], ElementType]
) -> Meaning:
    """Return the meaning of an operation that is computed in a type."""
    match expression:
        case ir.Binary(op):
            types = operand_types(expression, computed, element_of)
            is_single = ir.is_negation(expression) or _is_reciprocal(expression, computed)
            return Meaning(op, types[1:] if is_single else types, computed)
        case ir.Compare(op, left, right):
            compared = compared_type(left, right, element_of) or ElementType.FLOAT
            return Meaning(op, (compared, compared), ElementType.INT32)
        case ir.Logic(op, operands):
            return Meaning(op, (ElementType.INT32,) * len(operands), ElementType.INT32)
        case ir.Cast(_, operand):
            return Meaning(None, (expression_type(operand, element_of) or computed,), computed)
        case ir.Select():
            return Meaning(None, (ElementType.INT32, computed, computed), computed)
        case _:
            return Meaning(None, (computed,) * len(ir.children(expression)), computed)


def operator_places(
    values: Sequence[ir.Expression], others: Sequence[ir.Expression]
) -> tuple[Mapping[ir.Expression, int], ...]:
    """Return the places in their phase of the additions, and of the products, of its statements.

    Equal operations of a statement are one, at the place of the first.

    Parameters
    ----------
    values
        Of the statements.
    others
        The same with other operands, which the answer is for.
    """
    passed: Counter[bool] = Counter()
    found: list[Mapping[ir.Expression, int]] = []
    for value, other in zip(values, others, strict=True):
        first: dict[ir.Expression, int] = {}
        places: dict[ir.Expression, int] = {}
        for part, own in zip(ir.walk(value), ir.walk(other), strict=True):
            if isinstance(part, ir.Binary) and part.op in _BOUND:
                is_product = part.op is ir.BinaryOp.MUL
                places[own] = first.setdefault(part, passed[is_product])
                passed[is_product] += 1
        found.append(places)
    return tuple(found)


def read_guards(body: Node | Statement) -> Mapping[ir.Access, ir.Condition]:
    """Return an affine condition for every access that happens only where it holds.

    An access at several places has what is a condition at all of them; conditions that compare
    with fractions are left out, which neither isl nor the rules for lanes know.

    Parameters
    ----------
    body
        A streaming node, or a statement of a sequential one.
    """
    found: dict[ir.Access, list[tuple[ir.Condition, ...]]] = {}
    for access, under in _conditional_reads(body):
        found.setdefault(access, []).append(under)
    guards: dict[ir.Access, ir.Condition] = {}
    for access, places in found.items():
        common = _common(places)
        if common:
            guards[access] = ir.all_of(common)
    return guards


def _common(places: Iterable[tuple[ir.Condition, ...]]) -> tuple[ir.Condition, ...]:
    first, *others = places
    shared = set(first).intersection(*others)
    return tuple(
        part for part in dict.fromkeys(first) if part in shared and compares_whole_numbers(part)
    )


def _conditional_reads(
    body: Node | Statement,
) -> Iterator[tuple[ir.Access, tuple[ir.Condition, ...]]]:
    under: tuple[ir.Condition, ...] = ()
    if body.guard is not None:
        under = ir.affine_conjuncts(body.guard)
        yield from ir.conditional_reads(body.guard)
    if body.start is not None:
        yield from ir.conditional_reads(body.start)
    yield from ir.conditional_reads(body.value, under)


def compares_whole_numbers(condition: ir.Condition) -> bool:
    """Return whether a condition compares with no fraction."""
    literals = (part.value for part in ir.walk(condition) if isinstance(part, ir.Literal))
    return all(float(value).is_integer() for value in literals)
