"""The order that nests need: writers of an array one after another, then its readers."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

from streamopt.ir.expression import reads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamopt.ir.program import Nest

__all__ = ["dependences", "topological_order", "users"]


def users(nests: Sequence[Nest]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Return the positions of the nests that write each array, and of those that read it."""
    writers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for position, nest in enumerate(nests):
        for statement in nest.statements:
            _append(writers, [statement.target.array], position)
            for expression in statement.expressions:
                _append(readers, [access.array for access in reads(expression)], position)
        _append(readers, [source for _, source in nest.carries], position)
    return writers, readers


def dependences(nests: Sequence[Nest]) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return the arrays that make one nest wait for another.

    Keys are pairs (earlier, later) of positions: (writer, reader) for every writer and reader of
    an array, and (writer, next writer). A nest never waits for itself.
    """
    writers, readers = users(nests)
    found: dict[tuple[int, int], dict[str, None]] = {}
    for array, positions in writers.items():
        own = {*positions}
        others = [reader for reader in readers.get(array, ()) if reader not in own]
        pairs = list(pairwise(positions))
        pairs += [(writer, reader) for writer in positions for reader in others]
        for pair in pairs:
            found.setdefault(pair, {})[array] = None
    return {pair: tuple(arrays) for pair, arrays in found.items()}


def _append(table: dict[str, list[int]], arrays: Iterable[str], position: int) -> None:
    for array in arrays:
        positions = table.setdefault(array, [])
        if not positions or positions[-1] != position:
            positions.append(position)


def topological_order(
    count: int, pairs: Iterable[tuple[int, int]] | Mapping[tuple[int, int], object]
) -> tuple[int, ...]:
    """Return the positions ``0 .. count - 1``, earlier before later, otherwise as they are.

    Positions on a cycle, or after one, are left out.
    """
    waits = [0] * count
    successors: list[list[int]] = [[] for _ in range(count)]
    for earlier, later in pairs:
        waits[later] += 1
        successors[earlier].append(later)
    ready = [position for position, waiting in enumerate(waits) if waiting == 0]
    heapify(ready)
    order: list[int] = []
    while ready:
        position = heappop(ready)
        order.append(position)
        for later in successors[position]:
            waits[later] -= 1
            if waits[later] == 0:
                heappush(ready, later)
    return tuple(order)
