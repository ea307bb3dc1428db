"""Declared types: levels of arrays and pointers around a base, which may have members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from pycparser import c_ast as ast
from pycparser.c_parser import Coord

from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.syntax.types import BIT_FIELD, element_named
from streamopt.frontends.c.text.template_text import STREAM
from streamopt.frontends.c.text.templates import OPEN_TYPE

_ARRAYS = ("hls_vector_", "std_array_")
_WHOLE = re.compile(r"ap_u?int_(\d{2,4})_")
_WORDS = (64, 32, 16, 8)
AUTO = "auto_"
MAX_MEMBERS = 1_000
ELEMENTS = "v"
"""The member of a vector that has its elements."""


def word_of(tag: str) -> tuple[int, int] | None:
    """Return the bits of a word of a long whole number, and how many it has; None for others."""
    found = _WHOLE.fullmatch(tag)
    width = 0 if found is None else int(found[1])
    size = next((bits for bits in (*_WORDS, *range(63, 7, -1)) if width % bits == 0), 0)
    return (size, width // size) if width > _WORDS[0] and size else None


class LevelKind(Enum):
    """The kinds of levels."""

    ARRAY = "array"
    POINTER = "pointer"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredLevel:
    """An array of so many elements, a pointer or a reference."""

    kind: LevelKind
    extent: ast.Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NodeType:
    """A type: levels, outermost first, around a base."""

    base: ast.Node
    levels: tuple[DeclaredLevel, ...] = ()
    qualifiers: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """Return the name of the structure that the base is; empty for others."""
        return self.base.name or "" if isinstance(self.base, ast.Struct) else ""

    @property
    def element(self) -> NodeType:
        """Return the type without its outermost level."""
        return replace(self, levels=self.levels[1:])

    @property
    def value(self) -> NodeType:
        """Return the type that a reference refers to, and others as they are."""
        is_reference = bool(self.levels) and self.levels[0].kind is LevelKind.REFERENCE
        return self.element if is_reference else self

    @property
    def is_stream(self) -> bool:
        """Return whether the base is a stream."""
        return self.tag.startswith(STREAM)

    @property
    def is_vector(self) -> bool:
        """Return whether it is a vector, not an array of vectors."""
        is_array = self.tag.startswith(_ARRAYS) or word_of(self.tag) is not None
        return is_array and not self.value.levels

    def within(self, levels: Sequence[DeclaredLevel], qualifiers: Sequence[str] = ()) -> NodeType:
        """Return the type inside of further levels."""
        both = (*qualifiers, *self.qualifiers)
        return NodeType(self.base, (*levels, *self.levels), tuple(dict.fromkeys(both)))

    def declaration(
        self,
        name: str,
        coord: Coord | None,
        init: ast.Node | None = None,
        storage: Sequence[str] = (),
    ) -> ast.Decl:
        """Return the declaration of a variable of the type."""
        quals = [*self.qualifiers]
        found: ast.Node = ast.TypeDecl(name, quals, None, self.base, coord)
        for level in reversed(self.levels):
            if level.kind is LevelKind.ARRAY:
                found = ast.ArrayDecl(found, level.extent, [], coord)
            else:
                marks = ["_Atomic"] if level.kind is LevelKind.REFERENCE else []
                found = ast.PtrDecl(marks, found, coord)
        return ast.Decl(name, quals, [], [*storage], [], found, init, None, coord)

    def typename(self, coord: Coord | None) -> ast.Typename:
        """Return the type as a cast names it; it has no levels."""
        inside = ast.TypeDecl(None, [*self.qualifiers], None, self.base, coord)
        return ast.Typename(None, [*self.qualifiers], None, inside, coord)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member without members of its own."""

    path: tuple[str, ...]
    type: NodeType
    """With the levels of what it is a member of, outermost first."""

    @property
    def suffix(self) -> str:
        """Return all that its variable's name has behind the name of the whole."""
        return "".join(f"__{name}" for name in self.path)


@dataclass(slots=True)
class TypeTable:
    """The structures and type names of a file."""

    structures: dict[str, ast.Struct] = field(default_factory=dict[str, ast.Struct])
    typedefs: dict[str, ast.Node] = field(default_factory=dict[str, ast.Node])
    bound: Mapping[str, NodeType] = field(default_factory=dict[str, NodeType])
    """The types that a call decides, by tag."""
    constants: dict[str, int] = field(default_factory=dict[str, int])
    """The whole numbers that constants of the file are, for extents."""
    has_words: bool = False
    """Whether there are whole numbers of more than 64 bits."""

    def note(self, node: ast.Node) -> None:
        """Note the types that a declaration of the file declares."""
        if isinstance(node, ast.Typedef):
            self.typedefs[node.name] = node.type
        inside = node
        while isinstance(
            inside, ast.Typedef | ast.Decl | ast.TypeDecl | ast.PtrDecl | ast.ArrayDecl
        ):
            inside = inside.type
        if isinstance(inside, ast.Struct) and inside.decls is not None:
            for member in inside.decls:
                if isinstance(member, ast.Decl):
                    self.note(member)
            if inside.name is None:
                inside.name = f"unnamed_{len(self.structures)}"
            self.structures[inside.name] = inside

    def resolved(self, node: ast.Node) -> NodeType:
        """Return the type of a declarator, type names put in."""
        levels: list[DeclaredLevel] = []
        qualifiers: list[str] = []
        while True:
            match node:
                case ast.ArrayDecl(dim=extent):
                    levels.append(DeclaredLevel(LevelKind.ARRAY, extent))
                case ast.PtrDecl(quals=marks):
                    is_pointer = "_Atomic" not in (marks or [])
                    kind = LevelKind.POINTER if is_pointer else LevelKind.REFERENCE
                    levels.append(DeclaredLevel(kind))
                case ast.TypeDecl(quals=marks) | ast.Typename(quals=marks):
                    qualifiers += marks or []
                case _:
                    break
            node = node.type
        match node:
            case ast.IdentifierType(names=[name]) if name in self.typedefs:
                known = self.resolved(self.typedefs[name])
            case ast.Struct(name=str(tag)) if tag in self.bound:
                known = self.bound[tag]
            case _:
                known = NodeType(node)
        return known.within(levels, qualifiers)

    def members(self, whole: NodeType) -> list[tuple[str, NodeType]] | None:
        """Return the members of a type without levels; None if it has none."""
        tag = whole.tag
        words = word_of(tag)
        if words is not None:
            word = NodeType(ast.Struct(f"ap_uint_{words[0]}_", None))
            level = DeclaredLevel(LevelKind.ARRAY, ast.Constant("int", str(words[1])))
            return [(ELEMENTS, word.within([level], whole.qualifiers))]
        if tag.startswith(_ARRAYS):
            extent, _, element = tag.split("_", 2)[2].partition("_")
            level = DeclaredLevel(LevelKind.ARRAY, ast.Constant("int", extent))
            return [(ELEMENTS, self.named(element).within([level], whole.qualifiers))]
        structure = self.structures.get(tag)
        if structure is None or isinstance(whole.base, ast.Union):
            return None
        return [
            (item.name, self._member(item).within((), whole.qualifiers))
            for item in structure.decls or ()
            if isinstance(item, ast.Decl) and item.name
        ]

    def _member(self, item: ast.Decl) -> NodeType:
        found = self.resolved(item.type)
        if not isinstance(item.bitsize, ast.Constant):
            return found
        element = element_named(getattr(found.base, "names", ()))
        sign = "" if element is None or element.is_signed else "u"
        return NodeType(ast.Struct(f"{BIT_FIELD}ap_{sign}int_{item.bitsize.value}_", None))

    def has_members(self, whole: NodeType) -> bool:
        """Return whether the base of a type has members."""
        is_known = whole.tag.startswith(_ARRAYS) or whole.tag in self.structures
        return is_known or word_of(whole.tag) is not None

    def stream_element(self, stream: NodeType) -> NodeType:
        """Return the type of what a stream carries."""
        return self.named(stream.tag.removeprefix(STREAM).partition("_")[2])

    def named(self, words: str) -> NodeType:
        """Return the type that stands in the tag of a structure of a library."""
        if words.startswith("struct__"):
            return self.resolved(ast.TypeDecl(None, [], None, ast.Struct(words[8:], None)))
        if words in self.typedefs:
            return self.resolved(ast.TypeDecl(None, [], None, ast.IdentifierType([words])))
        names = words.split("__")
        return NodeType(ast.IdentifierType([name for name in names if name != "const"]))

    def leaves(self, whole: NodeType) -> Iterator[Member]:
        """Yield the members of a type, those of members included; itself if it has none.

        Raises
        ------
        LimitError
            If they are more than `MAX_MEMBERS`.
        """
        for count, leaf in enumerate(self._leaves(whole)):
            if count >= MAX_MEMBERS:
                message = f"struct {whole.tag} has more than {MAX_MEMBERS} members"
                raise LimitError(message, None, "use arrays as members")
            yield leaf

    def _leaves(self, whole: NodeType) -> Iterator[Member]:
        members = self.members(replace(whole, levels=()))
        if members is None:
            yield Member((), whole)
            return
        for name, inside in members:
            if any(level.kind is not LevelKind.ARRAY for level in inside.levels):
                yield Member((name,), inside.within(whole.levels))
                continue
            for leaf in self._leaves(inside):
                outer = whole.levels
                if leaf.type.levels and outer and outer[0].kind is LevelKind.REFERENCE:
                    outer = outer[1:]
                yield Member((name, *leaf.path), leaf.type.within(outer))


def is_open(node: NodeType) -> bool:
    """Return whether a call decides the type."""
    return node.tag.startswith(OPEN_TYPE)


def number(value: int, coord: Coord | None) -> ast.Constant:
    """Return a whole number."""
    return ast.Constant("int", str(value), coord)
