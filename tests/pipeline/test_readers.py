"""Anything with a program in it is read in one place; what has none is told."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import FrontendError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = Path(__file__).parents[2]
C_TEXT = """
void product(float A[6][4], float x[4], float y[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int j = 0; j < 4; j++) y[i] += A[i][j] * x[j];
  }
}
"""
MLIR_TEXT = """
func.func @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %a[%i] : memref<4xf32>
    affine.store %v, %b[%i] : memref<4xf32>
  }
  return
}
"""


def product() -> so.dsl.Builder:
    p = so.dsl.program("product")
    i, j = p.iterators(i=6, j=4)
    a, x = p.input("A", 6, 4), p.input("x", 4)
    p.output("y", (i,), so.dsl.sum(j, a[i, j] * x[j]))
    return p


def project(tmp_path: Path) -> Path:
    so.save(product().build(), tmp_path / "graph.json")
    return tmp_path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "C text": lambda _: C_TEXT,
    "JSON text": lambda folder: (project(folder) / "graph.json").read_text(),
    "folder": project,
    "DSL": lambda _: product(),
    "function": lambda _: product,
    "program": lambda _: product().build(),
    "graph": lambda _: so.dataflow(product()),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_anything_is_solved(kind: str, tmp_path: Path) -> None:
    solution = so.solve(SOURCES[kind](tmp_path), dsp=16)
    assert (solution.program.name, solution.dsps) == ("product", 5)


def test_text_of_mlir() -> None:
    pytest.importorskip("torch_mlir")
    assert so.load(MLIR_TEXT).name == "copy"


@pytest.mark.slow
def test_modules_come_with_their_inputs() -> None:
    torch: Any = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(4, 6))
    sources: list[Any] = [(net, torch.randn(3, 4)), (net, "3x4"), (net, (torch.randn(3, 4),))]
    assert len({str(so.dataflow(source)) for source in sources}) == 1
    with pytest.raises(FrontendError, match=r"\(module, x\)"):
        so.solve(net)
    with pytest.raises(OptionError, match="E544 Linear is a class, not a program"):
        so.load(torch.nn.Linear)


def test_models_of_onnx() -> None:
    onnx: Any = import_module("onnx")
    helper: Any = import_module("onnx.helper")
    ends = [helper.make_tensor_value_info(name, 1, [2, 3]) for name in "xy"]
    node = helper.make_node("Relu", ["x"], ["y"])
    model = helper.make_model(helper.make_graph([node], "rectified", ends[:1], ends[1:]))
    before = model.SerializeToString()
    assert so.load(model).name == "rectified"
    assert model.SerializeToString() == before
    assert onnx.ModelProto.FromString(before) == model


@pytest.mark.parametrize("source", [3, None, [1], object(), (), so.evaluate, ("a.c", "b.c")])
def test_values_without_a_program_are_told(source: Any) -> None:
    for function in (so.solve, so.pareto, so.dataflow, so.compare, so.load):
        with pytest.raises(OptionError, match="E544 there is no program in") as told:
            function(source)
        assert "(module, x)" in str(told.value)


def test_places_in_a_text_have_lines() -> None:
    with pytest.raises(FrontendError, match="<text>:2:"):
        so.load("void f(float a[4]) {\n  a[0] = b; }")


def test_a_graph_made_by_hand_has_no_program() -> None:
    from dataclasses import replace

    graph = replace(so.dataflow(product()), origin=None)
    with pytest.raises(OptionError, match="E544 graph product doesn't know its program"):
        so.solve(graph, dsp=16).write("nowhere")
