"""The statements of a phase, each in the lanes that it has.

A statement that only assigns stands in one nest of unrolled lanes with its neighbours. One whose
lanes are terms of a sum puts them in a tree, and updates its element once. Where of many lanes one
at most writes to a memory, the values of all lanes are kept, and the one to write is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.analysis.sum_steps import sum_step
from streamopt.codegen.expressions import literal
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.term_tree import term_tree
from streamopt.codegen.stepped.lanes import bounds_of, lanes_around, split_guard
from streamopt.codegen.stepped.memories import choosing_lanes, registers
from streamopt.codegen.stepped.sums import REDUCTIONS, identity, updated
from streamopt.codegen.tree import CppStatement, If
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.expression import Read, reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.analysis.sum_steps import SumStep
    from streamopt.codegen.names import Names
    from streamopt.codegen.stepped.lanes import LaneLoop
    from streamopt.codegen.stepped.memories import CppMemory
    from streamopt.codegen.stepped.operands import Operands
    from streamopt.codegen.stepped.texts import PhaseTexts
    from streamopt.codegen.tree import Item
    from streamopt.ir.element import ElementType
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.stepped import Mirror


@dataclass(frozen=True, slots=True)
class LaneValues:
    """The values of all lanes of a statement, and which of them there are."""

    value: str
    runs: str
    place: str


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
        count = len(phases[0].visit.phase.phase.statements)
        self.sets = [[self._statement(p, at) for p in phases] for at in range(count)]
        self.sums = [self._steps(own) for own in self.sets]
        self.chosen = [
            [self._choosing(p, at, mirror) for p in phases for mirror in self._mirrors(p, at)]
            for at in range(count)
        ]
        self.apart = self._apart_ones()
        self.ends: dict[tuple[int, Mirror], str] = {}

    def _apart_ones(self) -> set[int]:
        """Return the statements with lanes of their own: those whose values others need, too."""
        count = len(self.sets)
        apart = {n for n in range(count) if self.sums[n] is not None or any(self.chosen[n])}
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
                continue
            yield from self._nested(nest)
            nest = []
            yield from self._apart(at)
        yield from self._nested(nest)

    def _nested(self, nest: list[Item]) -> list[Item]:
        """Return statements inside the lanes of loops that have work."""
        if not nest:
            return []
        inside = self._choice([all_of([t for t, _ in bounds_of(p.visit)]) for p in self.phases])
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
        return self._valued(at, self.operands.text.text(value, element), guard, kept)

    def _valued(self, at: int, value: str, guard: str, kept: LaneValues | None) -> list[Item]:
        """Return the writes of a value under a guard; later statements may have the value."""
        statements, element = self.sets[at], self._element(self.sets[at][0])
        readers = self._readers(at)
        writes = [*self._writes(at)]
        items: list[Item] = []
        if kept is not None:
            where = f"{kept.value}{kept.place}"
            made = CppStatement(f"{where} = {value};")
            if guard:
                items.append(CppStatement(f"{kept.runs}{kept.place} = {guard};"))
                items.append(If(f"{kept.runs}{kept.place}", (made, *self._put(writes, where))))
            else:
                items += [made, CppStatement(f"{kept.runs}{kept.place} = true;")]
                items += self._put(writes, where)
            return items
        name = ""
        if readers or len(writes) > 1 or len(self.phases) > 1:
            name = self.scope.unique(f"{statements[0].target.array}_value")
        if not readers:
            body: list[Item] = [CppStatement(f"const {element} {name} = {value};")] if name else []
            body += self._put(writes, name or value)
            return [If(guard, tuple(body))] if guard else body
        if not guard:
            items = [CppStatement(f"const {element} {name} = {value};"), *self._put(writes, name)]
            self._forward(at, name, "")
            return items
        runs = self.scope.unique(f"{name}_is_new")
        items = [CppStatement(f"const bool {runs} = {guard};")]
        items.append(CppStatement(f"{element} {name} = {literal(0, element)};"))
        put = (CppStatement(f"{name} = {value};"), *self._put(writes, name))
        items.append(If(runs, put))
        self._forward(at, name, runs)
        return items

    def _writes(self, at: int) -> Iterator[tuple[int, str, str]]:
        """Yield phase, condition and place of the writes that lanes make themselves."""
        chosen = iter(self.chosen[at])
        for place, phase in enumerate(self.phases):
            for mirror in self._mirrors(phase, at):
                if next(chosen):
                    continue
                target = phase.visit.phase.phase.statements[at].target
                memory = phase.context.memories[mirror.memory]
                guard = self.ends.get((place, mirror), "")
                if mirror.guard is not None and not guard:
                    guard = phase.expressions.condition(mirror.guard)
                yield place, guard, memory.element_text(target, phase.visit.names)

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
        return [
            later
            for later in range(at + 1, len(self.sets))
            if any(
                self._statement(phase, at).target in reads(expression)
                for phase in self.phases
                for expression in self._statement(phase, later).expressions
            )
        ]

    def _forward(self, at: int, value: str, runs: str) -> None:
        """Let later statements read the value that was just made."""
        for phase in self.phases:
            target = self._statement(phase, at).target
            phase.forwarded = {
                access: text
                for access, text in phase.forwarded.items()
                if access.array != target.array
            }
            stored = phase.stored(target)
            phase.forwarded[target] = f"({runs} ? {value} : {stored})" if runs else value

    def _apart(self, at: int) -> Iterator[Item]:
        """Yield a statement with lanes of its own: a sum, or one with values to choose from."""
        loops = self.plain if self.sums[at] is not None else self.loops
        element = self._element(self.sets[at][0])
        kept = None
        if any(self.chosen[at]) or self._readers(at):
            unique = self.phases[0].context.unique  # a function splits each name once
            name = unique(f"{self.sets[at][0].target.array}_lanes")
            runs = unique(f"{name}_run")
            extents = [loop.count for loop in loops]
            place = "".join(f"[{loop.name}]" for loop in loops) or "[0]"
            kept = LaneValues(name, runs, place)
            yield from registers(name, str(element), extents)
            yield from registers(runs, "bool", extents)
        body = self._summed(at, kept) if self.sums[at] is not None else self._assigned(at, kept)
        inside = [bounds_of(p.visit) for p in self.phases]
        outer = [all_of([t for t, about in own if self._is_outer(about, at)]) for own in inside]
        condition = self._choice(outer)
        if condition:
            never = [CppStatement(f"{kept.runs}{kept.place} = false;")] if kept else []
            body = [*never, If(condition, tuple(body))]
        yield from lanes_around(loops, body)
        if kept is not None:
            yield from self._choose(at, kept, loops)
            if self._readers(at):
                where = f"{kept.value}{kept.place}"
                self._forward(at, where, f"{kept.runs}{kept.place}")

    def _is_outer(self, about: frozenset[str], at: int) -> bool:
        return self.sums[at] is None or about.isdisjoint(self._summed_loops())

    def _summed_loops(self) -> set[str]:
        return {name for p in self.phases for name in p.visit.phase.phase.sums}

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
        terms = REDUCTIONS[steps[0].terms]
        tree = term_tree([(loop.name, loop.count) for loop in self.summed], self.names)
        assert tree is not None
        summed = self._summed_loops()
        outer, inner = list[str](), list[str]()
        for phase, statement in zip(self.phases, statements, strict=True):
            parts = split_guard(statement.guard, summed)
            texts = ["" if p is None else phase.expressions.condition(p) for p in parts]
            bounds = [t for t, about in bounds_of(phase.visit) if not about.isdisjoint(summed)]
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
        items.append(tree.combined(lambda a, b: known.combine(terms, a, b, kind)))
        root = self.operands.operand(tree.root, kind)
        update = known.text(updated(steps[0].update, own, root), element)
        items += self._valued(at, update, guard, kept)
        outside = self._choice(outer)
        return [If(outside, tuple(items))] if outside else items

    def _ends_of_sums(self, at: int, has_term: str, declared: list[Item]) -> Iterator[Item]:
        """Yield, for writes behind one term of a sum, whether a lane has that term."""
        for place, phase in enumerate(self.phases):
            for mirror in self._mirrors(phase, at):
                if self._is_behind_a_term(mirror):
                    assert mirror.guard is not None
                    name = self.scope.unique("is_last")
                    declared.append(CppStatement(f"bool {name} = false;"))
                    self.ends[place, mirror] = name
                    condition = all_of([has_term, phase.expressions.condition(mirror.guard)])
                    yield If(condition, (CppStatement(f"{name} = true;"),))

    def _is_behind_a_term(self, mirror: Mirror) -> bool:
        """Return whether a memory takes a sum with one of its terms only, such as the last."""
        return split_guard(mirror.guard, self._summed_loops())[1] is not None

    def _choose(self, at: int, kept: LaneValues, loops: Sequence[LaneLoop]) -> Iterator[Item]:
        """Yield the writes for which one of several lanes is chosen."""
        chosen = iter(self.chosen[at])
        for phase in self.phases:
            for mirror in self._mirrors(phase, at):
                names = next(chosen)
                if not names:
                    continue
                lanes = phase.visit.lanes
                inner = [loop for loop in loops if loop.name in {lanes[n] for n in names}]
                outer = [loop for loop in loops if loop not in inner]
                body = [*self._chosen_write(at, phase, mirror, kept, inner)]
                nest = lanes_around(outer, body)
                if len(self.phases) > 1:
                    yield If(f"{self.phase} == {phase.visit.number}", tuple(nest))
                else:
                    yield from nest

    def _chosen_write(
        self,
        at: int,
        phase: PhaseTexts,
        mirror: Mirror,
        kept: LaneValues,
        inner: Sequence[LaneLoop],
    ) -> Iterator[Item]:
        memory: CppMemory = phase.context.memories[mirror.memory]
        statement = self._statement(phase, at)
        element, scope = memory.element, self.scope
        writes, value = scope.unique("writes"), scope.unique("chosen")
        yield CppStatement(f"bool {writes} = false;")
        yield CppStatement(f"{element} {value} = {literal(0, element)};")
        guard = "" if mirror.guard is None else phase.expressions.condition(mirror.guard)
        lanes = phase.visit.lanes
        by_lane = {n for n, lane in lanes.items() if lane in {loop.name for loop in inner}}
        taken: list[Item] = [
            CppStatement(f"{writes} = true;"),
            CppStatement(f"{value} = {kept.value}{kept.place};"),
        ]
        places: list[str] = []
        for place in memory.held.places(statement.target):
            text = phase.visit.names.text(place)
            if by_lane.intersection(place.iterators()):
                name = scope.unique("place")
                yield CppStatement(f"int {name} = 0;")
                taken.append(CppStatement(f"{name} = {text};"))
                text = name
            places.append(f"[{text}]")
        runs = all_of([f"{kept.runs}{kept.place}", guard])
        yield from lanes_around(inner, [If(runs, tuple(taken))])
        yield If(writes, (CppStatement(f"{memory.name}{''.join(places)} = {value};"),))

    def _statement(self, phase: PhaseTexts, at: int) -> Statement:
        return phase.visit.phase.phase.statements[at]

    def _mirrors(self, phase: PhaseTexts, at: int) -> list[Mirror]:
        return [m for m in phase.visit.phase.mirrors if m.statement == at]

    def _element(self, statement: Statement) -> ElementType:
        return self.phases[0].context.arrays[statement.target.array].element

    def _steps(self, statements: Sequence[Statement]) -> tuple[SumStep, ...] | None:
        """Return the steps of sums that statements are, if their lanes are terms."""
        if not self.summed:
            return None
        used = {name for s in statements for name in s.target.iterators()}
        if used.intersection(self._summed_loops()):
            return None
        steps = tuple(sum_step(s) for s in statements)
        assert all(step is not None for step in steps), "lanes of a sum are its terms"
        return tuple(step for step in steps if step is not None)

    def _choosing(self, phase: PhaseTexts, at: int, mirror: Mirror) -> tuple[str, ...]:
        """Return the loops of whose lanes one is chosen for a write."""
        statement = self._statement(phase, at)
        if self.sums[at] is not None and self._is_behind_a_term(mirror):
            return ()
        summed = self._summed_loops() if self.sums[at] is not None else set[str]()
        lanes: Mapping[str, int] = {
            name: count
            for name, count in phase.visit.phase.lanes
            if count > 1 and name not in summed
        }
        guards = [g for g in (mirror.guard, statement.guard) if g is not None]
        held = phase.context.memories[mirror.memory].held
        return choosing_lanes(held, statement.target, guards, lanes)
