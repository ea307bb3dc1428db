"""Names for what a rewrite adds to a graph."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["unused_name"]


def unused_name(wanted: str, taken: Container[str]) -> str:
    """Return a name, with the first number from 2 that makes it new where it is taken.

    Examples
    --------
    >>> unused_name("load_A", {"gemm"}), unused_name("load_A", {"load_A", "load_A_2"})
    ('load_A', 'load_A_3')
    """
    candidates = (wanted if at == 1 else f"{wanted}_{at}" for at in count(1))
    return next(name for name in candidates if name not in taken)
