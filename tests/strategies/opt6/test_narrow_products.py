"""Products of 8-bit integers at opt6: two in a DSP, or in LUTs, whatever the source language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamopt.ir.graph import Graph

DSPS, SIZE = 64, 64
NO_LUTS = so.Budget(lut=8_000)
"""Too few for multipliers of LUTs; adders and corrections of 128 products take 6,400."""
C_TEXT = """
#include <stdint.h>
void gemm(int8_t A[64][64], int8_t B[64][64], int32_t C[64][64]) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 64; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
"""


def of_c(directory: Path) -> Graph:
    (directory / "gemm.c").write_text(C_TEXT)
    return so.dataflow(so.load(directory / "gemm.c"))


def of_dsl(_: Path) -> Graph:
    p = so.dsl.program("gemm")
    i, j, k = p.iterators(i=SIZE, j=SIZE, k=SIZE)
    a, b = (p.input(name, SIZE, SIZE, element="int8_t") for name in "AB")
    wide = [so.dsl.cast(one, "int64_t") for one in (a[i, k], b[k, j])]
    p.output("C", (i, j), so.dsl.sum(k, wide[0] * wide[1]), element="int32_t")
    return so.dataflow(p.build())


def of_graph_json(_: Path) -> Graph:
    arrays = {"A": "input 64 64 int8_t", "B": "input 64 64 int8_t", "C": "output 64 64 int64_t"}
    node = "i 64, j 64, k 64: C[i][j] += int64_t(A[i][k]) * int64_t(B[k][j])"
    return so.dataflow(program(arrays, {"gemm": node}))


@pytest.mark.parametrize("read", [of_c, of_dsl, of_graph_json])
def test_a_packed_gemm_takes_half_a_cycle_a_product_and_dsp(
    read: Callable[[Path], Graph], tmp_path: Path
) -> None:
    graph = read(tmp_path)
    found = so.solve(graph, level="opt6", dsp=DSPS, budget=NO_LUTS)
    built = {way for plan in found.schedule.nodes for way in plan.binding}
    assert (Operator.MUL, Implementation.PACKED) in built
    least = SIZE**3 / (2 * DSPS)
    evaluation = so.evaluate(graph, found.schedule)
    assert evaluation.resources.total.dsps == DSPS
    assert so.record(found)["roofline_cycles"] == least
    assert least < evaluation.trace.total_cycles < 1.05 * least
