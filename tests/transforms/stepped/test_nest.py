"""Tile loops hold every iteration once, and no bank is asked more often than it has ports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.phase_reads import reads_of
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.text import expression_text
from streamopt.transforms.stepped.nest import stepped_nest
from tests.support.laned_points import holds, lanes_with_work, points_of, visits
from tests.support.steps import (
    cholesky,
    jacobi_2d,
    lu,
    nussinov,
    ordered,
    plan_of,
    seidel,
    trisolv,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.stepping.stepped import HeldArray, LanedPhase, SteppedNest
    from tests.support.laned_points import Point
    from tests.support.steps import Ordered

    Loads = dict[tuple[str, tuple[int, ...]], set[tuple[int, ...]]]
    """Elements touched by memory and bank."""


def built(order: Ordered, **lanes: int) -> SteppedNest:
    return stepped_nest(order.node, order.steps, plan_of(order, **lanes), order.arrays)


TRIANGLE = ordered("triangle", {"C": (13, 13)}, """
    phase fill: i 0 13, j i 13
    : C[i][j] = C[i][j] + 1.0
""")  # fmt: skip
WEDGE = ordered("wedge", {"C": (20, 20)}, """
    for k 0 5
    . phase fill: i k 12, j k|i-2 2*i+1|k+9
    . : C[i][j] = C[i][j] + 1.0
""")  # fmt: skip
CORNERS = ordered("corners", {"A": (40, 40)}, """
    for k 0 40
    . phase corner:
    . : A[k][k] = A[k][k] + 1.0
    . : A[k][k] = A[k][k] * A[k][k]
    . phase row: j k+1 40
    . : A[k][j] = A[k][j] * A[k][k]
    . phase last:
    . : A[k][k] = A[k][k] + A[k][39]
    . phase rest: a k+1 40, b k+1 40
    . : A[a][b] = A[a][b] - A[a][k] * A[k][b] + A[k][k]
""")  # fmt: skip
ANYWHERE = ordered("anywhere", {"A": (40, 40)}, """
    for k 0 6
    . phase far: w k 13
    . : A[w][k] = A[w][k] + A[7][w+(k+w)//3]
""")  # fmt: skip
CASES = {
    "anywhere": (ANYWHERE, {"w": 3}),
    "corners": (CORNERS, {"j": 4, "a": 2, "b": 4}),
    "lu": (lu(11), {"i": 4, "a": 4, "b": 3}),
    "lu wide": (lu(9), {"i": 8, "a": 2, "b": 8}),
    "lu sliced": (lu(33), {"i": 4, "a": 4, "b": 8}),
    "cholesky": (cholesky(33), {"i": 4, "a": 2, "b": 4}),
    "trisolv": (trisolv(9), {"i": 4}),
    "jacobi rows": (jacobi_2d(10, 2), {"j": 8, "l": 8}),
    "jacobi tiles": (jacobi_2d(10, 2), {"i": 2, "j": 4, "k": 2, "l": 4}),
    "nussinov": (nussinov(10), {"i": 2, "k": 4}),
    "seidel": (seidel(8, 3), {"t": 2, "i": 3}),
    "triangle": (TRIANGLE, {"i": 2, "j": 4}),
    "wedge": (WEDGE, {"i": 4, "j": 3}),
}


@pytest.fixture(params=CASES)
def nest(request: pytest.FixtureRequest) -> SteppedNest:
    order, lanes = CASES[request.param]
    return built(order, **lanes)


def test_lanes_with_work_are_the_iterations(nest: SteppedNest) -> None:
    for laned, around in visits(nest.items, {}):
        found = [
            tuple(point[loop.name] for loop in laned.phase.loops)
            for tile in points_of(laned.tiles, around)
            for point in lanes_with_work(laned, tile)
        ]
        wanted = [
            tuple(point[loop.name] for loop in laned.phase.loops)
            for point in points_of(laned.phase.loops, around)
        ]
        assert sorted(found) == sorted(wanted)


def test_no_tile_of_a_visit_with_work_is_idle() -> None:
    for name in ("lu", "trisolv", "jacobi tiles", "triangle"):
        order, lanes = CASES[name]
        for laned, around in visits(built(order, **lanes).items, {}):
            tiles = [*points_of(laned.tiles, around)]
            idle = [tile for tile in tiles if not [*lanes_with_work(laned, tile)]]
            assert not idle or len(tiles) == 1


def test_inner_tiles_keep_bounds_of_loops_that_are_further_in() -> None:
    order, lanes = CASES["triangle"]
    plan = plan_of(order, **lanes)
    plan = replace(plan, order=plan.order[::-1])
    turned = stepped_nest(order.node, order.steps, plan, order.arrays)
    (laned,) = turned.phases
    assert [tile.name for tile in laned.tiles] == ["j", "i"]
    tiles = [*points_of(laned.tiles, {})]
    assert all([*lanes_with_work(laned, tile)] for tile in tiles)
    assert sum(len([*lanes_with_work(laned, tile)]) for tile in tiles) == 13 * 14 // 2


def test_no_bank_has_more_accesses_than_ports(nest: SteppedNest) -> None:
    most_reads: dict[str, int] = defaultdict(int)
    most_writes: dict[str, int] = defaultdict(int)
    for laned, around in visits(nest.items, {}):
        for tile in points_of(laned.tiles, around):
            points = [*lanes_with_work(laned, tile)]
            for load, most in (
                (_reads(nest, laned, points), most_reads),
                (_writes(nest, laned, points), most_writes),
            ):
                for (memory, _), elements in load.items():
                    most[memory] = max(most[memory], len(elements))
    for memory in nest.memories:
        if memory.factors != memory.shape:
            assert most_reads[memory.name] + most_writes[memory.name] <= 2 * nest.ii


def _reads(nest: SteppedNest, laned: LanedPhase, points: list[Point]) -> Loads:
    return _loads(nest, [(access, name, None) for access, name in laned.reads], points)


def _writes(nest: SteppedNest, laned: LanedPhase, points: list[Point]) -> Loads:
    statements = laned.phase.statements
    return _loads(
        nest,
        [(statements[m.statement].target, m.memory, m.guard) for m in laned.mirrors],
        points,
    )


def _loads(
    nest: SteppedNest,
    accesses: list[tuple[ir.Access, str, ir.Condition | None]],
    points: list[Point],
) -> Loads:
    """Return the elements that are touched in each bank of each memory."""
    found: dict[tuple[str, tuple[int, ...]], set[tuple[int, ...]]] = defaultdict(set)
    for access, name, guard in accesses:
        memory = nest.memory(name)
        places = memory.places(access)
        for point in points:
            if holds(guard, point):
                place = tuple(int(one.evaluate(point)) for one in places)
                bank = tuple(p % f for p, f in zip(place, memory.factors, strict=True))
                found[name, bank].add(place)
    return found


def test_reads_find_the_last_value_whatever_the_order_in_a_visit(nest: SteppedNest) -> None:
    held = {memory.name: _brought(nest, memory) for memory in nest.memories}
    version: dict[tuple[str, tuple[int, ...]], int] = defaultdict(int)
    for laned, around in visits(nest.items, {}):
        points = [
            point
            for tile in points_of(laned.tiles, around)
            for point in lanes_with_work(laned, tile)
        ]
        new: dict[tuple[str, tuple[int, ...]], int] = {}
        wanted = [*_served(nest, laned, points)]
        for name, place, element in wanted:
            assert held[name][place] == (element, version[element])
        for mirror in laned.mirrors:
            statement = laned.phase.statements[mirror.statement]
            for point in points:
                if not holds(statement.guard, point):
                    continue
                element = _element(statement.target, point)
                new[element] = version[element] + 1
                if holds(mirror.guard, point):
                    memory = nest.memory(mirror.memory)
                    place = tuple(int(p.evaluate(point)) for p in memory.places(statement.target))
                    held[mirror.memory][place] = element, new[element]
        for name, place, element in wanted:
            assert element in new or held[name][place] == (element, version[element])
        version.update(new)
    for transfer in nest.handed:
        for place, (element, at) in held[transfer.memories[0]].items():
            assert element == (transfer.array, place)
            assert version[element] == at


def _element(access: ir.Access, point: Point) -> tuple[str, tuple[int, ...]]:
    return access.array, tuple(int(s.evaluate(point)) for s in access.subscripts) or (0,)


def _served(
    nest: SteppedNest, laned: LanedPhase, points: list[Point]
) -> Iterator[tuple[str, tuple[int, ...], tuple[str, tuple[int, ...]]]]:
    """Yield memory, place and element of each read that happens."""
    for statement in laned.phase.statements:
        for access, name in laned.reads:
            if access not in reads_of(statement):
                continue
            for point in points:
                if holds(statement.guard, point):
                    places = nest.memory(name).places(access)
                    place = tuple(int(one.evaluate(point)) for one in places)
                    yield name, place, _element(access, point)


def _brought(
    nest: SteppedNest, memory: HeldArray
) -> dict[tuple[int, ...], tuple[tuple[str, tuple[int, ...]], int]]:
    """Return the element and its version at every place of a memory at the start."""
    found: dict[tuple[int, ...], tuple[tuple[str, tuple[int, ...]], int]] = {}
    transfers = [t for t in nest.brought if memory.name in t.memories]
    by_size = sorted(nest.memories, key=lambda one: prod(one.shape))
    shapes = {one.array: one.shape for one in by_size}
    for transfer in transfers:
        for subscripts in product(*map(range, shapes[transfer.array])):
            point = {f"d{at}": value for at, value in enumerate(subscripts)}
            if holds(memory.start, point):
                access = ir.Access(memory.array, tuple(map(Affine.iterator, point)))
                place = tuple(int(one.evaluate(point)) for one in memory.places(access))
                assert place not in found
                found[place] = (memory.array, subscripts), 0
    return found


def test_slices_are_small_and_leave_one_copy() -> None:
    nest = built(lu(33), i=4, a=4, b=8)
    shapes = [memory.shape for memory in nest.memories]
    assert shapes == [(33, 33), (33,), (1,), (33,), (2, 33)]
    assert nest.ii == 1


def test_updates_of_one_element_under_guards_are_one_write() -> None:
    order = ordered("guarded", {"T": (40, 40), "x": (40,)}, """
        for w 1 40
        . phase best: i 0 40-w
        . : T[i][i+w] = max(T[i][i+w], T[i][i+w-1])
        . : T[i][i+w] = max(T[i][i+w], x[i]) when w >= 2
        . : T[i][i+1] = x[i] when w == 1
    """)  # fmt: skip
    nest = built(order, i=4)
    (laned,) = nest.phases
    assert [mirror.statement for mirror in laned.mirrors if mirror.memory == "T_0"] == [2]
    assert all(statement.guard is None for statement in laned.phase.statements)
    assert {str(access) for access, _ in laned.reads} == {"T[i][w + i]", "T[i][w + i - 1]", "x[i]"}
    assert nest.ii == 1


def test_statements_under_one_number_of_a_loop_have_banks_apart() -> None:
    order = ordered("border", {"p": (80, 40)}, """
        for j 0 39
        . phase row: i 0 80
        . : p[i][0] = 0.0 when j == 0
        . : p[i][j+1] = p[i][j+1] * 2.0 + p[i][j]
        for k 0 40
        . phase back: m 0 80
        . : p[m][k] = p[m][k] * 3.0
    """)  # fmt: skip
    assert built(order, i=8, m=8).ii == 1


def test_simple_values_under_a_guard_are_taken_before_memory_has_them() -> None:
    order = ordered("border", {"p": (80, 40), "x": (80,)}, """
        for j 0 39
        . phase row: i 0 80
        . : p[i][0] = x[i] when j == 0
        . : p[i][j+1] = p[i][j+1] * 2.0 + p[i][j]
    """)  # fmt: skip
    (laned,) = built(order, i=8).phases
    first, second = laned.phase.statements
    assert str(first.target) == "p[i][0]"
    assert "x[i] if j == 0 else p[i][j]" in expression_text(second.value)


def test_elements_that_a_visit_waits_for_are_registers() -> None:
    order = ordered("norms", {"A": (64, 40), "n": (40,), "R": (40, 40), "Q": (64, 40)}, """
        for k 0 40
        . phase norm: sum i 0 64
        . : n[k] = n[k] + A[i][k] * A[i][k]
        . phase root:
        . : R[k][k] = sqrt(n[k])
        . phase row: j 0 64
        . : Q[j][k] = A[j][k] / R[k][k]
    """)  # fmt: skip
    nest = built(order, i=8, j=8)
    held = {memory.name: (memory.shape, memory.factors) for memory in nest.memories}
    served = {str(access): name for laned in nest.phases for access, name in laned.reads}
    assert held[served["n[k]"]] == ((40,), (40,))
    assert held[served["R[k][k]"]] == ((1,), (1,))


def test_arrays_are_copied_in_as_wide_as_arguments_are() -> None:
    nest = built(trisolv(400), i=32)
    (wide,) = (transfer for transfer in nest.brought if transfer.array == "L")
    assert prod(wide.lanes) == 256
    rows = built(jacobi_2d(50, 2), j=48, l=48)
    assert {transfer.lanes for transfer in rows.brought} == {(1, 50)}
    assert all(len(transfer.memories) == 1 for transfer in rows.brought)  # rows in registers


def test_banks_are_multiples_of_lanes() -> None:
    nest = built(jacobi_2d(100, 2), i=4, j=11, k=4, l=11)
    assert {memory.factors for memory in nest.memories} == {(8, 22)}


def test_slices_are_written_whichever_term_of_a_sum_comes_last() -> None:
    order = ordered("chain", {"T": (40, 40), "x": (40, 40)}, """
        for w 1 40
        . phase best: i 0 40-w, sum k 0 w
        . : T[w][i] = T[w][i] + T[w-1][i] * x[i][k]
    """)  # fmt: skip
    (laned,) = built(order, i=4, k=2).phases
    guards = [mirror.guard for mirror in laned.mirrors if mirror.guard is not None]
    assert not any("k" in expression_text(guard) for guard in guards)


def test_statements_whose_values_nobody_sees_are_left_out() -> None:
    order = ordered("dead", {"T": (40,), "x": (40,)}, """
        phase all: i 0 40
        : T[i] = max(T[i], x[i])
        : T[i] = x[i]
    """)  # fmt: skip
    (laned,) = built(order, i=4).phases
    assert [str(statement.target) for statement in laned.phase.statements] == ["T[i]"]
    assert [str(access) for access, _ in laned.reads] == ["x[i]"]


def test_copies_have_as_many_banks_along_dimensions_without_tiles() -> None:
    """With 40 and 38 banks along a row an argument would have 2: 8,000 cycles to bring it."""
    order = ordered("heat", {"A": (40, 40, 40), "B": (40, 40, 40)}, """
        for t 0 2
        . phase first: i 0 38, j 0 38, k 0 38
        . : B[i+1][j+1][k+1] = A[i+2][j+1][k+1] + A[i][j+1][k+1] + A[i+1][j+2][k+1] + A[i+1][j][k+1] + A[i+1][j+1][k+2] + A[i+1][j+1][k]
        . phase second: l 0 38, m 0 38, n 0 38
        . : A[l+1][m+1][n+1] = B[l+2][m+1][n+1] + B[l][m+1][n+1] + B[l+1][m+2][n+1] + B[l+1][m][n+1] + B[l+1][m+1][n+2] + B[l+1][m+1][n]
    """)  # noqa: E501  # fmt: skip
    nest = built(order, j=2, k=38, m=2, n=38)
    assert {memory.factors[-1] for memory in nest.memories} == {40}
    assert nest.ii == 1
