"""Names that users know: versions numbered from 1, the last one under the argument's own name.

An argument that is read and written is the input ``X`` and the output ``X_out``; one that is only
written is the output ``X``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.expression import Read
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Nest, Program, Statement
    from streamopt.ir.source import Source

__all__ = ["final_names"]


def final_names(program: Program, source: Source) -> Program:
    """Return the program with its outputs, and nests called after them, under their final names."""
    given = {array.name for array in program.arrays if array.is_given}
    names: dict[str, str] = {}
    taken = {array.name for array in program.arrays if array.role is not Role.OUTPUT}
    for array in program.arrays:
        if array.role is Role.OUTPUT:
            own = _argument(array.name, source)
            names[array.name] = _free(own if own not in given else f"{own}_out", taken)
            taken.add(names[array.name])
    arrays = tuple(replace(a, name=names.get(a.name, a.name)) for a in program.arrays)
    nests = tuple(_renamed(nest, names) for nest in program.nests)
    return replace(program, arrays=arrays, nests=nests)


def _argument(version: str, source: Source) -> str:
    known = {variable.name for variable in source.variables}
    return version if version in known else version.rpartition("_")[0]


def _free(name: str, taken: set[str]) -> str:
    number, fresh = 2, name
    while fresh in taken:
        fresh, number = f"{name}_{number}", number + 1
    return fresh


def _renamed(nest: Nest, names: Mapping[str, str]) -> Nest:
    name = nest.name
    for old, new in names.items():
        if name.startswith(f"{old}_"):
            name = f"{new}_{name.removeprefix(f'{old}_')}"
            break
    carries = tuple((names.get(a, a), names.get(b, b)) for a, b in nest.carries)
    statements = tuple(_statement(statement, names) for statement in nest.statements)
    return replace(nest, name=name, carries=carries, statements=statements)


def _statement(statement: Statement, names: Mapping[str, str]) -> Statement:
    def leaf(part: Expression) -> Expression:
        if not isinstance(part, Read):
            return part
        name = part.access.array
        return Read(replace(part.access, array=names.get(name, name)))

    target = statement.target
    return statement.rewritten(leaf, replace(target, array=names.get(target.array, target.array)))
