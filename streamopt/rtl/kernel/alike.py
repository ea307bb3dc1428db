"""Operators that phases which compute the same use in turn: in the same stage, so never at once.

An iteration starts in each slot, of one phase. Phases that have an operation in the same stage ask
for its operators in different cycles, whatever the slots between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from streamopt.ir.stepping.stepped import LanedPhase
from streamopt.rtl.kernel.kernel import Computed, KernelValue, LanesCombined
from streamopt.rtl.kernel.sharing import SHARED_LEVELS

Alike: TypeAlias = tuple[tuple[int, KernelValue], ...]
"""Values with the same operators, and whose turn it is, the one with most lanes first."""


def alike_values(
    phases: Sequence[LanedPhase],
    values: Sequence[Sequence[KernelValue]],
    trips: Mapping[str, int],
) -> list[Alike]:
    """Return what phases compute with the same operators, those first that others wait for.

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
