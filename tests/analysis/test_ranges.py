"""Accesses inside their arrays, where conditions hold: against enumeration."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.analysis.instances import is_inside
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Logic, LogicOp

AT_I, AT_J = Affine.iterator("i"), Affine.iterator("j")
TRIPS = {"i": 4, "j": 3}
OPERATIONS = {
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__,
    ">=": int.__ge__, "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip

linear = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-3, 6)).map(
    lambda c: AT_I.scaled(c[0]) + AT_J.scaled(c[1]) + Affine.of(c[2])
)
subscript = st.one_of(
    linear,
    st.tuples(linear, st.integers(2, 3)).map(lambda d: d[0].floordiv(d[1])),
    st.tuples(linear, st.integers(2, 3)).map(lambda d: d[0].mod(d[1])),
)
comparison = st.tuples(st.sampled_from([*CompareOp]), subscript, linear).map(
    lambda c: Compare(c[0], Index(c[1]), Index(c[2]))
)


def holds(condition: Compare, point: dict[str, int]) -> bool:
    assert isinstance(condition.left, Index)
    assert isinstance(condition.right, Index)
    sides = condition.left.value.evaluate(point), condition.right.value.evaluate(point)
    return OPERATIONS[condition.op](*sides)


@settings(max_examples=150, deadline=None)
@given(st.lists(subscript, min_size=1, max_size=2), st.lists(comparison, max_size=2), st.booleans())
def test_equals_enumeration(subscripts: list[Affine], parts: list[Compare], either: bool) -> None:
    shape = (5, 3)[: len(subscripts)]
    conditions = [Logic(LogicOp.OR, tuple(parts))] if either and len(parts) == 2 else parts
    joined = any if either and len(parts) == 2 else all
    points = [{"i": i, "j": j} for i, j in product(range(4), range(3))]
    inside = all(
        0 <= s.evaluate(point) < extent
        for point in points
        if joined(holds(part, point) for part in parts)
        for s, extent in zip(subscripts, shape, strict=True)
    )
    access = Access("A", tuple(subscripts))
    assert is_inside(access, TRIPS, conditions, shape) is inside
