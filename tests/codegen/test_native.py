"""The native back end: what it shares with the one for Vitis HLS, and that it runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.codegen.backends import native, vitis
from streamopt.codegen.backends.registry import BACKENDS, emit
from streamopt.codegen.design import BackendName
from streamopt.errors import CodegenError
from streamopt.ir.schedule import ChannelKind
from tests.support.programs.gemm_then_act import gemm_then_act

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.codegen.design import Design

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


def body(design: Design, function: str) -> str:
    """Return the statements of a process, without pragmas."""
    found = re.search(
        rf"static void {function}\([^{{]*\{{\n(.*?)^}}", design.text("kernel_3mm.cpp"), re.M | re.S
    )
    assert found
    return re.sub(r"^ *#pragma.*\n", "", found[1], flags=re.M)


@pytest.mark.parametrize("kind", ChannelKind)
def test_processes_are_those_of_vitis_without_pragmas(kind: ChannelKind) -> None:
    graph = gemm_then_act(kind)
    ours, theirs = native.emit(graph), vitis.emit(graph)
    text = ours.text("kernel_3mm.cpp")
    assert "#pragma" not in text
    assert "hls" not in text
    for function in ("gemm", "act"):
        assert body(ours, function) == body(theirs, function)
    assert ours.ports == theirs.ports
    assert ours == native.emit(graph)


def test_channels_keep_depths_and_ends() -> None:
    fifo = native.emit(gemm_then_act(ChannelKind.FIFO)).text("kernel_3mm.cpp")
    assert "    streamopt::Stream<float, 8> C[2][3];\n" in fifo
    assert '    region.connect(C, "C", "gemm", "act");\n' in fifo
    buffer = native.emit(gemm_then_act(ChannelKind.PING_PONG)).text("kernel_3mm.cpp")
    assert "        gemm(A, B, C);\n        C_full.give(C);\n" in buffer
    assert "        C_full.take();\n        act(C, b, E);\n" in buffer


def test_registry_has_every_back_end() -> None:
    graph = gemm_then_act(ChannelKind.FIFO)
    assert set(BACKENDS) == set(BackendName)
    plain = set(BackendName) - {BackendName.TAPA}
    assert {emit(graph, name).backend for name in plain} == plain
    with pytest.raises(CodegenError, match="E607 TAPA takes arrays in memory off the chip"):
        emit(graph, BackendName.TAPA)
    with pytest.raises(CodegenError, match=r"E604 there is no back end 'verilog'\n  hint: .*vitis"):
        emit(graph, "verilog")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_makefile_builds_without_warnings(compiler: str, tmp_path: Path) -> None:
    graph = gemm_then_act(ChannelKind.FIFO)
    for path, text in replace(native.emit(graph)).files:
        (tmp_path / path).write_text(text)
    flags = "CXXFLAGS=-std=c++17 -Wall -Wextra -pedantic -Werror"
    command = ["make", "testbench", f"CXX={compiler}", flags]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
