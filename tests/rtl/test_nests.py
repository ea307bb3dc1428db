"""Sequential nodes as Verilog: phases that take turns, with bubbles between them."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.pipeline.evaluating import verilog_cycles
from streamopt.rtl.kernel.making import timed_network
from streamopt.sim.in_turn.visits import iterations_in_turn

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
    assert found.trace.cycles == verilog_cycles(graph, solution.schedule)


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
