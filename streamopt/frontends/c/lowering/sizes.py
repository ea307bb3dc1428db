"""Bytes that ``sizeof`` says of structures, laid out as compilers of 64 bits do."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import LevelKind, NodeType
from streamopt.frontends.c.syntax.types import BIT_FIELD, element_named

_POINTER = (8, 8)


def bytes_of(kind: NodeType, state: Lowering) -> int | None:
    """Return the bytes of a type with members; None where its layout is not known."""
    laid = _laid(kind, state)
    return None if laid is None else laid[0]


def _laid(kind: NodeType, state: Lowering) -> tuple[int, int] | None:
    """Return the bytes of a type, and of what number its addresses are multiples."""
    if kind.levels:
        level = kind.levels[0]
        if level.kind is not LevelKind.ARRAY:
            return _POINTER
        count = None if level.extent is None else state.constant(level.extent)
        laid = _laid(kind.element, state)
        return None if laid is None or count is None else (count * laid[0], laid[1])
    members = None if kind.is_vector else state.types.members(kind)
    if members is not None:
        return _in_turn(_laid(inside, state) for _, inside in members)
    tag = kind.tag
    element = element_named([tag] if tag else getattr(kind.base, "names", ()))
    if element is None or tag.startswith(BIT_FIELD) or element.bits > 64:
        return None
    size = 1 << ((element.bits + 7) // 8 - 1).bit_length()
    return size, size


def _in_turn(laid: Iterable[tuple[int, int] | None]) -> tuple[int, int] | None:
    """Return the bytes of members behind each other, each at a multiple of its own number."""
    end, aligned = 0, 1
    for one in laid:
        if one is None:
            return None
        size, own = one
        end, aligned = -(-end // own) * own + size, lcm(aligned, own)
    return -(-end // aligned) * aligned, aligned
