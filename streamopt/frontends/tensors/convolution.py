"""Convolutions over one to three dimensions; channels are the second dimension.

A transposed convolution is a convolution whose kernel depends on the phase of the stride: element
``s*q + r`` of the result is a convolution of the input at ``q`` with every ``s``-th element of the
kernel, from ``r`` on. So no zero is put between the input's elements or multiplied.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.pooling import Windows, bordered, spatial_names
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import padded, reshaped, strided, transposed, unsqueezed
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.divisions import floor_divided, remainder
from streamopt.ir.expression import Expression
from streamopt.ir.operators import Reduction


def convolution(
    builder: ProgramBuilder,
    x: LazyTensor,
    weight: LazyTensor,
    bias: LazyTensor | None = None,
    *,
    windows: Windows,
    groups: int = 1,
) -> LazyTensor:
    """Return the convolution of ``x`` (n, channels, ...) with a weight (m, channels/groups, ...).

    Loops are ``n, m, h, w`` and inside ``c, kh, kw``; a border of zeros is stored first, so that
    the array with it streams.

    Raises
    ------
    LoweringError
        If shapes and groups don't fit.
    """
    names = spatial_names(x.rank - 2)
    _check(x, weight, groups)
    outputs, depth = weight.shape[0], weight.shape[1]
    per_group = outputs // groups
    sizes = windows.counts(x.shape[2:])
    source, kernel = bordered(builder, x, windows), builder.settled(weight)
    rank = len(names)

    def term(point: ElementPoint) -> Expression:
        n, m = point.indices[:2]
        outer, (c, *inner) = point.indices[2 : 2 + rank], point.indices[2 + rank :]
        group = floor_divided(m, per_group, point.trip_counts) if groups > 1 else None
        channel = c if group is None else group.scaled(depth) + c
        return ex.multiply(
            source.at(point.to([n, channel, *windows.indices(outer, inner)])),
            kernel.at(point.to([m, c, *inner])),
        )

    result = builder.reduce(
        [("n", x.shape[0]), ("m", outputs), *zip(names, sizes, strict=True)],
        [("c", depth), *((f"k{s}", k) for s, k in zip(names, windows.kernel, strict=True))],
        Reduction.ADD,
        term,
        element=x.element,
    )
    if bias is None:
        return result
    return elementwise(builder, ex.add, result, reshaped(bias, (outputs, *[1] * rank)))


def _check(x: LazyTensor, weight: LazyTensor, groups: int) -> None:
    if weight.rank != x.rank:
        message = f"a weight of {weight.rank} dimensions doesn't fit an input of {x.rank}"
        raise LoweringError(message)
    if groups < 1 or weight.shape[0] % groups or weight.shape[1] * groups != x.shape[1]:
        message = f"{groups} groups of {weight.shape[1]} channels, {weight.shape[0]} outputs: "
        raise LoweringError(f"{message}the input has {x.shape[1]} channels")


@dataclass(frozen=True, slots=True)
class Phases:
    """One dimension of a transposed convolution."""

    stride: int
    taps: int
    """Elements of the kernel that each phase has; zeros fill up what is missing."""
    # before, after: zeros to add around the input; negative ones are elements to take away
    before: int
    after: int
    # start, count: the part of the interleaved phases that is the result
    start: int
    count: int

    @property
    def span(self) -> int:
        """Return the extent of the kernel with the zeros that fill it up."""
        return self.taps * self.stride


def phases(extent: int, span: int, stride: int, cut: int, count: int) -> Phases:
    """Return the phases of one dimension.

    Parameters
    ----------
    extent
        Of the input.
    span
        Of the kernel with its dilation.
    cut
        Elements that are left out in front of the result.
    count
        Elements of the result.

    Raises
    ------
    LoweringError
        If numbers make no sense.
    """
    if stride < 1 or span < 1 or count < 1 or cut < 0:
        message = (
            f"a kernel of {span} with stride {stride} and padding {cut} gives {count} elements"
        )
        raise LoweringError(message)
    taps = -(-span // stride)
    first, last = cut // stride, (cut + count - 1) // stride
    return Phases(stride, taps, taps - 1 - first, last - (extent - 1), cut - first * stride, count)


def transposed_convolution(
    builder: ProgramBuilder,
    x: LazyTensor,
    weight: LazyTensor,
    bias: LazyTensor | None,
    dimensions: Sequence[Phases],
    dilations: Sequence[int],
    groups: int,
) -> LazyTensor:
    """Return the transposed convolution of ``x`` with a weight (channels, m/groups, ...).

    Raises
    ------
    LoweringError
        If shapes and groups don't fit.
    """
    rank = len(dimensions)
    if weight.rank != x.rank or groups < 1 or weight.shape[0] % groups:
        message = f"a weight of shape {list(weight.shape)} in {groups} groups "
        raise LoweringError(f"{message}doesn't fit an input of {list(x.shape)}")
    depth, per_group = weight.shape[0] // groups, weight.shape[1]
    kernel = builder.settled(_kernel(builder, weight, dimensions, dilations, groups))
    wide = padded(
        builder,
        x,
        (0, 0, *(each.before for each in dimensions)),
        (0, 0, *(each.after for each in dimensions)),
    )
    if wide.operations:
        wide = builder.store(wide, f"{builder.label}_pad")
    source = builder.settled(wide)

    def term(point: ElementPoint) -> Expression:
        trips = point.trip_counts
        (n, m, *outer), (c, *inner) = point.indices[: 2 + rank], point.indices[2 + rank :]
        channel, phase, places = c, m, list[Affine]()
        if groups > 1:
            channel = floor_divided(m, per_group, trips).scaled(depth) + c
        for each, place, tap in zip(dimensions, outer, inner, strict=True):
            at = place + Affine.of(each.start)
            phase = phase.scaled(each.stride) + remainder(at, each.stride, trips)
            places.append(floor_divided(at, each.stride, trips) + tap)
        return ex.multiply(
            source.at(point.to([n, channel, *places])), kernel.at(point.to([phase, c, *inner]))
        )

    names = spatial_names(rank)
    result = builder.reduce(
        [
            ("n", x.shape[0]),
            ("m", groups * per_group),
            *((name, each.count) for name, each in zip(names, dimensions, strict=True)),
        ],
        [("c", depth), *((f"k{s}", each.taps) for s, each in zip(names, dimensions, strict=True))],
        Reduction.ADD,
        term,
        element=x.element,
    )
    if bias is None:
        return result
    each_bias = reshaped(bias, (groups * per_group, *[1] * rank))
    return elementwise(builder, ex.add, result, each_bias)


def _kernel(
    builder: ProgramBuilder,
    weight: LazyTensor,
    dimensions: Sequence[Phases],
    dilations: Sequence[int],
    groups: int,
) -> LazyTensor:
    """Return the weight of the convolution, with a channel for each phase."""
    rank = len(dimensions)
    for at, dilation in enumerate(dilations):
        weight = _dilated(builder, weight, 2 + at, dilation)
    missing = [each.span - weight.shape[2 + at] for at, each in enumerate(dimensions)]
    weight = padded(builder, weight, (0,) * (2 + rank), (0, 0, *missing))
    channels, each_outputs = weight.shape[0] // groups, weight.shape[1]
    split = [number for each in dimensions for number in (each.taps, each.stride)]
    parts = reshaped(weight, (groups, channels, each_outputs, *split))
    taps, strides = range(3, 3 + 2 * rank, 2), range(4, 4 + 2 * rank, 2)
    parts = transposed(parts, (0, 2, *strides, 1, *taps))
    for at, each in enumerate(dimensions):
        parts = strided(parts, 3 + rank + at, each.taps - 1, -1, each.taps)
    total = groups * each_outputs * prod(each.stride for each in dimensions)
    shape = (total, channels, *(each.taps for each in dimensions))
    return builder.store(reshaped(parts, shape), f"{builder.label}_phases")


def _dilated(builder: ProgramBuilder, weight: LazyTensor, axis: int, dilation: int) -> LazyTensor:
    """Return a weight with zeros between its elements along an axis."""
    if dilation == 1:
        return weight
    extent = weight.shape[axis]
    apart = unsqueezed(weight, [axis + 1])
    before = [0] * apart.rank
    after = [dilation - 1 if at == axis + 1 else 0 for at in range(apart.rank)]
    apart = padded(builder, apart, before, after)
    shape = (*weight.shape[:axis], extent * dilation, *weight.shape[axis + 1 :])
    return strided(reshaped(apart, shape), axis, 0, 1, (extent - 1) * dilation + 1)
