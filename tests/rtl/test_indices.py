"""Iterators as numbers to compute with, and sums and truth values in which data decide."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.backends.vitis_project import VitisSettings
from streamopt.ir.element import ElementType
from streamopt.ir.expression import LogicOp
from streamopt.ir.operators import Operator
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.kernel import CountedIndex
from streamopt.rtl.kernel.making import make_kernels
from streamopt.rtl.operators.number_format import TRUTH, WholeFormat
from streamopt.rtl.operators.table import Asked, choose
from streamopt.space.assemble import assemble
from tests.rtl.test_structures import written

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
INDEXED = """
void indexed(const float x[9], const int a[9][4], float y[9],
             int z[9][4], int n[9], int m[9], int s[9]) {
    for (int i = 0; i < 9; i++)
        y[i] = x[i] * i + 0.5f * (11 - i);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 4; j++)
            z[i][j] = a[i][j] > 0 && a[i][j] < 5 && x[i] > 0 ? (7 * i - 3 * j) % 5 : i / 3 - j;
    for (int i = 0; i < 9; i++) {
        n[i] = 0;
        m[i] = -9;
        for (int j = 0; j < 4; j++) {
            if (a[i][j] > 1) n[i]++;
            if (a[i][j] < 3 && a[i][j] > m[i]) m[i] = a[i][j];
        }
    }
    for (int i = 1; i < 9; i++)
        s[i] = s[i - 1] > i ? s[i] + 2 * i : a[i][1] - i;
}
"""


@needs_verilator
@pytest.mark.slow
def test_iterators_are_numbers(tmp_path: Path) -> None:
    graph = written(INDEXED, tmp_path / "indexed.c")
    so.write(graph, so.solve(graph, dsp=30).schedule, tmp_path / "project", backend="rtl")
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, str(verdict)
    assert verdict.measured_cycles == verdict.simulated_cycles


def test_an_iterator_is_as_wide_as_it_gets(tmp_path: Path) -> None:
    """Each of three lanes counts for itself, and nothing is multiplied."""
    text = "void down(int y[12]) { for (int i = 0; i < 12; i++) y[i] = 19 - 3 * i; }"
    graph = written(text, tmp_path / "down.c")
    (node,) = graph.nodes
    scheduled = so.apply(graph, assemble(graph, {node.name: ("i",)}, {node.name: (3,)}))
    ((kernel,),) = make_kernels(scheduled, built_network(scheduled))
    (value,) = (value for value in kernel.values if isinstance(value.source, CountedIndex))
    assert isinstance(value.source, CountedIndex)
    assert (value.form, value.stage, value.lanes) == (WholeFormat(6), 0, ("i.lane",))
    sums = [(counted.steps, first) for counted, first in value.source.sums]
    assert sums == [((-9,), 19), ((-9,), 16), ((-9,), 13)]


def test_pipelines_ask_no_tool_for_their_intervals(tmp_path: Path) -> None:
    graph = written(
        "void same(int a[9], int y[9]) { for (int i = 0; i < 9; i++) y[i] = a[i]; }",
        tmp_path / "same.c",
    )
    schedule = assemble(graph, {"y_set": ("i",)}, {"y_set": (1,)})
    slow = VitisSettings(intervals=(("y_set", 3),))
    assert so.emit(graph, schedule, backend="rtl", settings=slow) == so.emit(
        graph, schedule, backend="rtl"
    )


def test_several_truth_values_are_one_operator() -> None:
    chosen = choose(
        Asked(Operator.LOGIC, LogicOp.AND, ElementType.INT32, (TRUTH,) * 4, (None,) * 4)
    )
    assert chosen is not None
    assert (chosen.leaf.operands, chosen.leaf.result, chosen.order) == (
        (TRUTH,) * 4,
        TRUTH,
        (0, 1, 2, 3),
    )
