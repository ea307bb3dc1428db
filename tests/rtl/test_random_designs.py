"""Random designs as Verilog: Verilator's outputs and cycles against interpreter and simulator."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

import streamopt as so
from streamopt.errors import CodegenError
from streamopt.ir.graph import Graph
from streamopt.ir.program import Role
from streamopt.ir.schedule import Schedule
from streamopt.pipeline.evaluating import verilog_ends
from streamopt.rtl.kernel.making import timed_network
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.verify import Traced, verify_project
from tests.support.random.graphs import random_program
from tests.support.random.in_place_designs import in_place_design
from tests.support.random.schedules import any_factors
from tests.support.random.windows import window_chain
from tests.support.window_schedules import WINDOWS, window_schedule

CASES = int(os.environ.get("STREAMOPT_CASES", "1000"))
BLOCK = 50
CHAINS, UPDATES, OUTSIDE = CASES * 3 // 20, CASES // 20, CASES // 20
"""Of all cases; the rest are graphs."""
WINDOWS_SEED = 8
SHARE_OUTSIDE = 0.7
"""Of arrays at the boundary."""
PORTS = ("m_axi", "m_axi", "m_axi:2", "m_axi:3", "axis", "axis")
FRAMES = 4
needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)


def random_design(seed: int) -> tuple[Graph, Schedule] | None:
    """Return a graph and a schedule of it by chance; None if RTL has no structure for it."""
    rng = Random(seed)
    program = random_program(rng, nodes=rng.randint(1, 4), max_extent=6)
    graph = so.dataflow(replace(program, name="design"))
    schedule = any_factors(graph, rng)
    try:
        timed_network(so.apply(graph, schedule))
    except CodegenError as refused:
        return check_refusal(refused)
    return graph, schedule


def random_in_place(seed: int) -> tuple[Graph, Schedule] | None:
    """Return a function that updates arrays in place and a schedule by chance; None as above."""
    with TemporaryDirectory() as folder:
        found = in_place_design(Random(seed), "design", "native", Path(folder))
    if found is None:
        return None
    graph = so.dataflow(found.program)
    try:
        timed_network(so.apply(graph, found.schedule))
    except CodegenError as refused:
        return check_refusal(refused)
    return graph, found.schedule


MakeDesign = Callable[[int], tuple[Graph, Schedule] | None]


def random_windows(seed: int) -> tuple[Graph, Schedule] | None:
    """Return a chain of windows and a schedule of it by chance; None as for other designs."""
    source = replace(window_chain(Random(seed), layers=1 + seed % 2), name="design")
    schedule = window_schedule(rewritten(so.dataflow(source), WINDOWS), seed)
    graph = so.dataflow(source)
    try:
        timed_network(so.apply(graph, schedule))
    except CodegenError as refused:
        return check_refusal(refused)
    return graph, schedule


def random_outside(seed: int) -> tuple[Graph, Schedule] | None:
    """Return a graph some of whose arrays are off the chip, and a schedule; None as above."""
    rng = Random(seed)
    program = random_program(rng, nodes=rng.randint(1, 3), max_extent=12)
    graph = so.dataflow(replace(program, name="design"))
    schedule = any_factors(graph, rng)
    crossing = (array for array in graph.arrays if array.role is not Role.INTERNAL)
    ports = {array.name: rng.choice(PORTS) for array in crossing}
    some = {name: port for name, port in ports.items() if rng.random() < SHARE_OUTSIDE}
    try:
        schedule = so.put_outside(graph, schedule, so.plan_ports(graph, ports=some))
        timed_network(so.apply(graph, schedule))
    except CodegenError as refused:
        return check_refusal(refused)
    return graph, schedule


def check_refusal(refused: CodegenError) -> None:
    """A refusal names what there is no structure for."""
    assert {problem.code for problem in refused.diagnostics} == {"E640"}


def check_design(seed: int, folder: Path, make: MakeDesign = random_design) -> None:
    """Run a design, if it is one: right outputs, in as many cycles as the simulator says.

    Programs by chance may divide by zero, so that some of their outputs are no numbers.
    `so.verify` would write it once more, which takes as long as all else.
    """
    found = make(seed)
    if found is None:
        return
    graph, schedule = found
    so.write(graph, schedule, folder, backend="rtl")
    traced = Traced(so.apply(graph, schedule), frames=FRAMES)
    verdict = verify_project(folder, so.load(folder / "graph.json"), traced=traced)
    assert not verdict.is_wrong, f"seed {seed}: {verdict}"
    assert any(o.unchecked < o.elements for o in verdict.outputs), f"seed {seed}: {verdict}"
    assert verdict.measured_ends == verilog_ends(graph, schedule, FRAMES), f"seed {seed}: {verdict}"


SMALL = [
    *(pytest.param(random_design, seed, id=f"graph {seed}") for seed in (1, 2, 3, 7, 9, 16, 88)),
    pytest.param(random_windows, WINDOWS_SEED, id="windows"),
    pytest.param(random_outside, 109, id="words of a stream one after another"),
    pytest.param(random_in_place, 2, id="in place"),
]


@needs_verilator
@pytest.mark.slow
@pytest.mark.parametrize(("make", "seed"), SMALL)
def test_designs_take_the_cycles_that_are_simulated(
    make: MakeDesign, seed: int, tmp_path: Path
) -> None:
    assert make(seed) is not None
    check_design(seed, tmp_path / "project", make)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, CASES - CHAINS - UPDATES - OUTSIDE, BLOCK))
def test_many_random_designs(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BLOCK):
        check_design(seed, tmp_path / str(seed))


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, CHAINS, BLOCK))
def test_many_random_windows(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BLOCK):
        check_design(seed, tmp_path / str(seed), random_windows)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, OUTSIDE, BLOCK))
def test_many_random_arrays_off_the_chip(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BLOCK):
        check_design(seed, tmp_path / str(seed), random_outside)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, UPDATES, BLOCK))
def test_many_random_updates_in_place(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BLOCK):
        check_design(seed, tmp_path / str(seed), random_in_place)
