"""Resources of whole networks, and of published designs from their source alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamopt.errors import TargetError
from streamopt.ir.element import ElementType
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.published import load_published_design
from streamopt.target.device import Target
from tests.support.networks.multiply_add import matrix_product, network_of, timing

DESIGNS = Path(__file__).parents[2] / "results" / "published" / "designs"
U280 = Target.named("u280", clock_ns=3.33)
LANES, TRIPS = {"i": 4, "j": 4, "k": 4}, {"i": 16, "k": 16, "j": 16}
EXTENTS = {"i": 64, "j": 64, "k": 64}


def error(ours: int, published: int | None) -> float:
    assert published
    return abs(ours - published) / published


@pytest.mark.parametrize(
    ("name", "most_dsps", "most_luts", "most_ffs"),
    [
        ("3mm-2560-opt2", 0.05, 0.10, 0.05),
        ("atax-2560-opt5", 0.0, 0.05, 0.10),
        ("bicg-2560-opt3", 0.03, 0.10, 0.05),
        ("gemm-2560-opt5", 0.0, 0.05, 0.05),
        ("gesummv-2560-opt4", 0.0, 0.05, 0.05),
        ("mvt-2560-opt1", 0.0, 0.05, 0.10),
        ("mvt-9024-opt5", 0.13, 0.05, 0.20),
    ],
)
def test_published_designs(name: str, most_dsps: float, most_luts: float, most_ffs: float) -> None:
    design = load_published_design(DESIGNS / f"polybench-{name}.json")
    found = resources(design.network, pipeline_timings(design.network, U280), U280)
    measured = design.measured
    assert error(found.total.dsps, measured.dsps) <= most_dsps
    assert found.total.uram == measured.urams
    assert error(found.total.luts, measured.luts) <= most_luts
    assert error(found.total.ffs, measured.ffs) <= most_ffs
    if name != "3mm-2560-opt2":  # its report has a larger array than its source
        blocks = [s.banks if s.is_fifo and s.bram18 else s.bram18 for s in found.storages.values()]
        assert sum(blocks) == measured.bram18


def test_total_is_the_sum_of_the_parts() -> None:
    design = load_published_design(DESIGNS / "polybench-mvt-2560-opt1.json")
    found = resources(design.network, pipeline_timings(design.network, U280), U280)
    assert set(found.processes) == {process.name for process in design.network.processes}
    parts = [*found.processes.values(), *found.channels.values()]
    assert found.total.luts == sum(part.luts for part in parts)
    assert found.total.bram18 == sum(part.bram18 for part in parts)


def test_a_longer_interval_needs_fewer_operators() -> None:
    network = network_of(matrix_product(TRIPS, LANES), LANES, EXTENTS)
    dsps = [resources(network, {"mac": timing(ii)}, U280).total.dsps for ii in (2, 4, 8)]
    assert dsps == sorted(dsps, reverse=True)
    assert dsps[0] == 160


@pytest.mark.parametrize(
    ("element", "dsps"),
    [(ElementType.INT8, 64), (ElementType.INT32, 192), (ElementType.DOUBLE, 704)],
)
def test_other_elements_have_operators_of_their_own(element: ElementType, dsps: int) -> None:
    tiles = {"k": 16, "i": 16, "j": 16}
    network = network_of(matrix_product(tiles, LANES, element), LANES, EXTENTS)
    assert resources(network, {"mac": timing()}, U280).total.dsps == dsps


def test_an_operator_that_the_target_lacks_is_an_error() -> None:
    network = network_of(matrix_product(TRIPS, LANES), LANES, EXTENTS)
    with pytest.raises(TargetError, match="E855"):
        resources(network, {"mac": timing()}, U280.at(1.0))


def test_a_device_is_too_small() -> None:
    network = network_of(matrix_product(TRIPS, LANES), LANES, EXTENTS)
    used = resources(network, {"mac": timing(2)}, Target.named("xc7z020")).total
    assert used.over(Target.named("xc7z020").total) == ()
    assert "dsps" in used.scaled(2).over(Target.named("xc7z020").total)
