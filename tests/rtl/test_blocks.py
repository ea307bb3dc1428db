"""Blocks in Verilog whose size is up to the design, read by Verilator."""

import shutil
import subprocess
from pathlib import Path

import pytest

from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.registers import RegisterStore

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
    source = tmp_path / f"{block.name}.v"
    source.write_text(block.verilog())
    command = ["verilator", "--cc", "-Mdir", str(tmp_path / "made"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
