"""Who reads what whom wrote: exact data flow between the statements of a source, through isl.

*Flow* is by value: a read gets its element from the last write before it ([1]). *Dependences* are
by memory: two statements touch the same element and one of them writes it, so that they can't
change places.

[1] Feautrier, Dataflow analysis of array and scalar references, IJPP 20, 1991.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamopt.analysis.polyhedral_text import (
    access_text,
    is_certain,
    schedule_text,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from streamopt.analysis.instances import Instance
    from streamopt.ir.expression import Access

__all__ = [
    "DataFlow",
    "Touch",
    "covers",
    "data_flow",
    "execution_order",
    "memory_dependences",
]

_WRITE = -1


@dataclass(frozen=True, slots=True, order=True)
class Touch:
    """A read of a statement: its place among the instances, and among the statement's reads."""

    statement: int
    read: int


@dataclass(frozen=True, slots=True, eq=False)
class DataFlow:
    """Where reads get their values.

    Attributes
    ----------
    sources
        By read: the statements that wrote what it reads, in some iteration.
    from_before
        Reads that get, in some iteration, what an array held at the start.
    relations
        isl relation from the writing to the reading iterations, by (writer, read).
    """

    sources: Mapping[Touch, frozenset[int]]
    from_before: frozenset[Touch]
    relations: Mapping[tuple[int, Touch], Any]

    def is_within(self, writer: int, read: Touch, loops: int) -> bool:
        """Return whether values flow only inside one iteration of the outer ``loops`` loops."""
        relation = self.relations[writer, read]
        names = ", ".join(f"i{at}" for at in range(loops))

        def side(count: int, prefix: str) -> str:
            rest = [f"{prefix}{at}" for at in range(loops, count)]
            return ", ".join([*([names] if names else []), *rest])

        import islpy as isl

        equal = isl.Map(
            f"{{ {_event(writer, _WRITE)}[{side(relation.dim(isl.dim_type.in_), 'a')}] -> "
            f"{_event(read.statement, read.read)}[{side(relation.dim(isl.dim_type.out), 'b')}] }}"
        )
        return bool(relation.is_subset(equal))


def data_flow(statements: Sequence[Instance], among: Container[str] | None = None) -> DataFlow:
    """Return the flow of values between all statements.

    Parameters
    ----------
    among
        Arrays whose reads are asked for; None for all.
    """
    asked = [
        (Touch(at, number), instance, access)
        for at, instance in enumerate(statements)
        for number, access in enumerate(instance.reads)
        if among is None or access.array in among
    ]
    written = {instance.target.array for instance in statements}
    reads = [read for read in asked if read[2].array in written]
    given = {touch for touch, _, access in asked if access.array not in written}
    among = {access.array for _, _, access in reads}
    if not reads:
        return DataFlow(dict.fromkeys(given, frozenset[int]()), frozenset(given), {})
    sinks = _union(access_text(_event(t.statement, t.read), i, a) for t, i, a in reads)
    certain, possible = (
        _union(
            access_text(_event(at, _WRITE), instance, instance.target)
            for at, instance in enumerate(statements)
            if is_certain(instance) is wanted
            if instance.target.array in among
        )
        for wanted in (True, False)
    )
    flow = _flow(sinks, certain, possible, _schedules(statements, among))
    sources: dict[Touch, set[int]] = {touch: set() for touch, _, _ in reads}
    relations: dict[tuple[int, Touch], Any] = {}
    for relation in _maps(flow.get_may_dependence()):
        writer, _ = _parsed(relation.get_tuple_name(_in()))
        touch = Touch(*_parsed(relation.get_tuple_name(_out())))
        sources[touch].add(writer)
        key = (writer, touch)
        relations[key] = relation if key not in relations else relations[key].union(relation)
    before = {Touch(*_parsed(name)) for name in _domain_names(flow.get_may_no_source().domain())}
    found = dict.fromkeys(given, frozenset[int]())
    found |= {touch: frozenset(writers) for touch, writers in sources.items()}
    return DataFlow(found, frozenset(before | given), relations)


def memory_dependences(statements: Sequence[Instance]) -> set[tuple[int, int]]:
    """Return the pairs (earlier, later) of statements that can't change places.

    A pair is there if some iteration of the first touches an element that a later iteration of
    the second touches too, and one of the two writes it.
    """
    touched: dict[str, list[tuple[int, bool, Any]]] = {}
    for at, instance in enumerate(statements):
        found = {(instance.target, True), *((access, False) for access in instance.reads)}
        for access, writes in sorted(found, key=str):
            relation = _access_map(instance, access, at)
            touched.setdefault(access.array, []).append((at, writes, relation))
    pairs: set[tuple[int, int]] = set()
    orders: dict[tuple[int, int], Any] = {}
    for accesses in touched.values():
        for earlier, first_writes, first in accesses:
            for later, second_writes, second in accesses:
                pair = earlier, later
                if pair in pairs or not (first_writes or second_writes):
                    continue
                if pair not in orders:
                    orders[pair] = execution_order(statements, *pair)
                same = first.apply_range(second.reverse())
                if orders[pair] is not None and not same.is_disjoint(orders[pair]):
                    pairs.add(pair)
    return pairs


def _access_map(instance: Instance, access: Access, at: int) -> Any:
    import islpy as isl

    return isl.Map(f"{{ {access_text(f'S{at}', instance, access)} }}")


def execution_order(statements: Sequence[Instance], earlier: int, later: int) -> Any:
    """Return which iterations of one statement run before which of another; None for none.

    An isl relation from ``S<earlier>[a0, ...]`` to ``S<later>[b0, ...]``.
    """
    import islpy as isl

    first, second = statements[earlier], statements[later]
    here, there = (
        [f"{prefix}{at}" for at in range(len(instance.loops))]
        for prefix, instance in (("a", first), ("b", second))
    )
    pairs = zip(first.iterators, second.iterators, strict=False)
    common = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(here), len(there)))
    cases = [
        " and ".join([*(f"a{at} = b{at}" for at in range(level)), f"a{level} < b{level}"])
        for level in range(common)
    ]
    if earlier < later:
        cases.append(" and ".join(f"a{at} = b{at}" for at in range(common)) or "true")
    if not cases:
        return None
    sides = f"S{earlier}[{', '.join(here)}] -> S{later}[{', '.join(there)}]"
    return isl.Map(f"{{ {sides} : {' or '.join(f'({case})' for case in cases)} }}")


def covers(instance: Instance, shape: Sequence[int]) -> bool:
    """Return whether the statement surely writes every element of an array of that shape."""
    import islpy as isl

    if not is_certain(instance):
        return False
    written = isl.Map(f"{{ {access_text('W', instance, instance.target)} }}").range()
    names = [f"d{at}" for at in range(len(shape))]
    inside = " and ".join(f"0 <= {n} < {e}" for n, e in zip(names, shape, strict=True)) or "true"
    array = isl.Set(f"{{ A_{instance.target.array}[{', '.join(names)}] : {inside} }}")
    return bool(array.is_subset(written))


def _event(statement: int, access: int) -> str:
    return f"S{statement}_{'w' if access == _WRITE else access}"


def _parsed(event: str) -> tuple[int, int]:
    statement, access = event.removeprefix("S").split("_")
    return int(statement), _WRITE if access == "w" else int(access)


def _union(texts: Iterator[str] | Sequence[str]) -> Any:
    import islpy as isl

    return isl.UnionMap(f"{{ {'; '.join(texts)} }}")


def _schedules(statements: Sequence[Instance], among: Container[str]) -> Any:
    length = 2 * max((len(instance.loops) for instance in statements), default=0) + 2
    texts: list[str] = []
    for at, instance in enumerate(statements):
        events = [(number, access, 0) for number, access in enumerate(instance.reads)]
        for number, access, phase in [*events, (_WRITE, instance.target, 1)]:
            if access.array in among:
                texts.append(schedule_text(_event(at, number), instance, length, phase))
    return _union(texts)


def _flow(sinks: Any, certain: Any, possible: Any, schedules: Any) -> Any:
    import islpy as isl

    info = isl.UnionAccessInfo.from_sink(sinks)
    info = info.set_must_source(certain).set_may_source(possible)
    return info.set_schedule_map(schedules).compute_flow()


def _maps(union: Any) -> list[Any]:
    found: list[Any] = []
    union.foreach_map(found.append)
    return [relation for relation in found if not relation.is_empty()]


def _domain_names(union: Any) -> list[str]:
    found: list[Any] = []
    union.foreach_set(found.append)
    return [part.get_tuple_name() for part in found if not part.is_empty()]


def _in() -> Any:
    import islpy as isl

    return isl.dim_type.in_


def _out() -> Any:
    import islpy as isl

    return isl.dim_type.out
