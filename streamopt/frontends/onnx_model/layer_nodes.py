"""Layers of neural networks: products, convolutions, pooling, reductions, normalisation."""

from collections.abc import Callable, Sequence
from functools import partial

from streamopt.frontends.onnx_model.context import Context, Lowering, Lowerings
from streamopt.frontends.tensors import normalisation, pooling
from streamopt.frontends.tensors.contraction import einsum, gemm, matmul
from streamopt.frontends.tensors.convolution import convolution, phases, transposed_convolution
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.normalisation import mean_over, normalized_axes, reduced
from streamopt.frontends.tensors.pooling import Windows
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.formulas import formula
from streamopt.ir.expression import Expression, Function
from streamopt.ir.operators import Reduction


def _gemm(node: Context) -> LazyTensor:
    return gemm(
        node.builder,
        node.tensor(0),
        node.tensor(1),
        node.optional(2),
        alpha=node.option("alpha", 1.0),
        beta=node.option("beta", 1.0),
        transpose_left=bool(node.option("transA", 0)),
        transpose_right=bool(node.option("transB", 0)),
    )


def _convolution(node: Context) -> LazyTensor:
    x, weight = node.tensor(0), node.tensor(1)
    kernel = weight.shape[2:]
    declared = node.numbers("kernel_shape")
    if declared is not None and declared != kernel:
        raise LoweringError(f"kernel_shape {list(declared)} but a weight of {list(weight.shape)}")
    windows = _windows(node, x.shape[2:], kernel)
    groups = node.option("group", 1)
    return convolution(node.builder, x, weight, node.optional(2), windows=windows, groups=groups)


def _transposed_convolution(node: Context) -> LazyTensor:
    x, weight = node.tensor(0), node.tensor(1)
    rank = x.rank - 2
    if weight.rank != x.rank or rank < 1:
        message = f"a weight of shape {list(weight.shape)} for an input of {list(x.shape)}"
        raise LoweringError(message)
    dilations = node.numbers("dilations") or (1,) * rank
    strides = node.numbers("strides") or (1,) * rank
    cuts, counts = _transposed_sizes(node, x.shape[2:], weight.shape[2:], strides, dilations)
    dimensions = [
        phases(extent, dilation * (kernel - 1) + 1, stride, cut, count)
        for extent, dilation, kernel, stride, cut, count in zip(
            x.shape[2:], dilations, weight.shape[2:], strides, cuts, counts, strict=True
        )
    ]
    groups = node.option("group", 1)
    bias = node.optional(2)
    return transposed_convolution(node.builder, x, weight, bias, dimensions, dilations, groups)


def _transposed_sizes(
    node: Context,
    extents: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[list[int], list[int]]:
    """Return for each dimension what is cut off in front of the result, and its extent."""
    rank = len(extents)
    pads = node.numbers("pads") or (0,) * (2 * rank)
    extra = node.numbers("output_padding") or (0,) * rank
    wanted = node.numbers("output_shape")
    mode = node.option("auto_pad", "NOTSET")
    if any(len(part) != rank for part in (strides, dilations, extra, pads[rank:])):
        raise LoweringError(f"strides, dilations and pads are not all for {rank} dimensions")
    if wanted is None and mode.startswith("SAME"):
        wanted = tuple(n * stride for n, stride in zip(extents, strides, strict=True))
    cuts: list[int] = []
    counts: list[int] = []
    for at, extent in enumerate(extents):
        span = dilations[at] * (kernel[at] - 1) + 1
        whole = strides[at] * (extent - 1) + extra[at] + span
        if wanted is None:
            before, after = (0, 0) if mode == "VALID" else (pads[at], pads[rank + at])
            cuts.append(before)
            counts.append(whole - before - after)
        else:
            total = max(0, whole - wanted[-rank:][at])
            cuts.append(total // 2 if mode == "SAME_UPPER" else total - total // 2)
            counts.append(wanted[-rank:][at])
    return cuts, counts


def _windows(node: Context, extents: Sequence[int], kernel: Sequence[int]) -> Windows:
    rank = len(kernel)
    if rank != len(extents):
        raise LoweringError(f"a kernel of {rank} dimensions for {len(extents)}")
    strides, dilations = node.numbers("strides") or (), node.numbers("dilations") or ()
    pads = node.numbers("pads") or (0,) * (2 * rank)
    if len(pads) != 2 * rank:
        raise LoweringError(f"{len(pads)} pads for {rank} dimensions")
    plain = Windows.of(kernel, strides, dilations, pads[:rank], pads[rank:])
    match node.option("auto_pad", "NOTSET"):
        case "NOTSET" | "":
            windows = plain
        case "VALID":
            windows = Windows.of(kernel, strides, dilations)
        case "SAME_UPPER" | "SAME_LOWER" as mode:
            windows = _same(plain, extents, is_lower=mode == "SAME_LOWER")
        case other:
            raise LoweringError(f"auto_pad {other} is not supported")
    return _rounded_up(windows, extents) if node.option("ceil_mode", 0) else windows


def _same(windows: Windows, extents: Sequence[int], *, is_lower: bool) -> Windows:
    """Return the windows with the border that gives ``ceil(extent / stride)`` results."""
    borders: list[int] = []
    for at, extent in enumerate(extents):
        stride = windows.strides[at]
        span = windows.dilations[at] * (windows.kernel[at] - 1) + 1
        borders.append(max(0, (-(-extent // stride) - 1) * stride + span - extent))
    halves = [n // 2 for n in borders], [n - n // 2 for n in borders]
    low, high = halves[::-1] if is_lower else halves
    return Windows.of(windows.kernel, windows.strides, windows.dilations, low, high)


def _rounded_up(windows: Windows, extents: Sequence[int]) -> Windows:
    """Return the windows with as much border behind as the last, incomplete ones need.

    A window that would begin behind the tensor is left out.
    """
    after: list[int] = []
    for at, extent in enumerate(extents):
        stride, front = windows.strides[at], windows.before[at]
        span = windows.dilations[at] * (windows.kernel[at] - 1) + 1
        steps = -(-max(0, extent + front + windows.after[at] - span) // stride)
        if steps * stride >= extent + front:
            steps -= 1
        after.append(max(windows.after[at], steps * stride + span - extent - front))
    return Windows.of(windows.kernel, windows.strides, windows.dilations, windows.before, after)


def _pooled(node: Context) -> tuple[LazyTensor, Windows]:
    """Return the input and its windows; without an extent given, one window is all of it."""
    x = node.tensor()
    return x, _windows(node, x.shape[2:], node.numbers("kernel_shape") or x.shape[2:])


def _max_pool(node: Context) -> LazyTensor:
    if any(node.operator.outputs[1:]):
        raise LoweringError(f"only the first output of {node.operator.kind} is supported")
    return pooling.max_pool(node.builder, *_pooled(node))


def _average_pool(node: Context) -> LazyTensor:
    counted = bool(node.option("count_include_pad", 0))
    x, windows = _pooled(node)
    if counted and node.option("ceil_mode", 0) and windows.has_border:
        raise LoweringError("ceil_mode together with count_include_pad is not supported")
    return pooling.average_pool(node.builder, x, windows, count_border=counted)


def _norm_pool(node: Context) -> LazyTensor:
    order = node.option("p", 2)
    if order < 1:
        raise LoweringError(f"a pool by the norm of order {order} is not supported")
    return pooling.norm_pool(node.builder, *_pooled(node), order)


def _global(over: Callable[..., LazyTensor]) -> Lowering:
    return lambda node: over(node.builder, node.tensor(), pooling.spatial_axes(node.tensor()))


def _batch_norm(node: Context) -> LazyTensor:
    if node.option("training_mode", 0) or any(node.operator.outputs[1:]):
        raise LoweringError("batch normalization in training mode", "export the model in eval mode")
    x, scale, bias, mean, variance = (node.tensor(at) for at in range(5))
    epsilon = node.option("epsilon", 1e-5)
    return normalisation.batch_norm(node.builder, x, scale, bias, mean, variance, epsilon)


def _group_norm(node: Context, groups: int) -> LazyTensor:
    x, scale, bias = (node.tensor(at) for at in range(3))
    epsilon = node.option("epsilon", 1e-5)
    return normalisation.group_norm(node.builder, x, groups, scale, bias, epsilon)


def _layer_norm(node: Context) -> LazyTensor | tuple[LazyTensor, ...]:
    x = node.tensor()
    axes = range(node.axis("axis", -1, x.rank), x.rank)
    epsilon, scale = node.option("epsilon", 1e-5), node.optional(1)
    if node.operator.kind == "RMSNormalization":
        return normalisation.rms_norm(node.builder, x, axes, scale, epsilon)
    made = normalisation.layer_norm(node.builder, x, axes, scale, node.optional(2), epsilon)
    return made[: max(1, len(node.operator.outputs))]


def _local_response_norm(node: Context) -> LazyTensor:
    alpha, beta, bias = (
        node.option(name, value) for name, value in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    )
    size = node.option("size", 1)
    return normalisation.local_response_norm(node.builder, node.tensor(), size, alpha, beta, bias)


def _norm(node: Context) -> LazyTensor:
    """Return vectors along an axis divided by their length."""
    builder, x = node.builder, node.builder.settled(node.tensor())
    axis, order = node.axis("axis", -1, x.rank), node.option("p", 2)
    if order not in (1, 2):
        raise LoweringError(f"a norm of order {order} is not supported")
    function = ex.square if order == 2 else partial(ex.call, Function.ABS)
    length = reduced(builder, x, [axis], Reduction.ADD, function=function)
    if order == 2:
        length = elementwise(builder, partial(ex.call, Function.SQRT), length)
    return elementwise(builder, formula("0 if alpha == 0 else x / alpha"), x, length)


def _softmax(node: Context) -> LazyTensor:
    x = node.tensor()
    axis = node.axis("axis", -1 if node.opset >= 13 else 1, x.rank)
    last = axis + 1 if node.opset >= 13 else x.rank
    is_log = node.operator.kind == "LogSoftmax"
    function = normalisation.log_softmax if is_log else normalisation.softmax
    return function(node.builder, x, range(axis, last))


def _axes(node: Context, rank: int) -> tuple[int, ...]:
    given = node.axes()
    if given:
        return normalized_axes(given, rank)
    return () if node.option("noop_with_empty_axes", 0) else tuple(range(rank))


def _reduction(
    over: Callable[..., LazyTensor],
    before: Callable[[Expression], Expression] | None = None,
    after: Callable[[Expression], Expression] | None = None,
) -> Lowering:
    """Return the lowering of a reduction, with functions of its elements and of its result."""

    def lowering(node: Context) -> LazyTensor:
        x, keepdims = node.tensor(), bool(node.option("keepdims", 1))
        result = over(node.builder, x, _axes(node, x.rank), keepdims=keepdims, function=before)
        return result if after is None else elementwise(node.builder, after, result)

    return lowering


def _log_sum_exp(node: Context) -> LazyTensor:
    """Return ``max + log(sum(exp(x - max)))``."""
    builder = node.builder
    x = builder.settled(node.tensor())
    axes = _axes(node, x.rank)
    largest = reduced(builder, x, axes, Reduction.MAX, name=f"{builder.label}_max")
    below = elementwise(builder, ex.subtract, x, largest)
    exponentials = partial(_sum, function=ex.exponential, name=f"{builder.label}_sum")
    total = exponentials(builder, below, axes, keepdims=bool(node.option("keepdims", 1)))
    return elementwise(builder, formula("x + log(alpha)"), reshaped(largest, total.shape), total)


_sum = partial(reduced, reduction=Reduction.ADD)


LOWERINGS: Lowerings = {
    "Gemm": _gemm,
    "MatMul": lambda node: matmul(node.builder, node.tensor(0), node.tensor(1)),
    "Einsum": lambda node: einsum(node.builder, node.option("equation", ""), node.tensors()),
    "Conv": _convolution,
    "ConvTranspose": _transposed_convolution,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "LpPool": _norm_pool,
    "GlobalLpPool": _norm_pool,
    "GlobalAveragePool": _global(mean_over),
    "GlobalMaxPool": _global(partial(reduced, reduction=Reduction.MAX)),
    "BatchNormalization": _batch_norm,
    "InstanceNormalization": lambda node: _group_norm(
        node, node.tensor().shape[1] if node.tensor().rank > 2 else 0
    ),
    "GroupNormalization": lambda node: _group_norm(node, node.option("num_groups", 1)),
    "LayerNormalization": _layer_norm,
    "RMSNormalization": _layer_norm,
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "LRN": _local_response_norm,
    "LpNormalization": _norm,
    "ReduceSum": _reduction(_sum),
    "ReduceProd": _reduction(partial(reduced, reduction=Reduction.MUL)),
    "ReduceMax": _reduction(partial(reduced, reduction=Reduction.MAX)),
    "ReduceMin": _reduction(partial(reduced, reduction=Reduction.MIN)),
    "ReduceMean": _reduction(mean_over),
    "ReduceSumSquare": _reduction(_sum, ex.square),
    "ReduceL1": _reduction(_sum, partial(ex.call, Function.ABS)),
    "ReduceL2": _reduction(_sum, ex.square, partial(ex.call, Function.SQRT)),
    "ReduceLogSum": _reduction(_sum, after=ex.logarithm),
    "ReduceLogSumExp": _log_sum_exp,
}
