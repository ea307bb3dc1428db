"""C text in, statements and programs out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import instances
from streamopt.frontends.c import read_c
from streamopt.transforms.restructure import restructure
from streamopt.transforms.restructure.flat_source import FlatSource

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.ir.source import Source

__all__ = ["body_of", "program_of"]


def _source(folder: Path, text: str) -> Source:
    """Return the source of a C function without its head: ``(double A[4]) { ... }``."""
    path = folder / "f.c"
    path.write_text(f"#include <math.h>\nvoid f{text}\n")
    return read_c(path)


def body_of(folder: Path, text: str) -> FlatSource:
    """Return statements and variables, before any pass."""
    source = _source(folder, text)
    return FlatSource(instances(source.body), {v.name: v for v in source.variables})


def program_of(folder: Path, text: str) -> Program:
    """Return the restructured program."""
    return restructure(_source(folder, text))
