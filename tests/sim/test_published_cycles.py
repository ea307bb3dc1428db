"""RTL co-simulation of published designs: given II and depth, the simulator finds its cycles.

``STREAMOPT_DESIGNS=<folder> pytest tests/sim/test_published_cycles.py`` tries other files.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean

import pytest

from streamopt.ir.network import PipelineTiming
from streamopt.published import load_published_design
from streamopt.sim import simulate

DESIGNS = Path(
    os.environ.get("STREAMOPT_DESIGNS", Path(__file__).parents[2] / "results/published/designs")
)
FILES = sorted(DESIGNS.glob("*.json"))
MOST_PERCENT = 0.1


def simulated_and_measured(path: Path) -> tuple[int, int]:
    design = load_published_design(path)
    timings: dict[str, PipelineTiming] = {}
    for name, report in design.pipelines.items():
        assert report.ii is not None
        assert report.iteration_latency_cycles is not None
        timings[name] = PipelineTiming(report.ii, report.iteration_latency_cycles)
    assert design.measured.rtl_cycles is not None
    return simulate(design.network, timings).cycles, design.measured.rtl_cycles


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cycles_of_a_design(path: Path) -> None:
    cycles, rtl_cycles = simulated_and_measured(path)
    # Where in a pipeline a FIFO is accessed varies by a cycle or two with the body.
    assert abs(cycles - rtl_cycles) <= max(2, 0.001 * rtl_cycles)


def test_mean_error() -> None:
    pairs = [simulated_and_measured(path) for path in FILES]
    errors = [100 * abs(cycles - rtl) / rtl for cycles, rtl in pairs]
    assert mean(errors) <= MOST_PERCENT
