"""Convolutions over one to three dimensions; channels are the second dimension.

A transposed convolution is a convolution whose kernel depends on the phase of the stride: element
``s*q + r`` of the result is a convolution of the input at ``q`` with every ``s``-th element of the
kernel, from ``r`` on. So no zero is put between the input's elements or multiplied.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.pooling import Windows, bordered, spatial_names
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import padded, reshaped, strided, unsqueezed
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.divisions import floor_divided, remainder
from streamopt.ir.expression import Expression
from streamopt.ir.operators import Reduction

Placed: TypeAlias = tuple[Sequence[Affine], Sequence[Affine]]
"""Subscripts of the kernel, and places of the input."""


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
    _check(x, weight, groups)

    source, kernel = bordered(builder, x, windows), builder.settled(weight)
    shape = weight.shape[0], *windows.counts(x.shape[2:])

    def placed(point: ElementPoint, channels: Sequence[Affine]) -> Placed:
        m, c, _ = channels
        outer, inner = _parts(point)
        return (m, c, *inner), windows.indices(outer, inner)

    return _summed(builder, (source, kernel, bias), shape, windows.kernel, groups, placed)


def _parts(point: ElementPoint) -> tuple[Sequence[Affine], Sequence[Affine]]:
    """Return the places of the result, and the taps."""
    rank = (len(point.indices) - 3) // 2
    return point.indices[2 : 2 + rank], point.indices[3 + rank :]


def _summed(
    builder: ProgramBuilder,
    operands: tuple[LazyTensor, LazyTensor, LazyTensor | None],
    shape: Sequence[int],
    taps: Sequence[int],
    groups: int,
    placed: Callable[[ElementPoint, Sequence[Affine]], Placed],
) -> LazyTensor:
    """Return the sums over channels and taps for a result of channels and places.

    Parameters
    ----------
    placed
        From iterators and the channels of the result, the group and the input to the operands.
    """
    source, kernel, bias = operands
    names, depth = spatial_names(len(taps)), source.shape[1] // groups

    def term(point: ElementPoint) -> Expression:
        n, m, c = *point.indices[:2], point.indices[2 + len(taps)]
        group = floor_divided(m, shape[0] // groups, point.trip_counts) if groups > 1 else Affine()
        channel = group.scaled(depth) + c
        own, places = placed(point, (m, c, channel))
        return ex.multiply(source.at(point.to([n, channel, *places])), kernel.at(point.to([*own])))

    result = builder.reduce(
        [("n", source.shape[0]), *zip(("m", *names), shape, strict=True)],
        [("c", depth), *((f"k{name}", each) for name, each in zip(names, taps, strict=True))],
        Reduction.ADD,
        term,
        element=source.element,
    )
    if bias is None:
        return result
    return elementwise(builder, ex.add, result, reshaped(bias, (shape[0], *[1] * len(taps))))


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
    """Return the phases of one dimension: of an input and of a kernel with its dilation.

    Parameters
    ----------
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
        message = f"a kernel of {span} with stride {stride} and padding {cut} "
        raise LoweringError(f"{message}gives {count} elements")
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
    sides_fit = weight.rank == x.rank and weight.shape[0] == x.shape[1]
    if not sides_fit or groups < 1 or weight.shape[0] % groups:
        message = f"a weight of shape {list(weight.shape)} in {groups} groups "
        raise LoweringError(f"{message}doesn't fit an input of {list(x.shape)}")
    rank, per_group = len(dimensions), weight.shape[1]
    for at, each in enumerate(dimensions):
        weight = _dilated(builder, weight, 2 + at, dilations[at])
        gap = (*(0,) * (2 + at), each.span - weight.shape[2 + at], *(0,) * (rank - 1 - at))
        weight = padded(builder, weight, (0,) * (2 + rank), gap)
    kernel = builder.settled(weight)
    wide = padded(
        builder,
        x,
        (0, 0, *(each.before for each in dimensions)),
        (0, 0, *(each.after for each in dimensions)),
    )
    if wide.operations:
        wide = builder.store(wide, f"{builder.label}_pad")

    def placed(point: ElementPoint, channels: Sequence[Affine]) -> Placed:
        trips, (m, _, channel) = point.trip_counts, channels
        own, places = [channel, remainder(m, per_group, trips) if groups > 1 else m], list[Affine]()
        for each, place, tap in zip(dimensions, *_parts(point), strict=True):
            at = place + Affine.of(each.start)
            last = remainder(at, each.stride, trips) + Affine.of(each.span - each.stride)
            own.append(last - tap.scaled(each.stride))
            places.append(floor_divided(at, each.stride, trips) + tap)
        return own, places

    shape = groups * per_group, *(each.count for each in dimensions)
    taps = [each.taps for each in dimensions]
    return _summed(builder, (builder.settled(wide), kernel, bias), shape, taps, groups, placed)


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
