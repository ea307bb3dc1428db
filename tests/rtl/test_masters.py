"""Arrays off the chip: bursts and streams, right outputs, and the cycles that are simulated."""

import json
import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.graph import Graph
from streamopt.ir.network import Place
from streamopt.ir.schedule import Schedule
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.making import timed_network
from streamopt.rtl.outside.word_streams import ANSWER_CYCLES, word_streams
from streamopt.space.assemble import assemble
from tests.rtl.test_structures import check_lint, written

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
SCALED = """
void scaled(int A[10][20], int y[10][20]) {
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 20; j++)
            y[i][j] = A[i][j] + 1;
}
"""
BYTES = """
#include <stdint.h>
void bytes(int8_t A[90][3], int8_t y[90][3]) {
    for (int i = 0; i < 90; i++)
        for (int j = 0; j < 3; j++)
            y[i][j] = A[i][j] >> 1;
}
"""


def outside(graph: Graph, factors: tuple[int, ...], ports: dict[str, str]) -> Schedule:
    """Return a schedule of the only node with arrays off the chip."""
    (node,) = graph.nodes
    order = tuple(loop.name for loop in node.loops)
    schedule = assemble(graph, {node.name: order}, {node.name: factors})
    return so.put_outside(graph, schedule, so.plan_ports(graph, ports=ports))


def check_frames(graph: Graph, schedule: Schedule, folder: Path) -> None:
    """Frames of a design are right, and end when they are simulated to end."""
    so.write(graph, schedule, folder, backend="rtl")
    verdict = so.verify(folder, frames=3)
    assert verdict.passed, str(verdict)
    assert verdict.measured_ends == verdict.simulated_ends, str(verdict)


@needs_verilator
@pytest.mark.nightly
def test_several_words_of_an_iteration_in_several_memories(tmp_path: Path) -> None:
    """Twenty numbers: two words of one memory, and in two others one each."""
    graph = written(SCALED, tmp_path / "scaled.c")
    schedule = outside(graph, (1, 20), {"A": "m_axi", "y": "m_axi:2"})
    network = built_network(so.apply(graph, schedule))
    words = {name: stream.words for name, stream in word_streams(network).items()}
    assert (words["A"].count, words["A"].memories) == (2, 1)
    assert (words["y"].count, words["y"].memories) == (1, 2)
    check_frames(graph, schedule, tmp_path / "project")
    check_lint(tmp_path / "project")


@needs_verilator
@pytest.mark.slow
def test_many_bursts_of_narrow_words(tmp_path: Path) -> None:
    graph = written(BYTES, tmp_path / "bytes.c")
    schedule = outside(graph, (1, 1), {"A": "m_axi", "y": "m_axi"})
    (beats,) = {s.beats for s in word_streams(built_network(so.apply(graph, schedule))).values()}
    assert beats == 270
    check_frames(graph, schedule, tmp_path / "project")


def test_a_mover_waits_for_its_first_word_and_its_last_answer(tmp_path: Path) -> None:
    graph = written(SCALED, tmp_path / "scaled.c")
    schedule = outside(graph, (1, 4), {"A": "m_axi", "y": "m_axi"})
    network, timings = timed_network(so.apply(graph, schedule))
    assert {m.place for m in network.memories} == {Place.OFF_CHIP}
    assert timings["load_A"].depth_cycles == 2 + ANSWER_CYCLES
    assert (timings["store_y"].depth_cycles, timings["store_y"].answer_cycles) == (2, 43)


def test_a_design_names_its_masters(tmp_path: Path) -> None:
    graph = written(SCALED, tmp_path / "scaled.c")
    schedule = outside(graph, (1, 4), {"A": "m_axi:2", "y": "m_axi"})
    so.write(graph, schedule, tmp_path / "project", backend="rtl")
    memories = json.loads((tmp_path / "project/design.json").read_text())["memories"]
    assert {m["name"]: m["masters"] for m in memories} == {"A": ["A_0", "A_1"], "y": ["y"]}


@needs_verilator
@pytest.mark.slow
def test_streams_are_words_of_frames_one_after_another(tmp_path: Path) -> None:
    """Twenty numbers are two words of a stream, and a mover that reads waits for both."""
    graph = written(SCALED, tmp_path / "scaled.c")
    schedule = outside(graph, (1, 20), {"A": "axis", "y": "axis"})
    _, timings = timed_network(so.apply(graph, schedule))
    assert (timings["load_A"].depth_cycles, timings["load_A"].word_cycles) == (2, 2)
    assert (timings["store_y"].depth_cycles, timings["store_y"].answer_cycles) == (2, 2)
    check_frames(graph, schedule, tmp_path / "project")
    check_lint(tmp_path / "project")


@needs_verilator
@pytest.mark.nightly
def test_streams_of_bytes_and_a_master(tmp_path: Path) -> None:
    graph = written(BYTES, tmp_path / "bytes.c")
    schedule = outside(graph, (1, 1), {"A": "axis", "y": "m_axi"})
    check_frames(graph, schedule, tmp_path / "project")


def test_ports_of_a_stream(tmp_path: Path) -> None:
    graph = written(SCALED, tmp_path / "scaled.c")
    design = so.emit(graph, outside(graph, (1, 4), {"A": "axis", "y": "axis"}), backend="rtl")
    top = dict(design.files)["scaled.v"]
    assert "input [127:0] A_tdata;" in top
    assert "output [127:0] y_tdata;" in top
    for wire, way in (("tvalid", "input"), ("tready", "output"), ("tlast", "input")):
        other = "output" if way == "input" else "input"
        assert f"  {way} A_{wire};" in top
        assert f"  {other} y_{wire};" in top
