"""A sequential node in one of its orders, with lanes: tile loops, memories and what reads where."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from streamopt.analysis.phase_reads import fetched
from streamopt.ir.stepping.stepped import LanedPhase, LanedRepeat, SteppedNest
from streamopt.ir.stepping.steps import Phase, walk_phases
from streamopt.transforms.stepped.drafts import draft
from streamopt.transforms.stepped.like import alike
from streamopt.transforms.stepped.memories import array_memories
from streamopt.transforms.stepped.normal_form import normalized
from streamopt.transforms.stepped.slices import SliceFinder
from streamopt.transforms.stepped.transfers import transfer_out, transfers_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array
    from streamopt.ir.schedule import NodePlan
    from streamopt.ir.stepping.edges import EdgeRead
    from streamopt.ir.stepping.stepped import HeldArray, LanedItem, Transfer
    from streamopt.ir.stepping.steps import StepItem, Steps
    from streamopt.transforms.stepped.drafts import PhaseDraft
    from streamopt.transforms.stepped.memories import ArrayMemories

KEPT_NESTS = 64
"""Of the latest plans: the same ones are applied again and again."""


def stepped_nest(
    node: SequentialNode, steps: Steps, plan: NodePlan, arrays: Mapping[str, Array]
) -> SteppedNest:
    """Return a sequential node as built, in an order and with the lanes of a plan.

    Parameters
    ----------
    arrays
        Of the graph, by name.
    """
    known = tuple(sorted(arrays.items()))
    lanes = tuple((name, count) for name, count in plan.unroll if count > 1)
    nest = _nest(node, normalized(steps), plan.order, lanes, known, plan.straight)
    lengths = dict(plan.least_cycles), dict(plan.last_cycles)
    return replace(nest, items=_with_lengths(nest.items, *lengths))


def _with_lengths(
    items: Sequence[LanedItem], least: Mapping[str, int], last: Mapping[str, int]
) -> tuple[LanedItem, ...]:
    """Return phases with how long their visits last at least."""
    return tuple(
        replace(
            item,
            least_cycles=least.get(item.phase.name, 1),
            last_cycles=last.get(item.phase.name, 1),
        )
        if isinstance(item, LanedPhase)
        else replace(item, items=_with_lengths(item.items, least, last))
        for item in items
    )


@lru_cache(maxsize=KEPT_NESTS)
def _nest(
    node: SequentialNode,
    steps: Steps,
    order: tuple[str, ...],
    lanes: tuple[tuple[str, int], ...],
    known: tuple[tuple[str, Array], ...],
    straight: tuple[str, ...],
) -> SteppedNest:
    arrays = dict(known)
    eras = _eras(steps)
    drafts = tuple(
        replace(draft(phase, around, order, dict(lanes), arrays), era=eras[phase.name])
        for phase, around in walk_phases(steps.items)
    )
    outside = frozenset(straight).difference(dict(node.carries))
    ii, memories = _memories(node, drafts, steps, arrays, outside)
    drafts = tuple(_without_scattered(one, memories) for one in drafts)
    ii, memories = _memories(node, drafts, steps, arrays, outside)
    phases = {
        one.phase.name: LanedPhase(
            one.phase,
            one.tiles,
            one.lanes,
            tuple((access, _memory_of(one, access, memories)) for access in fetched(one.phase)),
            tuple(
                mirror for found in memories.values() for mirror in found.mirrors[one.phase.name]
            ),
            tuple(
                replace(chain, memory=_memory_of(one, chain.reads[0], memories))
                for chain in one.chains
            ),
            edges=_edges_of(one, memories),
        )
        for one in drafts
    }
    handed = tuple(
        transfer_out(name, arrays[name].shape or (1,), memories[name].memories)
        for name in node.outputs
        if not any(memory.is_outside for memory in memories[name].memories)
    )
    held = _seen(memories, phases.values(), handed)
    names = {memory.name for memory in held}
    for name, one in phases.items():
        mirrors = tuple(mirror for mirror in one.mirrors if mirror.memory in names)
        phases[name] = replace(one, mirrors=mirrors)
    same = alike(tuple(phases.values()), arrays)
    phases |= {name: replace(phases[name], like=first) for name, first in same.items()}
    brought = (
        replace(own, memories=tuple(name for name in own.memories if name in names))
        for own in _brought(node, memories, arrays)
    )
    return SteppedNest(
        node.name,
        _items(steps.items, phases),
        held,
        ii,
        tuple(own for own in brought if own.memories),
        handed,
    )


def _edges_of(one: PhaseDraft, memories: Mapping[str, ArrayMemories]) -> tuple[EdgeRead, ...]:
    """Return the reads of single lanes of a phase that memories of their own serve."""
    edges = (edge for found in memories.values() for edge in found.edges)
    return tuple(edge for edge in edges if edge.access in fetched(one.phase))


def _seen(
    memories: Mapping[str, ArrayMemories],
    phases: Iterable[LanedPhase],
    handed: Iterable[Transfer],
) -> tuple[HeldArray, ...]:
    """Return the memories that something reads or that are outside."""
    seen = {memory for one in phases for _, memory in one.reads}
    seen |= {edge.memory for one in phases for edge in one.edges}
    seen |= {memory for transfer in handed for memory in transfer.memories}
    return tuple(
        memory
        for found in memories.values()
        for memory in found.memories
        if memory.is_outside or memory.name in seen
    )


def _memory_of(one: PhaseDraft, access: Access, memories: Mapping[str, ArrayMemories]) -> str:
    """Return the memory that serves a read, or that its chain is fetched from."""
    chains = [chain for chain in one.chains if access in chain.reads]
    wanted = one.foremost(chains[0])[0] if chains else access
    return memories[access.array].served[one.phase.name, wanted]


def _without_scattered(one: PhaseDraft, memories: Mapping[str, ArrayMemories]) -> PhaseDraft:
    """Return a phase without the chains that would be fetched from several memories."""
    kept = tuple(
        chain
        for chain in one.chains
        for served in (memories[chain.reads[0].array].served,)
        if len({served[one.phase.name, access] for access in one.foremost(chain)}) == 1
    )
    return one if kept == one.chains else replace(one, chains=kept)


def _eras(steps: Steps) -> dict[str, int]:
    """Return for each phase which of the outermost items it is in.

    Items with loops in order inside others count as one with what follows: the pipeline drains at
    the end of an innermost loop, and these would drain time and again.
    """
    found: dict[str, int] = {}
    era = 0
    for item in steps.items:
        phases = [phase.name for phase, _ in walk_phases((item,))]
        found |= dict.fromkeys(phases, era)
        is_flat = isinstance(item, Phase) or all(isinstance(own, Phase) for own in item.items)
        era += is_flat
    return found


def _memories(
    node: SequentialNode,
    drafts: Sequence[PhaseDraft],
    steps: Steps,
    arrays: Mapping[str, Array],
    outside: frozenset[str],
) -> tuple[int, dict[str, ArrayMemories]]:
    """Return the interval at which few memories serve all accesses, and these by array."""
    names = dict.fromkeys(node.outputs)
    for one in drafts:
        names |= dict.fromkeys(access.array for access in fetched(one.phase))
    slices = _slices(steps, tuple((name, arrays[name].shape) for name in names))
    ii = 1
    while True:
        found = {
            name: array_memories(arrays[name], drafts, slices, ii, is_straight=name in outside)
            for name in names
        }
        known = {name: memories for name, memories in found.items() if memories is not None}
        if len(known) == len(found):
            return ii, known
        ii += 1


@lru_cache(maxsize=KEPT_NESTS)
def _slices(steps: Steps, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> SliceFinder:
    return SliceFinder(steps, dict(shapes))


def _brought(
    node: SequentialNode, memories: Mapping[str, ArrayMemories], arrays: Mapping[str, Array]
) -> tuple[Transfer, ...]:
    """Return the copies of arrays that the node begins with, or only reads."""
    begins = dict(node.carries)
    return tuple(
        transfer
        for name, found in memories.items()
        if name in begins or name not in node.outputs
        for transfer in transfers_in(
            name,
            arrays[name].shape or (1,),
            [memory for memory in found.memories if memory.name not in found.empty],
        )
    )


def _items(items: Sequence[StepItem], phases: Mapping[str, LanedPhase]) -> tuple[LanedItem, ...]:
    return tuple(
        phases[item.name]
        if isinstance(item, Phase)
        else LanedRepeat(item.loop, _items(item.items, phases))
        for item in items
    )
