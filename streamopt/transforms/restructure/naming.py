"""Names that users know: no version numbers that nothing else needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, moved_leaf
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Nest, Program, Role
from streamopt.ir.source import Source
from streamopt.transforms.free_names import FreeNames, numbered_stem

_ROLES = (Role.INPUT, Role.WEIGHT, Role.INTERNAL, Role.OUTPUT)


def final_names(program: Program, source: Source) -> Program:
    """Return the program with short names of arrays, nests and iterators, arrays by role.

    Before: ``C_1[i_2][j_2] = C[i_2][j_2] + AB_1[i_2][j_2]``
    After:  ``C_out[i][j] = C[i][j] + AB[i][j]``

    An argument that is read and written is the input ``X`` and the output ``X_out``; one that is
    only written is the output ``X``. Other versions keep a number where there are several.
    """
    names = _array_names(program, source)
    arrays = [replace(array, name=names[array.name]) for array in program.arrays]
    arrays.sort(key=lambda array: _ROLES.index(array.role))
    taken = {array.name for array in arrays}
    nests = _numbered([_renamed(nest, names, taken) for nest in program.nests])
    values = {names[name]: value for name, value in program.values.items()}
    return replace(program, arrays=tuple(arrays), nests=nests, values=values)


def _array_names(program: Program, source: Source) -> dict[str, str]:
    known = {variable.name for variable in source.variables}
    given = {array.name for array in program.arrays if array.is_given}
    names = {name: name for name in given}
    taken = FreeNames(given)
    ordered = sorted(program.arrays, key=lambda array: array.role is not Role.OUTPUT)
    for array in ordered:
        if array.name not in given:
            base = array.name if array.name in known else array.name.rpartition("_")[0]
            base = f"{base}_" if f"{base}_" in known else base
            wanted = f"{base}_out" if base in given and array.role is Role.OUTPUT else base
            names[array.name] = taken.fresh(wanted, base, 1)
    return names


def _numbered(nests: Sequence[Nest]) -> tuple[Nest, ...]:
    """Return the nests with a number behind every name that an earlier one has."""
    taken = FreeNames()
    return tuple(replace(nest, name=taken.fresh(nest.name)) for nest in nests)


def _renamed(nest: Nest, names: Mapping[str, str], taken: set[str]) -> Nest:
    iterators = _iterator_names(nest, taken)
    moved = {old: Affine.iterator(new) for old, new in iterators.items()}

    def access(old: Access) -> Access:
        return replace(old.substitute(moved), array=names[old.array])

    leaf = moved_leaf(access, lambda index: index.substitute(moved))
    return replace(
        nest,
        name=nest.name or f"{names[nest.statements[-1].target.array]}_{_kind(nest)}",
        loops=tuple(replace(loop, name=iterators[loop.name]) for loop in nest.loops),
        carries=tuple((names[array], names[origin]) for array, origin in nest.carries),
        statements=tuple(s.rewritten(leaf, access(s.target)) for s in nest.statements),
    )


def _kind(nest: Nest) -> str:
    """Return the work of a nest without a label, in a word."""
    match nest.statements[-1].reduction:
        case _ if nest.sequential:
            return "update"
        case Reduction.ADD:
            return "sum"
        case Reduction.MUL:
            return "product"
        case Reduction.MAX | Reduction.MIN as extreme:
            return extreme.value
        case None:
            return "set"


def _iterator_names(nest: Nest, taken: set[str]) -> dict[str, str]:
    """Return iterators without the numbers that told loops of other nests apart."""
    used = {loop.name for loop in nest.loops}
    names: dict[str, str] = {}
    for loop in nest.loops:
        short = numbered_stem(loop.name)
        free = short not in taken and short not in {*names.values()} | (used - {loop.name})
        names[loop.name] = short if free else loop.name
    return names
