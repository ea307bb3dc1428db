"""From steps to what is fixed of a graph's schedule: loop orders and unroll factors of nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.graph import SequentialNode
from streamopt.ir.loop_steps import Partition, PartitionKind, PipelineLoop, Unroll

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.loop_steps import Step
    from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement

__all__ = ["loop_of", "partition_factors", "unroll_factors"]

LoopKey = tuple[str, str]
_NUMBERED = re.compile(r"(.*[A-Za-z0-9])_[0-9]+")


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
    """Return what a graph calls a loop of the source: without the number that set it apart."""
    match = _NUMBERED.fullmatch(iterator)
    short = match[1] if match is not None else iterator
    return iterator if iterator in node.trip_counts else short


def partition_factors(graph: Graph, steps: Sequence[Step]) -> dict[LoopKey, int]:
    """Return the unroll factors, by (node, loop), under which arrays are partitioned as asked.

    A dimension is dealt out cyclically to as many memories as the loop that walks it has lanes,
    so a partition fixes that factor: (L6) of ``models/formulations/scheduling.md``.

    Raises
    ------
    LegalityError
        E239 for an array that there isn't, a kind that lowering doesn't make, or a dimension
        that no loop alone walks.
    """
    found: dict[LoopKey, int] = {}
    for step in steps:
        if isinstance(step, Partition):
            found |= _partitioned(graph, step)
    return found


def _partitioned(graph: Graph, step: Partition) -> Mapping[LoopKey, int]:
    shapes = {array.name: array.shape for array in graph.arrays}
    name = step.array if step.array in shapes else f"{step.array}_out"
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
