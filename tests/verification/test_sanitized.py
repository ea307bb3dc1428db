"""Designs of both back ends under the compilers' sanitizers: FIFOs and a buffer."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from streamopt.codegen.backends.registry import emit
from streamopt.errors import VerificationError
from streamopt.verification.manifest import read_manifest
from streamopt.verification.project import write_project
from streamopt.verification.verify import Traced, verify_project
from tests.support.programs.row_sums import ROW_SUMS as GRAPH
from tests.support.programs.row_sums import ROW_SUMS_PROGRAM as SOURCE
from tests.support.runners.testbench import compile_and_run

if TYPE_CHECKING:
    from pathlib import Path

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
MEMORY = ("-fsanitize=address,undefined", "-fno-sanitize-recover", "-Werror")
THREADS = ("-fsanitize=thread", "-Werror")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("backend", "flags"), [("vitis", MEMORY), ("native", THREADS)])
def test_runs_clean(backend: str, flags: tuple[str, ...], compiler: str, tmp_path: Path) -> None:
    write_project(emit(GRAPH, backend), SOURCE, tmp_path / "p")
    sources = read_manifest(tmp_path / "p").sources
    run = compile_and_run(tmp_path / "p", sources, ("data",), 120.0, compiler, flags)
    assert (run.passed, run.warnings) == (True, "")


def test_native_design_is_verified_with_its_tokens(tmp_path: Path) -> None:
    write_project(emit(GRAPH, "native"), SOURCE, tmp_path / "p")
    traced = Traced(GRAPH, always=True)
    verify_project(tmp_path / "p", SOURCE, 60.0, traced=traced).raise_if_failed()


def test_native_deadlock_is_named(tmp_path: Path) -> None:
    write_project(emit(GRAPH, "native"), SOURCE, tmp_path / "p")
    kernel = tmp_path / "p" / f"{GRAPH.graph.name}.cpp"
    text = kernel.read_text()
    assert "Stream<float, 16> a_scale" in text
    kernel.write_text(text.replace("Stream<float, 16> a_scale", "Stream<float, 2> a_scale"))
    with pytest.raises(VerificationError) as caught:
        verify_project(tmp_path / "p", SOURCE, 60.0, traced=Traced(GRAPH))
    assert str(caught.value).splitlines()[:4] == [
        "E708 the processes wait for each other, a deadlock:",
        "  scale waits for data in stream s[0] (depth 4), which sum writes",
        "  sum waits for data in stream a_sum[0][0] (depth 16), which gemm writes",
        "  gemm waits for room in stream a_scale[0][1] (depth 2), which scale reads",
    ]
