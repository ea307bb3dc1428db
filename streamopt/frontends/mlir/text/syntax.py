"""MLIR operations as plain values: what the lowerings read, free of the MLIR library's objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from streamopt.errors import SourceLoc
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from numpy.typing import NDArray

DYNAMIC = -1
"""Extent that MLIR writes as ``?``."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a scalar, a tensor or memref, or something else that has only its text."""

    kind: Literal["scalar", "tensor", "memref", "other"]
    text: str
    element: str = ""
    """MLIR's name of the scalar or of the elements, such as ``f32``."""
    shape: tuple[int, ...] = ()
    """Extents, `DYNAMIC` where unknown; empty for scalars."""


@dataclass(frozen=True, slots=True)
class MlirValue:
    """An SSA value; the same number is the same value."""

    number: int
    type: Type = field(compare=False)
    name: str = field(default="", compare=False)
    """Name in the text without ``%``; empty if it isn't known."""


@dataclass(frozen=True, slots=True)
class AffineMap:
    """Results over the iterators ``d0, d1, ...`` and ``s0, s1, ...``; None if not affine."""

    dims: int
    symbols: int
    results: tuple[Affine | None, ...]


@dataclass(frozen=True, slots=True)
class IntegerSet:
    """Points at which the results of a map are 0, or not negative, as each of them wants."""

    map: AffineMap
    is_equality: tuple[bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """Elements of a constant, in its shape; None if their values aren't in the text."""

    values: NDArray[Any] | None
    type: Type


@dataclass(frozen=True, slots=True)
class Opaque:
    """An attribute of which only the text is known."""

    text: str


Attribute: TypeAlias = (
    "int | float | str | AffineMap | IntegerSet | Dense | Type | Opaque | tuple[Attribute, ...]"
)


@dataclass(frozen=True, slots=True)
class Block:
    """Arguments and operations of a region's block."""

    arguments: tuple[MlirValue, ...]
    operations: tuple[MlirOperation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MlirOperation:
    """One operation; all blocks of its regions stand in `blocks`, region after region."""

    name: str
    operands: tuple[MlirValue, ...]
    results: tuple[MlirValue, ...]
    attributes: Mapping[str, Attribute]
    regions: tuple[tuple[Block, ...], ...]
    loc: SourceLoc
    symbol: str = ""
    """Name in a symbol table, of functions and globals."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the blocks of all regions."""
        return tuple(block for region in self.regions for block in region)

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an attribute that is a list of integers; empty if there is none."""
        found = self.attributes.get(name)
        if not isinstance(found, tuple):
            return ()
        return tuple(number for number in found if isinstance(number, int))


@dataclass(frozen=True, slots=True)
class Module:
    """Top-level operations in order."""

    operations: tuple[MlirOperation, ...]

    def functions(self) -> tuple[MlirOperation, ...]:
        """Return the functions that have a body."""
        return tuple(op for op in self.operations if op.name == "func.func" and op.blocks)


def operations_inside(operation: MlirOperation) -> Iterator[MlirOperation]:
    """Yield the operations of all blocks inside an operation, outer ones first."""
    for block in operation.blocks:
        for inner in block.operations:
            yield inner
            yield from operations_inside(inner)


_ELEMENTS: Mapping[str, ElementType] = {
    **{"f16": ElementType.HALF, "f32": ElementType.FLOAT, "f64": ElementType.DOUBLE},
    **{f"i{bits}": ElementType(f"int{bits}_t") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": ElementType(f"uint{bits}_t") for bits in (8, 16, 32, 64)},
    **{"i1": ElementType.UINT8, "index": ElementType.INT64},
}


def element_type(name: str) -> ElementType | None:
    """Return the element type of MLIR's ``f32``, ``i8``, ...; None if there is none.

    Integers without a sign count as signed, as most operations take them.
    """
    return _ELEMENTS.get(name.replace("si", "i") if name.startswith("si") else name)
