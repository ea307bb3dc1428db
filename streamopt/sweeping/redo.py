"""Which rows that are there are measured once more."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Redo"]


class Redo(StrEnum):
    """Rows that aren't ``done``, or rows of other sources of streamopt."""

    FAILED = "failed"
    STALE = "stale"
