"""Copies of arrays into a sequential node and out of it: as many elements at once as fit.

Lanes are multiples of the partition factors inside, so that each lane knows its bank. Banks outside
are fewer where an argument may not have so many: then lanes take turns at them.
"""

from __future__ import annotations

from itertools import product
from math import lcm, prod
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS
from streamopt.ir.stepping.stepped import Transfer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamopt.ir.scheduled import ScheduledNode
    from streamopt.ir.stepping.stepped import HeldArray

MOST_AT_ONCE = 2048
"""Elements that one copy moves in an iteration."""


def transfers_in(array: str, shape: Sequence[int], held: Sequence[HeldArray]) -> list[Transfer]:
    """Return copies that fill all memories with an array: one if they have banks in common."""
    whole = [memory for memory in held if memory.keeps_all(shape)]
    parts = tuple(memory.name for memory in held if memory not in whole)
    if not whole:
        return [Transfer(array, parts, (1,) * len(shape))] if parts else []
    lanes = _common([_lanes(memory, shape) for memory in whole])
    if len(whole) == 1 or _is_fine(lanes, shape):
        return [Transfer(array, (*(memory.name for memory in whole), *parts), lanes)]
    first, *others = whole
    return [
        Transfer(array, (first.name, *parts), _lanes(first, shape)),
        *(Transfer(array, (memory.name,), _lanes(memory, shape)) for memory in others),
    ]


def transfer_out(array: str, shape: Sequence[int], held: Sequence[HeldArray]) -> Transfer:
    """Return the copy of an array out of the memory that gives the most at once."""
    held = [memory for memory in held if memory.keeps_all(shape)]
    most = max(held, key=lambda memory: prod(_lanes(memory, shape)))
    return Transfer(array, (most.name,), _lanes(most, shape))


def _common(lanes: Iterable[Sequence[int]]) -> tuple[int, ...]:
    return tuple(lcm(*counts) for counts in zip(*lanes, strict=True))


def _is_fine(lanes: Sequence[int], shape: Sequence[int]) -> bool:
    return prod(lanes) <= MOST_AT_ONCE and all(
        count <= extent for count, extent in zip(lanes, shape, strict=True)
    )


def _lanes(memory: HeldArray, shape: Sequence[int]) -> tuple[int, ...]:
    """Return how many elements a memory takes at once: one a bank; of registers, all or a row."""
    lanes, at = [1] * len(shape), 0
    for own, factor in zip(memory.held, memory.factors, strict=False):
        last = max((own.dimension, *(other for other, _, _ in own.skew)))
        lanes[last] = min(shape[last], lanes[last] * factor)
    while prod(lanes) > MOST_AT_ONCE:
        lanes[at] = 1
        at += 1
    return tuple(lanes)


def outside_factors(transfers: Sequence[Transfer], most_banks: int | None) -> tuple[int, ...]:
    """Return the partition factors of an array outside that suit copies of it best.

    They divide the lanes of each copy, so no bank is chosen by an index that moves.
    """
    most = MOST_ARGUMENT_BANKS if most_banks is None else most_banks
    shared = [
        [n for n in range(1, min(counts) + 1) if all(count % n == 0 for count in counts)]
        for counts in zip(*(transfer.lanes for transfer in transfers), strict=True)
    ]
    fitting = (factors for factors in product(*shared) if prod(factors) <= most)
    return max(fitting, key=lambda factors: (prod(factors), factors))


def whole_arrays(nodes: Iterable[ScheduledNode]) -> dict[str, list[Transfer]]:
    """Return the copies of each array outside, into all sequential nodes and out of them."""
    found: dict[str, list[Transfer]] = {}
    for scheduled in nodes:
        node, nest = scheduled.node, scheduled.stepped
        if nest is None or not isinstance(node, SequentialNode):
            continue
        begins = dict(node.carries)
        for transfer in nest.brought:
            name = begins.get(transfer.array, transfer.array)
            found.setdefault(name, []).append(transfer)
        for transfer in nest.handed:
            found.setdefault(transfer.array, []).append(transfer)
        for held in nest.memories:
            if held.is_outside:
                straight = Transfer(held.array, (held.name,), held.factors)
                found.setdefault(held.array, []).append(straight)
    return found
