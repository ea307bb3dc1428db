"""From steps to what is fixed of a graph's schedule: loop orders, unroll factors and lanes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine, FloorDiv, Mod
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.loop_steps import Partition, PartitionKind, PipelineLoop, Step, Unroll
from streamopt.transforms.free_names import numbered_stem
from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement
from streamopt.transforms.scheduling.transformed import legality_problems

LoopKey = tuple[str, str]


def unroll_factors(program: TimedProgram, steps: Sequence[Step]) -> dict[LoopKey, int]:
    """Return the unroll factors that steps ask for, by (statement, loop).

    A pipelined loop has the loops inside of it unrolled as a whole.

    Raises
    ------
    LegalityError
        If there is no such statement or loop (E231, E232), or a factor is not from 1 to the
        number of iterations (E234).
    """
    found: dict[LoopKey, int] = {}
    for step in steps:
        match step:
            case PipelineLoop(name, loop):
                statement = program.statement(name)
                depth = statement.depth(loop)
                inside = range(depth + 1, len(statement.loops))
                found |= {(name, statement.loops[at].name): _all(statement, at) for at in inside}
            case Unroll(name, loop, factor):
                statement = program.statement(name)
                depth = statement.depth(loop)
                most = _all(statement, depth)
                if not 0 <= factor <= most:
                    message = f"unroll factor {factor} of loop {loop} of {name}, which has {most} "
                    hint = f"give a number from 1 to {most}"
                    raise LegalityError(Diagnostic("E234", f"{message}iterations", hint=hint))
                found[name, loop] = factor or most
            case _:
                pass
    return found


def _all(statement: TimedStatement, depth: int) -> int:
    low, high = statement.reach(depth)
    return high - low + 1


def loop_of(node: Node, iterator: str) -> str:
    """Return the name of a source loop in a graph: without the number that set it apart."""
    return iterator if iterator in node.trip_counts else numbered_stem(iterator)


def partition_factors(graph: Graph, steps: Sequence[Step]) -> dict[LoopKey, int]:
    """Return the unroll factors, by (node, loop), under which arrays are partitioned as asked.

    A dimension is dealt out cyclically to as many memories as the loop that walks it has lanes,
    so a partition fixes that factor: (L6) of ``models/formulations/scheduling.md``.

    Raises
    ------
    LegalityError
        E239 for an unknown array, a kind that lowering doesn't make, or a dimension
        that no loop alone walks.
    """
    found: dict[LoopKey, int] = {}
    for step in steps:
        if isinstance(step, Partition):
            found |= _partitioned(graph, step)
    return found


def _partitioned(graph: Graph, step: Partition) -> Mapping[LoopKey, int]:
    shapes = {array.name: array.shape for array in graph.arrays}
    name = step.array if step.array in shapes else f"{step.array.rstrip('_')}_out"
    if name not in shapes:
        raise _refused(f"{graph.name} has no array '{step.array}'", ", ".join(shapes))
    dimensions = len(shapes[name])
    if not 1 <= step.dimension <= dimensions:
        message = f"{name} has no dimension {step.dimension}"
        raise _refused(message, f"1 to {dimensions}, the first is 1")
    factor = (
        shapes[name][step.dimension - 1] if step.kind is PartitionKind.COMPLETE else step.factor
    )
    if step.kind is PartitionKind.BLOCK:
        message = f"{name} is partitioned by blocks, but lanes of a loop take turns"
        raise _refused(message, "cyclic, or complete")
    walks = dict.fromkeys(_walks(graph, name, step.dimension - 1))
    if not walks:
        message = f"no loop alone walks dimension {step.dimension} of {name}"
        raise _refused(message, "a dimension whose subscript is one iterator")
    return dict.fromkeys(walks, factor)


def _walks(graph: Graph, array: str, dimension: int) -> Iterator[LoopKey]:
    """Yield the loops that are the subscript of a dimension."""
    for node in graph.nodes:
        if not isinstance(node, SequentialNode):
            for access in (node.write, *node.reads):
                if access.array == array:
                    loop = access.subscripts[dimension].as_iterator()
                    if loop is not None:
                        yield node.name, loop


def _refused(message: str, choices: str) -> LegalityError:
    return LegalityError(Diagnostic("E239", message, hint=f"choose of {choices}"))


def with_lanes(
    program: TimedProgram, unrolled: Collection[tuple[str, str]]
) -> tuple[TimedProgram, Mapping[tuple[str, str], int]]:
    """Return the program without the inner loops of splits that are unrolled as a whole.

    Before: ``for (i0 < 8) for (i1 < 4) A[4 * i0 + i1] = ...      // i0 pipelined, i1 unrolled``
    After:  ``for (i < 32) A[i] = ...                             // unroll 4``

    Both are the same hardware, but only in the second form an array is walked by one iterator for a
    dimension, as FIFOs need (Cond. 2).

    Parameters
    ----------
    unrolled
        (statement, loop) of the loops all of whose iterations work in parallel.

    Returns
    -------
    tuple
        The program, and by (statement, loop) the factor of the loops that took lanes in. A split
        stays where its loops are shared, or the order of the lanes matters.
    """
    factors: dict[tuple[str, str], int] = {}
    for statement in program.statements:
        for loop in statement.loops:
            if (statement.name, loop.name) in unrolled:
                found = _merged(program, program.statement(statement.name), loop.name)
                if found is not None:
                    program, outer, factor = found
                    factors[statement.name, outer] = factor
    return program, factors


def _merged(
    program: TimedProgram, statement: TimedStatement, inner: str
) -> tuple[TimedProgram, str, int] | None:
    depth = statement.depth(inner)
    parts = _divided(statement.loops[depth].value, Mod)
    if parts is None:
        return None
    outer = next(
        (at for at, own in enumerate(statement.loops) if _divided(own.value, FloorDiv) == parts),
        None,
    )
    if outer is None or outer > depth or _is_shared(program, statement):
        return None
    whole, factor = parts
    loops = [*statement.loops]
    name = loops[outer].name
    loops[outer] = replace(loops[outer], value=whole)
    del loops[depth]
    position = (*statement.position[: depth + 1], *statement.position[depth + 2 :])
    merged = replace(statement, loops=tuple(loops), position=position)
    statements = tuple(merged if own is statement else own for own in program.statements)
    after = replace(program, statements=statements)
    if any(legality_problems(program, after, "lanes")):
        return None
    return after, name, factor


def _divided(value: Affine, kind: type[FloorDiv | Mod]) -> tuple[Affine, int] | None:
    """Return dividend and factor of a value that is nothing but a quotient or remainder."""
    match value.terms, value.constant:
        case ((atom, 1),), 0 if isinstance(atom, kind):
            return atom.value, atom.divisor
        case _:
            return None


def _is_shared(program: TimedProgram, statement: TimedStatement) -> bool:
    first = statement.position[0]
    return any(own.position[0] == first for own in program.statements if own is not statement)
