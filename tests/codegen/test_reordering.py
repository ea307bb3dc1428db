"""The option that lets the tool reorder sums: in no script, and refused where it was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.checks import built, check_scripts
from streamopt.errors import CodegenError

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.codegen.design import Design

KERNELS = {
    "dot": "void f(T A[6][4], T x[4], T y[6]) { for (int i = 0; i < 6; i++) { y[i] = 0;"
    " for (int j = 0; j < 4; j++) y[i] += A[i][j] * x[j]; } }",
    "sum": "void f(T a[4], T b[4], T c[4]) { for (int i = 0; i < 4; i++) c[i] = a[i] + b[i]; }",
    "scaled": "void f(T a[4], T b[4]) { for (int i = 0; i < 4; i++) b[i] = a[i] / 3; }",
    "product": "void f(T a[4], T b[4]) { for (int i = 0; i < 4; i++) b[3 - i] = a[i] * 3; }",
}
BACKENDS = [("vitis", ""), ("vitis", "m_axi"), ("vitis", "axis"), ("tapa", "")]
TCL = "config_compile -unsafe_math_optimizations"
OPTIONS = {
    "run_hls.tcl": f"{TCL}\n",
    "pre_hls.tcl": f"{TCL}\n",
    "hls_config.cfg": "syn.compile.unsafe_math_optimizations=1\n",
    "Makefile": f'\ttapa compile --other-hls-configs "{TCL}" -o f.xo\n',
}


def design(kernel: str, element: str, backend: str, ports: str, folder: Path) -> Design:
    (folder / "f.c").write_text(KERNELS[kernel].replace("T", element))
    graph = so.dataflow(so.load(folder / "f.c"))
    outside = so.plan_ports(graph, ports) if ports else ()
    schedule = so.solve(graph, level="opt2", dsp=40, space=so.Space(ports=outside)).schedule
    return so.emit(graph, schedule, backend=backend)


@pytest.mark.parametrize(("backend", "ports"), BACKENDS)
def test_no_script_has_the_option_and_none_may(backend: str, ports: str, tmp_path: Path) -> None:
    made = design("dot", "float", backend, ports, tmp_path)
    kernel, files = made.text("f.cpp"), dict(made.files)
    assert not [path for path, text in made.files if "unsafe_math" in text]
    assert check_scripts(kernel, files) == ()
    for path, option in OPTIONS.items():
        told = {**files, path: files.get(path, "") + option}
        with pytest.raises(CodegenError, match=f"E620 {path} sets .* of process 'y_sum' apart"):
            built(kernel, told, is_region=backend == "vitis")


@pytest.mark.parametrize(
    ("kernel", "element", "suffers"),
    [
        ("sum", "float", True),
        ("sum", "double", True),
        ("sum", "int", False),
        ("dot", "short", False),
        ("scaled", "float", True),
        ("product", "float", False),
    ],
)
def test_only_sums_and_quotients_of_floats_suffer_from_it(
    kernel: str, element: str, suffers: bool, tmp_path: Path
) -> None:
    made = design(kernel, element, "vitis", "", tmp_path)
    assert bool(check_scripts(made.text("f.cpp"), {"run_hls.tcl": TCL})) is suffers


def test_an_option_that_is_off_or_a_comment_is_none(tmp_path: Path) -> None:
    kernel = design("dot", "float", "vitis", "m_axi", tmp_path).text("f.cpp")
    for text in ("{}", "{}=true", "{} 1", "config_compile -name_max_length 80\n{}"):
        assert check_scripts(kernel, {"run_hls.tcl": text.format(TCL) + "\n"})
    for text in ("# {}", "{}=false", "{}=0"):
        assert check_scripts(kernel, {"run_hls.tcl": text.format(TCL) + "\n"}) == ()


def test_a_project_on_disk_is_judged_too(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(KERNELS["sum"].replace("T", "float"))
    program = so.load(tmp_path / "f.c")
    schedule = so.solve(so.dataflow(program), level="opt1").schedule
    for backend, script in (("vitis", "hls_config.cfg"), ("tapa", "Makefile")):
        so.write(program, schedule, tmp_path / backend, backend=backend)
        path = tmp_path / backend / script
        path.write_text(path.read_text() + OPTIONS[script])
        with pytest.raises(CodegenError, match=f"E620 {script} sets"):
            so.verify(tmp_path / backend)
