"""Loops as the vendor's tool flattens and pipelines them, and partitions that fit their arrays.

AMD UG1399: a pipelined loop is flattened into the loops around it where the nest is perfect (only
the innermost loop has a body); loops below it are unrolled completely.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.codegen.checks.facts import nested
from streamopt.codegen.checks.finding import Finding
from streamopt.codegen.tree import Comment, For, Pragma

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.checks.facts import CppVariable, FunctionFacts
    from streamopt.codegen.tree import Item

__all__ = ["loop_findings", "partition_findings"]

_PARTITION = re.compile(r"array_partition variable=(\w+) type=cyclic factor=(\d+) dim=(\d+)")


def loop_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E613 for nests that are not perfect, E615 for loops without an iteration."""
    for item in nested(function.body):
        if isinstance(item, For) and item.trip_count < 1:
            message = f"loop {item.iterator} runs {item.trip_count} times"
            yield Finding("E615", message, function.name)
    yield from _imperfect(function.body, function.name)


def _imperfect(items: Sequence[Item], function: str) -> Iterator[Finding]:
    for loop in (item for item in items if isinstance(item, For)):
        if _is_pipelined(loop):
            yield from _rolled(loop, function)
        elif any(isinstance(item, For) and _is_pipelined(item) for item in nested(loop.body)):
            others = [i for i in loop.body if not isinstance(i, Comment | Pragma)]
            if len(others) != 1 or not isinstance(others[0], For):
                message = f"loop {loop.iterator} has more than the pipelined loop inside it"
                yield Finding("E613", message, function)
            yield from _imperfect(loop.body, function)


def _rolled(pipelined: For, function: str) -> Iterator[Finding]:
    for item in nested(pipelined.body):
        if isinstance(item, For) and Pragma("unroll") not in item.body:
            message = f"loop {item.iterator} below pipelined loop {pipelined.iterator} is not"
            yield Finding("E613", f"{message} unrolled", function)


def _is_pipelined(loop: For) -> bool:
    return any(isinstance(i, Pragma) and i.text.split()[0] == "pipeline" for i in loop.body)


def partition_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E614 for partitions of what isn't there or isn't so large."""
    known = {found.name: found for found in function.variables if not found.is_stream}
    seen: set[tuple[str, int]] = set()
    for item in nested(function.body):
        found = _PARTITION.fullmatch(item.text) if isinstance(item, Pragma) else None
        if found is None:
            continue
        name, factor, dimension = found[1], int(found[2]), int(found[3])
        problem = _misfit(known.get(name), factor, dimension)
        if (name, dimension) in seen:
            problem = f"dimension {dimension} is partitioned twice"
        seen.add((name, dimension))
        if problem:
            yield Finding("E614", f"partition of {name}: {problem}", function.name)


def _misfit(array: CppVariable | None, factor: int, dimension: int) -> str:
    if array is None:
        return "there is no array of that name"
    if not 1 <= dimension <= len(array.extents):
        return f"there is no dimension {dimension}"
    extent = array.extents[dimension - 1]
    if not 1 < factor <= extent:
        return f"factor {factor} for an extent of {extent}"
    return ""
