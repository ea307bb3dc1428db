"""Designs whose arrays are outside: movers, words, streams, TAPA, and hosts with a mock of XRT."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.checks import Severity
from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.errors import CodegenError
from streamopt.verification.csim.running import HEADERS
from tests.support.programs.sketches import program, scheduled
from tests.support.runners.mock_hosts import (
    FLAGS,
    MOCKS,
    RUNTIME,
    compiled_host,
    done,
    kernel_library,
)

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.schedule import Schedule

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
    [
        ("m_axi", {}),
        ("m_axi:4", {}),
        ("axis", {}),
        ("m_axi", {"weights": "memory", "E": "axis"}),
    ],
    ids=["memory off the chip", "several channels", "streams", "mixed"],
)
def test_design_computes_the_same(kind: str, each: dict[str, str], tmp_path: Path) -> None:
    design = so.write(PROGRAM, outside(kind, **each), tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()
    kernel = design.text("layer.cpp")
    assert "#pragma HLS interface mode=s_axilite port=s\n" in kernel
    assert all(found.severity is Severity.WARNING for found in design.findings)
    assert ("host.cpp" in dict(design.files)) is (each == {})


def test_opt6_design_with_ports_computes_the_same(tmp_path: Path) -> None:
    ports = so.plan_ports(GRAPH, "m_axi", ports={"B": "m_axi:2", "E": "axis"})
    without, binding = frozenset({"partial_tiles"}), so.BindingChoice.TOOL
    space = so.Space(without=without, binding=binding, ports=ports)
    found = so.solve(GRAPH, level="opt6", dsp=60, space=space)
    kinds = {port.array: port.kind for port in found.schedule.ports}
    assert {port.array: port.kind for port in ports}.items() <= kinds.items()
    so.write(PROGRAM, found.schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_lanes_are_spread_over_channels() -> None:
    """27 lanes of D are 14 and 13, 18 of B 6 each; 6 of A need no more than 3 of 4 channels."""
    text = so.emit(GRAPH, outside("m_axi:4", B="m_axi:3", D="m_axi:2")).text("layer.cpp")
    assert "hls::vector<float, 16> D_word[2] = {};" in text
    assert "D_1_words.write(D_word[1]);" in text
    assert "D_1[at] = D_1_words.read();" in text
    assert "hls::vector<float, 8> B_word[3];" in text
    assert "bundle=gmem_A_2 " in text
    assert "gmem_A_3" not in text


def test_many_words_of_several_memories_come_in_turns(tmp_path: Path) -> None:
    """192 lanes are six words in each of two memories, whose streams hold two."""
    copy = program(
        {"X": "input 4 192", "Y": "output 4 192"},
        {"twice": "i 4, j 192: Y[i][j] = X[i][j] * 2"},
        name="copy",
    )
    graph = so.dataflow(copy)
    on_chip = scheduled(copy, {}, {"twice": "j 192"}).schedule
    ports = so.plan_ports(graph, "m_axi:2")
    so.write(copy, so.put_outside(graph, on_chip, ports), tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_words_are_as_wide_as_an_iteration() -> None:
    text = so.emit(GRAPH, outside("m_axi")).text("layer.cpp")
    assert "A_word = A_words.read();" in text
    assert "A_words.write(A[at]);" in text
    assert "hls::vector<float, 8> A_word" in text  # 3 x 2 lanes
    assert "hls::vector<float, 16> B_word[2];" in text  # 2 x 9 lanes
    assert "#pragma HLS pipeline II=2" in text
    bursts = "max_read_burst_length=64 num_read_outstanding=8"
    assert f"interface mode=m_axi port=B offset=slave bundle=gmem_B depth=10 {bursts}\n" in text
    assert "// Expected: bursts of 10 words of 64 bytes." in text


def test_tapa_design_computes_the_same(tmp_path: Path) -> None:
    schedule = outside("m_axi", B="m_axi:3")
    design = so.write(PROGRAM, schedule, tmp_path / "project", backend="tapa")
    so.verify(tmp_path / "project").raise_if_failed()
    kernel = design.text("layer.cpp")
    assert ".invoke(mm, " in kernel
    assert ".invoke(read_B, B_0, B_1, B_2, B_0_words, B_1_words, B_2_words)" in kernel
    assert ".invoke(load_B, B_0_words, B_1_words, B_2_words, " in kernel
    assert "tapa::istreams<float, 27>& C" in kernel
    with pytest.raises(CodegenError, match="E607 TAPA takes arrays in memory off the chip, and A"):
        so.emit(GRAPH, outside("axis"), backend="tapa")


@pytest.mark.parametrize(
    ("kind", "each"),
    [("m_axi", {"B": "m_axi:3"}), ("axis", {"A": "memory", "s": "memory"})],
    ids=["memory off the chip", "streams"],
)
def test_native_design_computes_the_same(kind: str, each: dict[str, str], tmp_path: Path) -> None:
    so.write(PROGRAM, outside(kind, **each), tmp_path / "project", backend="native")
    so.verify(tmp_path / "project").raise_if_failed()


def test_same_decisions_same_bytes() -> None:
    assert so.emit(GRAPH, outside("m_axi")) == so.emit(GRAPH, outside("m_axi"))
    assert ON_CHIP.ports == ()
    assert replace(outside("m_axi"), ports=()) != ON_CHIP


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("host") / "project"
    so.write(PROGRAM, outside("m_axi", B="m_axi:3", D="m_axi:HBM[8:9]"), directory)
    return directory


def test_host_hands_over_what_the_kernel_takes(project: Path, tmp_path: Path) -> None:
    host = compiled_host(project, "layer", tmp_path)
    output = done([host, "data", "", "layer.xclbin"], project)
    assert output.count("pass ") == 2


def test_python_host_hands_over_what_the_kernel_takes(project: Path, tmp_path: Path) -> None:
    library = kernel_library(project, "layer", tmp_path)
    path = str(MOCKS / "mock_pyxrt")
    output = done([sys.executable, "host.py", library], project, PYTHONPATH=path)
    assert output == "pass D: 54 elements, 0 wrong\npass E: 6 elements, 0 wrong\n"
    text = (project / "host.py").read_text()
    (tmp_path / "host.py").write_text(
        text.replace("(kernel, arguments)", "(kernel, arguments[::-1])")
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
    places = [line for line in cfg.splitlines() if line.startswith("sp=layer_1.B_")]
    assert len({line.split(":")[1] for line in places}) == len(places) == 3
    assert "sp=layer_1.D_0:HBM[8]\nsp=layer_1.D_1:HBM[9]\n" in cfg
    assert cfg.endswith("\nslr=layer_1:SLR0\n")
    vu9p = so.VitisSettings(part="xcvu9p-flga2104-2L-e")
    assert "slr=" not in so.emit(GRAPH, outside("m_axi"), settings=vu9p).text("connectivity.cfg")


SCALED = program(
    {"A": "input 6 4", "B": "output 6 4"},
    {"twice": "i 6, j 4: B[i][j] = A[i][j] * 2"},
    name="twice",
)  # fmt: skip


def test_host_of_a_kernel_without_arguments_starts_its_run(tmp_path: Path) -> None:
    graph = so.dataflow(SCALED)
    schedule = so.solve(
        graph, level="opt1", space=so.Space(ports=so.plan_ports(graph, "axis"))
    ).schedule
    design = so.emit(graph, schedule)
    assert "    xrt::run run(kernel);\n    run.start();\n" in design.text("host.cpp")
    for name in ("host.cpp", "packing.h"):
        (tmp_path / name).write_text(design.text(name))
    command = [*FLAGS, "-fsyntax-only", f"-I{MOCKS / 'mock_xrt'}", "host.cpp"]
    done(command, tmp_path)
    text = design.text("host.cpp").replace("xrt::run run(kernel);", "xrt::run run = kernel();")
    (tmp_path / "host.cpp").write_text(text)
    with pytest.raises(AssertionError, match="no match for call to"):
        done(command, tmp_path)


@pytest.mark.parametrize("element", ["ap_fixed<16,6>", "half", "uint8_t"])
def test_movers_know_their_element_types(element: str, tmp_path: Path) -> None:
    arrays = {"A": f"input 6 {element}", "B": f"output 6 {element}"}
    copied = program(arrays, {"copy": "i 6: B[i] = A[i]"}, name="copy")
    graph = so.dataflow(copied)
    schedule = so.solve(
        graph, level="opt1", space=so.Space(ports=so.plan_ports(graph, "axis"))
    ).schedule
    (tmp_path / "movers.cpp").write_text(so.emit(graph, schedule).text("stream_movers.cpp"))
    includes = [f"-I{HEADERS}", f"-I{TYPE_HEADERS}"]
    done([*FLAGS, "-fsyntax-only", *includes, "movers.cpp"], tmp_path)


MOVERS = ("mm2s_A", "mm2s_B", "mm2s_b", "s2mm_D", "s2mm_E")
GLUE = """
template <auto kernel> struct Mover;
template <typename W, typename S, void (*kernel)(W, S &)> struct Mover<kernel> {
    static S &stream() {
        static S one;
        return one;
    }
    static void run(void *words) { kernel(static_cast<W>(words), stream()); }
};
"""


def test_hosts_start_what_moves_streams(tmp_path: Path) -> None:
    project = tmp_path / "project"
    so.write(PROGRAM, outside("axis"), project)
    glue = '#define layer layer_kernel\n#include "layer.cpp"\n#undef layer\n'
    glue += "".join(f"#define {name} {name}_kernel\n" for name in MOVERS)
    glue += '#include "stream_movers.cpp"\n' + "".join(f"#undef {name}\n" for name in MOVERS)
    glue += GLUE + 'extern "C" {\n'
    for name in MOVERS:
        glue += f"void {name}(void *words) {{ Mover<{name}_kernel>::run(words); }}\n"
    streams = ", ".join(f"Mover<{name}_kernel>::stream()" for name in MOVERS)
    glue += f"void layer(float s) {{ layer_kernel(s, {streams}); }}\n}}\n"
    called = "".join(
        f'    if (name == "{name}")\n        xrt::call({name}, given);\n'
        for name in (*MOVERS, "layer")
    )
    given = "const std::string &name, const std::vector<xrt::argument> &given"
    glue += f"#include <xrt/xrt_kernel.h>\nvoid mock_kernel({given}) {{\n{called}}}\n"
    (tmp_path / "glue.cpp").write_text(glue)
    includes = [f"-I{project}", f"-I{HEADERS}", f"-I{MOCKS / 'mock_xrt'}"]
    library = str(tmp_path / "liblayer.so")
    sources = [str(tmp_path / "glue.cpp"), RUNTIME]
    done([*FLAGS, *includes, "-shared", "-fPIC", *sources, "-o", library], project)
    host = str(tmp_path / "host")
    linked = [f"-Wl,-rpath,{tmp_path}", library]
    done([*FLAGS, *includes, "host.cpp", *linked, "-o", host], project)
    assert done([host, "data", "", "layer.xclbin"], project).count("pass ") == 2
    mock = str(MOCKS / "mock_pyxrt")
    assert done([sys.executable, "host.py", library], project, PYTHONPATH=mock).count("pass ") == 2
    cfg = (project / "connectivity.cfg").read_text()
    assert "nk=mm2s_A:1:mm2s_A_1\n" in cfg
    assert "stream_connect=mm2s_A_1.A:layer_1.A\n" in cfg
    assert "stream_connect=layer_1.D:s2mm_D_1.D\n" in cfg
    dry = done(["make", "-n", "all", "TARGET=hw", "PLATFORM=u280"], project)
    assert "-c -k mm2s_A --kernel_frequency 300 -o build_hw/mm2s_A.xo stream_movers.cpp" in dry
