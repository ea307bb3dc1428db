"""The lanes of a phase as unrolled loops, and where they have work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from streamopt.codegen.processes.windows import unrolled
from streamopt.codegen.stepped.indices import IndexNames
from streamopt.codegen.tree import CppStatement, render
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Index, all_of, conjuncts, reads, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from streamopt.codegen.stepped.control import VisitState
    from streamopt.codegen.tree import For, Item
    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.stepping.stepped import LanedPhase
    from streamopt.ir.stepping.steps import StepLoop


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """One unrolled loop, which all phases of a group share."""

    name: str
    count: int
    defined: tuple[CppStatement, ...]
    """Statements that make iterators of the phases from tiles and this lane."""
    is_summed: bool = False
    """Whether its lanes are terms of sums."""

    def around(self, body: Sequence[Item]) -> For:
        """Return the loop around a body, with the iterators that it uses."""
        used = {*re.findall(r"\w+", render(body))}
        defined = [d for d in self.defined if d.text.split()[2] in used]
        return unrolled(self.name, self.count, [*defined, *body])


def lanes_around(loops: Sequence[LaneLoop], body: Sequence[Item]) -> list[Item]:
    """Return lane loops, outermost first, around a body."""
    found: list[Item] = [*body]
    for loop in reversed(loops):
        found = [loop.around(found)]
    return found


@dataclass(frozen=True, slots=True)
class LanedVisit:
    """A visit with the lanes of its loops."""

    state: VisitState
    names: IndexNames
    """C++ of all iterators in an unrolled body."""
    lanes: Mapping[str, str]
    """The lane iterator of each loop that has lanes."""
    idle: tuple[tuple[str, bool], ...] = ()
    """Conditions for the lanes that it has, where others have more; and whether of a sum."""

    @property
    def number(self) -> int:
        """Return the number of its place."""
        return self.state.visit.number

    @property
    def phase(self) -> LanedPhase:
        """Return the phase that runs."""
        return self.state.visit.phase


def _own_lanes(state: VisitState, *, summed: bool) -> list[tuple[str, int]]:
    """Return the lanes of a phase that are terms of its sums, or the others."""
    phase = state.visit.phase
    return [pair for pair in phase.lanes if (pair[0] in phase.phase.sums) is summed]


def laned(
    states: Sequence[VisitState], unique: Callable[[str], str]
) -> tuple[tuple[LaneLoop, ...], tuple[LanedVisit, ...]]:
    """Return the lane loops that some phases share, those of sums last, and the phases on them."""
    columns = [
        (summed, column)
        for summed in (False, True)
        for column in zip_longest(
            *(_own_lanes(state, summed=summed) for state in states), fillvalue=("", 1)
        )
    ]
    values = [dict(state.names.values) for state in states]
    reach = [dict(state.names.reach) for state in states]
    loops: list[LaneLoop] = []
    for summed, column in columns:
        wanted = next(loop for loop, _ in column if loop)
        name = unique(f"{wanted}_lane")
        defined: list[CppStatement] = []
        for (loop_name, count), own, ends in zip(column, values, reach, strict=True):
            if not loop_name:
                continue
            tile = own[loop_name]
            text = unique(loop_name)
            first = str(tile.scaled(count)) if tile.terms else str(tile.constant * count)
            value = name if first == "0" else f"{first} + {name}"
            defined.append(CppStatement(f"const int {text} = {value};"))
            own[loop_name] = Affine.iterator(text)
            low, high = ends[loop_name]
            ends[loop_name] = low * count, high * count + count - 1
        most = max(count for _, count in column)
        loops.append(LaneLoop(name, most, tuple(defined), summed))
    rows = [[column[at] for _, column in columns] for at in range(len(states))]
    found = [
        LanedVisit(state, IndexNames(own, ends), _lane_names(row, loops), _idle(row, loops))
        for state, own, ends, row in zip(states, values, reach, rows, strict=True)
    ]
    return tuple(loops), tuple(found)


def _lane_names(row: Sequence[tuple[str, int]], loops: Sequence[LaneLoop]) -> Mapping[str, str]:
    return {name: loop.name for (name, _), loop in zip(row, loops, strict=True) if name}


def _idle(
    row: Sequence[tuple[str, int]], loops: Sequence[LaneLoop]
) -> tuple[tuple[str, bool], ...]:
    """Return the conditions for the lanes that a phase has, where other phases have more."""
    pairs = zip(row, loops, strict=True)
    return tuple((f"{p.name} < {n}", p.is_summed) for (_, n), p in pairs if n < p.count)


def bounds_of(visit: LanedVisit) -> list[tuple[str, frozenset[str]]]:
    """Return the conditions that lanes are inside the loops, each with the loops it is about."""
    phase, names = visit.phase, visit.names
    lanes = dict(phase.lanes)
    tiles = {loop.name: loop for loop in phase.tiles}
    sums = phase.phase.sums
    found = [(text, sums if is_summed else frozenset[str]()) for text, is_summed in visit.idle]
    for loop in phase.phase.loops:
        iterator, count = Affine.iterator(loop.name), lanes.get(loop.name, 1)
        text = names.text(iterator)
        for bound, gap, least, sign in (
            *((bound, iterator - bound, 0, ">=") for bound in loop.lower),
            *((bound, bound - iterator, 1, "<") for bound in loop.upper),
        ):
            of_tiles = tiles[loop.name].lower if sign == ">=" else tiles[loop.name].upper
            is_sure = _is_sure(gap, loop, count, bound in of_tiles, lanes)
            if not is_sure and gap.interval(names.reach)[0] < least:
                about = frozenset({loop.name, *bound.iterators()})
                found.append((f"{text} {sign} {names.text(bound)}", about))
    return found


def _is_sure(
    gap: Affine, loop: StepLoop, count: int, is_of_tiles: bool, lanes: Mapping[str, int]
) -> bool:
    """Return whether a loop without lanes has a bound already as the bound of its tiles."""
    others = [name for name in gap.iterators() if name != loop.name]
    return count == 1 and is_of_tiles and all(lanes.get(name, 1) == 1 for name in others)


def split_guard(
    guard: Condition | None, names: Collection[str]
) -> tuple[Condition | None, Condition | None]:
    """Return the part of a guard that is not about some iterators, and the part that is."""
    if guard is None:
        return None, None
    apart: list[list[Condition]] = [[], []]
    for part in conjuncts(guard):
        apart[bool(names) and not _iterators(part).isdisjoint(names)].append(part)
    outer, inner = (all_of(parts) if parts else None for parts in apart)
    return outer, inner


def _iterators(condition: Expression) -> set[str]:
    found = {
        n for part in walk(condition) if isinstance(part, Index) for n in part.value.iterators()
    }
    return found | {name for access in reads(condition) for name in access.iterators()}
