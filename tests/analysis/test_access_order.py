from __future__ import annotations

import pytest

from streamopt.analysis.access_order import access_order
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access

i, j, k = (Affine.iterator(name) for name in "ijk")
ZERO = Affine.of(0)
TRIPS = {"i": 4, "j": 8, "k": 3, "n": 1}


@pytest.mark.parametrize(
    ("subscripts", "order", "shape", "expected"),
    [
        ((i, j), "ijk", (4, 8), (0, 1)),
        ((i, j), "kji", (4, 8), (1, 0)),
        ((j, i), "ijk", (8, 4), (1, 0)),
        ((k, i, j), "jki", (3, 4, 8), (2, 0, 1)),
        ((), "ij", (), ()),
        ((i,), "jik", (4,), (0,)),
    ],
)
def test_plain_iterators_follow_the_loop_order(
    subscripts: tuple[Affine, ...],
    order: str,
    shape: tuple[int, ...],
    expected: tuple[int, ...],
) -> None:
    assert access_order(Access("A", subscripts), tuple(order), TRIPS, shape) == expected


@pytest.mark.parametrize("unit", [ZERO, Affine.iterator("n")], ids=["constant", "loop"])
@pytest.mark.parametrize("order", ["nij", "inj", "ijn"])
def test_dimension_of_one_element_has_no_order(unit: Affine, order: str) -> None:
    access = Access("A", (unit, i, j))
    assert access_order(access, tuple(order), TRIPS, (1, 4, 8)) == (1, 2)


@pytest.mark.parametrize(
    ("subscripts", "shape"),
    [
        ((i, j), (4, 9)),  # not the whole array
        ((i + Affine.of(1), j), (5, 8)),  # shifted
        ((i, i), (4, 4)),  # the diagonal
        ((i.scaled(2),), (8,)),
        ((i + k,), (6,)),  # a window
        ((j.floordiv(2), i), (4, 4)),
        ((ZERO, i), (2, 4)),  # one row of two
        ((i,), (4, 8)),  # wrong rank
    ],
)
def test_other_accesses_do_not_stream(
    subscripts: tuple[Affine, ...], shape: tuple[int, ...]
) -> None:
    assert access_order(Access("A", subscripts), ("i", "j", "k"), TRIPS, shape) is None
