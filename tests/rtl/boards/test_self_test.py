"""A design that tests itself, run by Verilator: its lamps say whether outputs are as expected."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

import streamopt as so
from streamopt.pipeline.open_tools.synthesizing import board_files
from streamopt.verification.csim.verilated import built
from tests.support.programs.sketches import program
from tests.support.random.schedules import any_factors

SOURCE = program(
    {"x": "input 4 6 int8_t", "w": "weight 5 6 ap_int<5>", "y": "output 4 5 int32_t"},
    {"sums": "i 4, j 5, k 6: y[i][j] += x[i][k] * w[j][k]"},
    name="bytes",
)
MAIN = """
#include <cstdio>
#include "Vdesign.h"
#include "verilated.h"

int main() {
    Vdesign board;
    for (int cycle = 0; cycle < 2000; cycle++) {
        board.clk = 0;
        board.eval();
        board.clk = 1;
        board.eval();
    }
    std::printf("%d", board.lamps & 7);
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("verilator") is None, reason="Verilator isn't installed")
@pytest.mark.slow
def test_lamps_tell_right_from_wrong(tmp_path: Path) -> None:
    project = tmp_path / "project"
    so.write(SOURCE, any_factors(so.dataflow(SOURCE), Random(0), 2), project, backend="rtl")
    assert '"banks": 15' in (project / "design.json").read_text()
    files = board_files(project)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    main = tmp_path / "main.cpp"
    main.write_text(MAIN)
    sources = [tmp_path / name for name in files if name.endswith(".v")]
    run = [built("board", sources, main, tmp_path)]

    def lamps() -> int:
        done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
        return int(done.stdout)

    assert lamps() == 0b101
    words = (tmp_path / "y.hex").read_text()
    last = words.splitlines()[-1]
    wrong = f"{int(last, 16) ^ 1:0{len(last)}x}"
    (tmp_path / "y.hex").write_text(words.replace(last, wrong))
    assert lamps() == 0b110
