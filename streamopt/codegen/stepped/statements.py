"""The statements of a phase, each in the lanes that it has.

A statement that only assigns stands in one nest of unrolled lanes with its neighbours. One whose
lanes are terms of a sum puts them in a tree, and updates its element once. Where of many lanes one
at most writes to a memory, the values of all lanes are kept, and the one to write is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.analysis.operations import operator_places
from streamopt.analysis.phase_reads import may_be_stale, reads_of
from streamopt.analysis.sum_steps import sum_step
from streamopt.codegen.expressions import literal
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.term_tree import term_tree
from streamopt.codegen.stepped.lanes import bounds_of, lanes_around, split_guard
from streamopt.codegen.stepped.memories import MemoryWrite, choosing_lanes, registers
from streamopt.codegen.stepped.sums import identity, joined, updated
from streamopt.codegen.stepped.turned import turned_access
from streamopt.codegen.tree import CppStatement, If
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.expression import Read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.analysis.sum_steps import SumStep
    from streamopt.codegen.names import Names
    from streamopt.codegen.stepped.lanes import LaneLoop
    from streamopt.codegen.stepped.operands import Operands
    from streamopt.codegen.stepped.texts import PhaseTexts
    from streamopt.codegen.stepped.turned import TurnedAccess
    from streamopt.codegen.tree import Item
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.stepped import Mirror


@dataclass(frozen=True, slots=True)
class LaneValues:
    """The value that a statement has in a lane, and whether it has one there."""

    value: str
    runs: str

    def started(self, element: ElementType, runs: str) -> list[Item]:
        """Return its registers' first values: a lane that doesn't run has some value, too."""
        zero = CppStatement(f"{self.value} = {literal(0, element)};")
        return [CppStatement(f"{self.runs} = {runs};"), zero]


class StatementWriter:
    """Builds the statements of a group of phases; used once.

    ``phase`` is the C++ variable that says which phase runs; ``loops`` are the lanes of all.
    """

    def __init__(
        self,
        loops: Sequence[LaneLoop],
        phases: Sequence[PhaseTexts],
        operands: Operands,
        phase: str,
        scope: Names,
    ) -> None:
        self.loops, self.phases, self.operands = loops, phases, operands
        self.phase, self.scope, self.names = phase, scope, phases[0].context.names
        self.plain = [loop for loop in loops if not loop.is_summed]
        self.summed = [loop for loop in loops if loop.is_summed]
        self.summing = {name for p in phases for name in p.visit.phase.phase.sums}
        self.bounds = [bounds_of(phase.visit) for phase in phases]
        self.sets = [*zip(*(p.visit.phase.phase.statements for p in phases), strict=True)]
        self.sums = [self._steps(own) for own in self.sets]
        self.writes = [[*self._memory_writes(at)] for at in range(len(self.sets))]
        self.apart = self._apart_ones()
        self.ends: dict[MemoryWrite, str] = {}
        self.turned: dict[MemoryWrite, TurnedAccess] = {}

    def _apart_ones(self) -> set[int]:
        """Return the statements with lanes of their own: those whose values others need, too."""
        count = len(self.sets)
        apart = {n for n in range(count) if self.sums[n] is not None or self._chooses(n)}
        for at in reversed(range(count)):
            if any(
                reader >= other for reader in self._readers(at) for other in apart if other > at
            ):
                apart.add(at)
        return apart

    def items(self) -> Iterator[Item]:
        """Yield all statements."""
        nest: list[Item] = []
        for at in range(len(self.sets)):
            if at not in self.apart:
                nest += self._assigned(at)
            else:
                yield from self._nested(nest)
                nest = []
                yield from self._apart(at)
            self._forget(at)
        yield from self._nested(nest)

    def _nested(self, nest: list[Item]) -> list[Item]:
        """Return statements inside the lanes of loops that have work."""
        if not nest:
            return []
        inside = self._choice([all_of([text for text, _ in own]) for own in self.bounds])
        body = [If(inside, tuple(nest))] if inside else nest
        return lanes_around(self.loops, body)

    def _choice(self, conditions: Sequence[str]) -> str:
        """Return a condition of the phase that runs; empty where it always holds."""
        if not any(conditions):
            return ""
        return self.operands.choose([self._bracketed(text or "true") for text in conditions])

    def _bracketed(self, text: str) -> str:
        return f"({text})" if len(self.phases) > 1 and " " in text else text

    def _assigned(self, at: int, kept: LaneValues | None = None) -> list[Item]:
        """Return a statement in its lanes."""
        statements = self.sets[at]
        element = self._element(statements[0])
        guards = [
            "" if s.guard is None else p.expressions.condition(s.guard)
            for p, s in zip(self.phases, statements, strict=True)
        ]
        guard = self._choice(guards)
        value = self.operands.shared([s.value for s in statements])
        assert value is not None, "phases with one body have one expression"
        texts = replace(self.operands.text, numbers=self._numbers(at, value))
        return self._valued(at, texts.text(value, element), guard, kept)

    def _numbers(self, at: int, value: Expression) -> Mapping[Expression, int]:
        """Return the places of operators in their phase."""
        own = [statements[0].value for statements in self.sets[: at + 1]]
        return operator_places(own, [*own[:-1], value])[-1]

    def _valued(self, at: int, value: str, guard: str, kept: LaneValues | None) -> list[Item]:
        """Return the writes of a value under a guard; later statements may have the value."""
        statements, element = self.sets[at], self._element(self.sets[at][0])
        readers = self._readers(at)
        writes = [*self._own_writes(at)]
        if kept is not None:
            made = CppStatement(f"{kept.value} = {value};")
            put = self._put(writes, kept.value)
            if guard:
                return [*kept.started(element, guard), If(kept.runs, (made, *put))]
            return [made, CppStatement(f"{kept.runs} = true;"), *put]
        name = ""
        if readers or len(writes) > 1 or len(self.phases) > 1:
            name = self.scope.unique(f"{statements[0].target.array}_value")
        if not readers:
            body: list[Item] = [CppStatement(f"const {element} {name} = {value};")] if name else []
            body += self._put(writes, name or value)
            return [If(guard, tuple(body))] if guard else body
        if not guard:
            self._forward(at, name, "")
            return [CppStatement(f"const {element} {name} = {value};"), *self._put(writes, name)]
        runs = self.scope.unique(f"{name}_is_new")
        self._forward(at, name, runs)
        return [
            CppStatement(f"const bool {runs} = {guard};"),
            CppStatement(f"{element} {name} = {literal(0, element)};"),
            If(runs, (CppStatement(f"{name} = {value};"), *self._put(writes, name))),
        ]

    def _own_writes(self, at: int) -> Iterator[tuple[int, str, str]]:
        """Yield phase, condition and place of the writes that lanes make themselves."""
        for write in self.writes[at]:
            if write.chosen:
                continue
            phase, mirror = self.phases[write.place], write.mirror
            memory = phase.context.memories[mirror.memory]
            guard = self.ends.get(write, "")
            if mirror.guard is not None and not guard:
                guard = phase.expressions.condition(mirror.guard)
            target = self.sets[at][write.place].target
            if mirror.lane is not None:
                own = f"{phase.visit.lanes[mirror.lane.loop]} == {mirror.lane.lane}"
                place = memory.lane_text(target, mirror.lane, phase.visit)
                yield write.place, all_of([own, *([guard] if guard else [])]), place
                continue
            turned = turned_access(target, memory, phase.visit, phase.context.unique)
            if turned is None:
                yield write.place, guard, memory.element_text(target, phase.visit.names)
            else:
                self.turned[write] = turned
                yield write.place, guard, f"{turned.runs} = true; {turned.value}"

    def _put(self, writes: Sequence[tuple[int, str, str]], value: str) -> list[Item]:
        items: list[Item] = []
        for place, guard, target in writes:
            is_own = len(self.phases) > 1
            number = self.phases[place].visit.number
            own = f"{self.phase} == {number}" if is_own else ""
            condition = all_of([own, guard])
            put = CppStatement(f"{target} = {value};")
            items.append(If(condition, (put,)) if condition else put)
        return items

    def _readers(self, at: int) -> list[int]:
        """Return the later statements of a phase that read the element that one has written."""
        sets = self.sets
        return [
            n
            for n in range(at + 1, len(sets))
            if any(a.target in reads_of(b) for a, b in zip(sets[at], sets[n], strict=True))
        ]

    def _forward(self, at: int, value: str, runs: str) -> None:
        """Let later statements read the value that was just made."""
        for phase, statement in zip(self.phases, self.sets[at], strict=True):
            target = statement.target
            text = f"({runs} ? {value} : {phase.stored(target)})" if runs else value
            phase.forwarded[target] = text

    def _forget(self, at: int) -> None:
        """Let later statements read from memory what a statement may have overwritten."""
        for phase, statement in zip(self.phases, self.sets[at], strict=True):
            known, stale = phase.forwarded, (statement.target,)
            phase.forwarded = {a: text for a, text in known.items() if not may_be_stale(a, stale)}

    def _apart(self, at: int) -> Iterator[Item]:
        """Yield a statement with lanes of its own: a sum, or one with values to choose from."""
        loops = self.plain if self.sums[at] is not None else self.loops
        element = self._element(self.sets[at][0])
        kept = None
        if self._chooses(at) or self._readers(at):
            unique = self.phases[0].context.unique  # a function splits each name once
            name = unique(f"{self.sets[at][0].target.array}_lanes")
            runs = unique(f"{name}_run")
            place = "".join(f"[{loop.name}]" for loop in loops) or "[0]"
            kept = LaneValues(f"{name}{place}", f"{runs}{place}")
            for kept_in, kind in ((name, str(element)), (runs, "bool")):
                yield from registers(kept_in, kind, [loop.count for loop in loops])
        body = self._summed(at, kept) if self.sums[at] is not None else self._assigned(at, kept)
        about_sums = self.summing if self.sums[at] is not None else set[str]()
        outer = [[t for t, about in own if about.isdisjoint(about_sums)] for own in self.bounds]
        condition = self._choice([all_of(texts) for texts in outer])
        if condition:
            never = kept.started(element, "false") if kept else []
            body = [*never, If(condition, tuple(body))]
        yield from lanes_around(loops, body)
        if kept is not None:
            yield from self._choose(at, kept, loops)
            if self._readers(at):
                self._forward(at, kept.value, kept.runs)

    def _summed(self, at: int, kept: LaneValues | None) -> list[Item]:
        """Return the terms of lanes, their tree, and the update."""
        steps, statements = self.sums[at], self.sets[at]
        assert steps is not None
        element = self._element(statements[0])
        term = self.operands.shared([step.term for step in steps])
        own = self.operands.shared([Read(s.target) for s in statements])
        assert term is not None, "phases with one body have one expression"
        assert own is not None
        known = self.operands.text
        kind = element
        if not element.is_fixed:
            whole = expression_type(statements[0].value, self.phases[0].expressions.element_of)
            kind = whole or element
        terms = steps[0].reduction
        tree = term_tree([(loop.name, loop.count) for loop in self.summed], self.names)
        assert tree is not None
        outer, inner = list[str](), list[str]()
        for phase, statement, own_bounds in zip(self.phases, statements, self.bounds, strict=True):
            parts = split_guard(statement.guard, self.summing)
            texts = ["" if p is None else phase.expressions.condition(p) for p in parts]
            bounds = [t for t, about in own_bounds if not about.isdisjoint(self.summing)]
            outer.append(texts[0])
            inner.append(all_of([*bounds, texts[1]]))
        has_term = self._choice(inner)
        value = known.text(term, kind)
        items: list[Item] = [*tree.declared(kind)]
        placed: list[Item] = [CppStatement(f"{tree.place} = {value};")]
        guard = here = ""
        if has_term:
            guard = self.scope.unique("has_terms")
            nothing = identity(terms, kind, known.extreme)
            items.append(CppStatement(f"bool {guard} = false;"))
            here = self.scope.unique("has_term")
            placed = [
                CppStatement(f"const bool {here} = {has_term};"),
                CppStatement(f"{tree.place} = {here} ? {value} : {nothing};"),
                CppStatement(f"{guard} = {guard} || {here};"),
            ]
        placed += self._ends_of_sums(at, here, items)
        items += lanes_around(self.summed, placed)
        items.append(tree.combined(joined(steps[0], kind, known.combine)))
        root = self.operands.operand(tree.root, kind)
        update = known.text(updated(steps[0], own, root), element)
        items += self._valued(at, update, guard, kept)
        outside = self._choice(outer)
        return [If(outside, tuple(items))] if outside else items

    def _ends_of_sums(self, at: int, has_term: str, declared: list[Item]) -> Iterator[Item]:
        """Yield, for writes behind one term of a sum, whether a lane has that term."""
        for write in self.writes[at]:
            if self._is_behind_a_term(write.mirror):
                assert write.mirror.guard is not None
                name = self.scope.unique("is_last")
                declared.append(CppStatement(f"bool {name} = false;"))
                self.ends[write] = name
                is_last = self.phases[write.place].expressions.condition(write.mirror.guard)
                yield If(all_of([has_term, is_last]), (CppStatement(f"{name} = true;"),))

    def _is_behind_a_term(self, mirror: Mirror) -> bool:
        """Return whether a memory takes a sum with one of its terms only, such as the last."""
        return split_guard(mirror.guard, self.summing)[1] is not None

    def _choose(self, at: int, kept: LaneValues, loops: Sequence[LaneLoop]) -> Iterator[Item]:
        """Yield the writes for which one of several lanes is chosen."""
        for write in self.writes[at]:
            if not write.chosen:
                continue
            visit = self.phases[write.place].visit
            lanes = {visit.lanes[name] for name in write.chosen}
            inner = [loop for loop in loops if loop.name in lanes]
            outer = [loop for loop in loops if loop.name not in lanes]
            nest = lanes_around(outer, [*self._chosen_write(at, write, kept, inner)])
            if len(self.phases) > 1:
                yield If(f"{self.phase} == {visit.number}", tuple(nest))
            else:
                yield from nest

    def _chosen_write(
        self, at: int, write: MemoryWrite, kept: LaneValues, inner: Sequence[LaneLoop]
    ) -> Iterator[Item]:
        phase, mirror = self.phases[write.place], write.mirror
        memory, scope = phase.context.memories[mirror.memory], self.scope
        element = memory.element
        writes, value = scope.unique("writes"), scope.unique("chosen")
        yield CppStatement(f"bool {writes} = false;")
        yield CppStatement(f"{element} {value} = {literal(0, element)};")
        guard = "" if mirror.guard is None else phase.expressions.condition(mirror.guard)
        taken: list[Item] = [
            CppStatement(f"{writes} = true;"),
            CppStatement(f"{value} = {kept.value};"),
        ]
        places: list[str] = []
        for place in memory.held.places(self.sets[at][write.place].target):
            text = phase.visit.names.text(place)
            if {*write.chosen}.intersection(place.iterators()):
                name = scope.unique("place")
                yield CppStatement(f"int {name} = 0;")
                taken.append(CppStatement(f"{name} = {text};"))
                text = name
            places.append(f"[{text}]")
        runs = all_of([kept.runs, guard])
        yield from lanes_around(inner, [If(runs, tuple(taken))])
        yield If(writes, (CppStatement(f"{memory.name}{''.join(places)} = {value};"),))

    def _memory_writes(self, at: int) -> Iterator[MemoryWrite]:
        for place, phase in enumerate(self.phases):
            for mirror in phase.visit.phase.mirrors:
                if mirror.statement == at:
                    yield MemoryWrite(place, mirror, self._choosing(at, place, mirror))

    def _chooses(self, at: int) -> bool:
        """Return whether lanes are chosen for a write of a statement."""
        return any(write.chosen for write in self.writes[at])

    def _element(self, statement: Statement) -> ElementType:
        return self.phases[0].context.arrays[statement.target.array].element

    def _steps(self, statements: Sequence[Statement]) -> tuple[SumStep, ...] | None:
        """Return the steps of sums that statements are, if their lanes are terms."""
        if not self.summed:
            return None
        used = {name for s in statements for name in s.target.iterators()}
        if used.intersection(self.summing):
            return None
        steps = tuple(sum_step(s) for s in statements)
        assert all(step is not None for step in steps), "lanes of a sum are its terms"
        return tuple(step for step in steps if step is not None)

    def _choosing(self, at: int, place: int, mirror: Mirror) -> tuple[str, ...]:
        """Return the loops of whose lanes one is chosen for a write."""
        phase, statement = self.phases[place], self.sets[at][place]
        if mirror.lane is not None or (
            self.sums[at] is not None and self._is_behind_a_term(mirror)
        ):
            return ()
        summed = self.summing if self.sums[at] is not None else set[str]()
        lanes = {name: n for name, n in phase.visit.phase.lanes if name not in summed}
        guards = [g for g in (mirror.guard, statement.guard) if g is not None]
        held = phase.context.memories[mirror.memory].held
        return choosing_lanes(held, statement.target, guards, lanes)
