"""``streamopt emit`` and ``solve`` for a release, with ports, and for TAPA."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import streamopt as so
from streamopt.cli.main import app
from streamopt.errors import CodegenError
from streamopt.formats.schedule_json import write_schedule_json

GESUMMV = Path(__file__).parents[2] / "graphs" / "polybench" / "gesummv.json"


@pytest.fixture(scope="module")
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("schedule") / "schedule.json"
    found = so.solve(
        so.dataflow(so.load(GESUMMV)), level="opt1", effort=so.Effort(fifos=None)
    ).schedule
    path.write_text(write_schedule_json(found))
    return path


def emitted(schedule: Path, directory: Path, *options: str) -> str:
    arguments = ["emit", str(GESUMMV), "--schedule", str(schedule), "-o", str(directory), *options]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_release_device_and_ports(schedule: Path, tmp_path: Path) -> None:
    options = ("--vitis", "2025.2", "--device", "u250", "--port", "m_axi", "--port", "A=memory")
    said = emitted(schedule, tmp_path / "p", *options)
    assert "hls_config.cfg" in said
    config = (tmp_path / "p" / "hls_config.cfg").read_text()
    assert "# Vitis HLS 2025.2" in config
    assert "part=xcu250-figd2104-2L-e" in config
    assert "flow_target=vivado" in config  # an array on the chip is no kernel's argument
    assert '"channels": ["DDR[0]"]' in (tmp_path / "p" / "schedule.json").read_text()
    older = emitted(schedule, tmp_path / "q", "--vitis", "2022.1", "--port", "m_axi")
    assert "hls_config.cfg" not in older
    assert "host.py" in older
    assert "sp=gesummv_1.A:HBM[" in (tmp_path / "q" / "connectivity.cfg").read_text()


def test_tapa_gets_ports_unasked(schedule: Path, tmp_path: Path) -> None:
    assert "packing.h" in emitted(schedule, tmp_path / "p", "--backend", "tapa")
    assert "tapa::mmap<const " in (tmp_path / "p" / "gesummv.h").read_text()


def test_verify_says_what_the_tool_would_refuse(schedule: Path, tmp_path: Path) -> None:
    emitted(schedule, tmp_path / "p")
    kernel = tmp_path / "p" / "gesummv.cpp"
    head, calls = kernel.read_text().rsplit("#endif\n", 1)
    first, *others = calls.splitlines(keepends=True)
    kernel.write_text(head + "#endif\n" + "".join([*others[:-1], first, others[-1]]))
    with pytest.raises(CodegenError, match=r"E612 stream .* is read by a process before"):
        so.verify(tmp_path / "p")
