"""Frames that follow each other in Verilog as closely as the simulator says."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import VerificationError
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.rtl.blocks.buffer import BufferMemory
from streamopt.space.assemble import assemble

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
TURNED = """
void turned(float A[4][6], float y[4][6]) {
    float b[6][4], c[4][6], d[6][4], e[4][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            b[i][j] = A[j][i] + 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            c[i][j] = b[j][i] * 2;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            d[i][j] = c[j][i] - 3;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            e[i][j] = d[j][i] * A[i][j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            y[i][j] = e[i][j] + A[i][j];
}
"""


def turned(folder: Path) -> tuple[Graph, Schedule]:
    """Return three buffers after one another and a FIFO; the input is read at all ends."""
    (folder / "turned.c").write_text(TURNED)
    graph = so.dataflow(so.load(folder / "turned.c"))
    orders = {node.name: tuple(loop.name for loop in node.loops) for node in graph.nodes}
    factors = {node.name: (1,) * len(node.loops) for node in graph.nodes}
    return graph, assemble(graph, orders, factors)


@needs_verilator
@pytest.mark.slow
def test_each_process_begins_as_soon_as_simulated(tmp_path: Path) -> None:
    """The first one is frames ahead of the last; each frame has inputs of its own."""
    graph, schedule = turned(tmp_path)
    kinds = [channel.kind for channel in schedule.channels]
    assert (kinds.count(ChannelKind.PING_PONG), kinds.count(ChannelKind.FIFO)) == (3, 1)
    so.write(graph, schedule, tmp_path / "project", backend="rtl")
    verdict = so.verify(tmp_path / "project", frames=6)
    assert verdict.passed, str(verdict)
    assert len(verdict.outputs) == 6
    assert verdict.measured_ends == verdict.simulated_ends
    assert verdict.measured_interval_cycles is not None
    assert verdict.measured_cycles is not None
    assert verdict.measured_interval_cycles < verdict.measured_cycles / 2
    assert f"{verdict.measured_interval_cycles} cycles between frames" in str(verdict)


def test_frames_are_of_verilog(tmp_path: Path) -> None:
    graph, schedule = turned(tmp_path)
    so.write(graph, schedule, tmp_path / "project", backend="native")
    with pytest.raises(VerificationError, match=r"E736 frames one after another are of a design"):
        so.verify(tmp_path / "project", frames=2)
    with pytest.raises(VerificationError, match="E736 0 frames are less than one"):
        so.verify(tmp_path / "project", frames=0)


def test_the_second_frame_of_a_buffer_begins_at_a_power_of_two() -> None:
    buffer = BufferMemory(32, 24, 1, is_double=True)
    assert buffer.all_words == 56
    assert "words[{of_0, read_at_0}]" in buffer.source()
