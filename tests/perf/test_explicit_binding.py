"""What the rules make of operators that a design asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from streamopt.errors import TargetError
from streamopt.ir.network import Implementation, Network
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.clock import clock_risks
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.target.device import Target
from tests.support.networks.multiply_add import matrix_product, network_of

U280 = Target.named("u280", clock_ns=3.33)
ADD, MUL = Operator.ADD, Operator.MUL
FABRIC, FULLDSP, MAXDSP = Implementation.FABRIC, Implementation.FULLDSP, Implementation.MAXDSP
Bound = dict[Operator, Implementation]


def product(order: str, terms: int, bound: Bound) -> Network:
    """Return a product of 16 tiles along each of its loops and so many terms an iteration."""
    lanes = {"i": 4, "j": 4, "k": terms}
    pipeline = matrix_product(dict.fromkeys(order, 16), lanes)
    operations = tuple(
        replace(operation, implementation=bound.get(operation.operator))
        for operation in pipeline.operations
    )
    extents = {name: 16 * factor for name, factor in lanes.items()}
    return network_of(replace(pipeline, operations=operations), lanes, extents)


def built(order: str, terms: int, bound: Bound) -> tuple[int, int, int]:
    """Return DSPs, II and depth."""
    network = product(order, terms, bound)
    timings = pipeline_timings(network, U280)
    used = resources(network, timings, U280).pipelines["mac"]
    return used.dsps, timings["mac"].ii, timings["mac"].depth_cycles


@pytest.mark.parametrize(
    ("order", "terms", "bound", "expected"),
    [
        ("kij", 1, {}, (80, 1, 16)),
        ("kij", 1, {ADD: FABRIC}, (48, 1, 14)),
        ("kij", 1, {ADD: FULLDSP, MUL: MAXDSP}, (80, 1, 16)),
        ("kij", 1, {MUL: Implementation.FULLDSP}, (64, 1, 17)),
        ("kij", 1, {ADD: FABRIC, MUL: Implementation.MEDDSP}, (16, 1, 16)),
        ("kij", 1, {ADD: FABRIC, MUL: FABRIC}, (0, 1, 16)),
        ("kij", 4, {}, (320, 1, 30)),
        ("kij", 4, {ADD: FABRIC}, (192, 1, 24)),  # the whole tree: three levels of five cycles
    ],
)
def test_operators_are_as_asked(
    order: str, terms: int, bound: Bound, expected: tuple[int, int, int]
) -> None:
    assert built(order, terms, bound) == expected


def test_a_tight_recurrence_has_fabric_adders_anyway() -> None:
    unasked, asked = (built("ikj", 4, bound) for bound in ({}, {ADD: FABRIC}))
    assert (unasked[0], asked[0]) == (224, 192)  # the fourth adder too
    assert unasked[1:] == asked[1:] == (1, 22)


def test_adders_of_dsps_make_a_recurrence_longer() -> None:
    assert built("ijk", 1, {})[1] == 4
    assert built("ijk", 1, {ADD: FULLDSP})[1] == 6
    assert built("ikj", 4, {ADD: FULLDSP})[:2] == (160, 2)  # 3 * 6 + 2 cycles over 16


def test_luts_pay_for_dsps() -> None:
    def luts(bound: Bound) -> int:
        network = product("kij", 1, bound)
        used = resources(network, pipeline_timings(network, U280), U280)
        return used.pipelines["mac"].luts

    assert luts({ADD: FABRIC}) - luts({}) == pytest.approx(16 * (338 - 198), abs=40)
    assert luts({MUL: FABRIC}) > luts({}) + 16 * 600


def test_shorter_adders_need_less_time_for_the_clock() -> None:
    def risks(bound: Bound) -> int:
        network = product("ikj", 4, bound)
        return len(clock_risks(network, pipeline_timings(network, U280), U280))

    assert (risks({}), risks({ADD: FABRIC})) == (1, 1)  # 23 and 17 cycles in 16
    wide = product("ikj", 3, {ADD: FABRIC})
    assert not clock_risks(wide, pipeline_timings(wide, U280), U280)  # 12 cycles


def test_an_implementation_that_the_target_lacks_is_an_error() -> None:
    network = product("kij", 1, {ADD: MAXDSP})
    with pytest.raises(TargetError, match="E854 the operator table has no 'add' of float in 'max"):
        pipeline_timings(network, U280)
