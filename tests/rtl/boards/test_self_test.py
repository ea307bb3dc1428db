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


needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)


def check_lamps(project: Path, output: str, folder: Path) -> None:
    """All words of an output are right, and one of them isn't if another one is expected."""
    files = board_files(project)
    for name, text in files.items():
        (folder / name).write_text(text)
    main = folder / "main.cpp"
    main.write_text(MAIN)
    sources = [folder / name for name in files if name.endswith(".v")]
    run = [built("board", sources, main, folder)]

    def lamps() -> int:
        done = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True)
        return int(done.stdout)

    assert lamps() == 0b101
    words = (folder / output).read_text()
    last = words.splitlines()[-1]
    wrong = f"{int(last, 16) ^ 1:0{len(last)}x}"
    (folder / output).write_text(words.replace(last, wrong))
    assert lamps() == 0b110


@needs_verilator
@pytest.mark.slow
def test_lamps_tell_right_from_wrong(tmp_path: Path) -> None:
    project = tmp_path / "project"
    so.write(SOURCE, any_factors(so.dataflow(SOURCE), Random(0), 2), project, backend="rtl")
    assert '"banks": 15' in (project / "design.json").read_text()
    check_lamps(project, "y.hex", tmp_path)


@needs_verilator
@pytest.mark.slow
@pytest.mark.parametrize(
    ("x", "y", "file"),
    [
        ("m_axi:2", "m_axi", "y.hex"),
        pytest.param("axis", "m_axi:2", "y_0.hex", marks=pytest.mark.nightly),
        pytest.param("m_axi", "axis", "y.hex", marks=pytest.mark.nightly),
    ],
)
def test_words_off_the_chip_are_in_memories_of_the_board(
    x: str, y: str, file: str, tmp_path: Path
) -> None:
    """Lanes beyond the end of an array are not compared."""
    graph = so.dataflow(SOURCE)
    schedule = any_factors(graph, Random(0), 2)
    ports = so.plan_ports(graph, ports={"x": x, "w": "axis", "y": y})
    outside = so.put_outside(graph, schedule, ports)
    so.write(SOURCE, outside, tmp_path / "project", backend="rtl")
    check_lamps(tmp_path / "project", file, tmp_path)
