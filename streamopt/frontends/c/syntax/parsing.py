"""From preprocessed text to the functions and declarations of a file, by pycparser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

from pycparser import c_ast as ast
from pycparser.c_parser import Coord, CParser, ParseError

from streamopt.errors import Diagnostic, FrontendError
from streamopt.frontends.c.syntax.files import CFile, CFunction
from streamopt.frontends.c.syntax.plain_forms import in_plain_forms
from streamopt.frontends.c.syntax.trees import every
from streamopt.frontends.c.syntax.types import Declaration, DeclarationReader
from streamopt.frontends.c.text.places import Places
from streamopt.frontends.c.text.preprocess import Preprocessed

_POSITION = re.compile(r"^.*?:(\d+)(?::(\d+))?: (.*)$", re.DOTALL)
_WORD_BEFORE = re.compile(r"\b([A-Za-z_]\w*)\s*\Z")
_NESTING_HINT = "split the expression or the statement"
_SYNTAX_HINT = "C is read, and C++ as in docs/guides/c.md: look for what stands in front of this"


def parsed(source: Preprocessed) -> CFile:
    """Return the file's functions, variables and enumerators.

    Raises
    ------
    FrontendError
        If it is not C (E132) or nested too deeply (E139).
    """
    try:
        tree = in_plain_forms(_PlacingParser().parse(source.text))
        assert isinstance(tree, ast.FileAST)
        return file_of(tree, source.places, source.generics)
    except ParseError as error:
        raise FrontendError(_syntax_error(str(error), source)) from None
    except (RecursionError, MemoryError):
        message = "the program is nested too deeply"
        loc = source.places.loc(1, 1)
        raise FrontendError(Diagnostic("E139", message, loc, _NESTING_HINT)) from None
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        loc = source.places.loc(1, 1)
        message = f"the parser can't read this: {type(error).__name__} {error}"
        raise FrontendError(Diagnostic("E132", message, loc, _SYNTAX_HINT)) from None


class _PlacingParser(CParser):
    """pycparser that always says where an error is."""

    def _parse_error(self, msg: str, coord: Coord | str | None) -> NoReturn:
        if isinstance(coord, str) and "At end of input" not in msg:
            token = self._peek()
            if token is not None:
                coord = self._tok_coord(token)
                msg = f"before: {token.value}"
        super()._parse_error(msg, coord)


def _syntax_error(text: str, source: Preprocessed) -> Diagnostic:
    found, hint = _POSITION.match(text), _SYNTAX_HINT
    line, column = (int(found[1]), int(found[2] or 1)) if found else (len(source.places.rows), 1)
    message = (found[3] if found else text.lstrip(": ")).strip()
    if message.startswith("before: "):
        token, row = message.removeprefix("before: ")[:60], source.text.split("\n")[line - 1]
        message, word = f"unexpected '{token}'", _WORD_BEFORE.search(row[: column - 1])
        if word is not None and token.isidentifier():
            hint = f"declare {word[1]} before it is used as a type: is a header or a -D missing?"
    elif "At end of input" in message:
        message = "the file ends inside a function or declaration: a brace or semicolon is missing"
    return Diagnostic("E132", f"syntax: {message[:200]}", source.places.loc(line, column), hint)


def file_of(tree: ast.FileAST, places: Places, generics: Mapping[str, tuple[str, ...]]) -> CFile:
    """Return the functions and declarations of a tree."""
    reader = DeclarationReader(places)
    functions: dict[str, CFunction] = {}
    variables: list[Declaration] = []
    for item in tree.ext:
        match item:
            case ast.FuncDef(decl=ast.Decl(name=str(name), type=ast.FuncDecl() as declarator)):
                functions[name] = _function(name, item, declarator, reader, places)
            case ast.Typedef() | ast.Decl():
                reader.read(item)
                if item in reader.declarations and item.name is not None:
                    variables.append(reader.declarations[item])
            case _:
                pass
    return CFile(
        places,
        functions,
        tuple(variables),
        reader.enumerators,
        reader.declarations,
        reader.types,
        tree,
        generics,
    )


def _function(
    name: str,
    item: ast.FuncDef,
    declarator: ast.FuncDecl,
    reader: DeclarationReader,
    places: Places,
) -> CFunction:
    parameters = [] if declarator.args is None else declarator.args.params
    for node in (*parameters, item.body):
        reader.read(node)
    return CFunction(
        name,
        tuple(reader.declarations[node] for node in parameters if isinstance(node, ast.Decl)),
        reader.type_of(declarator.type),
        item.body,
        any(isinstance(n, ast.Pragma) and n.string == "scop" for n in every(item.body)),
        places.of(item.coord),
    )
