"""Operators of PyTorch that move elements, in terms of those that lower to loops."""
# PyTorch's operators are made when it loads, without types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from streamopt.frontends.tensors.convolution import Phases, phases


def roll(x: torch.Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> torch.Tensor:
    """Return the elements moved around the ends; of the whole tensor as one row without dims."""
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        extent = x.shape[dim]
        first = (-shift) % extent if extent else 0
        if first:
            x = torch.cat([x.narrow(dim, first, extent - first), x.narrow(dim, 0, first)], dim)
    return x


def running(
    x: torch.Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
    combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    identity: int,
) -> torch.Tensor:
    """Return sums or products up to each element: of twice as many a step, without recurrence.

    See `streamopt.frontends.tensors.functions.running`.
    """
    total = x.to(dtype or (x.dtype if x.is_floating_point() else torch.int64))
    if not x.dim():
        return total
    total, by = total.movedim(dim, -1), 1
    while by < total.shape[-1]:
        total = combine(total, _bordered(total, [(by, -by)], identity))
        by *= 2
    return total.movedim(-1, dim)


def _bordered(
    x: torch.Tensor, borders: Sequence[tuple[int, int]], value: float = 0
) -> torch.Tensor:
    """Return a tensor with a number around its last dimensions; negative numbers take away.

    Lowerings drop a pad by negative and positive numbers that leaves the shape as it was.
    """
    for axis, (before, after) in enumerate(borders, start=x.dim() - len(borders)):
        start = max(0, -before)
        x = x.narrow(axis, start, x.shape[axis] - start - max(0, -after))
    zeros = [max(0, n) for border in reversed(borders) for n in border]
    return functional.pad(x, zeros, value=value) if any(zeros) else x


def convolution(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *options: Any
) -> torch.Tensor:
    """Return a transposed convolution as others; leave those as they are.

    The options are those of ``aten.convolution``: stride, padding, dilation, whether it is
    transposed, output padding and groups.
    """
    stride, padding, dilation, transposed, output_padding, groups = options
    if not transposed:
        return NotImplemented
    return transposed_convolution(
        x, weight, bias, stride, padding, output_padding, groups, dilation
    )


def transposed_convolution(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    output_padding: Sequence[int] = (0,),
    groups: int = 1,
    dilation: Sequence[int] = (1,),
) -> torch.Tensor:
    """Return a transposed convolution as one for each phase of the stride, interleaved.

    See `streamopt.frontends.tensors.convolution`.
    """
    rank = weight.dim() - 2
    if x.dim() == rank + 1:
        alone = x.unsqueeze(0)
        return transposed_convolution(
            alone, weight, bias, stride, padding, output_padding, groups, dilation
        ).squeeze(0)
    strides, cuts, extras, dilations = (
        [*part] * rank if len(part) == 1 else [*part]
        for part in (stride, padding, output_padding, dilation)
    )
    dimensions: list[Phases] = []
    for at, extent in enumerate(x.shape[2:]):
        span = dilations[at] * (weight.shape[2 + at] - 1) + 1
        count = (extent - 1) * strides[at] - 2 * cuts[at] + span + extras[at]
        dimensions.append(phases(extent, span, strides[at], cuts[at], count))
    kernel = _kernel(weight, dimensions, dilations, groups)
    wide = _bordered(x, [(each.before, each.after) for each in dimensions])
    offsets = None
    if bias is not None:
        offsets = bias.reshape(-1, 1).expand(-1, kernel.shape[0] // len(bias)).reshape(-1)
    ones, zeros = [1] * rank, [0] * rank
    made = torch.ops.aten.convolution(
        wide, kernel, offsets, ones, zeros, ones, False, zeros, groups
    )
    return _interleaved(made, dimensions)


def _kernel(
    weight: torch.Tensor, dimensions: Sequence[Phases], dilations: Sequence[int], groups: int
) -> torch.Tensor:
    """Return the weight of the convolution, with a channel for each phase."""
    rank = len(dimensions)
    for at, dilation in enumerate(dilations):
        if dilation > 1:
            apart = weight.unsqueeze(3 + at)
            apart = functional.pad(apart, [0, 0] * (rank - 1 - at) + [0, dilation - 1])
            length = (weight.shape[2 + at] - 1) * dilation + 1
            weight = apart.flatten(2 + at, 3 + at).narrow(2 + at, 0, length)
    missing = [each.span - weight.shape[2 + at] for at, each in enumerate(dimensions)]
    weight = functional.pad(weight, [n for gap in reversed(missing) for n in (0, gap)])
    channels, outputs = weight.shape[0] // groups, weight.shape[1]
    split = [n for each in dimensions for n in (each.taps, each.stride)]
    parts = weight.reshape(groups, channels, outputs, *split)
    taps, strides = [*range(3, 3 + 2 * rank, 2)], [*range(4, 4 + 2 * rank, 2)]
    parts = parts.permute(0, 2, *strides, 1, *taps).flip([*range(3 + rank, 3 + 2 * rank)])
    return parts.reshape(-1, channels, *(each.taps for each in dimensions))


def _interleaved(made: torch.Tensor, dimensions: Sequence[Phases]) -> torch.Tensor:
    rank = len(dimensions)
    strides = [each.stride for each in dimensions]
    extents = [*made.shape[2:]]
    parts = made.reshape(made.shape[0], -1, *strides, *extents)
    order = [place for at in range(rank) for place in (2 + rank + at, 2 + at)]
    whole = [extent * stride for extent, stride in zip(extents, strides, strict=True)]
    result = parts.permute(0, 1, *order).reshape(made.shape[0], -1, *whole)
    for at, each in enumerate(dimensions):
        result = result.narrow(2 + at, each.start, each.count)
    return result
