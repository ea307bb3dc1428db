"""The closed formulas of table 2 against a walk over the tile loops."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Read
from streamopt.ir.graph import Node
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Loop
from streamopt.perf.paper.algebra import INTEGERS, symbolic
from streamopt.perf.paper.timing import nest_timing

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOPS = ("h", "i", "j", "k")
Case = tuple[Node, tuple[str, ...], dict[str, int]]


def over(array: str, names: Sequence[str]) -> Access:
    return Access(array, tuple(Affine.iterator(name) for name in names))


def node_of(names: Sequence[str], written: Sequence[str], operands: Sequence[Access]) -> Node:
    left, right = (Read(access) for access in operands)
    return Node(
        name="n",
        loops=tuple(Loop(name, 60) for name in names),
        write=over("out", written),
        value=Binary(BinaryOp.MUL, left, right),
        reduction=Reduction.ADD,
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    names = LOOPS[: draw(st.integers(1, 4))]
    some = st.lists(st.sampled_from(names), unique=True)
    node = node_of(names, draw(some), (over("a", draw(some)), over("b", draw(some))))
    order = tuple(draw(st.permutations(names)))
    return node, order, {name: draw(st.integers(1, 5)) for name in names}


def points(order: Sequence[str], tiles: dict[str, int]) -> list[dict[str, int]]:
    ranges = [range(tiles[loop]) for loop in order]
    return [dict(zip(order, point, strict=True)) for point in product(*ranges)]


@settings(deadline=None)
@given(cases())
def test_times_are_those_of_a_walk(case: Case) -> None:
    node, order, tiles = case
    complete: dict[tuple[int, ...], int] = {}
    new: dict[str, dict[tuple[int, ...], int]] = {"a": {}, "b": {}}
    for step, at in enumerate(points(order, tiles)):
        complete[tuple(at[name] for name in node.write.iterators())] = step
        for access in node.reads:
            new[access.array].setdefault(tuple(at[name] for name in access.iterators()), step)
    ii = 1 if order[-1] in node.write.iterators() else 4
    timing = nest_timing(node, order, tiles, ("a", "b"), INTEGERS)
    assert timing.ii == ii
    assert timing.first_write == ii * min(complete.values())
    assert timing.last_write == ii * max(complete.values())
    assert timing.last_read == {array: ii * max(seen.values()) for array, seen in new.items()}


@settings(deadline=None)
@given(cases(), st.integers(0, 3))
def test_every_store_counts_the_run_again(case: Case, stores: int) -> None:
    node, order, tiles = case
    once = nest_timing(node, order, tiles, ("a",), INTEGERS)
    several = nest_timing(node, order, tiles, ("a",), INTEGERS, stores=stores)
    assert several.last_write == once.last_write * max(1, stores)
    assert several.first_write == once.first_write
    assert several.last_read == once.last_read


@settings(deadline=None)
@given(st.lists(cases(), min_size=1, max_size=4))
def test_symbols_give_the_same_as_integers(drawn: list[Case]) -> None:
    import sympy

    for node, order, tiles in drawn:
        symbols: dict[str, Any] = {name: sympy.Symbol(f"x_{name}") for name in tiles}
        values = {symbols[name]: tiles[name] for name in tiles}
        formula = nest_timing(node, order, symbols, ("a", "b"), symbolic(), stores=2)
        number = nest_timing(node, order, tiles, ("a", "b"), INTEGERS, stores=2)
        assert formula.ii == number.ii
        assert formula.first_write.subs(values) == number.first_write
        assert formula.last_write.subs(values) == number.last_write
        for array, cycles in number.last_read.items():
            assert formula.last_read[array].subs(values) == cycles


@settings(deadline=None)
@given(cases(), st.lists(st.tuples(*[st.integers(1, 5)] * 4), min_size=1, max_size=6))
def test_arrays_give_the_same_as_integers(case: Case, tilings: list[tuple[int, ...]]) -> None:
    node, order, _ = case
    names = tuple(node.trip_counts)
    columns = {name: np.array([t[p] for t in tilings]) for p, name in enumerate(names)}
    algebra: Any = INTEGERS
    many = nest_timing(node, order, columns, ("a", "b"), algebra)
    size = np.zeros(len(tilings), dtype=np.int64)
    for place, tiling in enumerate(tilings):
        one = nest_timing(node, order, dict(zip(names, tiling, strict=False)), ("a", "b"), INTEGERS)
        assert (size + many.first_write)[place] == one.first_write
        assert (size + many.last_write)[place] == one.last_write
        for array, cycles in one.last_read.items():
            assert (size + many.last_read[array])[place] == cycles


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ijk", (4 * 3, 4 * 23, 4 * 15, 4 * 11)),
        ("ikj", (9, 23, 21, 11)),
        ("kij", (18, 23, 21, 20)),
        ("kji", (18, 23, 19, 22)),
    ],
)
def test_matrix_product_by_hand(order: str, expected: tuple[int, int, int, int]) -> None:
    """C[i][j] += A[i][k] * B[k][j] over 2 x 3 x 4 iterations: FW, LW, LR of A and LR of B."""
    node = node_of("ijk", "ij", (over("a", "ik"), over("b", "kj")))
    tiles = {"i": 2, "j": 3, "k": 4}
    timing = nest_timing(node, tuple(order), tiles, ("a", "b"), INTEGERS)
    found = (timing.first_write, timing.last_write, timing.last_read["a"], timing.last_read["b"])
    assert found == expected
    assert prod(tiles.values()) * timing.ii == timing.last_write + timing.ii


def test_operand_read_in_two_ways_counts_the_iterators_of_both() -> None:
    node = node_of("ij", "ij", (over("a", "i"), over("a", "j")))
    assert nest_timing(node, ("i", "j"), {"i": 3, "j": 5}, ("a",), INTEGERS).last_read == {"a": 14}


def test_window_counts_all_iterators_of_its_subscripts() -> None:
    window = Access("a", (Affine.iterator("i") + Affine.iterator("k"),))
    node = node_of("ijk", "ij", (window, over("b", "k")))
    tiles = {"i": 2, "j": 3, "k": 4}
    timing = nest_timing(node, ("i", "j", "k"), tiles, ("a", "b"), INTEGERS)
    assert timing.last_read == {"a": 4 * (1 * 12 + 0 + 3), "b": 4 * 3}
