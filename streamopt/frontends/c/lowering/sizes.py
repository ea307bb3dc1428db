"""Bytes that ``sizeof`` says of structures, laid out as compilers of 64 bits do."""

from __future__ import annotations

from math import lcm

from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import LevelKind, NodeType
from streamopt.frontends.c.syntax.types import BIT_FIELD, element_named


def layout(kind: NodeType, state: Lowering) -> tuple[int, int] | None:
    """Return the bytes of a type, and of what its addresses are multiples; None if not known."""
    if kind.levels:
        level, one = kind.levels[0], layout(kind.element, state)
        if level.kind is not LevelKind.ARRAY:
            return 8, 8
        count = None if level.extent is None else state.constant(level.extent)
        return None if one is None or count is None else (count * one[0], one[1])
    members = None if kind.is_vector else state.types.members(kind)
    if members is None:
        element = element_named([kind.tag] if kind.tag else getattr(kind.base, "names", ()))
        if element is None or kind.tag.startswith(BIT_FIELD) or element.bits > 64:
            return None
        size = 1 << ((element.bits + 7) // 8 - 1).bit_length()
        return size, size
    end, aligned = 0, 1
    for _, inside in members:
        one = layout(inside, state)
        if one is None:
            return None
        end, aligned = -(-end // one[1]) * one[1] + one[0], lcm(aligned, one[1])
    return -(-end // aligned) * aligned, aligned
