"""C++ of sequential nodes in their orders computes what the orders say, bit for bit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.codegen.backends.vitis import emit
from streamopt.codegen.stepped.length import iterations_of
from streamopt.codegen.stepped.places import places_of
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Logic, LogicOp, reads
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.stepping.stepped import (
    HeldArray,
    HeldDimension,
    LanedPhase,
    LanedRepeat,
    Mirror,
    ReuseChain,
)
from streamopt.transforms.lower import lower
from tests.support.runners.stepped_designs import emitted, in_steps
from tests.support.steps import (
    Ordered,
    as_planned,
    jacobi_2d,
    lu,
    nussinov,
    ordered,
    plan_of,
    scheduled,
    seidel,
)
from tests.support.steps import trisolv as triangular

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.ir.stepping.stepped import LanedItem, SteppedNest

K, A_ROW = Affine.iterator("k"), Affine.iterator("a")


def inputs_of(order: Ordered, *, whole: bool = False) -> dict[str, NDArray[Any]]:
    """Values around 1 with a heavy diagonal; small whole numbers whose sums are exact."""
    rng = np.random.default_rng(len(order.node.name))
    found: dict[str, NDArray[Any]] = {}
    for array in order.arrays.values():
        if array.is_given:
            values = rng.integers(-3, 4, array.shape) if whole else rng.random(array.shape) + 0.5
            if len(set(array.shape)) == 1 == len(array.shape) - 1:
                values = values + len(values) * np.eye(len(values))
            found[array.name] = values.astype(array.element.dtype)
    return found


def check(order: Ordered, design: ScheduledGraph, *, whole: bool = False) -> None:
    inputs = inputs_of(order, whole=whole)
    found = emitted(design, inputs)
    expected = in_steps(order.node, order.steps, order.arrays, inputs)
    for name in order.node.outputs:
        assert found[name].tobytes() == expected[name].tobytes(), (found[name], expected[name])


def with_phases(
    design: ScheduledGraph, change: Callable[[LanedPhase], LanedPhase], **other: Any
) -> ScheduledGraph:
    """The design with each of its phases changed, and other fields of its nest."""

    def changed(item: LanedItem) -> LanedItem:
        if isinstance(item, LanedPhase):
            return change(item)
        return LanedRepeat(item.loop, tuple(map(changed, item.items)))

    (node,) = design.nodes
    nest = nest_of(design)
    nest = replace(nest, items=tuple(map(changed, nest.items)), **other)
    return replace(design, nodes=(replace(node, stepped=nest),))


def nest_of(design: ScheduledGraph) -> SteppedNest:
    nest = design.nodes[0].stepped
    assert nest is not None
    return nest


@pytest.mark.parametrize(
    ("order", "lanes"),
    [
        (lu(13), {}),
        (lu(13), {"i": 2, "a": 2, "b": 4}),
        (lu(13), {"i": 4, "a": 3, "b": 5}),
        (triangular(13), {"i": 4}),
        (jacobi_2d(9, 3), {"j": 7, "l": 7}),
        (jacobi_2d(9, 3), {"i": 2, "j": 3, "k": 4, "l": 2}),
        (seidel(8, 3), {}),
        (seidel(8, 3), {"t": 2, "i": 3}),
    ],
    ids=lambda value: value.node.name if isinstance(value, Ordered) else str(value),
)
def test_lanes(order: Ordered, lanes: dict[str, int]) -> None:
    check(order, scheduled(order, (), **lanes))


@pytest.mark.parametrize("lanes", [{}, {"i": 2}, {"i": 2, "k": 4}, {"k": 16}])
def test_lanes_of_a_maximum_along_a_diagonal(lanes: dict[str, int]) -> None:
    order = nussinov(11)
    check(order, scheduled(order, (), **lanes))


SUMS = """
    for k 0 9
    . phase dot: j k 12, sum i k 10
    . : R[k][j] = R[k][j] {update} A[i][k] * A[i][j]{guard}
    . phase copy: u k 12
    . : s[u] = R[k][u] + s[u]
"""


@pytest.mark.parametrize("guard", ["", " when i + j > 6", " when A[i][j] > 0 or i == j"])
@pytest.mark.parametrize(("update", "lanes"), [("+", {"i": 4, "j": 2}), ("-", {"i": 3, "u": 5})])
def test_sums_of_lanes(update: str, guard: str, lanes: dict[str, int]) -> None:
    shapes = {"A": (10, 12), "R": (9, 12), "s": (12,)}
    order = ordered("sums", shapes, SUMS.format(update=update, guard=guard))
    check(order, scheduled(order, (), **lanes), whole=True)


def test_sum_uses_some_lanes_of_a_wider_one() -> None:
    order = ordered("norms", {"A": (10, 12), "n": (9,), "R": (9, 12)}, """
        for k 0 9
        . phase norm: sum h 0 10
        . : n[k] = n[k] + A[h][k] * A[h][k]
        . phase dot: j k 12, sum i k 10
        . : R[k][j] = R[k][j] + A[i][k] * A[i][j]
    """)  # fmt: skip
    design = scheduled(order, (), h=4, i=4, j=2)
    assert [own.like for own in nest_of(design).phases] == ["dot", ""]
    check(order, design, whole=True)
    apart = scheduled(order, (), h=2, i=4, j=2)
    assert not any(own.like for own in nest_of(apart).phases)


def test_statements_of_one_iteration_hand_their_values_on() -> None:
    order = ordered("chain", {"d": (12,), "A": (12, 12)}, """
        for k 0 12
        . phase all: i k 12
        . : A[i][k] = A[i][k] * 0.5 when i > k + 1
        . : A[i][k] = A[i][k] + 1 when i > 3
        . : d[i] = A[i][k] + d[i]
    """)  # fmt: skip
    check(order, scheduled(order, i=4))


def test_values_of_lanes_reach_a_statement_whose_write_is_chosen() -> None:
    order = ordered("cholesky", {"A": (13, 13)}, """
        for j 0 13
        . phase root:
        . : A[j][j] = sqrt(A[j][j])
        . phase column: i j+1 13
        . : A[i][j] = A[i][j] / A[j][j]
        . : A[i][i] = A[i][i] - A[i][j] * A[i][j]
        . phase rest: k j+2 13, l j+1 k
        . : A[k][l] = A[k][l] - A[k][j] * A[l][j]
    """)  # fmt: skip
    for lanes in ({"i": 4}, {"i": 4, "k": 4, "l": 2}):
        check(order, scheduled(order, (), **lanes))


def test_loops_and_visits_without_iterations() -> None:
    order = ordered("holes", {"x": (16,), "y": (16,)}, """
        for k 0 7
        . for m k|3 5
        . . phase inner: i m+k 7
        . . : x[i] = x[i] + y[m]
        . phase last: j 6-k|k 9, l j+3 11
        . : y[j] = y[j] + x[l] when l == j + 3
    """)  # fmt: skip
    for lanes in ({}, {"i": 2}, {"j": 2}, {"j": 4, "l": 3}):
        check(order, scheduled(order, (), **lanes))


@pytest.mark.parametrize("guard", ["", " when j >= 2"])
def test_value_that_was_made_is_forgotten_where_it_may_be_written_again(guard: str) -> None:
    order = ordered("again", {"x": (12,), "y": (12, 12), "A": (12, 12)}, f"""
        for i 0 10
        . phase both: j 0 10
        . : x[i+1] = A[i][j]{guard}
        . : x[j] = A[j][i] * 2.0
        . : y[i][j] = x[i+1] + A[i][i]{guard}
    """)  # fmt: skip
    check(order, scheduled(order, (("both", 20),)))


def counted(nest: SteppedNest) -> int:
    """Iterations of the flattened loop, one after another."""

    def runs(items: tuple[Any, ...], point: dict[str, int], *, last: bool = True) -> int:
        return sum(run(item, point, last=last) for item in items)

    def values(loop: Any, point: dict[str, int]) -> range:
        low, high = (
            [bound.evaluate(point) for bound in bounds] for bounds in (loop.lower, loop.upper)
        )
        return range(max(low), min(high))

    def rows(loops: tuple[Any, ...], point: dict[str, int]) -> int:
        if not loops:
            return 1
        found = (rows(loops[1:], {**point, loops[0].name: at}) for at in values(loops[0], point))
        return max(1, sum(found))

    def run(item: Any, point: dict[str, int], *, last: bool = True) -> int:
        if isinstance(item, LanedRepeat):
            name, known = item.loop.name, values(item.loop, point)
            inside = item.items
            found = [runs(inside, {**point, name: v}, last=v + 1 == known.stop) for v in known]
            return sum(found) if found else 1
        loops = item.tiles
        if loops and loops[0].name in item.phase.sums:
            inner, name = replace(item, tiles=loops[1:]), loops[0].name
            known = values(loops[0], point)
            found = [run(inner, {**point, name: v}, last=v + 1 == known.stop) for v in known]
            return sum(found) if found else 1
        if loops and not values(loops[0], point):
            return 1
        warm_up = max((chain.warm_up for chain in item.chains), default=0)
        least = max(item.least_cycles, item.last_cycles if last else 1)
        return max(rows(loops, point) + warm_up, least)

    return runs(nest.items, {})


@pytest.mark.parametrize(
    "design",
    [
        scheduled(lu(13), i=2, a=3, b=4),
        scheduled(nussinov(11), i=2, k=4),
        scheduled(seidel(8, 3), t=2, i=3),
        scheduled(triangular(13), i=4),
    ],
    ids=lambda design: design.graph.name,
)
@pytest.mark.parametrize(("least", "last"), [(1, 1), (7, 1), (3, 9), (1, 5)])
def test_bubbles(design: ScheduledGraph, least: int, last: int) -> None:
    longer = with_phases(design, lambda p: replace(p, least_cycles=least, last_cycles=last))
    nest = nest_of(longer)
    assert iterations_of(places_of(nest)) == counted(nest)
    orders = {"lu": lu(13), "nussinov": nussinov(11), "seidel": seidel(8, 3)}
    check(orders.get(design.graph.name, triangular(13)), longer)


def test_phases_share_one_expression() -> None:
    order = jacobi_2d(9, 3)
    design = scheduled(order, i=2, j=3, k=2, l=3)
    shared = with_phases(
        design, lambda p: replace(p, like="first") if p.phase.name == "second" else p
    )
    check(order, shared)
    text = kernel(shared)
    assert text.count("0.2f * ") == 1
    assert text.count("(phase == 1 ? ") > 4


def test_places_of_an_operator_have_implementations_in_turn() -> None:
    """The first and the fifth adder of a phase are LUTs, in the network and in the code alike."""
    order = ordered("sums", {"A": (9, 9), "B": (9, 9), "C": (9, 9)}, """
        for t 0 3
        . phase first: i 0 7, j 0 7
        . : B[i+1][j+1] = (A[i+1][j] - A[i+1][j+2]) + A[i+2][j+1] - 0.25 * A[i][j+1]
        . : C[i+1][j+1] = B[i+1][j+1] + 0.5 * (A[i+1][j+1] - A[i][j])
    """)  # fmt: skip
    luts, dsps = Implementation.FABRIC, Implementation.FULLDSP
    binding = tuple((Operator.ADD, built) for built in (luts, dsps, dsps, dsps))
    design = as_planned(order, replace(plan_of(order, j=7), binding=binding))
    operations = [o for p in lower(design).pipelines for o in p.operations]
    adders = [o for o in operations if o.operator in (Operator.ADD, Operator.SUB)]
    assert sorted(o.implementation == luts for o in adders) == [False, False, False, True, True]
    text = kernel(design)
    assert len(re.findall(r"= .*f(?:add|sub)_fabric\(", text)) == 2
    fabric = [o.operator.value for o in adders if o.implementation == luts]
    assert sorted(re.findall(r"f(add|sub)_fabric\(\w*[_\[(]", text)) == sorted(fabric)
    check(order, design)


def kernel(design: ScheduledGraph) -> str:
    found = emit(design)
    return found.text(f"{found.top}.cpp")


@pytest.mark.parametrize("lanes", [{}, {"j": 7, "l": 7}, {"i": 2, "j": 7, "k": 3, "l": 7}])
def test_windows_of_registers(lanes: dict[str, int]) -> None:
    order = ordered("rows", {"A": (9, 9), "B": (9, 9)}, """
        for t 0 3
        . phase first: j 0 7, i 0 7
        . : B[i+1][j+1] = 0.25 * (A[i+1][j] + A[i+1][j+2] + A[i+2][j+1] + A[i][j+1])
        . phase second: l 0 7, k 0 7
        . : A[k+1][l+1] = 0.25 * (B[k+1][l] + B[k+1][l+2] + B[k+2][l+1] + B[k][l+1])
    """)  # fmt: skip
    lanes = {"j": 7, "l": 7, **lanes}

    def chained(phase: LanedPhase) -> LanedPhase:
        (statement,) = phase.phase.statements
        loop = phase.phase.loops[1].name
        found, memory = reads(statement.value), dict(phase.reads)[reads(statement.value)[0]]
        warm_up = -(-2 // dict(phase.lanes).get(loop, 1))
        return replace(phase, chains=(ReuseChain(memory, loop, found, warm_up),))

    design = with_phases(scheduled(order, (), **lanes), chained)
    check(order, design)
    assert "_window[" in kernel(design)


def slices(order: Ordered, **lanes: int) -> ScheduledGraph:
    """LU with rows and columns k and k + 1, and its pivot, in memories of their own."""
    design = scheduled(order, (), **lanes)
    i, j, even = HeldDimension(0), HeldDimension(1), 2
    size = order.arrays["A"].shape[0]
    whole = nest_of(design).memories[0]
    start = {
        "A_row": Compare(CompareOp.EQ, Index(Affine.iterator("d0")), Index(Affine.of(0))),
        "A_column": Compare(CompareOp.EQ, Index(Affine.iterator("d1")), Index(Affine.of(0))),
    }
    pivot = Logic(LogicOp.AND, (start["A_row"], start["A_column"]))
    memories = (
        whole,
        HeldArray(
            "A_row",
            "A",
            (HeldDimension(0, even), j),
            (even, size),
            (1, whole.factors[1]),
            start["A_row"],
        ),
        HeldArray(
            "A_column",
            "A",
            (i, HeldDimension(1, even)),
            (size, even),
            (whole.factors[0], 1),
            start["A_column"],
        ),
        HeldArray("A_pivot", "A", (), (1,), (1,), pivot),
    )
    one = Affine.of(1)

    def on_slices(phase: LanedPhase) -> LanedPhase:
        served: list[tuple[Access, str]] = []
        for access, _ in phase.reads:
            first, second = (subscript.as_iterator() == "k" for subscript in access.subscripts)
            names = {(True, True): "A_pivot", (True, False): "A_row", (False, True): "A_column"}
            name = names.get((first, second), whole.name)
            served.append(
                (access, whole.name if phase.phase.name == "divide" and not first else name)
            )
        if phase.phase.name == "divide":
            mirrors = Mirror(0, whole.name), Mirror(0, "A_column")
        else:
            a, b = (Index(Affine.iterator(name)) for name in ("a", "b"))
            top = Compare(CompareOp.EQ, a, Index(K + one))
            left = Compare(CompareOp.EQ, b, Index(K + one))
            mirrors = (
                Mirror(0, whole.name),
                Mirror(0, "A_row", top),
                Mirror(0, "A_column", left),
                Mirror(0, "A_pivot", Logic(LogicOp.AND, (top, left))),
            )
        return replace(phase, reads=tuple(served), mirrors=mirrors)

    names = tuple(memory.name for memory in memories)
    brought = tuple(replace(t, memories=names) for t in nest_of(design).brought)
    return with_phases(design, on_slices, memories=memories, brought=brought)


@pytest.mark.parametrize("lanes", [{}, {"i": 2, "a": 2, "b": 4}, {"i": 4, "a": 3, "b": 5}])
def test_slices(lanes: dict[str, int]) -> None:
    order = lu(13)
    design = slices(order, **lanes)
    check(order, design)
    if lanes:
        assert kernel(design).count("bool writes") == 3


@pytest.mark.parametrize(
    "element", [ElementType("int32_t"), ElementType("double"), ElementType("ap_fixed<16,8>")]
)
def test_element_types(element: ElementType) -> None:
    order = ordered("types", {"x": (12,), "y": (12, 12)}, """
        for k 0 12
        . phase one: i k 12
        . : x[i] = x[i] + y[i][k] * x[k] when i > k
        . phase two: j 0 12
        . : y[j][k] = max(y[j][k], x[j]) when y[j][k] < x[k]
    """)  # fmt: skip
    arrays = {name: replace(array, element=element) for name, array in order.arrays.items()}
    changed = replace(order, arrays=arrays)
    check(changed, scheduled(changed, i=4, j=3), whole=True)
