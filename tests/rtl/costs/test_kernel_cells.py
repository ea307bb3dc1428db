"""Cells of processes before they are written, against those that Yosys has counted."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import plan_layout
from streamopt.ir.element import ElementType
from streamopt.ir.network import Fifo
from streamopt.ir.ports import Words
from streamopt.rtl.blocks.buffer import BufferMemory
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.costs.block_cells import buffer_cells, delay_cells, fifo_cells
from streamopt.rtl.costs.operator_cells import cells_of
from streamopt.rtl.costs.word_end_cells import end_cells
from streamopt.rtl.operators.float_format import FLOAT
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.number_format import TRUTH, WholeFormat
from streamopt.rtl.operators.table import FLOAT_LEVELS
from streamopt.rtl.operators.whole_leaf import WholeLeaf
from streamopt.rtl.outside.word_streams import WordStream
from streamopt.target.resources import Resources

ROOT = Path(__file__).parents[3]
MEASURED = ROOT / "results" / "rtl_cells" / "rows.csv"


@pytest.mark.parametrize("design", ["synthetic/7mm_tree_balanced opt5 30", "polybench/mvt opt6 16"])
def test_estimates_are_near_what_yosys_counts(design: str) -> None:
    name, level, dsps = design.split()
    own = so.Budget(device=so.device("u280", operators="open"))
    graph = so.dataflow(so.load(ROOT / "graphs" / f"{name}.json"))
    found = so.solve(graph, level=level, dsp=int(dsps), budget=own)
    assert found.evaluation is not None
    scheduled = so.apply(graph, found.schedule)
    rows = csv.DictReader(MEASURED.read_text().splitlines())
    measured = {row["module"]: row for row in rows if row["design"] == design}
    layout, processes = plan_layout(scheduled, Dialect.NATIVE), found.evaluation.network.processes
    for named, process in zip(layout.processes, processes, strict=True):
        used, row = found.evaluation.resources.processes[process.name], measured[named.name]
        assert used.dsps == int(row["dsps"])
        assert used.luts == pytest.approx(int(row["luts"]), rel=0.15)
        assert used.ffs == pytest.approx(int(row["ffs"]), rel=0.15)


def test_every_operator_on_floats_is_measured() -> None:
    leaves = [FloatLeaf(kind, FLOAT, levels) for kind, levels in FLOAT_LEVELS.items()]
    assert [leaf.name for leaf in leaves if cells_of(leaf) is None] == []


@pytest.mark.parametrize(
    ("kind", "left", "right", "result", "luts"),
    [
        ("max", WholeFormat(25), WholeFormat(1, False), WholeFormat(24, False), 7),
        ("min", WholeFormat(24, False), WholeFormat(8, False), WholeFormat(8, False), 20),
        ("max", WholeFormat(25), WholeFormat(8), WholeFormat(25), 36),
        ("max", WholeFormat(32), WholeFormat(32), WholeFormat(32), 54),
        ("add", WholeFormat(32), WholeFormat(4, False), WholeFormat(32), 4),
        ("lt", WholeFormat(32), WholeFormat(32), TRUTH, 22),
        ("le", WholeFormat(16), WholeFormat(5, False), TRUTH, 6),
        ("eq", WholeFormat(32), WholeFormat(3, False), TRUTH, 10),
    ],
)
def test_whole_operators_are_near_what_yosys_counts(
    kind: str, left: WholeFormat, right: WholeFormat, result: WholeFormat, luts: int
) -> None:
    cells = cells_of(WholeLeaf(kind, (left, right), result, 1))
    assert cells is not None
    assert cells.luts == pytest.approx(luts, rel=0.1, abs=2)


def test_a_shift_by_a_number_that_is_known_is_wires() -> None:
    shift = WholeLeaf("shr", (WholeFormat(32), WholeFormat(3, False)), WholeFormat(25), 0)
    assert cells_of(shift) == Resources()


def test_registers_in_a_row_are_shift_registers_where_that_is_fewer() -> None:
    assert delay_cells(Delay(32, 2)) == Resources(ffs=64)
    assert delay_cells(Delay(32, 5)) == Resources(luts=32)
    assert delay_cells(Delay(32, 33)) == Resources(luts=64)


def test_a_fifo_counts_its_words_and_a_buffer_its_readers() -> None:
    assert fifo_cells(FifoBlock(32, 2)) == Resources(luts=30, ffs=4)
    one, two = (buffer_cells(BufferMemory(32, 512, readers)) for readers in (1, 2))
    assert (one.bram18, two.bram18) == (1, 2)


def test_masters_and_streams_are_near_what_yosys_counts() -> None:
    """Yosys 0.70 for UltraScale+: LUTs and flip-flops of one module each."""
    word, wide = Fifo("A", ElementType.FLOAT, (), 2), Fifo("A", ElementType.FLOAT, (8,), 2)
    found = {
        WordStream(word, Words(1, 1, 1, 1), 200, 1, False, True): (216, 50),
        WordStream(wide, Words(4, 2, 8, 1), 800, 3, False, True): (409, 181),
        WordStream(word, Words(1, 1, 1, 1), 200, 1, True, True): (152, 59),
        WordStream(wide, Words(4, 2, 8, 1), 800, 1, True, True): (419, 66),
        WordStream(word, Words(1, 1, 1, 1), 200, 1, False, False): (31, 4),
        WordStream(wide, Words(4, 2, 8, 1), 800, 1, False, False): (161, 133),
        WordStream(wide, Words(4, 2, 8, 1), 800, 1, True, False): (297, 18),
    }
    for stream, (luts, ffs) in found.items():
        cells = end_cells(stream, frame_bits=3)
        assert cells.luts == pytest.approx(luts, rel=0.02), stream
        assert cells.ffs == ffs, stream
        two = replace(stream, words=replace(stream.words, memories=2))
        assert end_cells(two, frame_bits=3) == cells + cells
