"""Edits of emitted files that a run doesn't show: each is told with its file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.verification import verify
from streamopt.verification.compare import DesignVerdict
from streamopt.verification.project import edits_of
from tests.support.programs.row_sums import DESIGN, KERNEL

if TYPE_CHECKING:
    from pathlib import Path

EDITS = {
    "interval": (KERNEL, "pipeline II=1", "pipeline II=7"),
    "no pipeline": (KERNEL, "#pragma HLS pipeline II=1", ""),
    "no dataflow": (KERNEL, "    #pragma HLS dataflow\n", ""),
    "no unroll": (KERNEL, "#pragma HLS unroll", "#pragma HLS unroll off"),
    "shallow FIFO": (KERNEL, "stream<float, 16> a_sum[1][2];", "stream<float, 3> a_sum[1][2];"),
    "deep FIFO": (KERNEL, "hls::stream<float, 4> s[1];", "hls::stream<float, 400> s[1];"),
    "no partition": (KERNEL, "    #pragma HLS array_partition variable=t", "    // #pragma"),
    "another dimension": (KERNEL, "W type=cyclic factor=2 dim=2", "W type=cyclic dim=2"),
    "another factor": (KERNEL, "W type=cyclic factor=2", "W type=cyclic factor=4"),
    "another kind of partition": (KERNEL, "type=cyclic", "type=block"),
    "no ping-pong": (KERNEL, "type=pipo variable=t", "type=unsync variable=t"),
    "longer comment line": (KERNEL, "// Node 'turn'", "// \\\n    // Node 'turn'"),
    "dead code": (KERNEL, "    turn(t, y);\n", "    turn(t, y);\n    (void)0;\n"),
    "added pragma": (KERNEL, "    float t[4][8];\n", "    float t[4][8];\n#pragma HLS x\n"),
    "interface": ("sketch.h", "float y[8][4]", "float y[8][4], int"),
    "clock": ("run_hls.tcl", "-period 3.33", "-period 13.3"),
    "clock of the configuration": ("hls_config.cfg", "clock=3.33ns", "clock=13.3ns"),
    "part": ("run_hls.tcl", "xcu280-fsvh2892-2L-e", "xc7z020clg400-1"),
    "flow": ("hls_config.cfg", "flow_target=vivado", "flow_target=vitis"),
    "order of sums": ("hls_config.cfg", "syn.compile.unsafe_math_optimizations=1\n", ""),
    "tolerance": ("testbench.cpp", "error <= tolerance[at]", "error <= 9 + tolerance[at]"),
    "release": ("run_hls.tcl", "csynth_design\n", "csynth_design\ncosim_design -O\n"),
}  # fmt: skip


def written(directory: Path) -> Path:
    for path, text in DESIGN.files:
        (directory / path).write_text(text)
    return directory


def test_design_as_emitted_has_none(tmp_path: Path) -> None:
    assert edits_of(written(tmp_path), DESIGN) == ()
    text = (tmp_path / KERNEL).read_text()
    (tmp_path / KERNEL).write_text(
        text.replace("; sketch.json:nodes", "; elsewhere/graph.json:nodes")
    )
    assert edits_of(tmp_path, DESIGN) == ()


@pytest.mark.parametrize("name", EDITS)
def test_edit_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    path, old, new = EDITS[name]
    text = DESIGN.text(path)
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    (written(tmp_path) / path).write_text(text.replace(old, new, 1))
    (problem,) = edits_of(tmp_path, DESIGN)
    assert re.match(
        rf"{re.escape(path)}:({line}|{line + 1}): E728 expected .*, found ", str(problem)
    )


def test_missing_files_and_many_edits_are_told_in_short(tmp_path: Path) -> None:
    (written(tmp_path) / "sketch.h").unlink()
    for path in (KERNEL, "testbench.cpp"):
        lines = enumerate(DESIGN.text(path).splitlines())
        (tmp_path / path).write_text("\n".join(f"{line}{' ' * (at % 2)}" for at, line in lines))
    found = [*map(str, edits_of(tmp_path, DESIGN))]
    assert found[0] == "sketch.h: E728 the file is missing"
    assert len(found) == 21
    assert "more places differ" in found[-1]


def test_edited_project_fails_unless_edits_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = tmp_path / "g.json"
    graph.write_text(
        '{"schema_version": 1, "name": "g", "arrays": {"x": {"shape": [8], "role": "input"}, "y": '
        '{"shape": [8], "role": "output"}}, "nodes": [{"name": "n", "loops": {"i": 8}, "body": '
        '["y[i] = x[i] * 2"]}]}'
    )
    program = so.load(graph)
    schedule = so.solve(program, level="opt1").schedule
    settings = so.VitisSettings("2022.1", "xc7z020clg400-1", 5.0)
    so.write(program, schedule, tmp_path / "p", settings=settings)

    def right(*_: object, **__: object) -> DesignVerdict:
        return DesignVerdict("g", ())

    monkeypatch.setattr(verify, "verify_project", right)
    assert so.verify(tmp_path / "p").state == "passed"
    text = (tmp_path / "p/g.cpp").read_text()
    (tmp_path / "p/g.cpp").write_text(text.replace("II=1", "II=2"))
    verdict = so.verify(tmp_path / "p")
    assert not verdict.passed
    assert verdict.state.startswith("FAILED: files differ from what was emitted")
    assert "g.cpp:" in str(verdict)
    allowed = so.verify(tmp_path / "p", allow_edits=True)
    assert allowed.passed
    assert allowed.state == "passed, with edits"
