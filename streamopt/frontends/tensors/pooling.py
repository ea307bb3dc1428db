"""Windows that slide over the spatial dimensions of a tensor (n, c, ...), and pooling over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import padded
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.formulas import power
from streamopt.ir.expression import Expression, Function
from streamopt.ir.operators import Reduction

_NAMES = ((), ("w",), ("h", "w"), ("d", "h", "w"))


def spatial_names(rank: int) -> tuple[str, ...]:
    """Return the iterators over spatial dimensions, at most three."""
    if not 1 <= rank < len(_NAMES):
        raise LoweringError(f"windows slide over one to three dimensions, not {rank}")
    return _NAMES[rank]


@dataclass(frozen=True, slots=True)
class Windows:
    """Where the windows lie; one number for each spatial dimension."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    # before, after: width of the border that is added in front and behind, in elements
    before: tuple[int, ...]
    after: tuple[int, ...]

    @staticmethod
    def of(
        kernel: Sequence[int],
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Sequence[int] = (),
        after: Sequence[int] = (),
    ) -> Windows:
        """Return the windows, with 1 and 0 for what isn't given.

        Raises
        ------
        LoweringError
            For lengths that differ, or numbers that make no sense.
        """
        rank = len(kernel)
        ones, zeros = (1,) * rank, (0,) * rank
        parts = [tuple(kernel), tuple(strides or ones), tuple(dilations or ones)]
        borders = [tuple(before or zeros), tuple(after or zeros)]
        if any(len(part) != rank for part in (*parts, *borders)):
            raise LoweringError(f"kernel, strides, dilations and pads are not all for {rank}")
        if any(number < 1 for part in parts for number in part):
            raise LoweringError("a kernel extent, stride or dilation is below 1")
        if any(number < 0 for part in borders for number in part):
            raise LoweringError("a border is negative", "slice the tensor instead")
        return Windows(*parts, *borders)

    @property
    def has_border(self) -> bool:
        """Return whether windows reach outside the tensor."""
        return any((*self.before, *self.after))

    def counts(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return how many windows there are along each dimension of the given extents."""
        found: list[int] = []
        for at, extent in enumerate(extents):
            span = self.dilations[at] * (self.kernel[at] - 1) + 1
            room = extent + self.before[at] + self.after[at] - span
            if room < 0:
                message = f"a window of {span} doesn't fit an extent of {extent} with its border"
                raise LoweringError(message)
            found.append(room // self.strides[at] + 1)
        return tuple(found)

    def indices(self, outer: Sequence[Affine], inner: Sequence[Affine]) -> list[Affine]:
        """Return where in the bordered tensor element ``inner`` of window ``outer`` lies."""
        return [
            out.scaled(stride) + within.scaled(dilation)
            for out, within, stride, dilation in zip(
                outer, inner, self.strides, self.dilations, strict=True
            )
        ]


def bordered(
    builder: ProgramBuilder, x: LazyTensor, windows: Windows, value: float = 0.0
) -> LazyTensor:
    """Return ``x`` with the windows' border, stored if there is one."""
    if not windows.has_border:
        return builder.settled(x)
    wide = padded(builder, x, (0, 0, *windows.before), (0, 0, *windows.after), value)
    axes = ("n", "c", *spatial_names(x.rank - 2))
    return builder.store(wide, f"{builder.label}_pad", iterators=axes)


def max_pool(builder: ProgramBuilder, x: LazyTensor, windows: Windows) -> LazyTensor:
    """Return the largest element of each window; a border never wins."""
    dtype = np.dtype(x.element.dtype)
    lowest = np.finfo(dtype).min if x.element.is_float else np.iinfo(dtype).min
    return _pooled(builder, x, windows, Reduction.MAX, float(lowest))


def average_pool(
    builder: ProgramBuilder, x: LazyTensor, windows: Windows, *, count_border: bool = False
) -> LazyTensor:
    """Return the mean of each window.

    Parameters
    ----------
    count_border
        Whether the zeros of the border count as elements.
    """
    total = _pooled(builder, x, windows, Reduction.ADD, 0.0)
    if count_border or not windows.has_border:
        return elementwise(builder, ex.divide, total, splat(prod(windows.kernel), x.element))
    counts = _counts(x.shape[2:], windows).astype(x.element.dtype)
    if (counts == counts.flat[0]).all():
        divisor = splat(float(counts.flat[0]), x.element)
    else:
        divisor = builder.constant(f"{builder.label}_count", counts)
    return elementwise(builder, ex.divide, total, divisor)


def norm_pool(builder: ProgramBuilder, x: LazyTensor, windows: Windows, order: int) -> LazyTensor:
    """Return the root of each window's sum of powers."""

    def raised(element: Expression) -> Expression:
        return power(ex.call(Function.ABS, element), float(order))

    total = _pooled(builder, elementwise(builder, raised, x), windows, Reduction.ADD, 0.0)
    return elementwise(builder, partial(power, exponent=1.0 / order), total)


def spatial_axes(x: LazyTensor) -> range:
    """Return the axes that windows slide over; raises LoweringError if there are none."""
    if x.rank < 3:
        raise LoweringError(f"pooling needs spatial dimensions; the input has {x.rank} in all")
    return range(2, x.rank)


def _pooled(
    builder: ProgramBuilder, x: LazyTensor, windows: Windows, reduction: Reduction, border: float
) -> LazyTensor:
    names = spatial_names(x.rank - 2)
    if len(windows.kernel) != len(names):
        raise LoweringError(f"a kernel of {len(windows.kernel)} dimensions for {len(names)}")
    sizes = windows.counts(x.shape[2:])
    source, rank = bordered(builder, x, windows, border), len(names)

    def term(point: ElementPoint) -> Expression:
        outer, inner = point.indices[2 : 2 + rank], point.indices[2 + rank :]
        return source.at(point.to([*point.indices[:2], *windows.indices(outer, inner)]))

    return builder.reduce(
        [("n", x.shape[0]), ("c", x.shape[1]), *zip(names, sizes, strict=True)],
        [(f"k{name}", extent) for name, extent in zip(names, windows.kernel, strict=True)],
        reduction,
        term,
        element=x.element,
    )


def _counts(extents: Sequence[int], windows: Windows) -> NDArray[np.int64]:
    """Return how many elements of each window lie inside the tensor."""
    result = np.ones((), dtype=np.int64)
    for at, (extent, count) in enumerate(zip(extents, windows.counts(extents), strict=True)):
        starts = np.arange(count)[:, None] * windows.strides[at] - windows.before[at]
        places = starts + np.arange(windows.kernel[at])[None, :] * windows.dilations[at]
        result = result[..., None] * ((places >= 0) & (places < extent)).sum(axis=1)
    return result
