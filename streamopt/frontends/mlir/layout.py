"""Choices of a front end that a tensor program leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How moves of elements become nests.

    Attributes
    ----------
    copies
        ``"views"``: a transpose or reshape is an access function of whoever reads it.
        ``"materialize"``: every transpose is a nest that stores its result, and so is every
        reshape that merges dimensions, or that changes the shape of an input.
    copy_order
        Loops of a stored transpose, from the outermost in: the dimensions of its result
        (``"target"``) or of what it reads (``"source"``).
    padding
        ``"select"``: one nest, which writes each element of the padded array, from inside or
        from the border. ``"fill_and_copy"``: a nest that fills the array, and one that
        overwrites the inside.
    """

    copies: Literal["views", "materialize"] = "views"
    copy_order: Literal["target", "source"] = "target"
    padding: Literal["select", "fill_and_copy"] = "select"
