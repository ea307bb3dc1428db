"""Small designs of each structure as Verilog, run by Verilator."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import FrontendError, VerificationError
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.kernel import Fetched
from streamopt.rtl.kernel.making import KernelMaker
from streamopt.space.assemble import assemble
from streamopt.verification.csim.separate_modules import instance_counts

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
GRAPHS = Path(__file__).parents[2] / "graphs"
SUM = """
void sums(float A[6][10], float y[6]) {
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 10; j++)
            y[i] += A[i][j] * A[i][j];
    }
}
"""
TWICE = """
void twice(float A[4][3][2], float y[4]) {
    for (int o = 0; o < 4; o++) {
        y[o] = 0;
        for (int c = 0; c < 3; c++)
            for (int n = 0; n < 2; n++)
                y[o] += A[o][c][n];
    }
}
"""
PRODUCTS = """
void products(float A[5][4], float C[5][5]) {
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 4; k++)
                C[i][j] += A[i][k] * A[j][k];
        }
}
"""


def check_design(graph: Graph, schedule: Schedule, folder: Path) -> None:
    """Outputs are right, and measured cycles are those that are simulated."""
    so.write(graph, schedule, folder, backend="rtl")
    verdict = so.verify(folder)
    assert verdict.passed, str(verdict)
    assert verdict.measured_cycles == verdict.simulated_cycles, str(verdict)


def check_lint(folder: Path) -> None:
    """Verilator has nothing to say about a design, but for what is documented."""
    done = subprocess.run(
        ["make", "-s", "lint"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def written(text: str, path: Path) -> Graph:
    path.write_text(text)
    return so.dataflow(so.load(path))


@needs_verilator
@pytest.mark.slow
def test_lanes_that_share_operators(tmp_path: Path) -> None:
    graph = written(SUM, tmp_path / "sums.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("i", "j")}, {node.name: (1, 5)})
    check_design(graph, schedule, tmp_path / "project")
    check_lint(tmp_path / "project")
    texts = [path.read_text() for path in sorted((tmp_path / "project").glob("*.v"))]
    counts = instance_counts(texts, "sums")
    assert (counts["mul_f32_4"], counts["add_f32_5"], counts["add_f32_4"]) == (2, 1, 1)


@needs_verilator
@pytest.mark.slow
def test_sums_that_go_on_after_others(tmp_path: Path) -> None:
    """An adder's result goes straight back only where the element is the one before."""
    graph = written(TWICE, tmp_path / "twice.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("c", "o", "n")}, {node.name: (1, 2, 1)})
    check_design(graph, schedule, tmp_path / "project")


@needs_verilator
@pytest.mark.slow
def test_idle_lanes_read_beyond_an_array(tmp_path: Path) -> None:
    """Four lanes along five rows in the same banks: the second time, three ask for what isn't."""
    graph = written(PRODUCTS, tmp_path / "products.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("i", "j", "k")}, {node.name: (1, 4, 4)})
    check_design(graph, replace(schedule, most_banks=4), tmp_path / "project")


def test_signals_are_written_where_verilog_is(tmp_path: Path) -> None:
    """Tokens are of C++, signals of Verilog: asking for the other ones fails before it runs."""
    graph = written(SUM, tmp_path / "sums.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("i", "j")}, {node.name: (1, 1)})
    for backend in ("rtl", "native"):
        so.write(graph, schedule, tmp_path / backend, backend=backend)
    with pytest.raises(VerificationError, match="E736"):
        so.verify(tmp_path / "rtl", traces=True)
    with pytest.raises(VerificationError, match="E736"):
        so.verify(tmp_path / "native", vcd=tmp_path / "sums.vcd")
    with pytest.raises(FrontendError, match="E116"):
        so.verify(tmp_path / "rtl", vcd=tmp_path / "nowhere" / "sums.vcd")
    assert not (tmp_path / "sums.vcd").exists()


@needs_verilator
@pytest.mark.nightly
def test_all_signals_of_a_run(tmp_path: Path) -> None:
    """Two times a cycle, from the reset to the last, with the names of the graph."""
    graph = written(SUM, tmp_path / "sums.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("i", "j")}, {node.name: (1, 1)})
    so.write(graph, schedule, tmp_path / "made", backend="rtl")
    cycles = so.verify(tmp_path / "made", vcd=tmp_path / "sums.vcd").measured_cycles
    text = (tmp_path / "sums.vcd").read_text()
    assert cycles is not None
    assert re.findall(r"^#(\d+)$", text, re.MULTILINE)[-1] == str(2 * (cycles + 2) - 1)
    assert re.search(rf"\$scope module process_{node.name} \$end", text)


def test_lanes_take_turns_at_the_ports_of_a_bank(tmp_path: Path) -> None:
    """Five lanes at one place each, and two ports: three cycles, and as many operators as that."""
    graph = written(SUM, tmp_path / "sums.c")
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("j", "i")}, {node.name: (1, 5)})
    scheduled = so.apply(graph, schedule)
    network = built_network(scheduled)
    (pipeline,) = network.pipelines
    unsplit = tuple(replace(m, factors=(1,) * len(m.shape)) for m in network.memories)
    network = replace(network, memories=unsplit)
    kernel = KernelMaker(graph, scheduled.nodes[0], pipeline, network).kernel()
    fetched = kernel.values[0]
    assert isinstance(fetched.source, Fetched)
    assert (kernel.ii, fetched.late) == (3, (0, 0, 1, 1, 2))


@pytest.mark.nightly
def test_verilog_of_many_lanes_is_short() -> None:
    """More than a thousand multipliers and adders take less than 150 bytes each."""
    graph = so.dataflow(so.load(GRAPHS / "polybench/gemm.json"))
    on = so.Budget(device=so.device("u280", operators="open"))
    schedule = so.solve(graph, level="opt5", dsp=2560, budget=on).schedule
    design = so.emit(graph, schedule, backend="rtl")
    texts = [design.text(path) for path, _ in design.files if path.endswith(".v")]
    counts = instance_counts(texts, design.top)
    assert counts["mul_f32_4"] > 1000
    assert sum(map(len, texts)) < 150 * counts["mul_f32_4"]
