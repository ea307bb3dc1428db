"""Reductions over dimensions, normalisation by statistics given or computed, and softmax."""

from collections.abc import Callable, Sequence
from math import prod

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, iterator_names, splat
from streamopt.frontends.tensors.views import padded, reshaped
from streamopt.ir.algebra import composing as ex
from streamopt.ir.arithmetic import negated
from streamopt.ir.expression import Expression, Function, Literal
from streamopt.ir.operators import Reduction


def _channels(tensor: LazyTensor, rank: int) -> LazyTensor:
    """Return one number per channel such that it broadcasts over (n, c, ...)."""
    return reshaped(tensor, (tensor.size_elems, *[1] * (rank - 2)))


def _scaled(
    builder: ProgramBuilder, x: LazyTensor, scale: LazyTensor | None, bias: LazyTensor | None
) -> LazyTensor:
    """Return ``x * scale + bias``, without those that are left out."""
    if scale is not None:
        x = elementwise(builder, ex.multiply, x, scale)
    return x if bias is None else elementwise(builder, ex.add, x, bias)


def _inverse_root(builder: ProgramBuilder, variance: LazyTensor, epsilon: float) -> LazyTensor:
    def function(v: Expression) -> Expression:
        return ex.reciprocal(ex.call(Function.SQRT, ex.add(v, Literal(epsilon))))

    return elementwise(builder, function, variance)


def batch_norm(
    builder: ProgramBuilder,
    x: LazyTensor,
    scale: LazyTensor | None,
    bias: LazyTensor | None,
    mean: LazyTensor,
    variance: LazyTensor,
    epsilon: float,
) -> LazyTensor:
    """Return ``(x - mean) / sqrt(variance + epsilon) * scale + bias``, each per channel.

    With constant statistics that is one product and one sum with weights computed here.
    """
    factor = _scaled(builder, _inverse_root(builder, variance, epsilon), scale, None)
    factor = builder.store(factor, f"{builder.label}_scale")
    moved = elementwise(builder, negated, elementwise(builder, ex.multiply, mean, factor))
    shift = _scaled(builder, moved, None, bias)
    shift = builder.store(shift, f"{builder.label}_shift")
    return _scaled(builder, x, _channels(factor, x.rank), _channels(shift, x.rank))


def _standardized(
    builder: ProgramBuilder, x: LazyTensor, axes: Sequence[int], epsilon: float
) -> tuple[LazyTensor, LazyTensor, LazyTensor]:
    """Return ``x`` less its mean over the axes, divided by the standard deviation; and these."""
    label = builder.label
    x = builder.settled(x)
    mean = builder.store(mean_over(builder, x, axes, name=f"{label}_sum"), f"{label}_mean")
    centred = builder.store(elementwise(builder, ex.subtract, x, mean), f"{label}_centred")
    variance = mean_over(builder, centred, axes, function=ex.square, name=f"{label}_squares")
    inverse = builder.store(_inverse_root(builder, variance, epsilon), f"{label}_inverse")
    return elementwise(builder, ex.multiply, centred, inverse), mean, inverse


def layer_norm(
    builder: ProgramBuilder,
    x: LazyTensor,
    axes: Sequence[int],
    scale: LazyTensor | None,
    bias: LazyTensor | None,
    epsilon: float,
) -> tuple[LazyTensor, LazyTensor, LazyTensor]:
    """Return ``x`` standardised over the axes, times a scale, plus a bias.

    With it come the mean, and 1 over the standard deviation.
    """
    made, mean, inverse = _standardized(builder, x, axes, epsilon)
    return _scaled(builder, made, scale, bias), mean, inverse


def rms_norm(
    builder: ProgramBuilder,
    x: LazyTensor,
    axes: Sequence[int],
    scale: LazyTensor | None,
    epsilon: float,
) -> LazyTensor:
    """Return ``x`` divided by its root mean square over the axes, times a scale."""
    x = builder.settled(x)
    mean = mean_over(builder, x, axes, function=ex.square, name=f"{builder.label}_squares")
    inverse = builder.store(_inverse_root(builder, mean, epsilon), f"{builder.label}_inverse")
    return _scaled(builder, elementwise(builder, ex.multiply, x, inverse), scale, None)


def group_norm(
    builder: ProgramBuilder,
    x: LazyTensor,
    groups: int,
    scale: LazyTensor | None,
    bias: LazyTensor | None,
    epsilon: float,
) -> LazyTensor:
    """Return ``x`` (n, c, ...) standardised over groups of channels; one a channel is instances."""
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise LoweringError(f"{channels} channels don't make {groups} groups")
    inner = (x.shape[0], groups, channels // groups, *x.shape[2:])
    grouped = reshaped(builder.settled(x), inner)
    result = _standardized(builder, grouped, range(2, len(inner)), epsilon)[0]
    scale, bias = (None if t is None else _channels(t, x.rank) for t in (scale, bias))
    return _scaled(builder, reshaped(result, x.shape), scale, bias)


def local_response_norm(
    builder: ProgramBuilder, x: LazyTensor, size: int, alpha: float, beta: float, bias: float
) -> LazyTensor:
    """Return ``x`` divided by a power of the squares of neighbouring channels.

    Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.
    """
    x = builder.settled(x)
    if x.rank < 2 or not 1 <= size <= 2 * x.shape[1] + 1:
        raise LoweringError(f"a response over {size} channels of shape {list(x.shape)}")
    low, high = [0] * x.rank, [0] * x.rank
    low[1], high[1] = (size - 1) // 2, size // 2
    wide = builder.store(padded(builder, x, low, high), f"{builder.label}_pad")
    names = iterator_names(x.axes, x.rank)

    def term(point: ElementPoint) -> Expression:
        *place, at = point.indices
        place[1] = place[1] + at
        return ex.square(wide.at(point.to(place)))

    outer = list(zip(names, x.shape, strict=True))
    total = builder.reduce(
        outer,
        [("s", size)],
        Reduction.ADD,
        term,
        element=x.element,
        name=f"{builder.label}_squares",
    )

    def scaled(value: Expression, squares: Expression) -> Expression:
        response = ex.add(ex.multiply(Literal(alpha / size), squares), Literal(bias))
        return ex.divide(value, ex.call(Function.POW, response, Literal(beta)))

    return elementwise(builder, scaled, x, total)


def softmax(builder: ProgramBuilder, x: LazyTensor, axes: Sequence[int]) -> LazyTensor:
    """Return ``exp(x - max) / sum(exp(x - max))`` over the axes."""
    label = builder.label
    x = builder.settled(x)
    largest = reduced(builder, x, axes, Reduction.MAX, name=f"{label}_max")
    below = elementwise(builder, ex.subtract, x, largest)
    powers = builder.store(elementwise(builder, ex.exponential, below), f"{label}_exp")
    total = reduced(builder, powers, axes, Reduction.ADD, name=f"{label}_sum")
    return elementwise(builder, ex.divide, powers, total)


def log_softmax(builder: ProgramBuilder, x: LazyTensor, axes: Sequence[int]) -> LazyTensor:
    """Return ``x - max - log(sum(exp(x - max)))`` over the axes."""
    label = builder.label
    x = builder.settled(x)
    largest = reduced(builder, x, axes, Reduction.MAX, name=f"{label}_max")
    below = builder.store(elementwise(builder, ex.subtract, x, largest), f"{label}_below")
    powers = elementwise(builder, ex.exponential, below)
    total = reduced(builder, powers, axes, Reduction.ADD, name=f"{label}_sum")
    logarithm = builder.store(elementwise(builder, ex.logarithm, total), f"{label}_log")
    return elementwise(builder, ex.subtract, below, logarithm)


def normalized_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front, in order; raises LoweringError for unknown ones."""
    if any(not -rank <= axis < rank for axis in axes):
        raise LoweringError(f"axes {list(axes)} are not all among {rank} dimensions")
    found = sorted({axis % rank for axis in axes})
    if len(found) != len(axes):
        raise LoweringError(f"axes {list(axes)} name a dimension twice")
    return tuple(found)


def reduced(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    axes: Sequence[int],
    reduction: Reduction,
    *,
    keepdims: bool = True,
    function: Callable[[Expression], Expression] | None = None,
    name: str = "",
) -> LazyTensor:
    """Return the reduction over some dimensions, as an array.

    The tensor is computed inside the nest: settle it if it is read elsewhere too.

    Parameters
    ----------
    function
        Of each element before it is reduced, for instance its square.
    """
    over = normalized_axes(axes, tensor.rank)
    if not over:
        return elementwise(builder, function, tensor) if function is not None else tensor
    loops = list(zip(iterator_names(tensor.axes, tensor.rank), tensor.shape, strict=True))
    order = [at for at in range(tensor.rank) if at not in over] + list(over)
    places = [order.index(at) for at in range(tensor.rank)]
    source = builder.settled(tensor) if tensor.is_truth else tensor

    def term(point: ElementPoint) -> Expression:
        element = source.at(point.pick(*places))
        return element if function is None else function(element)

    result = builder.reduce(
        [loop for at, loop in enumerate(loops) if at not in over],
        [loops[at] for at in over],
        reduction,
        term,
        element=tensor.element,
        name=name,
    )
    if not keepdims:
        return result
    return reshaped(result, [1 if at in over else n for at, n in enumerate(tensor.shape)])


def mean_over(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    axes: Sequence[int],
    *,
    keepdims: bool = True,
    function: Callable[[Expression], Expression] | None = None,
    name: str = "",
) -> LazyTensor:
    """Return the mean over some dimensions: a sum, divided at every read."""
    over = normalized_axes(axes, tensor.rank)
    total = reduced(
        builder, tensor, over, Reduction.ADD, keepdims=keepdims, function=function, name=name
    )
    count = prod(tensor.shape[axis] for axis in over)
    return elementwise(builder, ex.divide, total, splat(count, tensor.element))
