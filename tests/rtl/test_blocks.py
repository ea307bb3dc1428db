"""Blocks in Verilog whose size is up to the design, read by Verilator."""

import shutil
import subprocess
from pathlib import Path

import pytest

from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.registers import RegisterStore
from streamopt.rtl.emission.structure import StructureModule
from streamopt.rtl.printing import verilog_texts
from streamopt.verification.csim.separate_modules import instance_counts

LEVELS = 100
"""More than the repetitions of a loop that Verilator writes out."""
needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)


@needs_verilator
@pytest.mark.parametrize(
    "block", [Delay(8, LEVELS), RegisterStore(8, LEVELS, 2, 1, (3, LEVELS))], ids=lambda b: b.name
)
def test_large_blocks_are_read(block: Delay | RegisterStore, tmp_path: Path) -> None:
    read_by_verilator(block.source(), tmp_path / f"{block.name}.v")


@needs_verilator
def test_modules_may_have_names_of_the_language(tmp_path: Path) -> None:
    inner, outer = StructureModule("output"), StructureModule("table")
    inner.let(inner.port("output", "y", 4), inner.port("input", "a", 4).text)
    wires = [outer.port("input", "a", 8), outer.port("output", "y", 4)]
    outer.instance("output", "process_output", {"a": wires[0].part(1, 2), "y": wires[1]})
    texts = [inner.verilog(), outer.verilog()]
    assert instance_counts(texts, "table") == {"output": 1, "table": 1}
    read_by_verilator("".join(texts), tmp_path / "table.v")


def test_a_module_is_written_as_it_is_alone() -> None:
    sources = [block.source() for block in (FifoBlock(8, 3), Delay(8, 2), FifoBlock(40, 1))]
    texts = verilog_texts(sources)
    assert texts == [text for source in sources for text in verilog_texts([source])]
    assert [text.splitlines()[0].split("(")[0] for text in texts] == [
        "module fifo_8x3",
        "module delay_8x2",
        "module fifo_40x1",
    ]


def read_by_verilator(text: str, source: Path) -> None:
    source.write_text(text)
    command = ["verilator", "--cc", "-Mdir", str(source.parent / "made"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
