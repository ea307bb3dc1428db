"""Edits of emitted files that a run doesn't show: each is told with its file and line."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.verification import verify
from streamopt.verification.compare import DesignVerdict
from streamopt.verification.edits.finding import edits_of
from streamopt.verification.manifest import MANIFEST, Manifest, digests_in, read_manifest
from streamopt.verification.project import write_project
from tests.support.programs.row_sums import DESIGN, KERNEL, ROW_SUMS_PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EDITS = {
    "interval": (KERNEL, "pipeline II=1", "pipeline II=7", "pipeline pragma in gemm"),
    "no pipeline": (KERNEL, "#pragma HLS pipeline II=1 style=stp", "", "pipeline pragma in gemm"),
    "no dataflow": (KERNEL, "    #pragma HLS dataflow\n", "", "dataflow pragma in sketch"),
    "no unroll": (KERNEL, "#pragma HLS unroll", "#pragma HLS unroll off", "unroll pragma in gemm"),
    "shallow FIFO": (
        KERNEL,
        "16> a_sum[1][2];",
        "3> a_sum[1][2];",
        "FIFO a_sum: was `hls::stream<float, 16> a_sum[1][2];`, is ",
    ),
    "deep FIFO": (KERNEL, "hls::stream<float, 4> s[1];", "hls::stream<float, 400> s[1];", "FIFO s"),
    "no partition": (
        KERNEL,
        "    #pragma HLS array_partition variable=t",
        "    // #pragma",
        "partition of t",
    ),
    "another dimension": (
        KERNEL,
        "W type=cyclic factor=2 dim=2",
        "W type=cyclic dim=2",
        "partition of W",
    ),
    "another factor": (
        KERNEL,
        "W type=cyclic factor=2",
        "W type=cyclic factor=4",
        "partition of W",
    ),
    "another kind of partition": (
        KERNEL,
        "type=cyclic",
        "type=block",
        "partition of a_acc in gemm",
    ),
    "no ping-pong": (KERNEL, "type=pipo variable=t", "type=unsync variable=t", "memory of t"),
    "comment that goes on": (
        KERNEL,
        "    #pragma HLS dataflow",
        "    // a \\\n    #pragma HLS dataflow",
        "dataflow pragma",
    ),
    "dead code": (
        KERNEL,
        "    turn(t, y);\n",
        "    turn(t, y);\n    (void)0;\n",
        "statement in sketch",
    ),
    "call taken out": (
        KERNEL,
        "    turn(t, y);\n",
        "",
        "call of turn in sketch: was `turn(t, y);`, is nothing",
    ),
    "calls exchanged": (
        KERNEL,
        "    turn(t, y);\n}",
        "}",
        "call of turn in sketch: `turn(t, y);` was moved",
    ),
    "guard": (KERNEL, "if (k == 7)", "if (k == 6)", "guard in gemm"),
    "loop": (
        KERNEL,
        "k < 8",
        "k < 7",
        "loop over k in gemm: was `for (int k = 0; k < 8; k++) {`, is ",
    ),
    "added pragma": (
        KERNEL,
        "    float t[4][8];\n",
        "    float t[4][8];\n#pragma HLS stable variable=t\n",
        "stable pragma",
    ),
    "interface": ("sketch.h", "float y[8][4]", "float y[8][5]", "argument y"),
    "clock": (
        "run_hls.tcl",
        "-period 3.33",
        "-period 13.3",
        "clock period: was `create_clock -period 3.33 ",
    ),
    "clock of the configuration": (
        "hls_config.cfg",
        "clock=3.33ns",
        "clock=13.3ns",
        "clock period",
    ),
    "part": ("run_hls.tcl", "xcu280-fsvh2892-2L-e", "xc7z020clg400-1", "part: was `set_part xcu"),
    "flow": ("hls_config.cfg", "flow_target=vivado", "flow_target=vitis", "flow: "),
    "tolerance": (
        "testbench.cpp",
        "error <= tolerance[at]",
        "error <= 9 + tolerance[at]",
        "testbench in check",
    ),
    "release": (
        "run_hls.tcl",
        "csynth_design\n",
        "csynth_design\ncosim_design -O\n",
        "build step: was nothing, is `cosim",
    ),
}
UNWRITTEN = Manifest("sketch", "sketch", {}, (), 0)
"""Of a project from before manifests had digests."""


def written(directory: Path) -> Path:
    for path, text in DESIGN.files:
        (directory / path).write_text(text)
    return directory


def found_in(directory: Path) -> tuple[str, ...]:
    return tuple(map(str, edits_of(directory, UNWRITTEN, DESIGN).found))


def test_design_as_emitted_has_none(tmp_path: Path) -> None:
    assert found_in(written(tmp_path)) == ()


REWRITTEN: dict[str, Callable[[str], str]] = {
    "provenance": lambda text: text.replace("; sketch.json:", "; elsewhere/graph.json:"),
    "white space": lambda text: "\n".join(f"\t {line}  " for line in text.splitlines()),
    "lines": lambda text: re.sub(r"(?m)^( *[^/ #\n].*), ", r"\1,\n  ", text).replace("i = ", "i="),
    "comments": lambda text: text.replace("stp\n", "stp // one\n").replace(";\n", "; /* */\n"),
    "longer comment": lambda text: f"// Mine.\n/* {text[:200]} */\n\n{text}",
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_white_space_and_comments_are_no_edits(name: str, tmp_path: Path) -> None:
    (written(tmp_path) / KERNEL).write_text(REWRITTEN[name](DESIGN.text(KERNEL)))
    script = "# Mine.\n" + DESIGN.text("run_hls.tcl").replace("-period 3.33", "-period  3.33")
    (tmp_path / "run_hls.tcl").write_text(script, newline="\r\n")
    assert found_in(tmp_path) == ()


@pytest.mark.parametrize("name", EDITS)
def test_edit_is_told_with_its_line_and_cause(name: str, tmp_path: Path) -> None:
    path, old, new, cause = EDITS[name]
    text = DESIGN.text(path)
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    if name == "calls exchanged":
        text = text.replace("    gemm(x,", "    turn(t, y);\n    gemm(x,", 1)
        line = text[: text.index("    turn(t, y)")].count("\n") + 1
    (written(tmp_path) / path).write_text(text.replace(old, new, 1))
    (problem,) = found_in(tmp_path)
    head, _, said = problem.partition(" E728 ")
    assert head in {f"{path}:{at}:" for at in range(line - 3, line + 3)}
    assert said.startswith(cause)
    assert "--allow-edits" in said


def test_edits_of_one_kind_are_told_at_once(tmp_path: Path) -> None:
    text = re.sub(r"if \((\w+) ==", r"if (\1 <=", DESIGN.text(KERNEL))
    text = text.replace("factor=2", "factor=4")
    (written(tmp_path) / KERNEL).write_text(text)
    found = found_in(tmp_path)
    causes = [problem.partition(" E728 ")[2].partition(":")[0] for problem in found]
    wanted = ["partition of a_acc in gemm", "partition of W in sketch", "partition of t in sketch"]
    assert sorted(causes) == sorted(
        [*wanted, *(f"guard in {process}" for process in ("gemm", "sum", "scale"))]
    )
    (tmp_path / KERNEL).write_text(DESIGN.text(KERNEL))
    (tmp_path / "testbench.cpp").write_text(DESIGN.text("testbench.cpp").replace("wrong", "bad"))
    (problem,) = found_in(tmp_path)
    assert re.search(r"testbench in check: .*; also line \d+, \d+, \d+ and 1 more", problem)


def test_missing_files_and_many_edits_are_told_in_short(tmp_path: Path) -> None:
    (written(tmp_path) / "sketch.h").unlink()
    lines = [f"x{at}{line}" for at, line in enumerate(DESIGN.text(KERNEL).splitlines())]
    (tmp_path / KERNEL).write_text("\n".join(lines))
    found = found_in(tmp_path)
    assert found[0] == "sketch.h: E728 the file is missing"
    assert len(found) == 21
    assert "more places differ" in found[-1]


def project(directory: Path, version: str = "") -> Manifest:
    """Write a project whose manifest has the digests of its files."""
    write_project(DESIGN, ROW_SUMS_PROGRAM, directory, {"graph.json": "{}"})
    manifest = read_manifest(directory)
    was = manifest.written
    return replace(manifest, written=replace(was, version=version or was.version))


def test_other_files_of_a_project_are_told_too(tmp_path: Path) -> None:
    manifest = project(tmp_path / "p")
    assert edits_of(tmp_path / "p", manifest, DESIGN).found == ()
    (tmp_path / "p/graph.json").write_text("{ }")
    (tmp_path / "p/data/x.bin").unlink()
    (tmp_path / "p/notes.md").write_text("mine, and read by nothing")
    text = (tmp_path / "p" / MANIFEST).read_text()
    (tmp_path / "p" / MANIFEST).write_text(text.replace('"seed": 0', '"seed": 1'))
    found = [str(one) for one in edits_of(tmp_path / "p", manifest, DESIGN).found]
    assert found[0] == "data/x.bin: E728 the file is missing"
    assert found[1] == "graph.json: E728 the file was changed since the project was written"
    assert found[2].startswith(f"{MANIFEST}: E728 the file was changed since")
    assert len(found) == 3


def test_added_file_that_an_emitted_one_reads_is_told(tmp_path: Path) -> None:
    manifest = project(tmp_path / "p")
    files = (*DESIGN.files, ("Makefile", "k.xo: k.cpp $(wildcard pre_hls.tcl)\n"))
    (tmp_path / "p/Makefile").write_text(files[-1][1])
    (tmp_path / "p/pre_hls.tcl").write_text("config_op fadd -impl fabric\n")
    (found,) = edits_of(tmp_path / "p", manifest, replace(DESIGN, files=files)).found
    assert str(found).startswith("pre_hls.tcl: E728 the file was added, and Makefile reads it")


def test_project_of_another_version_has_no_edits_but_a_note(tmp_path: Path) -> None:
    manifest = project(tmp_path / "p", "0.0.9")
    files = tuple((path, text.replace("a_acc", "a_sums")) for path, text in DESIGN.files)
    newer = replace(DESIGN, files=(*files, ("new.cfg", "")))
    found = edits_of(tmp_path / "p", manifest, newer)
    assert found.found == ()
    (note,) = found.notes
    assert note.startswith("the project is as streamopt 0.0.9 wrote it, and ")
    assert f"emits {KERNEL}, new.cfg otherwise now" in note
    text = (tmp_path / "p" / KERNEL).read_text()
    (tmp_path / "p" / KERNEL).write_text(text.replace("II=1", "II=2"))
    (problem,) = edits_of(tmp_path / "p", manifest, newer).found
    wanted = f"{KERNEL}: E728 the file was changed since streamopt 0.0.9 wrote it"
    assert str(problem).startswith(wanted)


def test_digests_are_those_of_text_with_any_ends_of_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\n")
    before = digests_in(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert digests_in(tmp_path) == before


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
