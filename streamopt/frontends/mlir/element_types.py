"""MLIR's scalar types as element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["element_type"]

_ELEMENTS: Mapping[str, ElementType] = {
    "f16": ElementType.HALF,
    "f32": ElementType.FLOAT,
    "f64": ElementType.DOUBLE,
    "i1": ElementType.UINT8,
    "i8": ElementType.INT8,
    "i16": ElementType.INT16,
    "i32": ElementType.INT32,
    "i64": ElementType.INT64,
    "index": ElementType.INT64,
    "ui8": ElementType.UINT8,
    "ui16": ElementType.UINT16,
    "ui32": ElementType.UINT32,
    "ui64": ElementType.UINT64,
}


def element_type(name: str) -> ElementType | None:
    """Return the element type of MLIR's ``f32``, ``i8``, ...; None if there is none.

    Integers without a sign count as signed, as most operations take them.
    """
    return _ELEMENTS.get(name.replace("si", "i") if name.startswith("si") else name)
