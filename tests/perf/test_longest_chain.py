"""Chains of operations against a walk over single values, and work and chains of PolyBench."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.sum_steps import sum_step
from streamopt.ir.expression import Binary, BinaryOp, Call, Expression, Read, children
from streamopt.ir.graph import Graph
from streamopt.ir.stepping.steps import Phase
from streamopt.perf.as_built.longest_chain import ChainLimits, longest_chain_cycles
from streamopt.perf.as_built.program_bound import program_bound
from streamopt.pipeline import SourceOptions, dataflow, load
from streamopt.target.device import DEVICE, find_device
from streamopt.transforms.autoschedule import steps_of
from tests.support.nightly import in_nightly
from tests.support.runners.polybench import KERNELS
from tests.support.steps import jacobi_2d, lu, nussinov, seidel, trisolv

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import StepItem, StepLoop
    from tests.support.steps import Ordered

ON = find_device(DEVICE, None)
LATENCY = {BinaryOp.ADD: 4, BinaryOp.SUB: 4, BinaryOp.MUL: 3, BinaryOp.DIV: 11}
ALL = ChainLimits(10**9, 10**9)
Point = dict[str, int]
Element = tuple[str, tuple[int, ...]]


def graph_of(order: Ordered) -> Graph:
    return Graph(order.node.name, tuple(order.arrays.values()), (order.node,), ())


def points(loops: Sequence[StepLoop], point: Point) -> Iterator[Point]:
    if not loops:
        yield point
        return
    first, *rest = loops
    low = max(bound.evaluate(point) for bound in first.lower)
    for value in range(low, min(bound.evaluate(point) for bound in first.upper)):
        yield from points(rest, {**point, first.name: value})


def executed(items: Sequence[StepItem], point: Point) -> Iterator[tuple[Statement, Point]]:
    for item in items:
        if isinstance(item, Phase):
            for inside in points(item.loops, point):
                yield from ((statement, inside) for statement in item.statements)
        else:
            for inside in points((item.loop,), point):
                yield from executed(item.items, inside)


class Values:
    """Times of single values; sums are the best trees of their terms."""

    def __init__(self) -> None:
        self.terms: dict[Element, list[int]] = {}
        self.known: dict[Element, int] = {}
        self.latency: dict[Element, int] = {}

    def ready(self, element: Element) -> int:
        terms, latency = self.terms.get(element, []), self.latency.get(element, 0)
        if not latency:
            return self.known.get(element, 0)
        time = max(terms) + latency
        while sum(2.0 ** -floor((time - term) / latency) for term in terms) > 1.0:
            time += 1
        return time

    def of(self, value: Expression, point: Point) -> int:
        if isinstance(value, Read):
            return self.ready(place_of(value, point))
        begin = max((self.of(part, point) for part in children(value)), default=0)
        if isinstance(value, Binary):
            return begin + LATENCY[value.op]
        return begin + isinstance(value, Call)

    def run(self, statement: Statement, point: Point) -> None:
        element = place_of(Read(statement.target), point)
        step = sum_step(statement)
        if step is None:
            self.known[element] = self.of(statement.value, point)
            self.latency[element] = 0
            return
        time = self.of(step.term, point)
        if not self.latency.get(element, 0):
            self.terms[element] = [self.ready(element)]
        self.latency[element] = 1 if isinstance(statement.value, Call) else 4
        self.terms[element].append(time)

    def last(self) -> int:
        return max(map(self.ready, {*self.known, *self.terms}))


def place_of(read: Read, point: Point) -> Element:
    access = read.access
    return access.array, tuple(int(sub.evaluate(point)) for sub in access.subscripts)


CASES = {
    "lu": lu(12),
    "trisolv": trisolv(20),
    "jacobi": jacobi_2d(8, 3),
    "nussinov": nussinov(14),
}


@pytest.mark.parametrize("name", CASES)
def test_chain_is_that_of_single_values(name: str) -> None:
    order = CASES[name]
    values = Values()
    for statement, point in executed(order.steps.items, {}):
        values.run(statement, point)
    exact = values.last()
    found = longest_chain_cycles(graph_of(order), lambda _: order.steps, ON, ALL)
    assert 0.97 * exact <= found <= exact


def test_few_points_find_a_chain_of_the_graph() -> None:
    order = lu(60)
    some = longest_chain_cycles(graph_of(order), lambda _: order.steps, ON, ChainLimits(100))
    assert some == longest_chain_cycles(graph_of(order), lambda _: order.steps, ON, ALL)


def test_work_counts_what_runs() -> None:
    order = seidel(9, 3)
    bound = program_bound(graph_of(order), lambda _: order.steps, 1, ON)
    assert bound.work_cycles == 3 * 7 * 7 * 8 * 2  # the wavefronts' hull has more points


# Cycles of all operations on 2560 DSPs, and of the longest chain, at medium size.
POLYBENCH = {
    "trisolv": (156, 7_193),
    "durbin": (314, 22_218),
    "deriche": (11_071, 13_263),
    "lu": (41_511, 7_182),
    "jacobi-1d": (218, 2_200),
    "cholesky": (20_834, 11_582),
    "ludcmp": (41_823, 14_375),
    "gramschmidt": (22_500, 23_958),
    "jacobi-2d": (52_855, 3_800),
    "heat-3d": (128_607, 5_200),
    "fdtd-2d": (46_567, 3_001),
    "seidel-2d": (99_003, 55_592),
    "nussinov": (16_276, 2_493),
    "adi": (101_073, 991_000),
}


@pytest.mark.parametrize("kernel", in_nightly(POLYBENCH, 3))
def test_polybench(kernel: str) -> None:
    defines = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    path = KERNELS / kernel / f"{kernel}.c"
    graph = dataflow(load(path, options=SourceOptions(define=defines, include=[KERNELS])))
    bound = program_bound(graph, lambda node: steps_of(node)[0], 2560, ON, ALL)
    assert (bound.work_cycles, bound.chain_cycles) == POLYBENCH[kernel]
