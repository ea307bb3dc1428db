"""Slices: small memories beside an array, with those elements that some reads find soon after.

Before::

    in order k: ... A[a][b] - A[a][k] * A[k][b]     a row and a column a step, each from a copy of A

After::

    row[k % 2][b] and column[a], to which the writes go that these reads find their values from

Which writes that are, exact flow says. A place may hold another element only before its value is
written and after it was read, by visits: within one there is no order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from streamopt.analysis.instances import (
    StatementInstance,
    all_elements,
    elements_at,
    is_certain,
    iterations_of,
    loops_over,
)
from streamopt.analysis.last_touches import Event, last_touches
from streamopt.analysis.phase_reads import is_forwarded
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.source import Assign, RangeLoop
from streamopt.ir.stepping.stepped import HeldDimension
from streamopt.ir.stepping.steps import Phase
from streamopt.ir.text import isl_affine
from streamopt.transforms.stepped.conditions import condition_of_set, equalities_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.stepping.steps import StepItem, StepLoop, Steps

AT_END = 1 << 30
"""Place of what comes after all."""
APART = 1 << 10
"""Between the places of phases: statements of those without loops lie in between."""
MODULI = (1, 2, 4)
"""Places along a dimension that a slice folds, tried one after another."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A memory for a read, and the writes that go to it."""

    held: tuple[HeldDimension, ...]
    writes: tuple[tuple[str, int, Condition | None], ...]
    """Triples (phase, statement, guard): guards beside those of the statements."""
    start: Condition | None
    """Which elements it has from the start, over ``d0, d1, ...``; None for no condition."""
    has_start: bool
    """Whether it has any."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement of a phase at its place in the order."""

    phase: str
    number: int
    instance: StatementInstance
    around: int

    @property
    def key(self) -> tuple[str, int]:
        """Return the phase and the place of the statement in it."""
        return self.phase, self.number


class SliceFinder:
    """Finds slices for reads of the phases of an order."""

    def __init__(self, steps: Steps, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.shapes = shapes
        self.placed = tuple(_placed(steps.items, (), ()))
        self.phases = {phase.name: phase for phase in steps.phases}
        self._found: dict[tuple[str, Access], Slice | None] = {}
        self._values: dict[tuple[str, Access], _Values] = {}
        self._lasting: dict[str, tuple[tuple[str, int], ...]] = {}

    def slice_of(self, phase: str, access: Access) -> Slice | None:
        """Return the smallest slice that serves a read of a phase; None if there is none."""
        key = phase, access
        if key not in self._found:
            self._found[key] = self._slice(phase, access)
        return self._found[key]

    def needed(
        self, array: str, reads: Sequence[tuple[str, Access]], *, with_last: bool = True
    ) -> set[tuple[str, int]]:
        """Return the statements whose values some reads find, or which are there at the end."""
        found = set(self._last(array)) if with_last else set[tuple[str, int]]()
        for phase, access in reads:
            values = self._values_of(phase, access)
            found |= {values.writes[n].key for n in values.written}
        return found

    def _last(self, array: str) -> Iterator[tuple[str, int]]:
        """Yield the statements that write some element for the last time."""
        if array not in self._lasting:
            names = [f"d{at}" for at in range(len(self.shapes[array]))]
            access = ir.Access(array, tuple(map(Affine.iterator, names)))
            loops = loops_over(names, self.shapes[array])
            end = StatementInstance(
                Assign(access, ir.Read(access)), loops, (AT_END, *(0 for _ in names))
            )
            values = _Values(self, [_Placed("", 0, end, 0)], access)
            self._lasting[array] = tuple(values.writes[name].key for name in values.written)
        yield from self._lasting[array]

    def _values_of(self, phase: str, access: Access) -> _Values:
        key = phase, access
        if key not in self._values:
            statements = self.phases[phase].statements
            readers = [
                p
                for p in self.placed
                if p.phase == phase
                and access in p.instance.reads
                and not is_forwarded(access, statements[p.number], statements[: p.number])
            ]
            self._values[key] = _Values(self, readers, access)
        return self._values[key]

    def _slice(self, phase: str, access: Access) -> Slice | None:
        candidates = [*self._held(access, frozenset(one.name for one in self.phases[phase].loops))]
        if not candidates:
            return None
        values = self._values_of(phase, access)
        found = (values.slice_at(held) for held in candidates)
        return next((one for one in found if one is not None), None)

    def _held(
        self, access: Access, parallel: frozenset[str]
    ) -> Iterator[tuple[HeldDimension, ...]]:
        """Yield the dimensions of memories that may serve an access, small ones first."""
        dimensions = range(len(access.subscripts))
        for count in range(len(access.subscripts), 0, -1):
            for gone in combinations(dimensions, count):
                kept = [at for at in dimensions if at not in gone]
                if not all(_is_told(access, at, kept, parallel) for at in gone):
                    continue
                for modulus in MODULI:
                    for folded in gone if modulus > 1 else gone[:1]:
                        yield tuple(
                            HeldDimension(at, 0 if at in kept else modulus)
                            for at in dimensions
                            if at in kept or (at == folded and modulus > 1)
                        )


def _is_told(access: Access, dimension: int, kept: Sequence[int], parallel: frozenset[str]) -> bool:
    """Return whether loops in order and the kept dimensions tell a subscript."""
    own = access.subscripts[dimension]
    rests = [own, *(own - access.subscripts[at] for at in kept)]
    rests += [own + access.subscripts[at] for at in kept]
    return any(not parallel & {*rest.iterators()} for rest in rests)


def _placed(
    items: Sequence[StepItem], around: tuple[StepLoop, ...], position: tuple[int, ...]
) -> Iterator[_Placed]:
    for place, item in enumerate(items):
        here = (*position, APART * place)
        if not isinstance(item, Phase):
            yield from _placed(item.items, (*around, item.loop), here)
            continue
        loops = tuple(
            RangeLoop(loop.name, loop.lower, loop.upper, ()) for loop in (*around, *item.loops)
        )
        for number, statement in enumerate(item.statements):
            inner = (0,) * (len(item.loops) - 1) + ((number,) if item.loops else ())
            at = (*here, *inner) if item.loops else (*position, APART * place + number)
            guards = () if statement.guard is None else ir.conjuncts(statement.guard)
            assign = Assign(statement.target, statement.value)
            instance = StatementInstance(assign, loops, at, guards)
            yield _Placed(item.name, number, instance, len(around))


class _Values:
    """The values that one read of a phase gets, as isl relations."""

    def __init__(self, finder: SliceFinder, readers: Sequence[_Placed], access: Access) -> None:
        import islpy as isl

        self.access, self.shape = access, finder.shapes[access.array]
        self.writers = [p for p in finder.placed if p.instance.target.array == access.array]
        self.readers = readers
        self.sums = {name: phase.sums for name, phase in finder.phases.items()}
        self.sinks = {
            f"R{at}": Event(f"R{at}", _evaluated(p.instance, access), access, 0)
            for at, p in enumerate(self.readers)
        }
        sources = [
            Event(f"W{at}", p.instance, p.instance.target, 1, is_certain(p.instance))
            for at, p in enumerate(self.writers)
        ]
        certain = {event.name for event in sources if event.hides}
        flow = last_touches([*self.sinks.values()], sources)
        self.relations = flow.relations
        self.written: dict[str, Any] = {}
        for relation in self.relations:
            name, points = relation.get_tuple_name(isl.dim_type.in_), relation.domain()
            known = self.written.get(name)
            self.written[name] = points if known is None else known.union(points)
        self.touched = {
            name: elements_at(name, event.instance, access) for name, event in self.sinks.items()
        }
        self.first = {**self.touched}
        for relation in self.relations:
            if relation.get_tuple_name(isl.dim_type.in_) not in certain:
                continue
            name = relation.get_tuple_name(isl.dim_type.out)
            self.first[name] = self.first[name].subtract_domain(relation.range())
        self.reads = dict(zip(self.sinks, self.readers, strict=True))
        self.writes = {event.name: p for event, p in zip(sources, self.writers, strict=True)}

    def slice_at(self, held: tuple[HeldDimension, ...]) -> Slice | None:
        """Return the slice with such dimensions; None if a place gets another element too early."""
        places = self._place_map(held)
        for few in (True, False):
            guards = {
                name: self._guard(name, equalities_of(points) if few else points)
                for name, points in self.written.items()
            }
            if not self._collide(places, {name: points for name, (_, points) in guards.items()}):
                return self._slice(held, places, guards)
        return None

    def _slice(
        self,
        held: tuple[HeldDimension, ...],
        places: Any,
        guards: Mapping[str, tuple[Condition | None, Any]],
    ) -> Slice | None:
        found = _union([one.range() for one in self.first.values() if not one.is_empty()])
        start, begins = None, None
        if found is not None:
            start, begins = self._start(equalities_of(found))
            if not _is_injective(places, begins):
                start, begins = self._start(found)
            if not _is_injective(places, begins):
                return None
        return Slice(
            held,
            tuple(
                (p.phase, p.number, guards[name][0])
                for name, p in self.writes.items()
                if name in guards
            ),
            start,
            begins is not None,
        )

    def _guard(self, name: str, points: Any) -> tuple[Condition | None, Any]:
        """Return where a statement's value is needed, whichever term of a sum it comes after."""
        import islpy as isl

        placed = self.writes[name]
        instance = placed.instance
        for at, iterator in enumerate(instance.iterators):
            if iterator in self.sums[placed.phase]:
                points = points.eliminate(isl.dim_type.set, at, 1)
        return condition_of_set(points, iterations_of(instance, name), instance.iterators)

    def _start(self, elements: Any) -> tuple[Condition | None, Any]:
        names = [f"d{at}" for at in range(len(self.shape))]
        return condition_of_set(elements, all_elements(self.access.array, self.shape), names)

    def _place_map(self, held: tuple[HeldDimension, ...]) -> Any:
        """Return the relation from elements to places."""
        import islpy as isl

        names = {f"d{at}": f"d{at}" for at in range(len(self.shape))}
        element = ir.Access(self.access.array, tuple(map(Affine.iterator, names)))
        places = [isl_affine(d.place(element.subscripts), names) for d in held]
        return isl.Map(f"{{ A_{element.array}[{', '.join(names)}] -> P[{', '.join(places)}] }}")

    def _collide(self, places: Any, written: Mapping[str, Any]) -> bool:
        """Return whether a place gets another element while a read still needs what it has."""
        depth = 2 * max(p.around for p in (*self.readers, *self.writers)) + 1
        for other, points in written.items():
            placed = self.writes[other]
            there = elements_at(other, placed.instance, placed.instance.target)
            there = there.intersect_domain(points)
            late = _visits(other, placed, depth)
            for name, here in self.touched.items():
                same_place = here.apply_range(places).apply_range(
                    there.apply_range(places).reverse()
                )
                other_element = same_place.subtract(here.apply_range(there.reverse()))
                time = _visits(name, self.reads[name], depth)
                before = _no_later(late, time).reverse()
                threats = other_element.intersect(before)
                if threats.is_empty():
                    continue
                if self._meets(name, threats, late, depth):
                    return True
        return False

    def _meets(self, read: str, threats: Any, late: Any, depth: int) -> bool:
        """Return whether a write to a place is not before the value that a read finds there.

        Parameters
        ----------
        late
            From the iterations of the write to their visits.
        """
        import islpy as isl

        if not threats.intersect_domain(self.first[read].domain()).is_empty():
            return True
        for relation in self.relations:
            if relation.get_tuple_name(isl.dim_type.out) != read:
                continue
            source = relation.get_tuple_name(isl.dim_type.in_)
            early = _visits(source, self.writes[source], depth)
            after = relation.reverse().apply_range(_no_later(early, late))
            if not after.intersect(threats).is_empty():
                return True
        return False


def _evaluated(instance: StatementInstance, access: Access) -> StatementInstance:
    """Return the statement guarded by when it reads an element."""
    found = [one for read, one in instance.conditional_reads if read == access]
    return found[0] if len(found) == 1 else instance


def _visits(name: str, placed: _Placed, depth: int) -> Any:
    """Return the relation from iterations to the time of their visits, as long as others."""
    import islpy as isl

    instance = placed.instance
    times: list[str] = []
    for at in range(placed.around):
        times += [str(instance.position[at]), f"c{at}"]
    last = instance.position[placed.around]
    times.append(str(last - last % APART))
    times += ["0"] * (depth - len(times))
    names = ", ".join(f"c{at}" for at in range(len(instance.loops)))
    return isl.Map(f"{{ {name}[{names}] -> [{', '.join(times)}] }}")


def _no_later(first: Any, second: Any) -> Any:
    """Return pairs of iterations, the first of which is in no later visit than the second."""
    import islpy as isl

    order = isl.Map.lex_le(first.range().get_space())
    return first.apply_range(order).apply_range(second.reverse())


def _union(sets: Sequence[Any]) -> Any:
    total: Any = None
    for one in sets:
        total = one if total is None else total.union(one)
    return total


def _is_injective(places: Any, elements: Any) -> bool:
    return bool(places.intersect_domain(elements).is_injective())
