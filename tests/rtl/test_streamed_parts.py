"""Arrays put side by side and padded ones in Verilog: each comes in a part of the iterations."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.program import Program
from streamopt.pipeline.evaluating import verilog_ends
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.verify import Traced, verify_project
from tests.transforms.rewrites.test_streamed_parts import (
    FORM,
    JOINED,
    PADDED,
    SINGLE,
    SUMMED,
    scheduled,
)

FRAMES = 4
needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)


def check_parts(source: Program, seed: int, folder: Path) -> None:
    """Frames of a schedule by chance are right, and end when they are simulated to end."""
    graph = canonicalize(source)
    schedule = scheduled(rewritten(graph, FORM), seed)
    so.write(source, schedule, folder, backend="rtl")
    traced = Traced(so.apply(graph, schedule), frames=FRAMES)
    verdict = verify_project(folder, so.load(folder / "graph.json"), traced=traced)
    assert verdict.passed, f"seed {seed}: {verdict}"
    assert verdict.measured_ends == verilog_ends(graph, schedule, FRAMES), f"seed {seed}"


@pytest.mark.parametrize("source", [JOINED, SUMMED, PADDED, SINGLE], ids=lambda own: own.name)
def test_lanes_in_one_part_are_guarded_together(source: Program) -> None:
    graph = canonicalize(source)
    for seed in range(4):
        schedule = scheduled(rewritten(graph, FORM), seed)
        assert verilog_ends(graph, schedule)


@needs_verilator
@pytest.mark.slow
def test_several_lanes_of_parts(tmp_path: Path) -> None:
    check_parts(JOINED, 0, tmp_path / "project")


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("source", [JOINED, SUMMED, PADDED, SINGLE], ids=lambda own: own.name)
def test_many_random_parts(source: Program, tmp_path: Path) -> None:
    for seed in range(12):
        check_parts(source, seed, tmp_path / str(seed))
