"""Designs that count digits instead of dividing, against those that divide, and our own."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.transforms.rewrites import rewritten
from tests.support.hls_dialects import HEADERS
from tests.support.nightly import in_nightly
from tests.support.random.windows import window_chain
from tests.support.window_schedules import WINDOWS, window_schedule

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.network import Network

DIVIDED = """
void top(float x[4][7], float y[5][8]) {
  for (int a = 0; a < 5; a++) {
    for (int b = 0; b < 8; b++) {
      #pragma HLS pipeline II=1
      y[a][b] = x[(5 * a + 2 * b + 3) / 7 % 4][(5 * a + 2 * b + 3) % 7];
    }
  }
}
"""
COUNTED = """
void top(float x[4][7], float y[5][8]) {
  int row = 0;
  int column = 3;
  for (int a = 0; a < 5; a++) {
    for (int b = 0; b < 8; b++) {
      #pragma HLS pipeline II=1
      y[a][b] = x[row][column];
      column += (b < 7 ? 2 : a < 4 ? 5 : 0);
      row += (b < 7 ? 0 : a < 4 ? 2 : 0);
      if (column >= 7) {
        column -= 7;
        row++;
      }
      if (row >= 4) {
        row -= 4;
      }
    }
  }
}
"""


def network_of(text: str, folder: Path) -> Network:
    (folder / "kernel.cpp").write_text(HEADERS + text, encoding="utf-8")
    return so.load_design(folder).network


def test_counters_are_digits(tmp_path: Path) -> None:
    ports = [
        [
            [subscript.evaluate({"a": a, "b": b}) for subscript in port.subscripts]
            for a in range(5)
            for b in range(8)
        ]
        for text in (DIVIDED, COUNTED)
        for pipeline in network_of(text, tmp_path).pipelines
        for port in pipeline.ports
    ]
    assert len(ports) == 4
    assert ports[:2] == ports[2:]


def test_counters_cost_no_division(tmp_path: Path) -> None:
    divided, counted = (
        so.evaluate_network(network_of(text, tmp_path)).trace.cycles for text in (DIVIDED, COUNTED)
    )
    assert counted < divided


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("b < 7 ? 2 : a < 4 ? 5", "b < 6 ? 2 : a < 4 ? 5"),
        ("b < 7 ? 2 : a < 4 ? 5 : 0", "x[0][b] > 0 ? 2 : 0"),
        ("column -= 7", "column -= 6"),
        ("int row = 0;", "int row = 0;\n  y[0][0] = row;"),
    ],
    ids=["another end", "data", "another round", "read elsewhere"],
)
def test_other_counters_are_refused(said: str, instead: str, tmp_path: Path) -> None:
    with pytest.raises(StreamoptError, match="E136"):
        network_of(COUNTED.replace(said, instead), tmp_path)


@pytest.mark.parametrize("seed", in_nightly([1, 3, 8, *range(9, 21)], 3))
def test_windows_that_move_by_several_elements_are_read_back(seed: int, tmp_path: Path) -> None:
    source = window_chain(Random(seed), layers=1 + seed % 3)
    schedule = window_schedule(rewritten(so.dataflow(source), WINDOWS), seed)
    so.write(source, schedule, tmp_path / "project")
    built = so.evaluate(so.dataflow(source), schedule)
    found = so.evaluate_network(so.load_design(tmp_path / "project").network)
    # of rows in banks the choice of one is written out, and may take another cycle
    assert abs(found.trace.cycles - built.trace.cycles) <= len(built.network.processes)
