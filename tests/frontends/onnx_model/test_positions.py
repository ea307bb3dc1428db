"""Elements at constant positions: they are read, or the true reason is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from streamopt.errors import FrontendError
from tests.support.programs.onnx_models import check_model, ints, make_model, node, read, values
from tests.support.runners.elements import run

if TYPE_CHECKING:
    from pathlib import Path

    import onnx

X = {"x": values(1, 2, 6, 5)}


@pytest.mark.parametrize(
    ("factors", "attributes"),
    [
        ([1, 1, 2, 2], {"mode": "linear"}),
        ([1, 1, 2, 3], {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
        ([1, 1, 0.5, 3], {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}),
        ([1, 1, 2, 2], {"mode": "cubic"}),
        ([1, 1, 2.5, 0.6], {"mode": "nearest"}),
    ],
)
def test_resize(factors: list[float], attributes: dict[str, Any], tmp_path: Path) -> None:
    scales = {"s": np.array(factors, dtype=np.float32)}
    check_model(tmp_path, [node("Resize", "x - s", "y", **attributes)], X, scales)


ROWS = np.array([[0, 2], [-1, 2], [3, 3]])
COORDINATES = np.array([[[0, 1], [1, -1]], [[0, 5], [1, 0]]])
READS: dict[str, tuple[onnx.NodeProto, Any]] = {
    "gather": (node("Gather", "x i", "y", axis=2), np.array([[3, 1], [0, -1]])),
    "elements": (
        node("GatherElements", "x i", "y", axis=3),
        np.arange(12).reshape(1, 2, 6, 1) % 5,
    ),
    "nd": (node("GatherND", "x i", "y", batch_dims=1), COORDINATES[:1]),
}


@pytest.mark.parametrize("name", READS)
def test_reads(name: str, tmp_path: Path) -> None:
    made, indices = READS[name]
    check_model(tmp_path, [made], X, {"i": np.asarray(indices, dtype=np.int64)})


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_writes(reduction: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {} if reduction == "none" else {"reduction": reduction}
    rows = {"i": ints(4, 1).reshape(2, 1), "u": values(2, 3)}
    check_model(tmp_path, [node("ScatterND", "x i u", "y", **options)], {"x": values(6, 3)}, rows)
    places = np.array([[0, 2, 5], [1, 2, 3]], dtype=np.int64)
    given = {"x": values(3, 6), "u": values(2, 3)}
    nodes = [node("ScatterElements", "x i u", "y", axis=1, **options)]
    check_model(tmp_path, nodes, given, {"i": places})


def test_parts_that_fall_on_one_place_are_added(tmp_path: Path) -> None:
    rows = {"i": ints(4, 1, 4, 4).reshape(4, 1)}
    nodes = [node("ScatterND", "x i u", "y", reduction="add")]
    check_model(tmp_path, nodes, {"x": values(6, 3), "u": values(4, 3)}, rows)


def problem(nodes: list[onnx.NodeProto], folder: Path, **constants: Any) -> str:
    inputs: dict[str, Any] = {"x": values(300), "j": (np.int64, [3])}
    used = {name: value for name, value in inputs.items() if name in nodes[0].input}
    with pytest.raises(FrontendError) as caught:
        read(make_model(nodes, used, constants), folder)
    return str(caught.value)


def test_positions_without_a_rule_are_told_from_those_of_data(tmp_path: Path) -> None:
    shuffled = np.random.default_rng(0).permutation(300)
    told = problem([node("Gather", "x i", "y")], tmp_path, i=shuffled)
    assert "more than 64 affine pieces" in told
    assert "depend" not in told
    told = problem([node("GatherElements", "x j", "y")], tmp_path)
    assert "E176" in told
    assert "depends on the model's inputs" in told


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((4, 3, 2, 2), {"strides": [2, 2]}),
        ((4, 3, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}),
        ((4, 3, 4, 3), {"strides": [3, 1], "pads": [0, 1, 2, 0]}),
        ((4, 3, 3, 2), {"strides": [2, 3], "dilations": [2, 1]}),
        ((4, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ],
)
def test_transposed_convolution(
    shape: tuple[int, ...], attributes: dict[str, Any], tmp_path: Path
) -> None:
    weights = {"w": values(*shape), "b": values(shape[1])}
    nodes = [node("ConvTranspose", "x w b", "y", **attributes)]
    check_model(tmp_path, nodes, {"x": values(1, 4, 4, 4)}, weights)


def test_transposed_convolution_in_groups_of_a_given_shape(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    x, weight = values(1, 4, 4, 4), values(4, 3, 3, 3)
    attributes: dict[str, Any] = {"strides": [2, 2], "output_shape": [9, 8], "group": 2}
    nodes = [node("ConvTranspose", "x w", "y", **attributes)]
    program = read(make_model(nodes, {"x": x}, {"w": weight}), tmp_path)
    given = (torch.from_numpy(x), torch.from_numpy(weight))
    whole = torch.nn.functional.conv_transpose2d(*given, stride=2, groups=2)
    np.testing.assert_allclose(run(program, {"x": x})["y"], whole[..., 1:], atol=1e-5)
