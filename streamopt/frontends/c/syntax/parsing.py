"""From preprocessed text to the tree of `streamopt.frontends.c.syntax.tree`, by pycparser."""

# pycparser has no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from pycparser import c_ast as ast
from pycparser.c_parser import CParser, ParseError

from streamopt.errors import Diagnostic, FrontendError
from streamopt.frontends.c.syntax.statement_syntax import converted_statement
from streamopt.frontends.c.syntax.tree import Block, Declaration, Function, Unit
from streamopt.frontends.c.syntax.types import Converter, converted_declaration

if TYPE_CHECKING:
    from streamopt.frontends.c.syntax.tree import Node
    from streamopt.frontends.c.text.places import Places
    from streamopt.frontends.c.text.preprocess import Preprocessed

__all__ = ["parsed"]

_POSITION = re.compile(r"^.*?:(\d+)(?::(\d+))?: (.*)$", re.DOTALL)
_NESTING_HINT = "split the expression or the statement"
_SYNTAX_HINT = "only C is read: no templates, classes, references or other C++"


def parsed(source: Preprocessed) -> Unit:
    """Return the file's functions, variables and enumerators.

    Raises
    ------
    FrontendError
        If it is not C (E132) or nested too deeply (E139).
    """
    try:
        file = _Parser().parse(source.text, "")
        return _unit(file, Converter(source.places))
    except ParseError as error:
        raise FrontendError(_syntax_error(str(error), source.places)) from None
    except (RecursionError, MemoryError):
        loc = source.places.loc(1, 1)
        message = "the program is nested too deeply"
        raise FrontendError(Diagnostic("E139", message, loc, _NESTING_HINT)) from None
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        loc = source.places.loc(1, 1)
        message = f"the parser can't read this: {type(error).__name__} {error}"
        raise FrontendError(Diagnostic("E132", message, loc, _SYNTAX_HINT)) from None


class _Parser(CParser):
    """pycparser that always says where an error is."""

    def _parse_error(self, msg: str, coord: Any) -> NoReturn:
        if isinstance(coord, str) and "At end of input" not in msg:
            token = self._peek()
            if token is not None:
                coord = self._tok_coord(token)
                msg = f"before: {token.value}"
        super()._parse_error(msg, coord)


def _syntax_error(text: str, places: Places) -> Diagnostic:
    found = _POSITION.match(text)
    if found is None:
        message, loc = text.lstrip(": "), places.loc(len(places.rows), 1)
    else:
        line, column, message = found.groups()
        loc = places.loc(int(line), int(column or 1))
    message = message.strip()
    if message.startswith("before: "):
        message = f"unexpected '{message.removeprefix('before: ')[:60]}'"
    elif "At end of input" in message:
        message = "the file ends inside a function or declaration: a brace or semicolon is missing"
    return Diagnostic("E132", f"syntax: {message[:200]}", loc, _SYNTAX_HINT)


def _unit(file: Any, converter: Converter) -> Unit:
    functions: dict[str, Function] = {}
    variables: list[Declaration] = []
    for item in file.ext:
        match item:
            case ast.Typedef():
                converter.add_typedef(item)
            case ast.FuncDef():
                functions[str(item.decl.name)] = _function(item, converter)
            case ast.Decl() if not isinstance(item.type, ast.FuncDecl):
                converter.add_enumerators(item.type)
                if item.name is not None:
                    variables.append(converted_declaration(item, converter))
            case _:
                pass
    enumerators: dict[str, Node] = converter.enumerators
    return Unit(functions, tuple(variables), enumerators)


def _function(item: Any, converter: Converter) -> Function:
    declaration = item.decl
    parameters = declaration.type.args.params if declaration.type.args is not None else []
    known = tuple(
        converted_declaration(parameter, converter)
        for parameter in parameters
        if isinstance(parameter, ast.Decl)
    )
    body = converted_statement(item.body, converter)
    loc = converter.loc(item)
    return Function(
        name=str(declaration.name),
        parameters=known,
        returns=converter.type_use(declaration.type.type),
        body=body if isinstance(body, Block) else Block((body,), loc),
        has_scop=_has_scop(item.body),
        loc=loc,
    )


def _has_scop(body: Any) -> bool:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Pragma) and node.string == "scop":
            return True
        if isinstance(node, ast.Compound | ast.For | ast.If | ast.Label | ast.While | ast.DoWhile):
            waiting.extend(child for _, child in node.children())
    return False
