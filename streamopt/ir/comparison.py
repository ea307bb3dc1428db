"""Comparisons: what they are called, what they mean, and how they turn around."""

from __future__ import annotations

import operator
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CompareOp"]


class CompareOp(StrEnum):
    """Comparisons; only inside conditions."""

    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="

    @property
    def opposite(self) -> CompareOp:
        """Return the comparison that holds where this one doesn't, of numbers."""
        return _OPPOSITE[self]

    @property
    def mirrored(self) -> CompareOp:
        """Return the comparison with its sides exchanged."""
        return _MIRRORED[self]

    def holds(self, left: Any, right: Any) -> Any:
        """Return whether ``left op right``: of two numbers, or element by element of arrays."""
        return _HOLDS[self](left, right)


_OPPOSITE = {
    CompareOp.LT: CompareOp.GE,
    CompareOp.GE: CompareOp.LT,
    CompareOp.LE: CompareOp.GT,
    CompareOp.GT: CompareOp.LE,
    CompareOp.EQ: CompareOp.NE,
    CompareOp.NE: CompareOp.EQ,
}
_MIRRORED = {
    CompareOp.LT: CompareOp.GT,
    CompareOp.GT: CompareOp.LT,
    CompareOp.LE: CompareOp.GE,
    CompareOp.GE: CompareOp.LE,
    CompareOp.EQ: CompareOp.EQ,
    CompareOp.NE: CompareOp.NE,
}
_HOLDS: Mapping[CompareOp, Callable[[Any, Any], Any]] = {
    CompareOp.LT: operator.lt,
    CompareOp.LE: operator.le,
    CompareOp.GT: operator.gt,
    CompareOp.GE: operator.ge,
    CompareOp.EQ: operator.eq,
    CompareOp.NE: operator.ne,
}
