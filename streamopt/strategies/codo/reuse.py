"""Reuse buffers of a window: which dimensions stream, which are reduced, and what is kept.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section V-B and
figure 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.strategies.codo.reduction import rewritten_order

if TYPE_CHECKING:
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Node

__all__ = ["ReuseBuffers", "reuse_buffers"]


@dataclass(frozen=True, slots=True)
class ReuseBuffers:
    """The buffers of figure 7 for one array that a nest reads through a window.

    Attributes
    ----------
    fifo_loops
        Loops that move in the array or the result alone: outermost first.
    reduction_loops
        Those that the buffers serve.
    line_shape
        Extents of ``lb``: as the array, but of rows as many as the window is high.
    window_shape
        Extents of ``wb``: as the array, but of rows and columns those of the window.
    """

    fifo_loops: tuple[str, ...]
    reduction_loops: tuple[str, ...]
    line_shape: tuple[int, ...]
    window_shape: tuple[int, ...]


def reuse_buffers(node: Node, access: Access, shape: tuple[int, ...]) -> ReuseBuffers | None:
    """Return the buffers of an access; None where it has no window.

    Parameters
    ----------
    shape
        Of the array, in elements.
    """
    reduced = set(node.reduction_loops)
    reach = [_reach(node, names, reduced) for names in (s.iterators() for s in access.subscripts)]
    high = [at for at, elems in enumerate(reach) if elems is not None]
    if not high:
        return None
    kept = [extent if own is None else own for own, extent in zip(reach, shape, strict=True)]
    rows = high[0]
    line = (*shape[:rows], kept[rows], *shape[rows + 1 :])
    order = rewritten_order(node)
    return ReuseBuffers(
        tuple(name for name in order if name not in reduced),
        tuple(name for name in order if name in reduced),
        line,
        tuple(kept),
    )


def _reach(node: Node, names: tuple[str, ...], reduced: set[str]) -> int | None:
    """Return the elements that a window covers along a dimension; None where there is none."""
    taps = [name for name in names if name in reduced]
    if not taps or len(taps) == len(names):
        return None
    return 1 + sum(node.trip_counts[name] - 1 for name in taps)
