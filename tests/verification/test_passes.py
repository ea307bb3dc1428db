"""Designs that run in passes over arrays off the chip: searched, emitted, and run by every host."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

import streamopt as so
from streamopt.errors import CodegenError, LegalityError
from streamopt.ir.ports import PortKind
from tests.support.runners.mock_hosts import MOCKS, compiled_host, done, kernel_library

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph
    from streamopt.strategies.solution import Solution

JACOBI = """
void jacobi(float A[24][16], float B[24][16]) {
    for (int t = 0; t < 12; t++) {
        for (int i = 1; i < 23; i++)
            for (int j = 1; j < 15; j++)
                B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        for (int i = 1; i < 23; i++)
            for (int j = 1; j < 15; j++)
                A[i][j] = 0.2f * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
}
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    file = tmp_path_factory.mktemp("source") / "jacobi.c"
    file.write_text(JACOBI)
    return so.dataflow(so.load(file))


@pytest.fixture(scope="module")
def solution(graph: Graph) -> Solution:
    space = so.Space(ports=so.plan_ports(graph, "m_axi", ports={"A": "m_axi:2"}))
    with patch("streamopt.strategies.opt6.strategy.fits_on_chip", return_value=False):
        return so.solve(graph, level="opt6", dsp=400, space=space)


def steps_of(solution: Solution) -> int:
    first = solution.schedule.rewrites[0]
    assert first.startswith("unroll_time:")
    return int(first.partition(":")[2])


def test_a_design_in_passes_is_found_and_each_pass_follows_the_last(solution: Solution) -> None:
    passes = 12 // steps_of(solution)
    assert 1 < passes < 12
    found = solution.evaluation
    assert found is not None
    assert found.network.passes == passes
    one = found.trace.process("store_A_out").ends[0]
    assert solution.simulated_cycles == passes * (one + 1) - 1
    assert solution.bound <= solution.latency_cycles
    again = so.simulate(solution.problem.graph, solution.schedule, frames=3)
    assert again.interval_cycles == solution.simulated_cycles + 1


def test_both_arrays_of_a_pair_lie_in_the_channels_of_both(solution: Solution) -> None:
    ports = {port.array: port.channels for port in solution.schedule.ports}
    assert ports["A"] == ports["A_out"]
    assert len(ports["A"]) == 3
    assert len(ports["B"]) == len(ports["B_out"]) == 1  # whose border alone is read


@pytest.mark.parametrize("backend", ["vitis", "native"])
def test_passes_are_verified(solution: Solution, backend: str, tmp_path: Path) -> None:
    graph, project = solution.problem.graph, tmp_path / "project"
    so.write(graph, solution.schedule, project, backend=backend)
    so.verify(project, traces=backend == "vitis").raise_if_failed()


def test_hosts_give_both_arrays_of_a_pair_one_buffer(solution: Solution, tmp_path: Path) -> None:
    project = tmp_path / "project"
    so.write(solution.problem.graph, solution.schedule, project)
    host = compiled_host(project, "jacobi", tmp_path)
    linked = (project / "connectivity.cfg").read_text()
    banks = ",".join(re.findall(r"sp=jacobi_1\.\w+:HBM\[(\d+)\]", linked))
    ran = done([host, "data", "", "jacobi.xclbin"], project, MOCK_BANKS=banks)
    assert ran.count("pass ") == 2
    path = str(MOCKS / "mock_pyxrt")
    command = [sys.executable, "host.py", kernel_library(project, "jacobi", tmp_path)]
    assert done(command, project, PYTHONPATH=path, MOCK_BANKS=banks).count(" 0 wrong") == 2


def test_pairs_in_different_memories_are_refused(solution: Solution) -> None:
    schedule = solution.schedule
    ports = tuple(
        replace(port, channels=("HBM[9]",)) if port.array == "A_out" else port
        for port in schedule.ports
    )
    with pytest.raises(LegalityError, match=r"E335 \d+ passes update A in place as A_out"):
        so.simulate(solution.problem.graph, replace(schedule, ports=ports))
    inside = tuple(replace(port, kind=PortKind.MEMORY, channels=()) for port in schedule.ports)
    with pytest.raises(LegalityError, match=r"E30[0-9]|E335"):
        so.simulate(solution.problem.graph, replace(schedule, ports=inside))


def test_tapa_has_no_passes(solution: Solution) -> None:
    with pytest.raises(CodegenError, match=r"E607 'jacobi' runs in \d+ passes"):
        so.emit(solution.problem.graph, solution.schedule, backend="tapa")


def test_time_is_not_unrolled_where_that_is_left_out(graph: Graph) -> None:
    space = so.Space(ports=so.plan_ports(graph, "m_axi"), without=frozenset({"unroll_time"}))
    found = so.solve(graph, level="opt6", dsp=40, space=space)
    assert not any(name.startswith("unroll_time") for name in found.schedule.rewrites)
