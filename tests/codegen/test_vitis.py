"""The emitted text: a golden file, and what every design has."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from streamopt.codegen.backends.vitis import emit
from streamopt.codegen.backends.vitis_project import VitisSettings
from streamopt.codegen.design import schedule_sha256
from streamopt.errors import CodegenError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Read
from streamopt.ir.schedule import ChannelKind
from streamopt.ir.scheduled import TiledLoop
from tests.support.programs.gemm_then_act import access, gemm_then_act, j

GOLDEN = Path(__file__).parent / "golden"
FIFO = gemm_then_act(ChannelKind.FIFO)


@pytest.mark.parametrize("kind", ChannelKind)
def test_golden(kind: ChannelKind) -> None:
    """After a wanted change: copy the text that the assertion shows."""
    design = emit(gemm_then_act(kind))
    text = re.sub(r"(?<=emitted by streamopt ).*(?=\.)", "VERSION", design.text("kernel_3mm.cpp"))
    assert text == (GOLDEN / f"gemm_act_{kind}.cpp").read_text(encoding="utf-8")


def test_files_and_names() -> None:
    design = emit(FIFO)
    names = ["kernel_3mm.h", "kernel_3mm.cpp", "testbench.cpp", "run_hls.tcl", "hls_config.cfg"]
    assert [path for path, _ in design.files] == names
    assert design.ports == (("A", "A"), ("B", "B"), ("b", "b"), ("E", "E"))
    assert design.schedule_sha256 == schedule_sha256(FIFO.schedule)
    for path, text in design.files:
        assert "@{" not in text, path
        assert text.endswith("\n")
        assert not re.search(r"[ \t]$|\t", text, re.MULTILINE)


def test_same_decisions_same_bytes() -> None:
    assert emit(gemm_then_act(ChannelKind.FIFO)) == emit(gemm_then_act(ChannelKind.FIFO))
    other = replace(FIFO.schedule, graph="4mm")
    assert schedule_sha256(other) != schedule_sha256(FIFO.schedule)


def test_script_names_part_and_clock() -> None:
    script = emit(FIFO).text("run_hls.tcl")
    assert "set_part xcu280-fsvh2892-2L-e\ncreate_clock -period 3.33 -name default\n" in script
    assert "set_top kernel_3mm\nadd_files kernel_3mm.cpp\n" in script
    settings = VitisSettings(part="xc7z020clg484-1", clock_ns=10)
    other = emit(FIFO, settings).text("run_hls.tcl")
    assert "set_part xc7z020clg484-1\ncreate_clock -period 10 -name" in other


def test_body_does_not_grow_with_the_factors() -> None:
    def lines(factor: int) -> int:
        gemm, act = FIFO.nodes
        wide = replace(gemm, loops=(TiledLoop("k", 8, factor), *gemm.loops[1:]))
        return emit(replace(FIFO, nodes=(wide, act))).text("kernel_3mm.cpp").count("\n")

    tree = 7  # the array of the terms, its partition, the loop over the pairs; no term alone
    assert lines(2) == lines(4) == lines(1) + 4 - 1 + tree
    assert lines(4) < 2 * 60


def test_names_of_users_stay_in_their_place() -> None:
    graph = replace(FIFO.graph, name="a\\\n*/ b")
    text = emit(replace(FIFO, graph=graph)).text("kernel_a_b.cpp")
    assert text.startswith("// Graph 'a??*/ b', emitted by streamopt ")


def test_array_that_nobody_takes_or_brings_is_refused() -> None:
    with pytest.raises(CodegenError, match="E602 node 'gemm' writes C, which nobody takes"):
        emit(replace(FIFO, channels=()))
    with pytest.raises(CodegenError, match="E602 no channel brings C to node 'act'"):
        emit(replace(FIFO, nodes=FIFO.nodes[1:], channels=()))


def test_division_of_a_negative_subscript_is_refused() -> None:
    gemm, act = FIFO.nodes
    negative = access("b", (j - Affine.of(1)).floordiv(2))
    wrong = replace(act, node=replace(act.node, value=Read(negative)))
    with pytest.raises(CodegenError, match=r"E603 \(j - 1\) / 2 in node 'act' divides a negative"):
        emit(replace(FIFO, nodes=(gemm, wrong)))
