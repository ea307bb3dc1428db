"""A sequential node in one of its orders, with lanes: tile loops, memories and what reads where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.analysis.phase_reads import fetched
from streamopt.ir.affine import Affine
from streamopt.ir.stepping.stepped import (
    HeldArray,
    HeldDimension,
    LanedPhase,
    LanedRepeat,
    Mirror,
    SteppedNest,
)
from streamopt.ir.stepping.steps import Phase, walk_phases
from streamopt.transforms.stepped.bank_loads import LANE, laned_access
from streamopt.transforms.stepped.copies import ArrayDemand, served_copies
from streamopt.transforms.stepped.like import alike
from streamopt.transforms.stepped.tile_loops import tile_loops
from streamopt.transforms.stepped.transfers import transfer_out, transfers_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array
    from streamopt.ir.schedule import NodePlan
    from streamopt.ir.stepping.stepped import LanedItem
    from streamopt.ir.stepping.steps import StepItem, StepLoop, Steps
    from streamopt.transforms.stepped.bank_loads import LanedAccess
    from streamopt.transforms.stepped.copies import ServedCopies


def stepped_nest(
    node: SequentialNode, steps: Steps, plan: NodePlan, arrays: Mapping[str, Array]
) -> SteppedNest:
    """Return a sequential node as built, in an order and with the lanes of a plan.

    Parameters
    ----------
    arrays
        Of the graph, by name.
    """
    least = dict(plan.least_cycles)
    drafts = tuple(_draft(phase, around, plan) for phase, around in walk_phases(steps.items))
    touched, begins = _touched(drafts, node), dict(node.carries)
    ii, copies = _copies(touched, drafts, arrays, plan.target_ii)
    memories = {
        array: tuple(_memory(array, at, f, arrays[array]) for at, f in enumerate(found.factors))
        for array, found in copies.items()
    }
    phases = {
        draft.phase.name: LanedPhase(
            draft.phase,
            draft.tiles,
            draft.lanes,
            tuple(_served(at, draft, copies, memories)),
            tuple(_mirrors(draft.phase, memories)),
            least_cycles=least.get(draft.phase.name, 1),
        )
        for at, draft in enumerate(drafts)
    }
    same = alike(tuple(phases.values()), arrays)
    phases |= {name: replace(phases[name], like=first) for name, first in same.items()}
    held = tuple(memory for found in memories.values() for memory in found)
    brought = [
        transfer
        for name, found in memories.items()
        if name in begins or name not in node.outputs
        for transfer in transfers_in(name, arrays[name].shape or (1,), found)
    ]
    handed = [transfer_out(n, arrays[n].shape or (1,), memories[n]) for n in node.outputs]
    return SteppedNest(
        node.name, _items(steps.items, phases), held, ii, tuple(brought), tuple(handed)
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A phase with tile loops and lanes, not yet with memories."""

    phase: Phase
    tiles: tuple[StepLoop, ...]
    lanes: tuple[tuple[str, int], ...]

    def position(self) -> dict[str, Affine]:
        """Return every iterator over tile and lane; a tile loop of one value is that value."""
        found: dict[str, Affine] = {}
        lanes = dict(self.lanes)
        for tile in self.tiles:
            place = Affine.iterator(tile.name)
            place = Affine.of(tile.least) if tile.trip_count == 1 else place
            count = lanes.get(tile.name, 1)
            lane = Affine.iterator(tile.name + LANE) if count > 1 else Affine()
            found[tile.name] = place.scaled(count) + lane
        return found

    def touching(self, accesses: Sequence[Access]) -> tuple[LanedAccess, ...]:
        position = self.position()
        lanes = {name + LANE: count for name, count in self.lanes}
        return tuple(
            laned_access(access.subscripts or (Affine(),), position, lanes) for access in accesses
        )


def _draft(phase: Phase, around: tuple[StepLoop, ...], plan: NodePlan) -> _Draft:
    lanes = {loop.name: plan.factors.get(loop.name, 1) for loop in phase.loops}
    rank = {name: at for at, name in enumerate(plan.order)}
    order = sorted(lanes, key=lambda name: (name not in phase.sums, rank.get(name, len(rank))))
    tiles = tile_loops(phase, around, lanes, order)
    return _Draft(phase, tiles, tuple((name, n) for name, n in lanes.items() if n > 1))


def _touched(drafts: Sequence[_Draft], node: SequentialNode) -> tuple[str, ...]:
    names = dict.fromkeys(node.outputs)
    for draft in drafts:
        names |= dict.fromkeys(access.array for access in fetched(draft.phase))
    return tuple(names)


def _copies(
    touched: Sequence[str], drafts: Sequence[_Draft], arrays: Mapping[str, Array], least_ii: int
) -> tuple[int, dict[str, ServedCopies]]:
    """Return the interval at which few copies serve all accesses, and the copies by array."""
    demands = {name: _demand(arrays[name], drafts) for name in touched}
    ii = max(1, least_ii)
    while True:
        found = {name: served_copies(demand, ii) for name, demand in demands.items()}
        known = {name: copies for name, copies in found.items() if copies is not None}
        if len(known) == len(found):
            return ii, known
        ii += 1


def _demand(array: Array, drafts: Sequence[_Draft]) -> ArrayDemand:
    def of(phase: Phase) -> tuple[Access, ...]:
        return tuple(access for access in fetched(phase) if access.array == array.name)

    def into(phase: Phase) -> tuple[Access, ...]:
        targets = (statement.target for statement in phase.statements)
        return tuple(dict.fromkeys(t for t in targets if t.array == array.name))

    return ArrayDemand(
        array.shape or (1,),
        tuple(draft.touching(of(draft.phase)) for draft in drafts),
        tuple(draft.touching(into(draft.phase)) for draft in drafts),
    )


def _memory(name: str, at: int, factors: tuple[int, ...], array: Array) -> HeldArray:
    held = tuple(HeldDimension(dimension) for dimension in range(len(array.shape)))
    return HeldArray(f"{name}_{at}", name, held, array.shape or (1,), factors)


def _served(
    at: int,
    draft: _Draft,
    copies: Mapping[str, ServedCopies],
    memories: Mapping[str, Sequence[HeldArray]],
) -> Iterator[tuple[Access, str]]:
    """Yield which memory serves each read of a phase."""
    numbers = {name: iter(found.served[at]) for name, found in copies.items()}
    for access in fetched(draft.phase):
        yield access, memories[access.array][next(numbers[access.array])].name


def _mirrors(phase: Phase, memories: Mapping[str, Sequence[HeldArray]]) -> Iterator[Mirror]:
    for at, statement in enumerate(phase.statements):
        for memory in memories[statement.target.array]:
            yield Mirror(at, memory.name)


def _items(items: Sequence[StepItem], phases: Mapping[str, LanedPhase]) -> tuple[LanedItem, ...]:
    return tuple(
        phases[item.name]
        if isinstance(item, Phase)
        else LanedRepeat(item.loop, _items(item.items, phases))
        for item in items
    )
