from typing import NoReturn

from pycparser.c_ast import FileAST

class Coord:
    file: str
    line: int
    column: int | None

class ParseError(Exception): ...

class _Token:
    value: str

class CParser:
    def parse(self, text: str, filename: str = "") -> FileAST: ...
    def _parse_error(self, msg: str, coord: Coord | str | None) -> NoReturn: ...
    def _peek(self, k: int = 1) -> _Token | None: ...
    def _tok_coord(self, tok: _Token) -> Coord: ...
