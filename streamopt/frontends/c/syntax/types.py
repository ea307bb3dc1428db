"""Declared types: from pycparser's declarators to element types and extents."""

# pycparser has no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax import literals as expression_syntax
from streamopt.frontends.c.syntax.tree import Declaration, Name, Number, Operation, TypeUse
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.errors import SourceLoc
    from streamopt.frontends.c.syntax.tree import Node
    from streamopt.frontends.c.text.places import Places

__all__ = ["Converter", "converted_declaration"]

_ELEMENTS: Mapping[str, ElementType] = {
    "_Bool": ElementType.UINT8,
    "char": ElementType.INT8,
    "char signed": ElementType.INT8,
    "char unsigned": ElementType.UINT8,
    "double": ElementType.DOUBLE,
    "float": ElementType.FLOAT,
    "float short": ElementType.HALF,  # what _Float16 is to the parser
    "int": ElementType.INT32,
    "int long": ElementType.INT64,
    "int long long": ElementType.INT64,
    "int short": ElementType.INT16,
    "int unsigned": ElementType.UINT32,
    "int long unsigned": ElementType.UINT64,
    "int long long unsigned": ElementType.UINT64,
    "int short unsigned": ElementType.UINT16,
}
_IMPLIED_INT = {"long", "short", "unsigned", "signed"}


class Converter:
    """What conversion needs to know: places, typedefs and enumerators."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._typedefs: dict[str, TypeUse] = {}
        self.enumerators: dict[str, Node] = {}

    def loc(self, node: Any) -> SourceLoc:
        """Return the original place of a node."""
        coord = node.coord
        if coord is None:
            return self._places.loc(0, 1)
        return self._places.loc(coord.line, coord.column or 1)

    def add_typedef(self, node: Any) -> None:
        """Remember a typedef, and the enumerators declared in it."""
        self.add_enumerators(node.type)
        self._typedefs[str(node.name)] = self.type_use(node.type)

    def add_enumerators(self, node: Any) -> None:
        """Remember the enumerators of an ``enum { ... }``."""
        while isinstance(node, ast.TypeDecl | ast.ArrayDecl | ast.PtrDecl):
            node = node.type
        if not isinstance(node, ast.Enum) or node.values is None:
            return
        before: Node | None = None
        for item in node.values.enumerators:
            loc = self.loc(item)
            if item.value is not None:
                value = expression_syntax.converted(item.value, self)
            elif before is None:
                value = Number(0, ElementType.INT32, loc)
            else:
                value = Operation("+", before, Number(1, ElementType.INT32, loc), loc)
            self.enumerators[str(item.name)] = value
            before = Name(str(item.name), loc)

    def type_use(self, node: Any) -> TypeUse:
        """Return the type of a declarator or type name."""
        extents: list[Node | None] = []
        is_pointer = is_const = is_reference = False
        while True:
            match node:
                case ast.ArrayDecl():
                    has_extent = node.dim is not None
                    extents.append(
                        expression_syntax.converted(node.dim, self) if has_extent else None
                    )
                case ast.PtrDecl():
                    is_pointer = is_pointer or not extents
                    is_reference = is_reference or "_Atomic" in (node.quals or [])
                    extents.append(None)
                case ast.TypeDecl() | ast.Typename():
                    is_const = is_const or "const" in (node.quals or [])
                case _:
                    break
            node = node.type
        base = self._base(node)
        if not extents:
            is_pointer = base.is_pointer
        return TypeUse(
            base.element,
            base.text,
            (*extents, *base.extents),
            is_pointer,
            is_const or base.is_const,
            base.is_bool,
            is_reference,
        )

    def _base(self, node: Any) -> TypeUse:
        match node:
            case ast.IdentifierType(names=[name]) if name in self._typedefs:
                return self._typedefs[name]
            case ast.IdentifierType(names=names):
                words = [w for w in names if w != "signed" or "char" in names]
                if not words or (set(words) <= _IMPLIED_INT):
                    words.append("int")
                element = _ELEMENTS.get(" ".join(sorted(words)))
                text = "half" if element is ElementType.HALF else " ".join(names)
                return TypeUse(element, text, is_bool=names == ["_Bool"])
            case ast.Enum():
                return TypeUse(ElementType.INT32, "enum")
            case ast.Struct() | ast.Union():
                name = node.name or ""
                if name.startswith("ap_"):
                    return TypeUse(None, _width_text(name))
                kind = "struct" if isinstance(node, ast.Struct) else "union"
                return TypeUse(None, f"{kind} {node.name or ''}".strip())
            case _:
                return TypeUse(None, "a function or another type")


def _width_text(tag: str) -> str:
    """Return ``ap_fixed<16,8>`` for the tag that stands for it."""
    family, _, rest = tag.removeprefix("ap_").partition("_")
    return f"ap_{family}<{', '.join(rest.strip('_').split('_'))}>"


def converted_declaration(node: Any, converter: Converter) -> Declaration:
    """Return a declared variable or parameter."""
    value = None if node.init is None else expression_syntax.converted(node.init, converter)
    declarator = node.type
    while isinstance(declarator, ast.ArrayDecl | ast.PtrDecl):
        declarator = declarator.type
    loc = converter.loc(declarator if declarator.coord is not None else node)
    is_static = "static" in (node.storage or [])
    return Declaration(str(node.name or ""), converter.type_use(node.type), value, is_static, loc)
