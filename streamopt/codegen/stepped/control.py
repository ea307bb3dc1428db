"""The state of a flattened loop: which phase runs, at which tile, and which one is next.

An iteration runs the body of the phase that is being visited, at one of its tiles; where a visit
has no tile left but has to last, it is a bubble and runs nothing. Then the state moves on: to the
next tile; after the last bubble to the next phase, or to the first phase of the next iteration of
the loop around. A loop or a visit that turns out to be empty takes one bubble.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.stepped.indices import IndexNames
from streamopt.codegen.stepped.places import Round, Visit, rounds, visits
from streamopt.codegen.tree import Comment, CppStatement, If, Item
from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.codegen.stepped.places import Place
    from streamopt.ir.stepping.steps import StepLoop


@dataclass(frozen=True, slots=True)
class LoopCounter:
    """The C++ variables of one loop: its iterator, and the value after its last."""

    loop: StepLoop
    name: str
    end: str
    """A variable, or a constant where the loop's end is one."""
    names: IndexNames
    """The iterators around it."""
    first: str = ""
    """Of a tile loop with fetches ahead: the variable of the first tile that is computed."""
    warm_up: int = 0

    def begins(self) -> Iterator[CppStatement]:
        """Yield the statements that bring it to its beginning."""
        low, high = self.names.bounds(self.loop)
        if self.first:
            yield CppStatement(f"{self.first} = {low};")
            low = f"{self.first} - {self.warm_up}"
        yield CppStatement(f"{self.name} = {low};")
        if not self.end.isdigit():
            yield CppStatement(f"{self.end} = {high};")

    @property
    def is_over(self) -> str:
        """Return the condition that no iteration is left; true at once in an empty loop."""
        return f"{self.name} >= {self.end}"

    @property
    def may_be_empty(self) -> bool:
        """Return whether it can't be seen that it has an iteration."""
        pairs = ((high, low) for high in self.loop.upper for low in self.loop.lower)
        return any((high - low).interval(self.names.reach)[0] < 1 for high, low in pairs)

    def state(self) -> tuple[str, ...]:
        """Return its variables."""
        return tuple(n for n in (self.name, self.end, self.first) if n and not n.isdigit())


@dataclass(frozen=True, slots=True)
class VisitState:
    """A visit with its counters, outermost first, and the C++ of all iterators in its body."""

    visit: Visit
    counters: tuple[LoopCounter, ...]
    """Of its tile loops; those that have a single tile, always the same, have none."""
    names: IndexNames
    """Iterators of loops around, and of tiles."""

    @property
    def running(self) -> str:
        """Return the condition that it is at a tile while it isn't a bubble; empty for always."""
        inner = [c for c in self.counters[1:] if c.may_be_empty]
        return " && ".join(f"{counter.name} < {counter.end}" for counter in inner)


class Control:
    """The state of one flattened loop.

    Parameters
    ----------
    unique
        From a wished to a free name of the function.
    """

    def __init__(self, places: tuple[Place, ...], unique: Callable[[str], str]) -> None:
        self.places = places
        self._unique = unique
        self.phase, self.cycle, self.bubble = map(unique, ("phase", "cycle", "is_bubble"))
        self.over, self.was = unique("is_over"), unique("was")
        self.rounds: dict[int, LoopCounter] = {}
        self.states: dict[int, VisitState] = {}
        self._around: dict[int, LoopCounter | None] = {}
        self._enter(places, IndexNames({}, {}), None)
        self.least = {
            visit.number: max(visit.phase.least_cycles, visit.phase.last_cycles)
            for visit in visits(places)
            if max(visit.phase.least_cycles, visit.phase.last_cycles) > 1
        }
        names = [(self.rounds[r.number].name, r.number) for r in rounds(places)]
        kinds = ("ends", "again", "enters")
        self._flags = {(n, kind): unique(f"{name}_{kind}") for name, n in names for kind in kinds}

    def _enter(
        self, places: tuple[Place, ...], names: IndexNames, around: LoopCounter | None
    ) -> None:
        for place in places:
            self._around[place.number] = around
            if isinstance(place, Round):
                counter = self._counter(place.loop, place.loop.name, names)
                self.rounds[place.number] = counter
                self._enter(place.inside, _with(names, counter), counter)
            else:
                self.states[place.number] = self._state(place, names)

    def _state(self, visit: Visit, names: IndexNames) -> VisitState:
        lanes, counters = dict(visit.phase.lanes), list[LoopCounter]()
        for loop in visit.tiles:
            single = _single(loop)
            innermost = loop is visit.tiles[-1]
            if single is not None and not (innermost and visit.warm_up):
                names = names.named(loop.name, Affine.of(single), (single, single))
                continue
            wanted = f"{loop.name}_tile" if lanes.get(loop.name, 1) > 1 else loop.name
            counter = self._counter(loop, wanted, names, visit.warm_up if innermost else 0)
            counters.append(counter)
            names = _with(names, counter)
        return VisitState(visit, (*counters,), names)

    def _counter(
        self, loop: StepLoop, wanted: str, names: IndexNames, warm_up: int = 0
    ) -> LoopCounter:
        name = self._unique(wanted)
        is_constant = len(loop.upper) == 1 and not loop.upper[0].terms
        end = str(max(0, loop.upper[0].constant)) if is_constant else self._unique(f"{name}_end")
        first = self._unique(f"{name}_first") if warm_up else ""
        return LoopCounter(loop, name, end, names, first, warm_up)

    def declared(self) -> Iterator[Item]:
        """Yield the variables, as they are before the first iteration."""
        values = self._initial()
        yield CppStatement(f"int {self.phase} = {values[self.phase]};")
        if self.least:
            yield CppStatement(f"int {self.cycle} = {values[self.cycle]};")
        yield CppStatement(f"bool {self.bubble} = {'true' if values[self.bubble] else 'false'};")
        counters = [*self.rounds.values()]
        counters += [c for state in self.states.values() for c in state.counters]
        for name in dict.fromkeys(name for counter in counters for name in counter.state()):
            yield CppStatement(f"int {name} = {values.get(name, 0)};")

    def _initial(self) -> dict[str, int]:
        """Return the variables before the first iteration; those that aren't there are 0."""
        values = {self.phase: 0, self.cycle: 0, self.bubble: 0}
        point: dict[str, int] = {}
        place = self.places[0]
        while isinstance(place, Round):
            counter = self.rounds[place.number]
            low, high = _ends(place.loop, point)
            values |= {self.phase: place.number, counter.name: low, counter.end: high}
            if low >= high:
                return {**values, self.bubble: 1}
            point[place.loop.name] = low
            place = place.inside[0]
        values[self.phase] = place.number
        counters = {c.loop.name: c for c in self.states[place.number].counters}
        for loop in place.tiles:
            low, high = _ends(loop, point)
            point[loop.name] = low
            counter = counters.get(loop.name)
            if counter is not None:
                low_now = low - counter.warm_up
                values |= {counter.name: low_now, counter.end: high, counter.first: low}
            if loop is place.tiles[0] and low >= high:
                values |= {self.bubble: 1, self.cycle: self.least.get(place.number, 0)}
        return values

    def moves_on(self) -> Iterator[Item]:
        """Yield the end of an iteration."""
        yield Comment("The next tile; where there is none, the rest of the visit are bubbles.")
        for state in self.states.values():
            steps = self._step(state, len(state.counters) - 1)
            yield If(f"{self.phase} == {state.visit.number} && !{self.bubble}", steps)
        if len(self.states) + len(self.rounds) == 1:
            return
        yield Comment("The next visit, once this one has lasted as long as it must.")
        over = self.bubble
        if self.least:
            yield CppStatement(f"{self.cycle}++;")
            choices = "".join(
                f"{self.phase} == {number} ? {self._least(number)} : " for number in self.least
            )
            over = f"{over} && {self.cycle} >= ({choices}1)"
        yield CppStatement(f"const bool {self.over} = {over};")
        yield CppStatement(f"const int {self.was} = {self.phase};")
        for place in reversed([*rounds(self.places)]):
            yield from self._ends(place)
        yield from self._begin(self.places, "")

    def _least(self, number: int) -> str:
        """Return the iterations that a visit lasts at least: more where the loop around it ends."""
        phase, around = self.states[number].visit.phase, self._around[number]
        if phase.last_cycles <= phase.least_cycles:
            return str(phase.least_cycles)
        if around is None:
            return str(phase.last_cycles)
        is_last = f"{around.name} + 1 >= {around.end}"
        return f"({is_last} ? {phase.last_cycles} : {phase.least_cycles})"

    def _step(self, state: VisitState, level: int) -> tuple[Item, ...]:
        """Return the statements that move the tile loops on, from one level out."""
        if level < 0:
            return (CppStatement(f"{self.bubble} = true;"),)
        counter = state.counters[level]
        again = () if level == 0 else (*counter.begins(),)
        rows = [c.is_over for c in state.counters[1:level] if c.may_be_empty]
        return (
            CppStatement(f"{counter.name}++;"),
            If(" || ".join([counter.is_over, *rows]), (*self._step(state, level - 1), *again)),
        )

    def _done(self, place: Place) -> str:
        """Return the condition that a place is over now."""
        here = f"{self.over} && {self.was} == {place.number}"
        if isinstance(place, Visit):
            return here
        ends, again = self._flags[place.number, "ends"], self._flags[place.number, "again"]
        finished = f"{ends} && !{again}"
        if not self.rounds[place.number].may_be_empty:
            return finished
        return f"({finished}) || ({here})"

    def _ends(self, place: Round) -> Iterator[Item]:
        counter = self.rounds[place.number]
        ends, again = self._flags[place.number, "ends"], self._flags[place.number, "again"]
        yield CppStatement(f"const bool {ends} = {self._done(place.inside[-1])};")
        yield If(ends, (CppStatement(f"{counter.name}++;"),))
        yield CppStatement(f"const bool {again} = {ends} && {counter.name} < {counter.end};")

    def _begin(self, places: tuple[Place, ...], entered: str) -> Iterator[Item]:
        """Yield the beginning of each of some places; the first begins where ``entered`` holds."""
        for at, place in enumerate(places):
            condition = self._done(places[at - 1]) if at else entered
            if isinstance(place, Visit):
                if condition:
                    yield If(condition, tuple(self._begins_visit(self.states[place.number])))
                continue
            counter = self.rounds[place.number]
            again, enters = (self._flags[place.number, kind] for kind in ("again", "enters"))
            inside = again
            if condition:
                waits = (
                    CppStatement(f"{self.phase} = {place.number};"),
                    CppStatement(f"{self.bubble} = true;"),
                    *([CppStatement(f"{self.cycle} = 0;")] if self.least else []),
                )
                empty = waits if counter.may_be_empty else ()
                yield If(condition, (*counter.begins(), *empty))
                more = f" && {counter.name} < {counter.end}" if empty else ""
                entering = f"({condition})" if more and " || " in condition else condition
                yield CppStatement(f"const bool {enters} = {entering}{more};")
                inside = f"{again} || {enters}"
            yield from self._begin(place.inside, inside)

    def _begins_visit(self, state: VisitState) -> Iterator[Item]:
        number = state.visit.number
        yield CppStatement(f"{self.phase} = {number};")
        for counter in state.counters:
            yield from counter.begins()
        first = state.counters[0] if state.counters else None
        is_empty = "false"
        if first is not None and first.may_be_empty:
            is_empty = f"{first.first or first.name} >= {first.end}"
        yield CppStatement(f"{self.bubble} = {is_empty};")
        if self.least:
            least = self.least.get(number, 1)
            start = "0" if is_empty == "false" else f"{self.bubble} ? {least} : 0"
            yield CppStatement(f"{self.cycle} = {start};")


def _with(names: IndexNames, counter: LoopCounter) -> IndexNames:
    loop = counter.loop
    reach = loop.least, max(loop.least, loop.end - 1)
    return names.named(loop.name, Affine.iterator(counter.name), reach)


def _single(loop: StepLoop) -> int | None:
    """Return the only value that a loop ever has, if its bounds say so."""
    if any(bound.terms for bound in (*loop.lower, *loop.upper)):
        return None
    low, high = max(b.constant for b in loop.lower), min(b.constant for b in loop.upper)
    return low if high - low == 1 else None


def _ends(loop: StepLoop, point: dict[str, int]) -> tuple[int, int]:
    low = max(int(bound.evaluate(point)) for bound in loop.lower)
    return low, min(int(bound.evaluate(point)) for bound in loop.upper)
