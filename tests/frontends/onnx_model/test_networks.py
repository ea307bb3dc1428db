from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from streamopt.ir.expression import Select, reads, walk
from tests.support.programs.onnx_models import check_model, ints, node, positive, values

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from onnx import NodeProto

    from streamopt.ir.program import Nest, Program


class Network:
    """Nodes and weights, layer after layer; each layer takes and returns the name of a value."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, NDArray[Any]] = {}

    def add(self, kind: str, inputs: str, name: str, **attributes: Any) -> str:
        self.nodes.append(node(kind, inputs, name, name=f"/{name}/{kind}", **attributes))
        return name

    def weight(self, name: str, array: NDArray[Any]) -> str:
        self.weights[name] = array
        return name

    def conv(self, x: str, name: str, *shape: int, **attributes: Any) -> str:
        w = self.weight(f"{name}.weight", values(*shape) / 3)
        return self.add("Conv", f"{x} {w}", name, **attributes)

    def norm(self, x: str, name: str, channels: int) -> str:
        arrays = {
            "s": values(channels),
            "b": values(channels, seed=1),
            "m": values(channels, seed=2),
        }
        arrays["v"] = positive(channels)
        names = [self.weight(f"{name}.{key}", array) for key, array in arrays.items()]
        return self.add("BatchNormalization", " ".join([x, *names]), name)

    def linear(self, x: str, name: str, *shape: int) -> str:
        w = self.weight(f"{name}.weight", values(*shape) / 3)
        b = self.weight(f"{name}.bias", values(shape[-1]))
        product = self.add("MatMul", f"{x} {w}", f"{name}_mm")
        return self.add("Add", f"{product} {b}", name)


def names(program: Program) -> list[str]:
    return [nest.name for nest in program.nests]


def test_residual_block(tmp_path: Path) -> None:
    net = Network()
    a = net.norm(net.conv("x", "conv1", 4, 4, 3, 3, pads=[1, 1, 1, 1]), "bn1", 4)
    a = net.add("Relu", a, "relu1")
    a = net.norm(net.conv(a, "conv2", 4, 4, 3, 3, pads=[1, 1, 1, 1]), "bn2", 4)
    short = net.norm(net.conv("x", "down", 4, 4, 1, 1), "bn3", 4)
    net.add("Relu", net.add("Add", f"{a} {short}", "sum"), "y")
    program = check_model(
        tmp_path, net.nodes, {"x": values(1, 4, 5, 5)}, net.weights, tolerance=1e-4
    )
    assert names(program) == [
        "conv1_Conv_pad", "conv1_Conv", "conv2_Conv_pad", "conv2_Conv", "down_Conv", "y_Relu",
    ]  # fmt: skip
    assert set(program.values) == {a.name for a in program.arrays if a.role == "weight"}


def test_inverted_residual(tmp_path: Path) -> None:
    net = Network()
    limits = {"low": np.array(0, np.float32), "high": np.array(6, np.float32)}
    net.weights.update(limits)
    a = net.norm(net.conv("x", "expand", 6, 3, 1, 1), "bn1", 6)
    a = net.add("Clip", f"{a} low high", "clip1")
    a = net.conv(a, "depthwise", 6, 1, 3, 3, pads=[1, 1, 1, 1], group=6)
    a = net.add("Clip", f"{net.norm(a, 'bn2', 6)} low high", "clip2")
    a = net.norm(net.conv(a, "project", 3, 6, 1, 1), "bn3", 3)
    net.add("Add", f"x {a}", "y")
    program = check_model(
        tmp_path, net.nodes, {"x": values(1, 3, 6, 6)}, net.weights, tolerance=1e-4
    )
    depthwise = next(nest for nest in program.nests if nest.name == "depthwise_Conv")
    assert [loop.name for loop in depthwise.loops] == ["m", "h", "w", "kh", "kw"]


def test_attention_block(tmp_path: Path) -> None:
    net = Network()
    net.weight("heads", ints(0, 0, 2, 4))
    net.weight("merged", ints(0, 0, -1))
    net.weight("scale", np.array(2.0, np.float32))
    parts: list[str] = []
    for letter, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        flat = net.linear("x", letter, 8, 8)
        split = net.add("Reshape", f"{flat} heads", f"{letter}_heads")
        parts.append(net.add("Transpose", split, f"{letter}_t", perm=order))
    scores = net.add("MatMul", f"{parts[0]} {parts[1]}", "scores")
    scaled = net.add("Div", f"{scores} scale", "scaled")
    weights = net.add("Softmax", scaled, "weights", axis=-1)
    context = net.add("MatMul", f"{weights} {parts[2]}", "context")
    back = net.add("Transpose", context, "back", perm=[0, 2, 1, 3])
    result = net.linear(net.add("Reshape", f"{back} merged", "flat"), "out", 8, 8)
    total = net.add("Add", f"x {result}", "total")
    net.weight("gamma", values(8))
    net.weight("beta", values(8, seed=4))
    normed = net.add("LayerNormalization", f"{total} gamma beta", "norm")
    hidden = net.add("Gelu", net.linear(normed, "fc1", 8, 16), "gelu")
    net.add("Add", f"{normed} {net.linear(hidden, 'fc2', 16, 8)}", "y")
    inputs = {"x": values(1, 5, 8)}
    program = check_model(tmp_path, net.nodes, inputs, net.weights, opset=20, tolerance=1e-4)
    heads = next(nest for nest in program.nests if nest.name == "q_Add")
    assert set(_reads(heads)) == {"q_mm_MatMul[0][k][4 * j + l]", "q_bias[4 * j + l]"}
    assert len(program.nests) == len(set(names(program)))


def _reads(nest: Nest) -> list[str]:
    return [str(access) for access in reads(nest.statements[0].value)]


def test_vgg_like_stack(tmp_path: Path) -> None:
    net = Network()
    a = "x"
    for number, (inner, outer) in enumerate([(3, 4), (4, 6)], start=1):
        name = f"conv{number}"
        w = net.weight(f"{name}.weight", values(outer, inner, 3, 3) / 4)
        b = net.weight(f"{name}.bias", values(outer))
        a = net.add("Conv", f"{a} {w} {b}", name, pads=[1, 1, 1, 1])
        a = net.add("Relu", a, f"relu{number}")
        a = net.add("MaxPool", a, f"pool{number}", kernel_shape=[2, 2], strides=[2, 2])
    a = net.add("Flatten", a, "flat")
    w, b = net.weight("fc.weight", values(5, 24)), net.weight("fc.bias", values(5))
    a = net.add("Gemm", f"{a} {w} {b}", "fc", transB=1)
    net.add("Softmax", a, "y", axis=1)
    program = check_model(
        tmp_path, net.nodes, {"x": values(1, 3, 8, 8)}, net.weights, tolerance=1e-4
    )
    assert len(program.nests) == 2 * 4 + 2 + 4
    padded = program.nests[0].statements[0].value
    assert any(isinstance(part, Select) for part in walk(padded))


def test_shared_values_are_computed_once(tmp_path: Path) -> None:
    net = Network()
    net.add("Exp", "x", "e")
    net.add("Add", "e x", "a")
    net.add("Mul", "e a", "y")
    program = check_model(tmp_path, net.nodes, {"x": values(3, 4)}, outputs="y e")
    assert names(program) == ["e_Exp", "y_Mul"]


def test_long_chain(tmp_path: Path) -> None:
    net = Network()
    value = "x"
    for number in range(200):
        value = net.add("Neg", value, "y" if number == 199 else f"v{number}")
    program = check_model(tmp_path, net.nodes, {"x": values(3)})
    assert 2 < len(program.nests) < 20
