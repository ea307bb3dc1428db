"""Divisions in subscripts and conditions: where C's ``/`` and ``%`` are not the floor's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.affine import FloorDiv, Iter, Mod

if TYPE_CHECKING:
    from streamopt.ir.affine import Affine
    from streamopt.ir.graph import Node

__all__ = ["check_dividends"]


def check_dividends(value: Affine, node: Node) -> None:
    """Refuse a dividend that can be negative, where C and `Affine` differ.

    Raises
    ------
    CodegenError
        E603 for the first such dividend.
    """
    for atom, _ in value.terms:
        match atom:
            case Iter():
                pass
            case FloorDiv(inner, _) | Mod(inner, _):
                check_dividends(inner, node)
                if inner.bounds(node.trip_counts)[0] < 0:
                    message = f"{atom} in node '{node.name}' divides a negative number"
                    raise CodegenError(Diagnostic("E603", message, node.loc))
