"""Reductions that aren't sums, products or extremes, in terms of those; and rounding to steps."""
# PyTorch's operators are made when it loads, without types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownLambdaType=false

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import torch

from streamopt.frontends.tensors.functions import MAX_BEST


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return the decomposition by operator."""
    aten = torch.ops.aten
    table: dict[Any, Callable[..., Any]] = {
        aten.argmax.default: partial(_place, largest=True),
        aten.argmin.default: partial(_place, largest=False),
        aten.max.dim: partial(_best, largest=True),
        aten.min.dim: partial(_best, largest=False),
        aten.topk.default: _best_of,
        aten.sort.default: _sorted,
        **{
            op: partial(_held, every=True) for op in (aten.all.default, aten.all.dim, aten.all.dims)
        },
        **{
            op: partial(_held, every=False)
            for op in (aten.any.default, aten.any.dim, aten.any.dims)
        },
        aten.fmod.Scalar: partial(_remainder, rounded=torch.trunc),
        aten.fmod.Tensor: partial(_remainder, rounded=torch.trunc),
        aten.remainder.Scalar: partial(_remainder, rounded=torch.floor),
        aten.remainder.Tensor: partial(_remainder, rounded=torch.floor),
        aten.hypot.default: lambda x, y: (x * x + y * y).sqrt(),
        aten.erfc.default: lambda x: 1 - x.erf(),
        aten.fake_quantize_per_channel_affine.default: _fake_quantized,
    }
    return {**table, **_quantized_operators()}


def _indices(x: torch.Tensor, dim: int) -> torch.Tensor:
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    return torch.arange(x.shape[dim], dtype=torch.int32, device=x.device).reshape(shape)


def _best(
    x: torch.Tensor, dim: int, keepdim: bool = False, *, largest: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the best element along a dimension, and where the first such is."""
    if not x.dim():
        return x, torch.zeros([], dtype=torch.int64)
    peak = x.amax(dim, keepdim=True) if largest else x.amin(dim, keepdim=True)
    places = torch.where(x == peak, _indices(x, dim), x.shape[dim]).amin(dim, keepdim=keepdim)
    return peak if keepdim else peak.squeeze(dim), places.to(torch.int64)


def _place(
    x: torch.Tensor, dim: int | None = None, keepdim: bool = False, *, largest: bool
) -> torch.Tensor:
    if dim is None:
        found = _best(x.reshape(-1), 0, largest=largest)[1]
        return found.reshape([1] * x.dim()) if keepdim else found
    return _best(x, dim, keepdim, largest=largest)[1]


def _best_of(
    x: torch.Tensor, k: int, dim: int = -1, largest: bool = True, is_sorted: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the best elements in order, one after the other; many are left alone."""
    if not x.dim() or not 1 <= k <= MAX_BEST:
        return NotImplemented
    if x.dtype.is_floating_point:
        worst: float = -torch.inf if largest else torch.inf
    else:
        worst = torch.iinfo(x.dtype).min if largest else torch.iinfo(x.dtype).max
    values, places = list[torch.Tensor](), list[torch.Tensor]()
    for _ in range(k):
        value, place = _best(x, dim, True, largest=largest)
        values.append(value)
        places.append(place)
        x = torch.where(_indices(x, dim) == place, worst, x)
    return torch.cat(values, dim), torch.cat(places, dim)


def _sorted(
    x: torch.Tensor, dim: int = -1, descending: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    return _best_of(x, x.shape[dim] if x.dim() else 0, dim, descending)


def _held(
    x: torch.Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, every: bool
) -> torch.Tensor:
    """Return whether all elements along dimensions aren't 0, or any of them."""
    dims = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    truths = (x != 0).to(torch.int32)
    found = truths.amin(dims, keepdim) if every else truths.amax(dims, keepdim)
    return found != 0


def _remainder(
    x: torch.Tensor, y: Any, *, rounded: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    return x - y * rounded(x / y) if x.is_floating_point() else NotImplemented


def _fake_quantized(
    x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, axis: int, low: int, high: int
) -> torch.Tensor:
    """Return values rounded to the steps of each channel."""
    scale, zero = (_channel(part, x, axis).to(x.dtype) for part in (scale, zero))
    steps = (torch.round(x * (1 / scale) + zero)).clamp(low, high)
    return (steps - zero) * scale


def _channel(part: torch.Tensor, x: torch.Tensor, axis: int) -> torch.Tensor:
    return part.reshape([-1 if at == axis % x.dim() else 1 for at in range(x.dim())])


def _quantized_operators() -> dict[Any, Callable[..., Any]]:
    """Return the decompositions of a model that was quantized after export."""
    try:
        import_module("torch.ao.quantization.fx._decomposed")
        own = torch.ops.quantized_decomposed
        return {
            own.quantize_per_tensor.default: _quantized,
            own.dequantize_per_tensor.default: _dequantized,
            own.quantize_per_channel.default: _by_channel(_quantized),
            own.dequantize_per_channel.default: _by_channel(_dequantized),
        }
    except (ImportError, AttributeError):  # not in every version of PyTorch
        return {}


def _quantized(
    x: torch.Tensor, scale: Any, zero: Any, low: int, high: int, dtype: torch.dtype
) -> torch.Tensor:
    return (torch.round(x * (1.0 / scale)) + zero).clamp(low, high).to(dtype)


def _dequantized(
    x: torch.Tensor,
    scale: Any,
    zero: Any,
    low: int,
    high: int,
    dtype: torch.dtype,
    *,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    return (x.to(torch.int32) - zero).to(out_dtype or torch.float32) * scale


def _by_channel(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return a function of a scale and a zero point, either of them one for each channel."""

    def each(
        x: torch.Tensor,
        scales: torch.Tensor,
        zeros: Any,
        axis: int,
        *limits: Any,
        out_dtype: Any = None,
    ) -> torch.Tensor:
        zeros = 0 if zeros is None else _channel(zeros, x, axis).to(torch.int32)
        options = {} if out_dtype is None else {"out_dtype": out_dtype}
        return function(x, _channel(scales, x, axis), zeros, *limits, **options)

    return each
