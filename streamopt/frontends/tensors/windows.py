"""Windows that slide over the spatial dimensions of a tensor (n, c, ...)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.tensors.tensor import LoweringError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.affine import Affine

__all__ = ["Windows", "spatial_names"]

_NAMES = ((), ("w",), ("h", "w"), ("d", "h", "w"))


def spatial_names(rank: int) -> tuple[str, ...]:
    """Return the iterators over spatial dimensions, at most three."""
    if not 1 <= rank < len(_NAMES):
        raise LoweringError(f"windows slide over one to three dimensions, not {rank}")
    return _NAMES[rank]


@dataclass(frozen=True, slots=True)
class Windows:
    """Where the windows lie; one number for each spatial dimension.

    Attributes
    ----------
    before, after
        Width of the border that is added in front and behind, in elements.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
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
