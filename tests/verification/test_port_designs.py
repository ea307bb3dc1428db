"""Designs whose arrays are outside: movers, words, streams, TAPA, and hosts with a mock of XRT."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from program_sketches import program, scheduled

import streamopt as so
from streamopt.codegen.checks import Severity
from streamopt.errors import CodegenError
from streamopt.verification.csim import HEADERS

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule

HERE = Path(__file__).parent
PROGRAM = program(
    {
        "A": "input 6 10", "B": "weight 10 9", "s": "input", "b": "weight 9",
        "C": "internal 6 9", "D": "output 9 6", "E": "output 6",
    },
    {
        "mm": "i 6, j 9, k 10: C[i][j] += A[i][k] * B[k][j]",
        "act": "i 6, j 9: D[j][i] = max(C[i][j] * s + b[j], 0)",
        "row": "i 6, k 10: E[i] += A[i][k] * 2",
    },
    name="layer",
)  # fmt: skip
GRAPH = so.dataflow(PROGRAM)
ON_CHIP = scheduled(
    PROGRAM,
    {"mm": "k i j", "row": "k i"},
    {"mm": "i 3, j 9, k 2", "act": "i 3, j 9", "row": "i 2, k 5"},
).schedule


PARTIAL = scheduled(
    PROGRAM,
    {"mm": "k i j", "row": "k i"},
    {"mm": "i 4, j 5, k 4", "act": "i 4, j 5", "row": "i 4, k 3"},
).schedule


def outside(kind: str, **each: str) -> Schedule:
    return so.put_outside(GRAPH, ON_CHIP, so.plan_ports(GRAPH, kind, ports=each))


def test_lanes_of_partial_tiles_have_room_in_words(tmp_path: Path) -> None:
    schedule = so.put_outside(GRAPH, PARTIAL, so.plan_ports(GRAPH, "m_axi"))
    so.write(PROGRAM, schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


@pytest.mark.parametrize(
    ("kind", "each"),
    [("m_axi", {}), ("axis", {}), ("m_axi", {"weights": "memory", "E": "axis"})],
    ids=["memory off the chip", "streams", "mixed"],
)
def test_design_computes_the_same(kind: str, each: dict[str, str], tmp_path: Path) -> None:
    design = so.write(PROGRAM, outside(kind, **each), tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()
    kernel = design.text("layer.cpp")
    assert "#pragma HLS interface mode=s_axilite port=s\n" in kernel
    assert all(found.severity is Severity.WARNING for found in design.findings)
    assert ("host.cpp" in dict(design.files)) is ((kind, each) == ("m_axi", {}))


def test_words_are_as_wide_as_an_iteration() -> None:
    text = so.emit(GRAPH, outside("m_axi")).text("layer.cpp")
    assert "A[5 * i_tile + k_tile]" in text or "A[2 * k_tile + i_tile]" in text
    assert "hls::vector<float, 8> A_word" in text  # 3 x 2 lanes
    assert "hls::vector<float, 16> B_word[2];" in text  # 2 x 9 lanes
    assert "#pragma HLS pipeline II=2" in text
    assert "interface mode=m_axi port=B offset=slave bundle=gmem_B depth=10\n" in text


def test_tapa_design_computes_the_same(tmp_path: Path) -> None:
    design = so.write(PROGRAM, ON_CHIP, tmp_path / "project", backend="tapa")
    so.verify(tmp_path / "project").raise_if_failed()
    kernel = design.text("layer.cpp")
    assert ".invoke(mm, " in kernel
    assert "tapa::istreams<float, 27>& C" in kernel
    with pytest.raises(CodegenError, match="E607 TAPA takes arrays in memory off the chip, and A"):
        so.emit(GRAPH, outside("axis"), backend="tapa")


def test_native_back_end_has_no_ports() -> None:
    with pytest.raises(CodegenError, match="E608 the native back end"):
        so.emit(GRAPH, outside("m_axi"), backend="native")


def test_same_decisions_same_bytes() -> None:
    assert so.emit(GRAPH, outside("m_axi")) == so.emit(GRAPH, outside("m_axi"))
    assert ON_CHIP.ports == ()
    assert replace(outside("m_axi"), ports=()) != ON_CHIP


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("host") / "project"
    so.write(PROGRAM, outside("m_axi"), directory)
    return directory


FLAGS = ["g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
RUNTIME = str(HEADERS / "hls_dataflow.cpp")


def done(command: list[str], directory: Path, **environment: str) -> str:
    ran = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_host_hands_over_what_the_kernel_takes(project: Path, tmp_path: Path) -> None:
    glue = '#include "layer.h"\n#include <xrt/xrt_kernel.h>\n'
    glue += "void mock_kernel(const std::string &, const std::vector<xrt::argument> &given) {\n"
    (tmp_path / "glue.cpp").write_text(f"{glue}    xrt::call(layer, given);\n}}\n")
    includes = [f"-I{project}", f"-I{HEADERS}", f"-I{HERE / 'mock_xrt'}"]
    sources = [str(tmp_path / "glue.cpp"), "host.cpp", "layer.cpp", RUNTIME]
    host = str(tmp_path / "host")
    done([*FLAGS, *includes, *sources, "-o", host], project)
    output = done([host, "data", "", "layer.xclbin"], project)
    assert output.count("pass ") == 2


def test_python_host_hands_over_what_the_kernel_takes(project: Path, tmp_path: Path) -> None:
    library = str(tmp_path / "layer.so")
    done([*FLAGS, "-shared", "-fPIC", f"-I{HEADERS}", "layer.cpp", RUNTIME, "-o", library], project)
    path = str(HERE / "mock_pyxrt")
    output = done([sys.executable, "host.py", library], project, PYTHONPATH=path)
    assert output == "pass D: 54 elements, 0 wrong\npass E: 6 elements, 0 wrong\n"
    text = (project / "host.py").read_text()
    (tmp_path / "host.py").write_text(
        text.replace("kernel(*arguments)", "kernel(*arguments[::-1])")
    )
    with pytest.raises(AssertionError, match="a buffer in the bank of another"):
        done([sys.executable, str(tmp_path / "host.py"), library, "data"], project, PYTHONPATH=path)


def test_makefile_knows_the_targets_of_the_release(project: Path) -> None:
    text = (project / "Makefile").read_text()
    assert "TARGETS := sw_emu hw_emu hw\n" in text
    assert "--kernel_frequency 300 " in text
    settings = so.VitisSettings("2025.1")
    newer = so.emit(GRAPH, outside("m_axi"), settings=settings).text("Makefile")
    assert "TARGETS := hw_emu hw\n" in newer
    makefile = subprocess.run(
        ["make", "-n", "run", "TARGET=hw", "PLATFORM=u280"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert makefile.returncode == 0, makefile.stderr
    assert "v++ -t hw --platform u280" in makefile.stdout
    assert './host data "" build_hw/layer.xclbin' in makefile.stdout
    cfg = (project / "connectivity.cfg").read_text()
    assert cfg.startswith("[connectivity]\nnk=layer:1:layer_1\nsp=layer_1.A:HBM[")
