"""Eliminates output copies: the producer writes the result directly."""

from collections.abc import Mapping
from dataclasses import replace

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read, reads
from streamopt.ir.program import Nest, Program, Role


def without_result_copies(program: Program) -> Program:
    """Return the program without nests that only hand an array over under another shape.

    Before::

        for i, j, k: product[i][j] += a[i][k] * b[k][j]
        for i, j:    y[0][i][j] = product[i][j]

    After::

        for i, j, k: y[0][i][j] += a[i][k] * b[k][j]
    """
    for nest in program.nests:
        program = _without(program, nest)
    return program


def _without(program: Program, copy: Nest) -> Program:
    statement = copy.statements[0]
    target, value = statement.target, statement.value
    if not isinstance(value, Read) or len(copy.statements) != 1 or statement.reduction is not None:
        return program
    source, result = program.array(value.access.array), program.array(target.array)
    if source.role is not Role.INTERNAL or result.role is not Role.OUTPUT:
        return program
    writers = [n for n in program.nests if n.statements[0].target.array == source.name]
    readers = [n for n in program.nests if _reads(n, source.name)]
    others = [n for n in program.nests if n.statements[0].target.array == result.name]
    places = _places(value.access, copy, source.shape)
    is_alone = len(writers) == 1 and len(readers) == 1 and len(others) == 1
    if not is_alone or places is None or source.element is not result.element:
        return program
    (writer,) = writers
    written = writer.statements[0]
    # Position of the element in the source, by the iterator of the copy.
    moved = {name: written.target.subscripts[position] for name, position in places.items()}
    subscripts = tuple(subscript.substitute(moved) for subscript in target.subscripts)
    statement = replace(written, target=Access(result.name, subscripts))
    merged = replace(writer, statements=(statement,))
    return replace(
        program,
        arrays=tuple(array for array in program.arrays if array is not source),
        nests=tuple(merged if n is writer else n for n in program.nests if n is not copy),
    )


def _reads(nest: Nest, array: str) -> bool:
    found = (a for s in nest.statements for e in s.expressions for a in reads(e))
    return any(access.array == array for access in found)


def _places(access: Access, copy: Nest, shape: tuple[int, ...]) -> Mapping[str, int] | None:
    """Return the dimension that each iterator walks, if the copy reads all elements once."""
    found: dict[str, int] = {}
    for position, (subscript, extent) in enumerate(zip(access.subscripts, shape, strict=True)):
        name = subscript.as_iterator()
        if name is None:
            if extent > 1 or subscript != Affine():
                return None
        elif name in found or copy.trip_counts[name] != extent:
            return None
        else:
            found[name] = position
    return found if set(found) == set(copy.trip_counts) else None
