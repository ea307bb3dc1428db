"""The bound that is told beside a design, and designs that are refused for their hazards."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SimulationError
from streamopt.evaluation.design import evaluated_network
from streamopt.evaluation.least_cycles import bound_words, least_cycles
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.perf.as_built.program_bound import ProgramBound
from streamopt.pipeline import SourceOptions, dataflow, load
from streamopt.target.device import DEVICE, find_device
from tests.support.networks.in_turns import trisolv
from tests.support.runners.polybench import KERNELS, source

if TYPE_CHECKING:
    from pathlib import Path

ON = find_device(DEVICE, None)


def test_chain_binds_a_triangular_solution() -> None:
    options = SourceOptions(define={"MINI_DATASET": ""}, include=[KERNELS])
    bound = least_cycles(dataflow(load(source("trisolv"), options=options)), 2560, ON)
    # In double precision a division takes 30 cycles, a product 7 and a difference 6.
    assert bound.chain_cycles == 40 * 30 + 39 * (7 + 6)
    assert bound.cycles == bound.chain_cycles > bound.work_cycles


def test_iterators_are_numbers_of_their_loops(tmp_path: Path) -> None:
    path = tmp_path / "fill.c"
    path.write_text(
        "void fill(int m[8][9]) { for (int i = 0; i < 8; i++) { m[i][0] = i * -3;"
        " for (int j = 1; j < 9; j++) m[i][j] = m[i][j - 1] + i * j; } }"
    )
    # seven times eight takes one DSP, a product of any two words three
    assert least_cycles(dataflow(load(path)), 1, ON).work_cycles == 8 * 8


def test_adders_of_luts_take_no_dsps(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.c"
    path.write_text(
        "void sweeps(float x[64]) { for (int t = 0; t < 2; t++) for (int i = 1; i < 63; i++)"
        " x[i] = x[i - 1] + x[i] + x[i + 1]; }"
    )
    graph = dataflow(load(path))
    times = 2 * 62 * 2  # additions
    adders = {n: ON.operator(Operator.ADD, ElementType.FLOAT, n) for n in ("fabric", "fulldsp")}
    assert adders["fabric"].dsps == 0
    luts, of_dsps = adders["fabric"].luts, adders["fulldsp"]
    # two adders of DSPs take LUTs as well; the others are of those that remain
    most = 2 + (4 * luts - 2 * of_dsps.luts) / luts
    bound = least_cycles(graph, 2 * of_dsps.dsps, ON, luts=4 * luts)
    assert bound.work_cycles == ceil(times / most)
    assert least_cycles(graph, 2 * of_dsps.dsps, ON).work_cycles == times // 2
    assert bound_words(ProgramBound(50, 4), 60, 7) == (
        "50 cycles for all operations on all DSPs and LUTs (1.20x)"
    )


@pytest.mark.parametrize(
    ("work", "chain", "words"),
    [
        (4000, 50, "4,000 cycles for all operations on all DSPs (1.25x)"),
        (50, 4000, "4,000 cycles for the longest chain of operations (1.25x)"),
    ],
)
def test_words(work: int, chain: int, words: str) -> None:
    assert bound_words(ProgramBound(work, chain), 5000) == words


def test_designs_with_hazards_are_refused() -> None:
    network = trisolv(20, 4, (3, 3))
    with pytest.raises(SimulationError, match="before divide at j = 0 has written it"):
        evaluated_network(network, ON)
    assert evaluated_network(network, ON, checks_hazards=False).trace.cycles > 0
