"""Small ONNX models, written to files, read as programs and compared with ONNX's own meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from streamopt.frontends.onnx_model.reader import read_onnx
from streamopt.ir.program import Role
from tests.support.runners.elements import run

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

Arrays = dict[str, NDArray[Any]]


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """Return a node; names are separated by spaces, and ``-`` is one that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), **attributes)


def make_model(
    nodes: list[onnx.NodeProto],
    inputs: Arrays | dict[str, tuple[type, list[Any]]],
    constants: Arrays | None = None,
    outputs: str = "y",
    opset: int = 17,
) -> onnx.ModelProto:
    """Return a model of nodes, of inputs like the given arrays, and of initializers."""
    described = {
        name: (value.dtype, list(value.shape)) if isinstance(value, np.ndarray) else value
        for name, value in inputs.items()
    }
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.dtype(d)), s)
            for n, (d, s) in described.items()
        ],
        [onnx.ValueInfoProto(name=name) for name in outputs.split()],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return _with_output_types(model)


def _with_output_types(model: onnx.ModelProto) -> onnx.ModelProto:
    inferred = onnx.shape_inference.infer_shapes(model)
    types = {value.name: value for value in inferred.graph.output}
    for value in model.graph.output:
        if types[value.name].type.WhichOneof("value"):
            value.CopyFrom(types[value.name])
        else:
            rank = len(model.graph.input[0].type.tensor_type.shape.dim)
            value.CopyFrom(helper.make_tensor_value_info(value.name, 1, [None] * rank))
    return model


def read(model: onnx.ModelProto, folder: Path, **options: Any) -> Program:
    """Return the program of a model, through a file."""
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return read_onnx(path, **options)


def check_model(
    folder: Path,
    nodes: list[onnx.NodeProto],
    inputs: Arrays,
    constants: Arrays | None = None,
    *,
    outputs: str = "y",
    opset: int = 17,
    tolerance: float = 1e-5,
) -> Program:
    """Return the program of a model, which computes what ONNX's reference evaluator does."""
    model = make_model(nodes, inputs, constants, outputs, opset)
    program = read(model, folder)
    evaluator = cast(Any, ReferenceEvaluator(model))
    expected = cast("list[NDArray[Any]]", evaluator.run(None, dict(inputs)))
    names = [a.name for a in program.arrays if a.role is Role.INPUT]
    found = run(program, dict(zip(names, inputs.values(), strict=True)))
    for name, array in zip(outputs.split(), expected, strict=True):
        assert found[name].shape == array.shape
        wanted = array.astype(np.float64)
        np.testing.assert_allclose(
            found[name].astype(np.float64), wanted, rtol=tolerance, atol=tolerance
        )
    return program


def values(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    """Return numbers around 0."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> NDArray[np.float32]:
    """Return numbers above 0."""
    return np.abs(values(*shape)) + np.float32(0.5)


def ints(*numbers: int) -> NDArray[np.int64]:
    """Return a list of 64-bit integers."""
    return np.array(numbers, dtype=np.int64)
