"""The bodies of phases: lanes, sums over lanes, and writes to all memories that are read for them.

Phases that use each other's operators have one body: operands are chosen by the phase, and each
writes where it writes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.stepped.chains import ChainWindow
from streamopt.codegen.stepped.lanes import laned
from streamopt.codegen.stepped.operands import Operands
from streamopt.codegen.stepped.statements import StatementWriter
from streamopt.codegen.stepped.texts import PhaseTexts
from streamopt.codegen.stepped.turned import turned_access
from streamopt.codegen.tree import Comment, If
from streamopt.ir.stepping.windows import chain_box

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.stepped.control import Control, VisitState
    from streamopt.codegen.stepped.lanes import LanedVisit
    from streamopt.codegen.stepped.texts import NestContext
    from streamopt.codegen.stepped.turned import TurnedAccess
    from streamopt.codegen.tree import Item
    from streamopt.ir.expression import Access


class GroupWriter:
    """Builds the body of one phase, or of several that share operators; used once."""

    def __init__(
        self, states: Sequence[VisitState], context: NestContext, control: Control
    ) -> None:
        self.context = context
        self.control = control
        self.scope = context.names.inner()
        self.loops, self.visits = laned(states, self.scope.unique)
        self.windows: list[tuple[LanedVisit, ChainWindow]] = []
        self.phases = [
            PhaseTexts(v, context, self._windows(v), self._turned(v)) for v in self.visits
        ]

    def _windows(self, visit: LanedVisit) -> dict[Access, ChainWindow]:
        found: dict[Access, ChainWindow] = {}
        for chain in visit.phase.chains:
            array = self.context.arrays[chain.reads[0].array]
            box = chain_box(chain, dict(visit.phase.lanes))
            known = (own for _, own in self.windows if own not in found.values())
            name = next((own.name for own in known if own.is_like(array, box)), "")
            name = name or self.context.unique(f"{array.name}_window")
            window = ChainWindow(name, array, chain.memory, box)
            self.windows.append((visit, window))
            found |= dict.fromkeys(chain.reads, window)
        return found

    def _turned(self, visit: LanedVisit) -> dict[Access, TurnedAccess]:
        memories, unique = self.context.memories, self.context.unique
        found = {
            access: turned_access(access, memories[memory], visit, unique)
            for access, memory in visit.phase.reads
            if not any(access in chain.reads for chain in visit.phase.chains)
        }
        return {access: one for access, one in found.items() if one is not None}

    @property
    def is_alike(self) -> bool:
        """Return whether its phases differ in operands alone."""
        operands, own = self._operands(), [v.phase for v in self.visits]
        sums = {tuple(count for name, count in p.lanes if name in p.phase.sums) for p in own}
        if len(sums) > 1 or len({len(p.phase.statements) for p in own}) > 1:
            return False
        rows = zip(*(p.phase.statements for p in own), strict=True)
        return all(operands.shared([s.value for s in row]) is not None for row in rows)

    def declared(self) -> Iterator[Item]:
        """Yield the registers that outlast an iteration."""
        for own in self._registers().values():
            yield from own[0][1].declared()

    def _registers(self) -> dict[str, list[tuple[LanedVisit, ChainWindow]]]:
        """Return the windows by the registers that they are in."""
        found: dict[str, list[tuple[LanedVisit, ChainWindow]]] = {}
        for visit, window in self.windows:
            found.setdefault(window.name, []).append((visit, window))
        return found

    def items(self) -> Iterator[Item]:
        """Yield the body, under the condition that one of the phases runs."""
        for phase in self.phases:
            yield Comment(_title(phase.visit))
        for own in self._registers().values():
            moves = tuple(own[0][1].moves(self.scope.unique))
            yield If(_any_of([self._active(visit) for visit, _ in own]), moves)
            for visit, window in own:
                element = partial(self.context.element, window.memory)
                fetched = window.fetches(self.scope.unique, visit.state.names, element)
                yield If(self._active(visit), tuple(fetched))
        for phase in self.phases:
            turned = phase.turned.values()
            yield from (item for one in turned for item in one.declared())
            fetched = [item for one in turned for item in one.fetched(self.context.unique)]
            if fetched:
                yield If(self._active(phase.visit), tuple(fetched))
        active = [all_of([self._active(v), self._computing(v)]) for v in self.visits]
        yield If(_any_of(active), tuple(self._body()))

    def _active(self, visit: LanedVisit) -> str:
        own = f"{self.control.phase} == {visit.number}"
        return all_of([own, f"!{self.control.bubble}", visit.state.running])

    def _computing(self, visit: LanedVisit) -> str:
        """Return the condition that the tile is one to compute; empty without fetches ahead."""
        ahead = [counter for counter in visit.state.counters if counter.first]
        return all_of([f"{counter.name} >= {counter.first}" for counter in ahead])

    def _body(self) -> Iterator[Item]:
        phase, operands = self.control.phase, self._operands()
        writer = StatementWriter(self.loops, self.phases, operands, phase, self.scope)
        body = [*writer.items()]
        turned = writer.turned.values()
        yield from (item for one in turned for item in one.begun(self.context.unique))
        yield from body
        for one in turned:
            own = all_of([f"{phase} == {one.visit.number}"] if len(self.phases) > 1 else [])
            stored = (*one.stored(self.context.unique),)
            yield from (If(own, stored),) if own else stored

    def _operands(self) -> Operands:
        texts = [phase.expressions for phase in self.phases]
        return Operands(texts, self._chosen, self.context.function)

    def _chosen(self, texts: Sequence[str]) -> str:
        """Return the text of the phase that runs."""
        if len(set(texts)) == 1:
            return texts[0]
        phase = self.control.phase
        pairs = zip(self.visits, texts, strict=True)
        parts = [f"{phase} == {visit.number} ? {text} : " for visit, text in pairs][:-1]
        return f"({''.join(parts)}{texts[-1]})"


def _any_of(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else " || ".join(f"({c})" for c in conditions)


def _title(visit: LanedVisit) -> str:
    phase = visit.phase
    lanes = ", ".join(f"{count} of {loop}" for loop, count in phase.lanes)
    around = f" with lanes {lanes}" if lanes else ""
    texts = "; ".join(text for s in phase.phase.statements for text in s.texts)
    return f"Phase {visit.number}, {phase.phase.name}{around}: {texts}"
