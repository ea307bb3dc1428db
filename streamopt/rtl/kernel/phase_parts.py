"""Parts of the kernel of a sequential node while its phases are made, one after another.

Phases that compute the same use operators in turn. An iteration starts in each slot, of one phase:
those that have an operation in the same stage ask for its operators in different cycles, whatever
the slots between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from streamopt.analysis.phase_reads import Guarded
from streamopt.ir.affine import Affine
from streamopt.ir.network import Memory, Place
from streamopt.ir.program import Array, Loop
from streamopt.ir.scheduled import ScheduledNode
from streamopt.ir.stepping.stepped import LanedPhase, SteppedNest
from streamopt.rtl.kernel.accesses import PortAccesses
from streamopt.rtl.kernel.kernel import Computed, HeldWrite, KernelValue, LanesCombined
from streamopt.rtl.kernel.sharing import SHARED_LEVELS
from streamopt.rtl.kernel.values import ValueList

Alike: TypeAlias = tuple[tuple[int, KernelValue], ...]
"""Values with the same operators, and whose turn it is, the one with most lanes first."""


@dataclass(frozen=True, slots=True, eq=False)
class NestParts:
    """All that the phases of a node share.

    Attributes
    ----------
    memories
        By the name that the node has for them.
    tiles, lanes
        Of all phases.
    """

    node: ScheduledNode
    nest: SteppedNest
    arrays: Mapping[str, Array]
    memories: Mapping[str, Memory]
    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    accesses: PortAccesses
    values: ValueList


@dataclass(frozen=True, slots=True, eq=False)
class PhaseWrite:
    """A write of a phase.

    Attributes
    ----------
    place
        Subscripts, and when.
    rank
        Writes before it that may be to the same element, one after another.
    """

    write: HeldWrite
    place: Guarded
    rank: int


@dataclass(slots=True, eq=False)
class PhaseParts:
    """A phase as it is built.

    Attributes
    ----------
    reads
        Names of values by memory and subscripts, in order.
    late
        Those of them that find what this phase has written.
    writes
        In order.
    """

    turn: int
    reads: dict[tuple[str, tuple[Affine, ...]], list[str]] = field(
        default_factory=dict[tuple[str, tuple[Affine, ...]], list[str]]
    )
    late: set[str] = field(default_factory=set[str])
    writes: list[PhaseWrite] = field(default_factory=list[PhaseWrite])


def word_cycles(memory: Memory) -> int:
    """Return the cycles from an address to the word: none from registers, more from outside."""
    if memory.place is not Place.LOCAL:
        return 2
    return 0 if memory.factors == memory.shape else 1


def alike_values(
    phases: Sequence[LanedPhase],
    values: Sequence[Sequence[KernelValue]],
    trips: Mapping[str, int],
) -> list[Alike]:
    """Return values that phases compute with the same operators, those first that others need.

    Parameters
    ----------
    values
        By phase.
    trips
        Of lanes.
    """
    groups: dict[str, list[int]] = {}
    for turn, laned in enumerate(phases):
        groups.setdefault(laned.like or laned.phase.name, []).append(turn)
    found: list[Alike] = []
    for turns in groups.values():
        computed = [[value for value in values[turn] if _terms(value, trips)] for turn in turns]
        for each in zip(*computed, strict=True) if len(turns) > 1 else ():
            if len({(_leaf(value), _terms(value, trips)) for value in each}) == 1:
                pairs = zip(turns, each, strict=True)
                widest = sorted(pairs, key=lambda own: -prod(trips[n] for n in own[1].lanes))
                found.append(tuple(widest))
    return found


def not_at_once(alike: Sequence[Alike]) -> dict[str, int]:
    """Return by name the stage in which all values of a group can be there, if any is earlier."""
    stages = [max(value.stage for _, value in group) for group in alike]
    pairs = [*zip(alike, stages, strict=True)]
    if all(value.stage == stage for group, stage in pairs for _, value in group):
        return {}
    return {value.name: stage for group, stage in pairs for _, value in group}


def _leaf(value: KernelValue) -> object:
    assert isinstance(value.source, Computed | LanesCombined)
    return value.source.leaf


def _terms(value: KernelValue, trips: Mapping[str, int]) -> int:
    """Return the terms that an operator, or a tree of them, combines; 0 for no large operator."""
    match value.source:
        case Computed(leaf) if leaf.levels >= SHARED_LEVELS:
            return 1
        case LanesCombined(leaf, _, over) if leaf.levels >= SHARED_LEVELS:
            terms = prod(trips[name] for name in over)
            return terms if terms > 1 else 0
        case _:
            return 0
