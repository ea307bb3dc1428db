"""HIDA's published kernels: with its DSPs, on its device, frames follow each other as fast."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import streamopt as so
from tests.support.runners.polybench import KERNELS, source

TOP = Path(__file__).parents[3]
CLOCK_HZ = 1e8
FRAMES = 6


def published() -> dict[str, tuple[float, int]]:
    """Cycles from one frame to the next, and DSPs."""
    path = TOP / "results" / "published" / "hida_kernels.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["kernel"]: (CLOCK_HZ / float(row["samples_per_s"]), int(row["dsps"]))
            for row in csv.DictReader(file)
        }


def interval_cycles(kernel: str, dsps: int) -> float:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / f"{kernel}.json"))
    device = so.device("zu3eg", 10.0)
    found = so.design(graph, "hida", dsp=dsps, device=device, fifos=None)
    assert found.evaluation.resources.total.dsps <= dsps
    trace = so.evaluate(graph, found.schedule, device, frames=FRAMES).trace
    ends = [max(process.ends[frame] for process in trace.processes) for frame in range(FRAMES)]
    return (ends[-1] - ends[1]) / (FRAMES - 2)


@pytest.mark.parametrize("kernel", ["3mm", "gesummv", "mvt"])
def test_intervals_are_the_published_ones(kernel: str) -> None:
    cycles, dsps = published()[kernel]
    assert interval_cycles(kernel, dsps) == pytest.approx(cycles, rel=0.005)


@pytest.mark.parametrize("kernel", ["2mm", "atax", "bicg"])
def test_intervals_are_below_the_published_ones(kernel: str) -> None:
    """The paper has bicg as one nest, which here are two; of the others it doesn't say why."""
    cycles, dsps = published()[kernel]
    assert interval_cycles(kernel, dsps) < cycles


@pytest.mark.parametrize(("strategy", "cycles"), [("hida", 388_697), ("scalehls", 777_424)])
def test_stencils_have_the_published_lanes_in_the_order_of_the_program(
    strategy: str, cycles: int
) -> None:
    """jacobi-2d in table 7: 1e8 over 257.27 and 128.63 samples a second; 352 DSPs of 360."""
    options = so.SourceOptions(
        define={"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}, include=[KERNELS]
    )
    graph = so.dataflow(so.load(source("jacobi-2d"), options=options))
    found = so.design(graph, strategy, dsp=360, device=so.device("zu3eg", 10.0), fifos=None)
    assert found.answer.estimated_dsps == 352
    assert found.evaluation.trace.cycles == pytest.approx(cycles, rel=0.01)
