"""Accesses in the words of the source, for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access

if TYPE_CHECKING:
    from streamopt.analysis.instances import Instance

__all__ = ["told", "variable_of"]


def told(access: Access, instance: Instance) -> str:
    """Return an access of a statement with the variables that the user counts."""
    back: dict[str, Affine] = {}
    for loop in instance.loops:
        step = dict(loop.value.terms).get(Iter(loop.iterator)) if loop.value else None
        if loop.value is None or step not in (1, -1):
            continue
        start = loop.value - Affine.iterator(loop.iterator).scaled(step)
        variable = Affine.iterator(loop.variable)
        back[loop.iterator] = (variable - start.substitute(back)).scaled(step)
    names = [loop.variable or loop.iterator for loop in instance.loops]
    subscripts = (subscript.substitute(back).ordered(names) for subscript in access.subscripts)
    return str(Access(access.array, tuple(subscripts)))


def variable_of(iterator: str, instance: Instance) -> str:
    """Return the name of an iterator in the source."""
    return next((p.variable for p in instance.loops if p.iterator == iterator), "") or iterator
