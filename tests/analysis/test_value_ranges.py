"""Ranges of integer expressions against values that are computed as C does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.operations import OperationList
from streamopt.analysis.value_ranges import ValueContext, built_type, integer_of_bits, value_range
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import Range, expression_type, partial_sums
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    CompareOp,
    Function,
    Index,
    Literal,
    Read,
    Select,
)
from streamopt.ir.operators import Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.ir.expression import Expression

TYPES = {
    "a": ElementType.INT8,
    "b": ElementType.UINT8,
    "c": ElementType.INT16,
    "d": ElementType.INT32,
    "e": ElementType.UINT32,
    "f": ElementType.INT64,
    "g": ElementType.FLOAT,
    "h": ElementType("ap_fixed<8, 4>"),
}
AMONG = ValueContext(TYPES.__getitem__, {"i": 10})
EDGES = {
    name: (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1)
    if kind.is_signed
    else (0, (1 << kind.bits) - 1)
    for name, kind in TYPES.items()
    if kind.is_integer
}


def read(name: str) -> Read:
    return Read(Access(name, ()))


def wrapped(value: int, kind: ElementType | None) -> int:
    if kind is None:
        return value
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.is_signed and value >> kind.bits - 1 else value


def computed(expression: Expression, values: Mapping[str, int]) -> int:
    """Return a value as C computes it; ZeroDivisionError and ValueError where C has none."""
    kind = expression_type(expression, TYPES.__getitem__)
    match expression:
        case Literal(value):
            return int(value)
        case Index(value):
            return int(value.evaluate(values))
        case Read(access):
            return values[access.array]
        case Cast(element, operand):
            return wrapped(computed(operand, values), element)
        case Compare(_, left, right):
            return int(computed(left, values) < computed(right, values))
        case Select(condition, then, otherwise):
            taken = then if computed(condition, values) else otherwise
            return wrapped(computed(taken, values), kind)
        case Call(function, arguments):
            given = [wrapped(computed(one, values), kind) for one in arguments]
            most = {"max": max, "min": min, "abs": abs}[function.value](*given)
            return wrapped(most, kind)
        case Binary(op, left, right):
            pair = (wrapped(computed(side, values), kind) for side in (left, right))
            return wrapped(operated(op, *pair), kind)
        case _:
            raise AssertionError(expression)


def divided(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def remainder(left: int, right: int) -> int:
    return abs(left) % abs(right) * (1 if left >= 0 else -1)


OPERATIONS: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: lambda left, right: left + right,
    BinaryOp.SUB: lambda left, right: left - right,
    BinaryOp.MUL: lambda left, right: left * right,
    BinaryOp.DIV: divided,
    BinaryOp.MOD: remainder,
    BinaryOp.SHL: lambda left, right: left << right,
    BinaryOp.SHR: lambda left, right: left >> right,
    BinaryOp.AND: lambda left, right: left & right,
    BinaryOp.OR: lambda left, right: left | right,
    BinaryOp.XOR: lambda left, right: left ^ right,
}


def operated(op: BinaryOp, left: int, right: int) -> int:
    if op in (BinaryOp.SHL, BinaryOp.SHR) and not 0 <= right < 64:
        raise ValueError(right)
    return OPERATIONS[op](left, right)


def random_expression(rng: random.Random, depth: int) -> Expression:
    if depth == 0:
        leaf = rng.randrange(8)
        if leaf == 0:
            return Index(Affine.iterator("i").scaled(rng.randint(-3, 3)) + Affine.of(1))
        return Literal(rng.randint(-9, 300)) if leaf < 3 else read(rng.choice("aabbcdef"))
    one, other = (random_expression(rng, rng.randint(0, depth - 1)) for _ in range(2))
    match rng.randrange(10):
        case 0:
            return Cast(ElementType(rng.choice(["int8_t", "uint16_t", "int64_t"])), one)
        case 1:
            return Call(rng.choice((Function.MAX, Function.MIN)), (one, other))
        case 2:
            return Call(Function.ABS, (one,))
        case 3:
            return Select(Compare(CompareOp.LT, one, other), other, one)
        case 4:
            return Binary(rng.choice((BinaryOp.SHL, BinaryOp.SHR)), one, Literal(rng.randint(0, 7)))
        case _:
            return Binary(rng.choice([*BinaryOp]), one, other)


def test_values_are_within_their_ranges() -> None:
    rng = random.Random(7)
    narrow = checked = 0
    for _ in range(1500):
        expression = random_expression(rng, 3)
        found = value_range(expression, AMONG)
        kind = expression_type(expression, TYPES.__getitem__)
        if found is None:
            assert kind is None
            continue
        narrow += kind is not None and found.bits < kind.bits
        for _ in range(12):
            near = (0, 1, -1)
            values = {
                name: rng.choice(
                    [low, high, *(n for n in near if n >= low), rng.randint(low, high)]
                )
                for name, (low, high) in EDGES.items()
            }
            try:
                value = computed(expression, {**values, "i": rng.randint(0, 9)})
            except (ZeroDivisionError, ValueError):
                continue
            assert found.low <= value <= found.high, (expression, values)
            checked += 1
    assert narrow > 500
    assert checked > 10_000


def test_sums_of_some_terms() -> None:
    rng = random.Random(2)
    for _ in range(200):
        low = rng.randint(-9, 9)
        term, terms = Range(low, low + rng.randint(0, 9)), rng.randint(1, 6)
        reach = partial_sums(term, terms)
        given = [rng.randint(*term) for _ in range(terms)]
        assert reach.low <= sum(given[: rng.randint(0, terms)]) <= reach.high
    assert partial_sums(Range(-(1 << 14), 1 << 14), 100) == Range(-100 << 14, 100 << 14)


@pytest.mark.parametrize(
    ("left", "right", "built"),
    [
        (read("a"), read("a"), "int8_t"),
        (Cast(ElementType.INT64, read("a")), Cast(ElementType.INT64, read("a")), "int8_t"),
        (read("a"), read("b"), "ap_fixed<9, 9>"),
        (Binary(BinaryOp.SUB, read("a"), Literal(3)), read("a"), "ap_fixed<9, 9>"),
        (read("a"), read("d"), "int32_t"),
        (Cast(ElementType.INT64, read("d")), read("f"), "int64_t"),
        (Cast(ElementType.INT64, read("e")), Literal(3), "ap_fixed<33, 33>"),
        (Binary(BinaryOp.AND, read("d"), Literal(15)), read("a"), "int8_t"),
        (Binary(BinaryOp.SHR, read("d"), Literal(12)), read("c"), "ap_fixed<20, 20>"),
        (Call(Function.MIN, (Call(Function.MAX, (read("d"), Literal(-8))), Literal(7))), read("a"),
         "int8_t"),
        (read("g"), read("g"), "float"),
        (read("h"), read("a"), "ap_fixed<8, 4>"),
    ],
)  # fmt: skip
def test_multipliers_are_as_wide_as_their_operands(
    left: Expression, right: Expression, built: str
) -> None:
    product = Binary(BinaryOp.MUL, left, right)
    computed_in = expression_type(product, TYPES.__getitem__)
    assert computed_in is not None
    assert built_type(product, computed_in, AMONG) == ElementType(built)


def test_types_of_widths() -> None:
    assert [integer_of_bits(bits).value for bits in (1, 9, 17, 32, 53, 54)] == [
        "int8_t",
        "int16_t",
        "ap_fixed<17, 17>",
        "int32_t",
        "ap_fixed<53, 53>",
        "int64_t",
    ]


@pytest.mark.parametrize(
    ("factor", "operator"),
    [(2.0, Operator.BITS), (-4.0, Operator.BITS), (3.0, Operator.MUL)],
)
def test_products_by_powers_of_two_take_no_multiplier(factor: float, operator: Operator) -> None:
    operations = OperationList(AMONG, lambda access: access.array)
    operations.value(Binary(BinaryOp.MUL, Literal(factor), read("b")))
    assert [operation.operator for operation in operations.operations] == [operator]
