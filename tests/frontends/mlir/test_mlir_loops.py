# Inputs of PyTorch's functions and of NumPy's oracles are untyped here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from streamopt.errors import FrontendError
from streamopt.frontends.mlir import read_mlir
from streamopt.ir.program import Program
from streamopt.ir.source import Source
from streamopt.pipeline import interpret
from streamopt.transforms.restructure.restructure import restructure
from tests.support.programs.mlir_texts import GEMM, LOOPS, body

NAME = "kernel.mlir"


def source(text: str) -> Source:
    found = read_mlir(Path(NAME), text=text)
    assert isinstance(found, Source)
    return found


def run(text: str, **inputs: Any) -> dict[str, Any]:
    """Return the outputs by the name of the argument that they are written to."""
    program = restructure(source(text))
    results = interpret(program, {**program.values, **inputs})
    return {a.name.removesuffix("_out"): results[a.name] for a in program.arrays}


def ramp(*shape: int) -> np.ndarray[Any, Any]:
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


def test_names_and_extents_are_those_of_the_text() -> None:
    found = source(GEMM)
    assert found.name == "gemm"
    variables = {v.name: v for v in found.variables}
    assert list(variables) == ["C", "A", "B", "beta"]
    assert variables["C"].shape == (4, 5)
    assert variables["A"].shape == (4, 6)
    assert variables["beta"].is_constant
    assert not variables["C"].is_constant
    loc = found.body[0].loc
    assert loc is not None
    assert (loc.file, loc.line) == (NAME, 3)


def test_gemm() -> None:
    a, b, c = (ramp(*s).astype(float) for s in ((4, 6), (6, 5), (4, 5)))
    found = run(GEMM, A=a, B=b, C=c, beta=np.array(1.2))
    np.testing.assert_allclose(found["C_out" if "C_out" in found else "C"], a @ b + 1.2 * c)


@pytest.mark.parametrize("name", LOOPS)
def test_meaning(name: str) -> None:
    lines, wanted = LOOPS[name]
    x, y = ramp(8), ramp(16)[8:]
    program = restructure(source(body(*lines)))
    given = {a.name: {"x": x, "y": y}[a.name] for a in program.arrays if a.is_given}
    results = interpret(program, given)
    (written,) = (a.name for a in program.arrays if a.role.value == "output")
    np.testing.assert_allclose(results[written], wanted(x, y), rtol=1e-6)


def test_globals_are_weights() -> None:
    text = """
    memref.global "private" constant @w : memref<3xf32> = dense<[1.0, 2.0, 4.0]>
    func.func @f(%y: memref<3xf32>) {
      %g = memref.get_global @w : memref<3xf32>
      affine.for %i = 0 to 3 {
        %v = affine.load %g[%i] : memref<3xf32>
        affine.store %v, %y[%i] : memref<3xf32>
      }
      return
    }
    """
    assert source(text).values["w"].tolist() == [1.0, 2.0, 4.0]
    assert run(text)["y"].tolist() == [1.0, 2.0, 4.0]


def problems(text: str, top: str | None = None) -> list[tuple[str, int | None]]:
    with pytest.raises(FrontendError) as caught:
        read_mlir(Path(NAME), text=text, top=top)
    return [(p.code, p.loc.line if p.loc else None) for p in caught.value.diagnostics]


def test_all_problems_at_once() -> None:
    text = body(
        '"foo.bar"(%x) : (memref<8xf32>) -> ()',
        "affine.for %i = 0 to 8 {",
        "%v = affine.load %x[%i] : memref<8xf32>",
        "%w = math.erfc %v : f32",
        "affine.store %w, %y[%i] : memref<8xf32>",
        "%n = arith.fptosi %v : f32 to i32",
        "%k = arith.index_cast %n : i32 to index",
        "%u = memref.load %x[%k] : memref<8xf32>",
        "affine.store %u, %y[%i] : memref<8xf32>",
        "}",
    )
    assert problems(text) == [("E152", 2), ("E152", 5), ("E153", 9)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("func.func @x( {", [("E151", 1)]),
        ("func.func @x() -> i32 { return }", [("E151", 1)]),
        ("", [("E154", None)]),
        ("func.func @x() { return } func.func @y() { return }", [("E154", None)]),
        ("func.func @f(%n: index) { return }", [("E153", 1)]),
        ("func.func @f(%n: memref<4xbf16>) { return }", [("E152", 1)]),
        ("f" + "(" * 5000, [("E155", None)]),
    ],
)
def test_problems(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert problems(text) == expected


def test_unknown_function_is_named() -> None:
    with pytest.raises(FrontendError, match="did you mean 'gemm'"):
        read_mlir(Path(NAME), text=GEMM, top="gem")


def test_files(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="E151"):
        read_mlir(tmp_path / "absent.mlir")
    (tmp_path / "bytes.mlir").write_bytes(b"\xff\xfe")
    with pytest.raises(FrontendError, match="UTF-8"):
        read_mlir(tmp_path / "bytes.mlir")
    (tmp_path / "gemm.mlir").write_text(GEMM, encoding="utf-8")
    assert not isinstance(read_mlir(tmp_path / "gemm.mlir"), Program)


@pytest.mark.parametrize(("terms", "is_fine"), [(90, True), (1500, True), (5000, False)])
def test_long_sums_are_read_or_refused(terms: int, is_fine: bool) -> None:
    index = " + ".join(["%i"] * terms)
    text = body(
        "affine.for %i = 0 to 1 {",
        f"%v = affine.load %x[{index}] : memref<8xf32>",
        "affine.store %v, %y[%i] : memref<8xf32>",
        "}",
    )
    if is_fine:
        assert source(text).body
    else:
        assert problems(text) == [("E155", None)]
