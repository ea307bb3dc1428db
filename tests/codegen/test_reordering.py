"""The option that balances sums: told where timing relies on it, and missed where it is gone."""

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


def design(kernel: str, element: str, backend: str, ports: str, folder: Path) -> Design:
    (folder / "f.c").write_text(KERNELS[kernel].replace("T", element))
    graph = so.dataflow(so.load(folder / "f.c"))
    outside = so.plan_ports(graph, ports) if ports else ()
    schedule = so.solve(graph, level="opt2", dsp=40, space=so.Space(ports=outside)).schedule
    return so.emit(graph, schedule, backend=backend)


def told(made: Design) -> dict[str, str]:
    return {path: text for path, text in made.files if "unsafe_math_optimizations" in text}


@pytest.mark.parametrize(("backend", "ports"), BACKENDS)
def test_every_script_of_a_float_sum_has_the_option(
    backend: str, ports: str, tmp_path: Path
) -> None:
    made = design("dot", "float", backend, ports, tmp_path)
    kernel, files = made.text("f.cpp"), dict(made.files)
    is_region = backend == "vitis"
    scripts = told(made)
    if is_region:
        assert [*scripts] == ["run_hls.tcl", "hls_config.cfg"] + ["pre_hls.tcl"] * bool(ports)
        scripts |= {"Makefile": files["Makefile"]} if ports else {}
    else:
        assert [*scripts] == ["Makefile"]
    assert check_scripts(kernel, files) == ()
    for path, text in scripts.items():
        for word in ("-unsafe_math_optimizations", "syn.compile", "--hls.pre_tcl pre_hls.tcl"):
            if word not in text:
                continue
            broken = {**files, path: text.replace(word, "")}
            with pytest.raises(CodegenError, match=f"E620 {path} lacks .* of process 'y_sum'"):
                built(kernel, broken, is_region=is_region)


@pytest.mark.parametrize(
    ("kernel", "element", "relies"),
    [
        ("sum", "float", True),
        ("sum", "double", True),
        ("sum", "int", False),
        ("dot", "short", False),
        ("scaled", "float", True),
        ("product", "float", False),
    ],
)
def test_only_designs_that_rely_on_it_have_the_option(
    kernel: str, element: str, relies: bool, tmp_path: Path
) -> None:
    made = design(kernel, element, "vitis", "", tmp_path)
    assert bool(told(made)) is relies
    assert bool(check_scripts(made.text("f.cpp"), {"run_hls.tcl": ""})) is relies


def test_an_option_that_is_off_or_a_comment_is_none(tmp_path: Path) -> None:
    made = design("dot", "float", "vitis", "m_axi", tmp_path)
    kernel, option = made.text("f.cpp"), "config_compile -unsafe_math_optimizations"
    for text in ("{}", "{}=true", "{} 1", "config_compile -name_max_length 80\n{}"):
        assert check_scripts(kernel, {"run_hls.tcl": text.format(option) + "\n"}) == ()
    for text in ("# {}", "{}=false", "{}=0"):
        assert check_scripts(kernel, {"run_hls.tcl": text.format(option) + "\n"})
    without = {path: text for path, text in made.files if path != "pre_hls.tcl"}
    (found,) = check_scripts(kernel, without)
    assert found.message.startswith("pre_hls.tcl lacks config_compile -unsafe_math")


def test_a_project_on_disk_is_judged_too(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(KERNELS["sum"].replace("T", "float"))
    program = so.load(tmp_path / "f.c")
    schedule = so.solve(so.dataflow(program), level="opt1").schedule
    for backend, script in (("vitis", "hls_config.cfg"), ("tapa", "Makefile")):
        so.write(program, schedule, tmp_path / backend, backend=backend)
        path = tmp_path / backend / script
        path.write_text(path.read_text().replace("unsafe_math", "safe_math"))
        with pytest.raises(CodegenError, match=f"E620 {script} lacks"):
            so.verify(tmp_path / backend)
