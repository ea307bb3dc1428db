"""Sequential nodes as Verilog: phases that take turns, with bubbles between them."""

import re
import shutil
from itertools import chain
from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.pipeline.evaluating import verilog_ends
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.making import make_kernels, timed_network
from streamopt.sim.in_turn.visits import iterations_in_turn
from streamopt.verification.csim.separate_modules import instance_counts

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
KERNELS = Path(__file__).parents[1] / "polybench" / "kernels"
NAMES = sorted(path.name for path in KERNELS.iterdir() if path.is_dir())
SOLVED = """
void solved(int L[7][7], int x[7]) {
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] > 0 ? x[i] : L[i][i];
    }
}
"""


SMOOTHED = """
void smoothed(float a[18], float b[18], float z[18]) {
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < 17; i++)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < 17; i++)
            a[i] = 0.5f * (b[i - 1] + b[i + 1]);
    }
    for (int i = 1; i < 17; i++)
        z[i] = z[i - 1] + a[i];
}
"""


@pytest.fixture(scope="module")
def smoothed(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScheduledGraph, Path]:
    folder = tmp_path_factory.mktemp("smoothed")
    (folder / "smoothed.c").write_text(SMOOTHED)
    graph = so.dataflow(so.load(folder / "smoothed.c"))
    on = so.Budget(device=so.device("u280", operators="open"))
    schedule = so.solve(graph, dsp=12, budget=on).schedule
    so.write(graph, schedule, folder / "made", backend="rtl")
    return so.apply(graph, schedule), folder / "made"


def test_nests_that_compute_the_same_use_operators_in_turn(
    smoothed: tuple[ScheduledGraph, Path],
) -> None:
    scheduled, made = smoothed
    kernels = chain.from_iterable(make_kernels(scheduled, built_network(scheduled)))
    kernel = next(own for own in kernels if own.built is not None)
    assert kernel.built is not None
    assert len(kernel.built.together) == 2
    for group in kernel.built.together:
        assert len({kernel.value(name).stage for _, name in group}) == 1
    counts = instance_counts([path.read_text() for path in made.glob("*.v")], "smoothed")
    assert counts["mul_f32_4"] == kernel.lanes[0].trip_count


def test_a_process_waits_for_all_nests_of_who_fills_its_buffer(
    smoothed: tuple[ScheduledGraph, Path],
) -> None:
    top = (smoothed[1] / "smoothed.v").read_text()
    nests = re.findall(r"process_(a_out_\w+) \(", top)
    assert re.findall(r"& (\w+)_frame != \w+", top) == nests[-1:]


@needs_verilator
@pytest.mark.slow
def test_triangular_loops_take_turns(tmp_path: Path) -> None:
    """Lanes are terms of a sum or rows, visits are short, and the first ones are empty."""
    (tmp_path / "solved.c").write_text(SOLVED)
    graph = so.dataflow(so.load(tmp_path / "solved.c"))
    solution = so.solve(graph, dsp=8)
    network, _ = timed_network(so.apply(graph, solution.schedule))
    (turns,) = (own for process in network.processes for own in process.turns)
    assert iterations_in_turn(turns) > 7 * 6 // 2
    so.write(graph, solution.schedule, tmp_path / "made", backend="rtl")
    verdict = so.verify(tmp_path / "made")
    assert verdict.passed, str(verdict)
    assert verdict.measured_cycles == verdict.simulated_cycles, str(verdict)


def test_nests_are_solved_for_our_own_operators(tmp_path: Path) -> None:
    (tmp_path / "solved.c").write_text(SOLVED)
    graph = so.dataflow(so.load(tmp_path / "solved.c"))
    on = so.device("u280", operators="open")
    solution = so.solve(graph, dsp=8, budget=so.Budget(device=on))
    found = solution.evaluation
    assert found is not None
    assert found.is_buildable
    assert (found.trace.cycles,) == verilog_ends(graph, solution.schedule)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_polybench_at_its_smallest(name: str, tmp_path: Path) -> None:
    options = so.SourceOptions(
        define={"MINI_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}, include=[KERNELS]
    )
    graph = so.dataflow(so.load(KERNELS / name / f"{name}.c", options=options))
    solution = so.solve(graph, dsp=70)
    so.write(graph, solution.schedule, tmp_path / "made", backend="rtl")
    verdict = so.verify(tmp_path / "made")
    assert verdict.passed, str(verdict)
    assert verdict.measured_cycles == verdict.simulated_cycles, str(verdict)
