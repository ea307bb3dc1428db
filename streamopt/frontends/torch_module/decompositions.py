"""How operators of PyTorch fall into simpler ones, where the usual way isn't good for hardware.

The usual variance, for instance, computes in double precision, and the usual GELU with five digits.
"""
# PyTorch's operators are made when it loads, without types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from streamopt.frontends.torch_module import moves, reductions


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return the decomposition by operator."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    table: dict[Any, Callable[..., Any]] = dict(get_decomposition_table())
    aten = torch.ops.aten
    table[aten.gelu.default] = _gelu
    table[aten.native_layer_norm.default] = _layer_norm
    table[aten.native_group_norm.default] = _group_norm
    table[aten._native_batch_norm_legit_no_training.default] = _batch_norm
    table[aten.var.correction] = lambda *given, **options: _variance_mean(*given, **options)[0]
    table[aten.var_mean.correction] = _variance_mean
    table[aten.scaled_dot_product_attention.default] = _attention
    table[aten._safe_softmax.default] = _softmax
    table[aten._cdist_forward.default] = _distances
    table[aten.adaptive_max_pool2d.default] = _adaptive_max_pool
    table[aten.cumsum.default] = partial(moves.running, combine=torch.add, identity=0)
    table[aten.cumprod.default] = partial(moves.running, combine=torch.mul, identity=1)
    table[aten.roll.default] = moves.roll
    table[aten.convolution.default] = moves.convolution
    table[aten.conv_transpose1d.default] = moves.transposed_convolution
    table[aten.conv_transpose2d.input] = moves.transposed_convolution
    table[aten.conv_transpose3d.input] = moves.transposed_convolution
    return {**table, **reductions.decompositions()}


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """Return GELU with all digits of its constants."""
    if approximate == "tanh":
        inner = (x + 0.044715 * (x * x * x)) * math.sqrt(2 / math.pi)
        return 0.5 * x * (1 + torch.tanh(inner))
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(0.5)))


def _moments(x: torch.Tensor, axes: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mean and variance, in the type of the values."""
    mean = torch.mean(x, list(axes), keepdim=True)
    centred = x - mean
    return mean, torch.mean(centred * centred, list(axes), keepdim=True)


def _standardized(
    x: torch.Tensor, axes: Sequence[int], eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return values less their mean, over the standard deviation; and these two."""
    mean, variance = _moments(x, axes)
    scale = torch.rsqrt(variance + eps)
    return (x - mean) * scale, mean, scale


def _layer_norm(
    x: torch.Tensor,
    shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    y, mean, scale = _standardized(x, range(x.dim() - len(shape), x.dim()), eps)
    y = y * weight if weight is not None else y
    return (y + bias if bias is not None else y), mean, scale


def _group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    batch: int,
    channels: int,
    pixels: int,
    groups: int,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    y, mean, scale = _standardized(x.reshape(batch, groups, channels // groups * pixels), [2], eps)
    y, shape = y.reshape(x.shape), [1, channels, *(1 for _ in x.shape[2:])]
    y = y * weight.reshape(shape) if weight is not None else y
    y = y + bias.reshape(shape) if bias is not None else y
    return y, mean.reshape(batch, groups), scale.reshape(batch, groups)


def _batch_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    variance: torch.Tensor,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return one product and one sum: scale and shift depend on weights alone."""
    scale = torch.rsqrt(variance + eps)
    scale = scale if weight is None else scale * weight
    shift = -mean * scale if bias is None else bias - mean * scale
    shape = [1, -1, *(1 for _ in x.shape[2:])]
    nothing = x.new_empty([0])
    return x * scale.reshape(shape) + shift.reshape(shape), nothing, nothing


def _softmax(x: torch.Tensor, dim: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    return torch.softmax(x if dtype is None else x.to(dtype), dim)


def _distances(
    left: torch.Tensor, right: torch.Tensor, p: float, compute_mode: int | None = None
) -> torch.Tensor:
    """Return the distance of every row to every other one, without a product of matrices."""
    apart = (left.unsqueeze(-2) - right.unsqueeze(-3)).abs()
    if p == 1:
        return apart.sum(-1)
    if p == math.inf:
        return apart.amax(-1)
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    return (apart != 0).to(left.dtype).sum(-1) if p == 0 else apart.pow(p).sum(-1).pow(1 / p)


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """Return attention without special treatment of rows in which everything is masked."""
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key = key.repeat_interleave(groups, -3)
        value = value.repeat_interleave(groups, -3)
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query @ key.transpose(-2, -1)) * factor
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    elif mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ value


def _adaptive_max_pool(x: torch.Tensor, size: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the largest element of windows that aren't all alike; others lower as they are."""
    if all(len(_window_lengths(x.shape[a], n)) == 1 for a, n in zip((-2, -1), size, strict=True)):
        return NotImplemented
    result = x
    for axis, count in zip((-2, -1), size, strict=True):
        extent = x.shape[axis]
        at = torch.arange(count, device=x.device)
        starts, ends = at * extent // count, ((at + 1) * extent + count - 1) // count
        longest = max(_window_lengths(extent, count))
        inside = torch.arange(longest, device=x.device)
        places = torch.minimum(starts.unsqueeze(1) + inside, ends.unsqueeze(1) - 1)
        parts = result.index_select(axis, places.reshape(-1))
        result = parts.unflatten(axis, (count, longest)).amax(axis)
    # Where the largest elements lie is left to the lowering to refuse, if anything reads it.
    return result, result.argmax(-1, keepdim=True).expand(result.shape)


def _window_lengths(extent: int, count: int) -> set[int]:
    """Return how long the windows of an adaptive pool are."""
    return {-(-(at + 1) * extent // count) - at * extent // count for at in range(count)}


def _variance_mean(
    x: torch.Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    axes = list(range(x.dim())) if not dim else [axis % x.dim() for axis in dim]
    count = math.prod(x.shape[axis] for axis in axes)
    mean, variance = _moments(x, axes)
    lost = 1.0 if correction is None else float(correction)
    variance = variance * (count / max(count - lost, 0.0)) if lost else variance
    if not keepdim:
        kept = [extent for axis, extent in enumerate(x.shape) if axis not in axes]
        mean, variance = mean.reshape(kept), variance.reshape(kept)
    return variance, mean
