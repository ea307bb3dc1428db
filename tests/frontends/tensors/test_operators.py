from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.frontends.tensors import (
    gathering,
    normalisation,
    pooling,
    views,
)
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.contraction import gemm, matmul
from streamopt.frontends.tensors.convolution import convolution
from streamopt.frontends.tensors.elementwise import choose, compare, elementwise
from streamopt.frontends.tensors.normalisation import mean_over, reduced
from streamopt.frontends.tensors.pooling import Windows
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra import formulas
from streamopt.ir.expression import CompareOp, reads
from streamopt.ir.operators import Reduction
from streamopt.ir.program import ElementType, Role
from tests.support.runners.elements import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from streamopt.ir.program import Nest, Program

    Lowering = Callable[[ProgramBuilder, list[LazyTensor]], LazyTensor]

torch = pytest.importorskip("torch")
F: Any = torch.nn.functional
RNG = np.random.default_rng(7)


def values(*shape: int) -> NDArray[Any]:
    return RNG.standard_normal(shape)


def built(lowering: Lowering, *inputs: NDArray[Any], weights: int = 0) -> Program:
    builder = ProgramBuilder("p")
    given: list[LazyTensor] = []
    for at, array in enumerate(inputs):
        if at < len(inputs) - weights:
            given.append(builder.given(f"x{at}", array.shape, ElementType.DOUBLE, Role.INPUT))
        else:
            given.append(builder.constant(f"x{at}", array))
    with builder.scope("op"):
        builder.output(lowering(builder, given), "y")
    return builder.build()


def check_lowering(
    lowering: Lowering, expected: Any, *inputs: NDArray[Any], weights: int = 0
) -> Program:
    program = built(lowering, *inputs, weights=weights)
    outputs = run(program, {f"x{at}": array for at, array in enumerate(inputs)})
    np.testing.assert_allclose(outputs["y"].astype(float), np.asarray(expected), atol=1e-12)
    return program


def through_torch(function: Callable[[list[Any]], Any], *inputs: NDArray[Any]) -> NDArray[Any]:
    return function([torch.from_numpy(array) for array in inputs]).numpy()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (3, 4, 2)),
        ((4,), (4,)),
        ((4,), (2, 4, 3)),
        ((2, 3, 4), (4,)),
        ((1, 3, 1), (1, 2)),
    ],
)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = values(*left), values(*right)
    check_lowering(lambda b, t: matmul(b, *t), a @ b, a, b)


def test_linear_streams() -> None:
    x, w, b = values(1, 3, 4), values(5, 4), values(5)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        product = matmul(builder, t[0], views.transposed(t[1], (1, 0)))
        return elementwise(builder, ex.add, product, t[2])

    program = check_lowering(lowering, x @ w.T + b, x, w, b, weights=2)
    assert [nest.name for nest in program.nests] == ["op", "op_2"]
    assert str(program.nests[0].statements[0].target) == "op[0][i][j]"
    assert [loop.name for loop in program.nests[0].loops] == ["i", "j", "k"]
    assert {a.name for a in program.arrays} == {"x0", "x1", "x2", "op", "y"}
    assert set(program.values) == {"x1", "x2"}


def test_gemm() -> None:
    a, b, c = values(4, 3), values(5, 4), values(1, 5)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        flags = {"transpose_left": True, "transpose_right": True}
        return gemm(builder, *t, alpha=0.5, beta=2.0, **flags)

    check_lowering(lowering, 0.5 * a.T @ b.T + 2 * c, a, b, c)


@pytest.mark.parametrize(
    ("x", "w", "options"),
    [
        ((2, 3, 6, 7), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 0)}),
        ((1, 4, 6, 6), (4, 1, 3, 3), {"padding": 1, "groups": 4}),
        ((1, 4, 5, 5), (6, 2, 3, 3), {"groups": 2, "dilation": 2}),
        ((1, 2, 5, 5), (4, 1, 1, 1), {"groups": 2}),
        ((2, 3, 9), (2, 3, 3), {"stride": 2, "padding": 1}),
        ((1, 2, 3, 4, 4), (2, 2, 2, 2, 2), {"padding": 1}),
    ],
)
def test_convolution(x: tuple[int, ...], w: tuple[int, ...], options: dict[str, Any]) -> None:
    rank = len(x) - 2

    def each(key: str, default: int) -> tuple[int, ...]:
        number: Any = options.get(key, default)
        return (number,) * rank if isinstance(number, int) else number

    pads = each("padding", 0)
    windows = Windows.of(w[2:], each("stride", 1), each("dilation", 1), pads, pads)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        return convolution(builder, *t, windows=windows, groups=options.get("groups", 1))

    torch_function = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    arrays = values(*x), values(*w), values(w[0])
    expected = torch_function(*map(torch.from_numpy, arrays), **options).numpy()
    program = check_lowering(lowering, expected, *arrays, weights=2)
    names = [nest.name for nest in program.nests]
    assert names == (["op_pad"] if any(pads) else []) + ["op", "op_2"]


def test_max_pool() -> None:
    x = values(1, 2, 7, 7)
    windows = Windows.of((3, 2), (2, 2), (1, 2), (1, 0), (1, 0))
    expected = through_torch(lambda t: F.max_pool2d(t[0], (3, 2), 2, (1, 0), (1, 2)), x)
    check_lowering(lambda b, t: pooling.max_pool(b, t[0], windows), expected, x)


@pytest.mark.parametrize("counted", [False, True])
def test_average_pool(counted: bool) -> None:
    x = values(1, 2, 6, 6)
    windows = Windows.of((3, 3), (2, 2), (), (1, 1), (1, 1))
    expected = through_torch(lambda t: F.avg_pool2d(t[0], 3, 2, 1, count_include_pad=counted), x)
    check_lowering(
        lambda b, t: pooling.average_pool(b, t[0], windows, count_border=counted), expected, x
    )


def test_global_pools() -> None:
    x = values(2, 3, 4, 5)
    check_lowering(lambda b, t: mean_over(b, t[0], (2, 3)), x.mean(axis=(2, 3), keepdims=True), x)
    check_lowering(
        lambda b, t: reduced(b, t[0], (2, 3), Reduction.MAX), x.max(axis=(2, 3), keepdims=True), x
    )


def test_bias_and_relu_are_one_nest() -> None:
    square, b = values(4, 4), values(4)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        total = elementwise(builder, ex.add, matmul(builder, t[0], t[0]), t[1])
        return elementwise(builder, formulas.formula("relu(x)"), total)

    program = check_lowering(lowering, np.maximum(square @ square + b, 0), square, b)
    assert len(program.nests) == 2


def test_computed_operands_are_stored_where_they_repeat() -> None:
    x, row = values(3, 4), values(4)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        computed = elementwise(builder, ex.exponential, t[1])
        return elementwise(builder, ex.add, t[0], computed)

    program = check_lowering(lowering, x + np.exp(row), x, row)
    assert len(program.nests) == 2


def test_choose() -> None:
    x, y = values(3, 4), values(4)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        below = compare(builder, CompareOp.LT, *t)
        return choose(builder, below, t[0], splat(2.0, ElementType.DOUBLE))

    program = check_lowering(lowering, np.where(x < y, x, 2.0), x, y)
    assert len(program.nests) == 1


@pytest.mark.parametrize("axes", [(1,), (-1,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("reduction", "function"),
    [
        (Reduction.ADD, np.sum),
        (Reduction.MUL, np.prod),
        (Reduction.MAX, np.max),
        (Reduction.MIN, np.min),
    ],
)
def test_reductions(
    axes: tuple[int, ...], keepdims: bool, reduction: Reduction, function: Any
) -> None:
    x = values(2, 3, 4)
    expected = function(x, axis=axes, keepdims=keepdims)
    check_lowering(
        lambda b, t: normalisation.reduced(b, t[0], axes, reduction, keepdims=keepdims), expected, x
    )


def test_mean() -> None:
    x = values(2, 3, 4)
    check_lowering(
        lambda b, t: normalisation.mean_over(b, t[0], [0, 2], keepdims=False), x.mean((0, 2)), x
    )


@pytest.mark.parametrize("axes", [(1,), (-1,), (1, 2)])
def test_softmax(axes: tuple[int, ...]) -> None:
    x = values(2, 3, 4)
    power = np.exp(x - x.max(axes, keepdims=True))
    expected = power / power.sum(axes, keepdims=True)
    check_lowering(lambda b, t: normalisation.softmax(b, t[0], axes), expected, x)
    check_lowering(lambda b, t: normalisation.log_softmax(b, t[0], axes), np.log(expected), x)


def test_batch_norm_has_two_weights() -> None:
    x, (scale, bias, mean), var = values(2, 3, 4, 4), values(3, 3), np.abs(values(3)) + 0.5
    expected = through_torch(
        lambda t: F.batch_norm(t[0], t[3], t[4], t[1], t[2], eps=1e-3), x, scale, bias, mean, var
    )
    arrays = x, scale, bias, mean, var
    program = check_lowering(
        lambda b, t: normalisation.batch_norm(b, *t, epsilon=1e-3), expected, *arrays, weights=4
    )
    assert [a.name for a in program.arrays] == ["x0", "op_scale", "op_shift", "y"]
    assert len(program.nests) == 1


def test_layer_norm() -> None:
    x, scale, bias = values(2, 3, 4), values(4), values(4)
    expected = through_torch(lambda t: F.layer_norm(t[0], (4,), *t[1:], eps=1e-3), x, scale, bias)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        return normalisation.layer_norm(builder, t[0], [-1], t[1], t[2], 1e-3)[0]

    check_lowering(lowering, expected, x, scale, bias)


def test_group_and_rms_norm() -> None:
    x, scale, bias = values(2, 4, 3, 2), values(4), values(4)
    expected = through_torch(lambda t: F.group_norm(t[0], 2, *t[1:], eps=1e-3), x, scale, bias)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        return normalisation.group_norm(builder, t[0], 2, t[1], t[2], 1e-3)

    check_lowering(lowering, expected, x, scale, bias)
    root = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-3)
    check_lowering(lambda b, t: normalisation.rms_norm(b, t[0], [-1], None, 1e-3), x / root, x)


@pytest.mark.parametrize(
    "shape", [(6, 16), (2, 3, 4, 4), (96,), (6, 4, 4), (1, 6, 1, 16, 1), (3, 32), (4, 24)]
)
def test_reshape(shape: tuple[int, ...]) -> None:
    x = values(6, 16)
    check_lowering(lambda _, t: views.reshaped(t[0], shape), x.reshape(shape), x)
    check_lowering(lambda _, t: views.reshaped(views.reshaped(t[0], shape), (6, 16)), x, x)


def test_reshape_reads_simply() -> None:
    x = values(6, 16)
    program = built(lambda _, t: views.reshaped(t[0], (6, 4, 4)), x)
    assert str(program.nests[0].statements[0].value).count("FloorDiv") == 0
    program = built(lambda _, t: views.reshaped(views.reshaped(t[0], (6, 4, 4)), (6, 16)), x)
    (access,) = [r for n in program.nests for r in _reads(n)]
    assert access == "x0[i][j]"


def _reads(nest: Nest) -> list[str]:
    return [str(access) for access in reads(nest.statements[0].value)]


def test_views() -> None:
    x = values(3, 4, 5)
    check_lowering(lambda _, t: views.transposed(t[0], (2, 0, 1)), x.transpose(2, 0, 1), x)
    check_lowering(lambda _, t: views.sliced(t[0], 1, 3, None, -2), x[:, 3::-2], x)
    check_lowering(lambda _, t: views.sliced(t[0], 2, -4, 100, 3), x[:, :, -4:100:3], x)
    check_lowering(lambda _, t: views.flattened(views.transposed(t[0], (0, 2, 1))),
          x.transpose(0, 2, 1).reshape(3, 20), x)  # fmt: skip
    check_lowering(lambda _, t: views.squeezed(views.unsqueezed(t[0], [0, -1])), x, x)


def test_joining() -> None:
    x, y, z = values(2, 3), values(2, 1), values(2, 4)
    check_lowering(lambda b, t: views.concatenated(b, t, 1), np.concatenate([x, y, z], 1), x, y, z)
    wide = np.pad(x, ((1, 0), (0, 2)), constant_values=7.0)
    check_lowering(lambda b, t: views.padded(b, t[0], (1, 0), (0, 2), 7.0), wide, x)
    check_lowering(lambda b, t: views.padded(b, t[0], (1, -1), (0, 2), 7.0), wide[:, 1:], x)
    mirror = np.pad(x, ((1, 1), (2, 1)), mode="reflect")
    check_lowering(lambda b, t: views.mirrored(b, t[0], (1, 2), (1, 1)), mirror, x)
    edge = np.pad(x, ((2, 0), (2, 5)), mode="edge")
    check_lowering(lambda b, t: views.mirrored(b, t[0], (2, 2), (0, 5), edge=True), edge, x)
    check_lowering(
        lambda b, t: gathering.taken(b, t[0], 1, [2, 1, 0, 0, -1]), x[:, [2, 1, 0, 0, -1]], x
    )
    twice = [column // 2 for column in range(2 * x.shape[1])]
    check_lowering(lambda b, t: gathering.taken(b, t[0], 1, twice), x.repeat(2, 1), x)
    check_lowering(lambda b, t: views.tiled(b, t[0], (2, 3)), np.tile(x, (2, 3)), x)


def test_dead_nests_are_left_out_and_names_are_legal() -> None:
    builder = ProgramBuilder("p")
    x = builder.given("i", (3, 4), ElementType.FLOAT, Role.INPUT)
    builder.reserve("out__1")
    with builder.scope("for"):
        builder.store(elementwise(builder, ex.exponential, x))
        kept = builder.store(elementwise(builder, ex.logarithm, x))
    builder.output(kept, "out__1")
    program = builder.build()
    assert [nest.name for nest in program.nests] == ["for_2"]
    assert [array.name for array in program.arrays] == ["i", "out_1"]
    assert [loop.name for loop in program.nests[0].loops] == ["i_loop", "j"]


def test_deep_chains_are_cut() -> None:
    builder = ProgramBuilder("p")
    start = builder.given("x", (2,), ElementType.DOUBLE, Role.INPUT)
    tensor = start
    for _ in range(500):
        tensor = builder.bounded(elementwise(builder, ex.multiply, tensor, start))
        tensor = builder.bounded(views.transposed(tensor, (0,)))
    builder.output(tensor, "y")
    outputs = run(builder.build(), {"x": np.array([1.0, -1.0])})
    assert outputs["y"].tolist() == [1.0, -1.0]


REFUSED: list[Lowering] = [
    lambda b, t: matmul(b, t[0], t[0]),
    lambda b, t: views.reshaped(t[0], (7,)),
    lambda b, t: views.sliced(t[0], 0, 2, 1, 1),
    lambda b, t: gathering.taken(b, t[0], 0, [9]),
    lambda b, t: pooling.max_pool(b, t[0], Windows.of((2,))),
    lambda b, t: elementwise(b, ex.add, t[0], views.transposed(t[0], (1, 0))),
    lambda b, t: normalisation.reduced(b, t[0], [2], Reduction.ADD),
    lambda b, t: b.given("z", (0,), ElementType.FLOAT, Role.INPUT),
]


@pytest.mark.parametrize("lowering", REFUSED)
def test_what_does_not_fit_is_refused(lowering: Lowering) -> None:
    with pytest.raises(LoweringError) as caught:
        built(lowering, values(3, 4))
    assert caught.value.message


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu(x)": F.relu,
    "elu(x, 1)": F.elu,
    "celu(x, 2)": lambda x: F.celu(x, 2.0),
    "leaky_relu(x, 0.01)": F.leaky_relu,
    "sigmoid(x)": torch.sigmoid,
    "silu(x, 1)": F.silu,
    "mish(x)": F.mish,
    "hard_sigmoid(x, 0.16666666666666666, 0.5)": F.hardsigmoid,
    "hard_swish(x)": F.hardswish,
    "softplus(x)": F.softplus,
    "softsign(x)": F.softsign,
    "sign(x)": torch.sign,
    "gelu(x)": F.gelu,
    "tanh_gelu(x)": lambda x: F.gelu(x, approximate="tanh"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    x = values(3, 4) * 3
    expected = through_torch(lambda t: ACTIVATIONS[name](t[0]), x)
    check_lowering(lambda b, t: elementwise(b, formulas.formula(name), *t), expected, x)


def test_weights_are_folded_once() -> None:
    x, w, scale = values(2, 3), values(3, 4), values(4)

    def lowering(builder: ProgramBuilder, t: list[LazyTensor]) -> LazyTensor:
        return matmul(builder, t[0], elementwise(builder, ex.multiply, t[1], t[2]))

    program = check_lowering(lowering, x @ (w * scale), x, w, scale, weights=2)
    assert len(program.nests) == 1
    assert [array.name for array in program.arrays] == ["x0", "op", "y"]
