"""C text in, statements and nests out, as short text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import instances
from streamopt.frontends.c import read_c
from streamopt.ir.text import expression_text, statement_texts
from streamopt.transforms.restructure import restructure
from streamopt.transforms.restructure.flat_source import FlatSource

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Nest, Program
    from streamopt.ir.source import Source

__all__ = ["body_of", "lines", "nests", "program_of", "source_of"]


def source_of(folder: Path, text: str) -> Source:
    """Return the source of a C function without its head: ``(double A[4]) { ... }``."""
    path = folder / "f.c"
    path.write_text(f"#include <math.h>\nvoid f{text}\n")
    return read_c(path)


def body_of(folder: Path, text: str) -> FlatSource:
    """Return statements and variables, before any pass."""
    source = source_of(folder, text)
    return FlatSource(instances(source.body), {v.name: v for v in source.variables})


def program_of(folder: Path, text: str) -> Program:
    """Return the restructured program."""
    return restructure(source_of(folder, text))


def lines(body: FlatSource) -> list[str]:
    """Return the statements, ``target = value if guards``."""
    found: list[str] = []
    for instance in body.statements:
        value = expression_text(instance.assign.value)
        guards = " and ".join(map(expression_text, instance.guards))
        head = f"if {guards}: " if guards else ""
        found.append(f"{head}{_text(instance.target)} = {value}")
    return found


def _text(access: Access) -> str:
    return access.array + "".join(f"[{subscript}]" for subscript in access.subscripts)


def nests(program: Program) -> list[str]:
    """Return the nests: loops, whether sequential, what is carried, and the statements."""
    return [_nest(nest) for nest in program.nests]


def _nest(nest: Nest) -> str:
    loops = " ".join(f"{loop.name}<{loop.trip_count}" for loop in nest.loops)
    carries = " ".join(f"{array}:{source}" for array, source in nest.carries)
    kind = f"sequential({carries})" if nest.sequential else "stream"
    texts = [text for statement in nest.statements for text in statement_texts(statement)]
    return f"{kind} {loops}: {'; '.join(texts)}"
