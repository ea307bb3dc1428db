from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from tests.support.programs.onnx_models import (
    check_model,
    ints,
    make_model,
    node,
    positive,
    read,
    values,
)
from tests.support.runners.elements import run

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

UNARY = """
Abs Neg Exp Tanh Erf Sigmoid Relu LeakyRelu Elu Celu Selu ThresholdedRelu HardSigmoid HardSwish
Softplus Softsign Mish Sin Cos Tan Atan Sinh Cosh Asinh Floor Ceil Round Sign Identity
"""


@pytest.mark.parametrize("kind", UNARY.split())
def test_unary(kind: str, tmp_path: Path) -> None:
    check_model(tmp_path, [node(kind, "x", "y")], {"x": values(3, 4) * 2}, opset=18)


@pytest.mark.parametrize("kind", ["Log", "Sqrt", "Reciprocal"])
def test_unary_of_positive(kind: str, tmp_path: Path) -> None:
    check_model(tmp_path, [node(kind, "x", "y")], {"x": positive(3, 4)})


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "PRelu"])
def test_binary(kind: str, tmp_path: Path) -> None:
    check_model(tmp_path, [node(kind, "a b", "y")], {"a": values(2, 3, 4), "b": values(3, 1)})
    weight = {"b": positive(4)}
    check_model(tmp_path, [node(kind, "a b", "y")], {"a": values(2, 3, 4)}, weight)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate: str, tmp_path: Path) -> None:
    nodes = [node("Gelu", "x", "y", approximate=approximate)]
    check_model(tmp_path, nodes, {"x": values(3, 4)}, opset=20)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -0.5, 1.7])
def test_power_of_constant(exponent: float, tmp_path: Path) -> None:
    constants = {"e": np.array(exponent, dtype=np.float32)}
    check_model(tmp_path, [node("Pow", "x e", "y")], {"x": positive(3, 4)}, constants)


def test_power_of_tensor(tmp_path: Path) -> None:
    check_model(tmp_path, [node("Pow", "x e", "y")], {"x": positive(3, 4), "e": values(4)})


def test_clip(tmp_path: Path) -> None:
    low, high = np.float32(-0.5), np.float32(0.25)
    limits = {"low": np.array(low), "high": np.array(high)}
    check_model(tmp_path, [node("Clip", "x low high", "y")], {"x": values(5)}, limits)
    check_model(
        tmp_path, [node("Clip", "x - high", "y")], {"x": values(5)}, {"high": limits["high"]}
    )


@pytest.mark.parametrize("kind", ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"])
def test_comparisons(kind: str, tmp_path: Path) -> None:
    nodes = [node(kind, "a b", "c"), node("Where", "c a b", "y")]
    check_model(tmp_path, nodes, {"a": np.round(values(3, 4)), "b": np.round(values(4))})


@pytest.mark.parametrize("kind", ["And", "Or", "Xor"])
def test_truth_values(kind: str, tmp_path: Path) -> None:
    nodes = [
        node("Less", "a b", "c"),
        node(kind, "c m", "d"),
        node("Not", "d", "e"),
        node("Cast", "e", "y", to=1),
    ]
    mask = np.array([True, False, True])
    check_model(tmp_path, nodes, {"a": values(4, 3), "b": values(3), "m": mask})
    check_model(tmp_path, nodes[:2], {"a": values(4, 3), "b": values(3), "m": mask}, outputs="d")


def test_integers(tmp_path: Path) -> None:
    a, b = np.array([7, -7, 9], dtype=np.int32), np.array([2, 2, -4], dtype=np.int32)
    check_model(tmp_path, [node("Div", "a b", "y")], {"a": a, "b": b})
    check_model(tmp_path, [node("Mod", "a b", "y", fmod=1)], {"a": a, "b": b})
    small = np.array([100, 27, -100], dtype=np.int8)
    nodes = [node("Add", "a a", "b"), node("Cast", "b", "y", to=1)]
    check_model(tmp_path, nodes, {"a": small})


@pytest.mark.parametrize(
    ("kind", "opset"), [("Sum", 11), ("Sum", 13), ("Mean", 13), ("Mean", 18), ("Max", 13),
                        ("Min", 18), ("Prod", 13), ("SumSquare", 18), ("L1", 18), ("L2", 18),
                        ("LogSumExp", 18)],
)  # fmt: skip
@pytest.mark.parametrize("keepdims", [0, 1])
def test_reductions(kind: str, opset: int, keepdims: int, tmp_path: Path) -> None:
    x = values(2, 3, 4)
    if opset < 13 or (opset < 18 and kind != "Sum"):
        nodes = [node(f"Reduce{kind}", "x", "y", axes=[0, -1], keepdims=keepdims)]
        check_model(tmp_path, nodes, {"x": x}, opset=opset)
    else:
        nodes = [node(f"Reduce{kind}", "x axes", "y", keepdims=keepdims)]
        check_model(tmp_path, nodes, {"x": x}, {"axes": ints(0, -1)}, opset=opset)
    check_model(
        tmp_path, [node(f"Reduce{kind}", "x", "y", keepdims=keepdims)], {"x": x}, opset=opset
    )


@pytest.mark.parametrize("opset", [11, 13])
@pytest.mark.parametrize("kind", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("axis", [None, 1, -1, 0])
def test_softmax(kind: str, opset: int, axis: int | None, tmp_path: Path) -> None:
    attributes = {} if axis is None else {"axis": axis}
    x = values(2, 3, 4)
    if opset >= 13 or axis == -1:
        check_model(tmp_path, [node(kind, "x", "y", **attributes)], {"x": x}, opset=opset)
        return
    start = 1 if axis is None else axis
    flat = [
        node("Flatten", "x", "f", axis=start),
        node(kind, "f", "s", axis=1),
        node("Reshape", "s shape", "y"),
    ]
    through = check_model(tmp_path, flat, {"x": x}, {"shape": ints(2, 3, 4)}, opset=11)
    program = check_equal(tmp_path, [node(kind, "x", "y", **attributes)], x, through)
    assert len(program.nests) == (4 if kind == "Softmax" else 5)


def check_equal(folder: Path, nodes: list[Any], x: NDArray[Any], other: Any) -> Any:
    program = read(make_model(nodes, {"x": x}, opset=11), folder)
    np.testing.assert_allclose(run(program, {"x": x})["y"], run(other, {"x": x})["y"], atol=1e-12)
    return program


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (4, 5)), ((2, 3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (4, 2))],
)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...], tmp_path: Path) -> None:
    a, b = values(*left), values(*right)
    check_model(tmp_path, [node("MatMul", "a b", "y")], {"a": a, "b": b})
    check_model(tmp_path, [node("MatMul", "a b", "y")], {"a": a}, {"b": b})


def test_gemm(tmp_path: Path) -> None:
    inputs = {"a": values(4, 3)}
    weights = {"b": values(5, 4), "c": values(5)}
    nodes = [node("Gemm", "a b c", "y", alpha=0.5, beta=2.0, transA=1, transB=1)]
    program = check_model(tmp_path, nodes, inputs, weights)
    assert len(program.nests) == 2
    check_model(
        tmp_path, [node("Gemm", "a b", "y", transA=1, transB=1)], inputs, {"b": values(5, 4)}
    )


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((1, 3, 6, 5), (4, 3, 3, 3), {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
        ((1, 4, 6, 6), (4, 1, 3, 3), {"pads": [1, 1, 1, 1], "group": 4}),
        ((1, 4, 6, 6), (4, 2, 2, 2), {"group": 2, "dilations": [2, 1], "kernel_shape": [2, 2]}),
        ((2, 2, 5, 5), (3, 2, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ((1, 2, 6, 6), (3, 2, 2, 2), {"auto_pad": "SAME_LOWER"}),
        ((1, 2, 5, 5), (3, 2, 2, 2), {"auto_pad": "VALID"}),
        ((1, 2, 9), (3, 2, 3), {"strides": [2]}),
    ],
)
def test_conv(
    x: tuple[int, ...], w: tuple[int, ...], attributes: dict[str, Any], tmp_path: Path
) -> None:
    weights = {"w": values(*w), "b": values(w[0])}
    check_model(tmp_path, [node("Conv", "x w b", "y", **attributes)], {"x": values(*x)}, weights)


@pytest.mark.parametrize(
    "attributes",
    [
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 1]},
        {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1},
    ],
)
def test_pools(attributes: dict[str, Any], tmp_path: Path) -> None:
    x = {"x": values(1, 2, 6, 6)}
    check_model(tmp_path, [node("MaxPool", "x", "y", **attributes)], x)
    check_model(tmp_path, [node("AveragePool", "x", "y", **attributes)], x)
    counted = {**attributes, "count_include_pad": 1}
    check_model(tmp_path, [node("AveragePool", "x", "y", **counted)], x)


@pytest.mark.parametrize("size", [5, 6, 7, 8])
@pytest.mark.parametrize("pads", [[0, 0], [1, 1]])
def test_pools_round_up(size: int, pads: list[int], tmp_path: Path) -> None:
    attributes = {"kernel_shape": [3], "strides": [2], "pads": pads, "ceil_mode": 1}
    torch = pytest.importorskip("torch")
    x = values(1, 2, size)
    (y,) = run(
        read_nodes([node("MaxPool", "x", "y", **attributes)], x, tmp_path), {"x": x}
    ).values()
    pool = torch.nn.functional.max_pool1d
    expected = pool(torch.from_numpy(x), 3, 2, pads[0], ceil_mode=True).numpy()
    np.testing.assert_allclose(y.astype(np.float32), expected)
    nodes = [node("AveragePool", "x", "y", **attributes)]
    (y,) = run(read_nodes(nodes, x, tmp_path), {"x": x}).values()
    pool = torch.nn.functional.avg_pool1d
    expected = pool(torch.from_numpy(x), 3, 2, pads[0], True, False).numpy()
    np.testing.assert_allclose(y.astype(np.float32), expected, rtol=1e-5)


def read_nodes(nodes: list[Any], x: NDArray[Any], folder: Path) -> Any:
    return read(make_model(nodes, {"x": x}), folder)


@pytest.mark.parametrize("kind", ["GlobalAveragePool", "GlobalMaxPool"])
def test_global_pools(kind: str, tmp_path: Path) -> None:
    check_model(tmp_path, [node(kind, "x", "y")], {"x": values(2, 3, 4, 5)})


def test_normalizations(tmp_path: Path) -> None:
    x = {"x": values(2, 4, 3, 3)}
    weights = {"s": values(4), "b": values(4, seed=1), "m": values(4, seed=2), "v": positive(4)}
    batch = [node("BatchNormalization", "x s b m v", "y", epsilon=1e-3)]
    program = check_model(tmp_path, batch, x, weights)
    assert len(program.nests) == 1
    pair = {"s": weights["s"], "b": weights["b"]}
    check_model(tmp_path, [node("InstanceNormalization", "x s b", "y", epsilon=1e-3)], x, pair)
    groups = [node("GroupNormalization", "x s b", "y", epsilon=1e-3, num_groups=2)]
    check_model(tmp_path, groups, x, pair, opset=21)


def test_layer_normalizations(tmp_path: Path) -> None:
    x, pair = {"x": values(2, 3, 4)}, {"s": values(4), "b": values(4, seed=1)}
    check_model(tmp_path, [node("LayerNormalization", "x s b", "y", epsilon=1e-3)], x, pair)
    last = {"s": values(3, 4)}
    check_model(tmp_path, [node("LayerNormalization", "x s", "y", axis=1)], x, last)
    scale = {"s": values(4)}
    check_model(tmp_path, [node("RMSNormalization", "x s", "y")], x, scale, opset=23)


@pytest.mark.parametrize("shape", [(6, 4), (-1,), (0, -1), (4, 6), (2, 2, 3, 2)])
def test_reshape(shape: tuple[int, ...], tmp_path: Path) -> None:
    constants = {"shape": ints(*shape)}
    check_model(tmp_path, [node("Reshape", "x shape", "y")], {"x": values(2, 3, 4)}, constants)


def test_shapes(tmp_path: Path) -> None:
    x = {"x": values(2, 3, 4)}
    check_model(tmp_path, [node("Transpose", "x", "y", perm=[1, 2, 0])], x)
    check_model(tmp_path, [node("Transpose", "x", "y")], x)
    check_model(tmp_path, [node("Flatten", "x", "y", axis=2)], x)
    check_model(tmp_path, [node("Flatten", "x", "y", axis=0)], x)
    both = [node("Unsqueeze", "x", "u", axes=[0, -1]), node("Squeeze", "u", "y")]
    check_model(tmp_path, both, x, opset=11)
    both = [node("Unsqueeze", "x axes", "u"), node("Squeeze", "u axes", "y")]
    check_model(tmp_path, both, x, {"axes": ints(0, 4)})
    check_model(tmp_path, [node("Expand", "x s", "y")], x, {"s": ints(2, 2, 1, 4)})
    check_model(tmp_path, [node("Tile", "x s", "y")], x, {"s": ints(1, 2, 3)})


def test_slices(tmp_path: Path) -> None:
    x = {"x": values(5, 6)}
    ends = {"s": ints(-1, 1), "e": ints(-100, 2**62), "a": ints(0, 1), "t": ints(-2, 2)}
    check_model(tmp_path, [node("Slice", "x s e a t", "y")], x, ends)
    check_model(tmp_path, [node("Slice", "x s e", "y")], x, {"s": ints(1), "e": ints(-1)})


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_split_and_concat(opset: int, tmp_path: Path) -> None:
    x = {"x": values(2, 6)}
    join = node("Concat", "c b a", "y", axis=-1)
    constants = {"s": ints(1, 2, 3)} if opset > 11 else {}
    if opset == 11:
        split = node("Split", "x", "a b c", axis=1, split=[1, 2, 3])
    else:
        split = node("Split", "x s", "a b c", axis=1)
    check_model(tmp_path, [split, join], x, constants, opset=opset)
    extra = {"num_outputs": 3} if opset == 18 else {}
    check_model(tmp_path, [node("Split", "x", "a b c", axis=1, **extra), join], x, opset=opset)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
def test_pad(mode: str, tmp_path: Path) -> None:
    x = {"x": values(3, 4)}
    constants = {"p": ints(1, 2, 0, 1), "v": np.array(7, dtype=np.float32)}
    check_model(tmp_path, [node("Pad", "x p v", "y", mode=mode)], x, constants)
    constants = {"p": ints(2, 1), "a": ints(-1)}
    check_model(tmp_path, [node("Pad", "x p - a", "y", mode=mode)], x, constants, opset=18)


def test_gather(tmp_path: Path) -> None:
    x = {"x": values(3, 5)}
    for index in (np.array(1), np.array([[0, 2], [-1, 4]]), np.array([4, 3, 2, 1])):
        check_model(
            tmp_path, [node("Gather", "x i", "y", axis=1)], x, {"i": index.astype(np.int64)}
        )


@pytest.mark.parametrize(
    "attributes",
    [
        {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        {"coordinate_transformation_mode": "half_pixel"},
        {"coordinate_transformation_mode": "align_corners"},
    ],
)
def test_resize(attributes: dict[str, Any], tmp_path: Path) -> None:
    x = {"x": values(1, 2, 4, 4)}
    scales = {"s": np.array([1, 1, 2, 3], dtype=np.float32)}
    check_model(tmp_path, [node("Resize", "x - s", "y", **attributes)], x, scales, opset=13)
    sizes = {"s": ints(1, 2, 2, 8)}
    check_model(tmp_path, [node("Resize", "x - - s", "y", **attributes)], x, sizes, opset=13)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_and_space(mode: str, tmp_path: Path) -> None:
    nodes = [node("DepthToSpace", "x", "y", blocksize=2, mode=mode)]
    check_model(tmp_path, nodes, {"x": values(1, 8, 2, 3)})
    check_model(tmp_path, [node("SpaceToDepth", "x", "y", blocksize=2)], {"x": values(1, 2, 4, 6)})


def test_shape_arithmetic_is_folded(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Unsqueeze", "n axes", "n1"),
        node("Constant", "", "rest", value_ints=[-1]),
        node("Concat", "n1 rest", "shape", axis=0),
        node("Reshape", "x shape", "flat"),
        node("ConstantOfShape", "shape2", "fill"),
        node("Add", "flat fill", "y"),
    ]
    constants = {"zero": np.array(0), "axes": ints(0), "shape2": ints(2, 12)}
    program = check_model(tmp_path, nodes, {"x": values(2, 3, 4)}, constants)
    assert len(program.nests) == 1
    assert [array.name for array in program.arrays] == ["x", "y"]


def test_dropout_is_nothing(tmp_path: Path) -> None:
    nodes = [node("Dropout", "x", "d"), node("Relu", "d", "y")]
    program = check_model(tmp_path, nodes, {"x": values(3, 4)})
    assert len(program.nests) == 1


def test_round_to_even(tmp_path: Path) -> None:
    halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, 3.0, -7.2], np.float32)
    check_model(tmp_path, [node("Round", "x", "y")], {"x": halves})


@pytest.mark.parametrize(
    ("kind", "shift"), [("Acosh", 1.0), ("Atanh", -0.9), ("Asin", -0.9), ("Acos", -0.9)]
)
def test_inverse_hyperbolic(kind: str, shift: float, tmp_path: Path) -> None:
    x = (np.abs(values(3, 4)) % 0.8 + shift).astype(np.float32)
    check_model(tmp_path, [node(kind, "x", "y")], {"x": x})


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("bij,bkj->bik", [(2, 3, 4), (2, 5, 4)]),
        ("ij,jk", [(3, 4), (4, 2)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (1, 4, 5)]),
        ("ii->i", [(4, 4)]),
        ("ij->", [(3, 4)]),
        ("i,j->ij", [(3,), (4,)]),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[int, ...]], tmp_path: Path) -> None:
    inputs = {f"x{at}": values(*shape) for at, shape in enumerate(shapes)}
    check_model(tmp_path, [node("Einsum", " ".join(inputs), "y", equation=equation)], inputs)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("shift", [-1, 0, 2, 9])
def test_triangle(upper: int, shift: int, tmp_path: Path) -> None:
    nodes = [node("Trilu", "x k", "y", upper=upper)]
    check_model(tmp_path, nodes, {"x": values(2, 3, 4)}, {"k": np.array(shift)})


def test_diagonal(tmp_path: Path) -> None:
    nodes = [node("EyeLike", "x", "e", k=1), node("Add", "x e", "y")]
    check_model(tmp_path, nodes, {"x": values(3, 4)})


@pytest.mark.parametrize("options", [{}, {"reverse": 1}, {"exclusive": 1}])
def test_running_sum(options: dict[str, int], tmp_path: Path) -> None:
    nodes = [node("CumSum", "x a", "y", **options)]
    check_model(tmp_path, nodes, {"x": values(2, 7, 3)}, {"a": np.array(1)})


def test_norm_pool(tmp_path: Path) -> None:
    nodes = [node("LpPool", "x", "y", kernel_shape=[2, 3], strides=[2, 1], p=2)]
    check_model(tmp_path, nodes, {"x": values(1, 2, 6, 5)})
