"""Static checks: emitted designs are clean, and each rule finds what breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.backends.vitis_project import vitis_release, vitis_releases
from streamopt.codegen.checks import Severity, built, check_text
from streamopt.codegen.checks.reading import read_tree
from streamopt.codegen.tree import render
from streamopt.errors import CodegenError

GOLDEN = Path(__file__).parent / "golden"
FIFO, PING_PONG = (
    (GOLDEN / f"gemm_act_{kind}.cpp").read_text(encoding="utf-8") for kind in ("fifo", "ping_pong")
)
GRAPHS = Path(__file__).parents[2] / "graphs"


@pytest.mark.parametrize("text", [FIFO, PING_PONG, ""])
def test_text_is_read_as_it_was_written(text: str) -> None:
    assert render(read_tree(text)) == text
    assert check_text(text) == ()


CALLS = "    gemm(A, B, C);\n    act(C, b, E);\n"
BROKEN: list[tuple[str, str, str, str]] = [
    ("E611", "    act(C, b, E);\n", "", "stream C has 0 consumers in function 'kernel_3mm'"),
    ("E611", "    gemm(A, B, C);\n", "", "stream C has 0 producers"),
    ("E611", CALLS, CALLS + "    act(C, b, E);\n", "stream C has 2 consumers"),
    ("E611", "    gemm(A, B, C);\n", "", "argument A is used by no process"),
    ("E611", "C[i_lane][j_lane].write(total);", "C_acc[i][j] = total;", "stream C has 0 producers"),
    ("E612", CALLS, "    act(C, b, E);\n    gemm(A, B, C);\n", "stream C is read by a process bef"),
    (
        "E613",
        "        for (int i_tile = 0; i_tile < 4; i_tile++) {\n            for (int j",
        "        C_acc[0][0] = 0.0f;\n        for (int i_tile = 0; i_tile < 4; i_tile++) {\n"
        "            for (int j",
        "loop k has more than the pipelined loop inside it in function 'gemm'",
    ),
    (
        "E613",
        "                for (int i_lane = 0; i_lane < 2; i_lane++) {\n"
        "                    #pragma HLS unroll\n",
        "                for (int i_lane = 0; i_lane < 2; i_lane++) {\n",
        "loop i_lane below pipelined loop j_tile is not unrolled",
    ),
    ("E614", "variable=C_acc type=cyclic factor=2", "variable=D type=cyclic factor=2", "no array"),
    ("E614", "variable=b type=cyclic factor=3 dim=1", "variable=b type=cyclic factor=3 dim=2", "b: "
     "there is no dimension 2"),
    ("E614", "variable=A type=cyclic factor=2", "variable=A type=cyclic factor=9", "factor 9"),
    ("E614", "factor=3 dim=2\n    for", "factor=3 dim=1\n    for", "dimension 1 is partitioned"),
    ("E615", "k < 4", "k < 0", "loop k runs 0 times in function 'gemm'"),
    ("E616", "act(C, b, E);", "act(C, b, E);\n    act(C, b, E);", "argument E is written by"),
    ("E617", "const float term =", "const float i =", "i is declared again where it is known"),
    ("E617", "static void act(", "static void gemm(", "function gemm is defined twice"),
    ("E617", "const float B[4][6],\n    hls", "const float A[4][6],\n    hls", "parameter A is"),
    ("E618", "const float total =", "const float template =", "template is a reserved name"),
    ("E618", "const float term =", "const float FLT_MAX =", "FLT_MAX is a reserved name"),
    ("E619", "gemm(A, B, C);", "gemm(B, A, C);", "gemm takes const float A[8][4], gets B"),
    ("E619", "gemm(A, B, C);", "gemm(A, B);", "gemm takes 3 arguments, gets 2"),
    ("E625", "C[2][3];", "C[2][3];\n    #pragma HLS stream variable=C depth=9", "a depth of"),
    ("E625", "#pragma HLS unroll", "#pragma HLS unroll skip_exit_check", "a trip count"),
    ("E619", "hls::stream<float, 8> C[2][3];", "hls::stream<float, 8> C[3][2];", "C[2][3], gets C"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "old", "new", "message"), BROKEN)
def test_each_rule_finds_what_breaks_it(code: str, old: str, new: str, message: str) -> None:
    assert old in FIFO
    found = [f for f in check_text(FIFO.replace(old, new, 1)) if f.code == code]
    assert any(message in str(f) for f in found), check_text(FIFO.replace(old, new, 1))
    with pytest.raises(CodegenError, match=code):
        built(FIFO.replace(old, new, 1))


def test_array_that_bypasses_a_process_is_warned_of() -> None:
    text = PING_PONG.replace(
        "void kernel_3mm(",
        "static void copy(\n    const float C[8][6],\n    float D[8][6]) {\n"
        "    D[0][0] = C[0][0];\n}\n\n"
        "static void add(\n    const float C[8][6],\n    const float D[8][6],\n    float Z[1]) {\n"
        "    Z[0] = C[0][0] + D[0][0];\n}\n\nvoid kernel_3mm(",
    )
    calls = "    float D[8][6];\n    float Y[8][6];\n    float Z[1];\n    copy(Y, D);\n"
    text = text.replace("    act(C, b, E);\n", f"{calls}    add(Y, D, Z);\n    act(C, b, E);\n")
    text = text.replace("    copy(Y", "    gemm(A, B, Y);\n    copy(Y")
    found = [f for f in check_text(text) if f.code == "E616"]
    assert [f.message for f in found] == ["array Y passes by 1 stages of processes"]
    assert found[0].severity is Severity.WARNING


def test_text_in_another_form_is_not_judged() -> None:
    found = check_text(FIFO.replace("for (int k = 0; k < 4; k++) {", "while (true) {"))
    assert [(f.code, f.severity) for f in found] == [("E610", Severity.WARNING)]
    assert "neither loop, branch nor function: while (true) {" in found[0].message
    for text in ("}\n", "void f(\n    int a", "static void f() {\n"):
        assert check_text(text)[0].code == "E610"


@pytest.mark.parametrize("kernel", ["transformers/multi_head_attention", "cnns/residual_block"])
def test_large_designs_are_clean(kernel: str) -> None:
    graph = so.dataflow(so.load(GRAPHS / f"{kernel}.json"))
    schedule = so.solve(graph, level="opt1", effort=so.Effort(fifos=None)).schedule
    design = so.emit(graph, schedule)
    text = design.text(f"{design.top}.cpp")
    assert render(read_tree(text)) == text
    assert all(found.severity is Severity.WARNING for found in design.findings)


def test_releases_differ_where_the_tools_do() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench/gemm.json"))
    schedule = so.solve(graph, level="opt1", effort=so.Effort(fifos=None)).schedule
    assert [*vitis_releases()] == sorted(vitis_releases())
    files: dict[str, str] = {}
    for name in vitis_releases():
        design = so.emit(graph, schedule, settings=so.VitisSettings(name))
        files = dict(design.files)
        assert ("hls_config.cfg" in files) is (name >= "2023.1")
        assert files["run_hls.tcl"].startswith(f"# Vitis HLS {name}: {vitis_release(name).tcl}\n")
    assert "\npackage.output.format=ip_catalog\n" in files["hls_config.cfg"]
    assert "\n#   vitis-run --mode hls --csim --config hls" in files["hls_config.cfg"]
    assert "clock=3.33ns\nsyn.top=gemm\nsyn.file=gemm.cpp\ntb.file=testb" in files["hls_config.cfg"]
    with pytest.raises(CodegenError, match=r"E605 Vitis release '2019.2' is not known\n.*2022.1"):
        so.VitisSettings("2019.2")
