"""A file in C, with its functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.syntax.trees import coordinate
from streamopt.frontends.c.syntax.types import CType, Declaration
from streamopt.frontends.c.text.places import Places


@dataclass(frozen=True, slots=True, eq=False)
class CFunction:
    """A function with a body; has_scop tells whether that holds ``#pragma scop``."""

    name: str
    parameters: tuple[Declaration, ...]
    returns: CType
    body: ast.Compound
    has_scop: bool
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class CFile:
    """A file, with the headers that it includes."""

    places: Places
    functions: Mapping[str, CFunction]
    variables: tuple[Declaration, ...]
    """Those outside of functions."""
    enumerators: Mapping[str, ast.Node]
    """The value of each, by its name."""
    # declarations, types: variables and parameters anywhere, and the types of casts and ``sizeof``,
    # by their nodes
    declarations: Mapping[ast.Decl, Declaration]
    types: Mapping[ast.Typename, CType]
    tree: ast.FileAST
    generics: Mapping[str, tuple[str, ...]]
    """By function whose types its calls decide: the numbers that they decide too."""

    def loc(self, node: ast.Node) -> SourceLoc:
        """Return the place of a node in the user's file."""
        return self.places.of(coordinate(node))
