"""Convolutions over one to three dimensions; channels are the second dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import floor_divided
from streamopt.frontends.tensors.joining import padded
from streamopt.frontends.tensors.tensor import LoweringError, Tensor
from streamopt.frontends.tensors.views import reshaped
from streamopt.frontends.tensors.windows import Windows, spatial_names
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.ir.expression import Expression

__all__ = ["bordered", "convolution"]


def convolution(
    builder: ProgramBuilder,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    windows: Windows,
    groups: int = 1,
) -> Tensor:
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

    def term(point: Point) -> Expression:
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
    channels = reshaped(bias, (outputs, *[1] * rank))
    return elementwise(builder, ex.add, result, channels)


def bordered(builder: ProgramBuilder, x: Tensor, windows: Windows, value: float = 0.0) -> Tensor:
    """Return ``x`` with the windows' border, stored if there is one."""
    if not windows.has_border:
        return builder.settled(x)
    wide = padded(builder, x, (0, 0, *windows.before), (0, 0, *windows.after), value)
    axes = ("n", "c", *spatial_names(x.rank - 2))
    return builder.store(wide, f"{builder.label}_pad", iterators=axes)


def _check(x: Tensor, weight: Tensor, groups: int) -> None:
    if weight.rank != x.rank:
        message = f"a weight of {weight.rank} dimensions doesn't fit an input of {x.rank}"
        raise LoweringError(message)
    if groups < 1 or weight.shape[0] % groups or weight.shape[1] * groups != x.shape[1]:
        message = f"{groups} groups of {weight.shape[1]} channels, {weight.shape[0]} outputs: "
        raise LoweringError(f"{message}the input has {x.shape[1]} channels")
