"""Visits that last until their accesses to a memory are over, ahead of phases that fill its banks.

A memory that serves phases along different dimensions has the ports for each of them alone
(`streamopt.transforms.stepped.skews`): what one phase still writes must not meet what the next one
reads. Only the last visit of an outermost item of the node waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Turn, turns_among
from streamopt.ir.stepping.turned_lanes import is_skewed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.network import Memory, TurnItem, Turns
    from streamopt.perf.turns.layout import TimedTurn

_PORTS = 2
"""Of a bank of block RAM."""


def draining_cycles(
    turns: Turns, timed: Sequence[TimedTurn], memories: Mapping[str, Memory]
) -> dict[str, int]:
    """Return by pipeline how long its last visit lasts at least; of those alone that wait."""
    known = {own.pipeline.name: own for own in timed}
    skewed = {
        port.target
        for pipeline, _ in timed
        for port in pipeline.ports
        if port.target in memories and is_skewed(port.subscripts, memories[port.target])
    }
    found: dict[str, int] = {}
    for item, following in pairwise(turns.items):
        *_, last = turns_among((item,))
        before, after = _uses((item,), known, skewed), _uses((following,), known, skewed)
        if not _is_flat(item):
            continue
        for name in before.keys() & after.keys():
            one, other = before[name], after[name]
            most = max(one.reads + other.writes, one.writes + other.reads)
            if most > _PORTS * turns.ii:
                wait = -(-(one.latest - other.earliest + 1) // turns.ii)
                found[last.pipeline] = max(wait, found.get(last.pipeline, 1))
    return found


def _is_flat(item: TurnItem) -> bool:
    return isinstance(item, Turn) or all(isinstance(own, Turn) for own in item.items)


@dataclass(frozen=True, slots=True)
class _Uses:
    """Accesses of pipelines to a memory: most of one of them, and the cycles of all."""

    reads: int
    writes: int
    earliest: int
    latest: int


def _uses(
    items: tuple[TurnItem, ...], known: Mapping[str, TimedTurn], memories: set[str]
) -> dict[str, _Uses]:
    found: dict[str, _Uses] = {}
    for turn in turns_among(items):
        pipeline, cycles = known[turn.pipeline]
        pairs = [*zip(pipeline.ports, cycles, strict=True)]
        for name in memories & {port.target for port in pipeline.ports}:
            own = [(port, at) for port, at in pairs if port.target == name]
            writes = sum(port.mode is AccessMode.WRITE for port, _ in own)
            each = [at for _, at in own]
            one = _Uses(len(own) - writes, writes, min(each), max(each))
            other = found.get(name, one)
            found[name] = _Uses(
                max(one.reads, other.reads),
                max(one.writes, other.writes),
                min(one.earliest, other.earliest),
                max(one.latest, other.latest),
            )
    return found
