"""Who reads what whom wrote: exact data flow between the statements of a source, through isl.

*Flow* is by value: a read gets its element from the last write before it ([1]). *Dependences* are
by memory: two statements touch the same element and one of them writes it, so that they can't
change places.

[1] Feautrier, Dataflow analysis of array and scalar references, IJPP 20, 1991.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from streamopt.analysis.instances import (
    StatementInstance,
    all_elements,
    elements_at,
    is_certain,
    read_at_end,
)
from streamopt.analysis.last_touches import AT_ONCE, Event, last_touches
from streamopt.ir.expression import Access

_WRITE = -1


@dataclass(frozen=True, slots=True, order=True)
class StatementRead:
    """A read of a statement: its place among the instances, and among the statement's reads."""

    statement: int
    read: int


@dataclass(frozen=True, slots=True, eq=False)
class DataFlow:
    """Where reads get their values."""

    sources: Mapping[StatementRead, frozenset[int]]
    """By read: the statements that wrote what it reads, in some iteration."""
    from_before: frozenset[StatementRead]
    """Reads that get, in some iteration, what an array held at the start."""
    relations: Mapping[tuple[int, StatementRead], Any]
    """isl relation from the writing to the reading iterations, by (writer, read)."""

    def is_within(self, writer: int, read: StatementRead, loops: int) -> bool:
        """Return whether values flow only inside one iteration of the outer ``loops`` loops."""
        relation = self.relations[writer, read]
        names = ", ".join(f"i{at}" for at in range(loops))

        def side(count: int, prefix: str) -> str:
            rest = [f"{prefix}{at}" for at in range(loops, count)]
            return ", ".join([*([names] if names else []), *rest])

        import islpy as isl

        equal = isl.Map(
            f"{{ {_name(writer, _WRITE)}[{side(relation.dim(isl.dim_type.in_), 'a')}] -> "
            f"{_name(read.statement, read.read)}[{side(relation.dim(isl.dim_type.out), 'b')}] }}"
        )
        return bool(relation.is_subset(equal))


def data_flow(
    statements: Sequence[StatementInstance],
    among: Container[str] | None = None,
    at_once: int = AT_ONCE,
) -> DataFlow:
    """Return the flow of values between all statements.

    Parameters
    ----------
    among
        Arrays whose reads are asked for; None for all.
    at_once
        How many accesses are handed to isl together.
    """
    asked = [
        (StatementRead(at, number), where, access)
        for at, instance in enumerate(statements)
        for number, (access, where) in enumerate(instance.conditional_reads)
        if among is None or access.array in among
    ]
    written = {instance.target.array for instance in statements}
    reads = [read for read in asked if read[2].array in written]
    given = {touch for touch, _, access in asked if access.array not in written}
    found = dict.fromkeys(given, frozenset[int]())
    if not reads:
        return DataFlow(found, frozenset(given), {})
    among = {access.array for _, _, access in reads}
    touches = last_touches(
        [
            _event(touch.statement, touch.read, instance, access)
            for touch, instance, access in reads
        ],
        [
            _event(at, _WRITE, instance, instance.target)
            for at, instance in enumerate(statements)
            if instance.target.array in among
        ],
        at_once,
    )
    sources: dict[StatementRead, set[int]] = {touch: set() for touch, _, _ in reads}
    relations: dict[tuple[int, StatementRead], Any] = {}
    for relation in touches.relations:
        writer, _ = _parsed(relation.get_tuple_name(_in()))
        touch = StatementRead(*_parsed(relation.get_tuple_name(_out())))
        sources[touch].add(writer)
        key = (writer, touch)
        relations[key] = relation if key not in relations else relations[key].union(relation)
    before = {StatementRead(*_parsed(name)) for name in touches.unhidden}
    found |= {touch: frozenset(writers) for touch, writers in sources.items()}
    return DataFlow(found, frozenset(before | given), relations)


def lasting_writers(
    statements: Sequence[StatementInstance], shapes: Mapping[str, Sequence[int]]
) -> frozenset[int]:
    """Return the statements that wrote, in some iteration, what arrays hold at the end.

    Parameters
    ----------
    shapes
        Of the arrays that are asked for, by name.
    """
    ends = [read_at_end(name, shape, statements) for name, shape in shapes.items()]
    touches = last_touches(
        [
            _event(len(statements) + at, 0, end, access)
            for at, end in enumerate(ends)
            for access in end.reads
        ],
        [
            _event(at, _WRITE, instance, instance.target)
            for at, instance in enumerate(statements)
            if instance.target.array in shapes
        ],
    )
    return frozenset(_parsed(one.get_tuple_name(_in()))[0] for one in touches.relations)


def ordering_pairs(
    statements: Sequence[StatementInstance], at_once: int = AT_ONCE
) -> frozenset[tuple[int, int]]:
    """Return pairs (earlier, later) of statements that can't change places.

    Two statements must keep their order if some iteration of the first touches an element that a
    later iteration of the second touches too, and one of the two writes it. The pairs are those
    between which nothing else writes the element; the others follow from them.
    """
    written = {instance.target.array for instance in statements}
    reads, writes = (
        [
            _event(at, number, where, access)
            for at, instance in enumerate(statements)
            for number, (access, where) in touched(instance)
            if access.array in written
        ]
        for touched in (_distinct_reads, _own_write)
    )
    sources = [*writes, *(replace(read, hides=False) for read in reads)]
    found = (
        last_touches(reads, writes, at_once).relations,
        last_touches(writes, sources, at_once).relations,
    )
    names = ((one.get_tuple_name(_in()), one.get_tuple_name(_out())) for r in found for one in r)
    pairs = ((_parsed(source)[0], _parsed(sink)[0]) for source, sink in names)
    return frozenset((source, sink) for source, sink in pairs if source != sink)


def _distinct_reads(
    instance: StatementInstance,
) -> Iterator[tuple[int, tuple[Access, StatementInstance]]]:
    return enumerate(dict.fromkeys(instance.conditional_reads))


def _own_write(
    instance: StatementInstance,
) -> Iterator[tuple[int, tuple[Access, StatementInstance]]]:
    yield _WRITE, (instance.target, instance)


def execution_order(statements: Sequence[StatementInstance], earlier: int, later: int) -> Any:
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


def covers(instance: StatementInstance, shape: Sequence[int]) -> bool:
    """Return whether the statement surely writes every element of an array of that shape."""
    if not is_certain(instance):
        return False
    written = elements_at("W", instance, instance.target).range()
    return bool(all_elements(instance.target.array, shape).is_subset(written))


def _event(statement: int, number: int, instance: StatementInstance, access: Access) -> Event:
    """Return a read by its place among the reads of a statement, or its write."""
    is_write = number == _WRITE
    return Event(_name(statement, number), instance, access, int(is_write), is_certain(instance))


def _name(statement: int, number: int) -> str:
    return f"S{statement}_{'w' if number == _WRITE else number}"


def _parsed(event: str) -> tuple[int, int]:
    statement, access = event.removeprefix("S").split("_")
    return int(statement), _WRITE if access == "w" else int(access)


def _in() -> Any:
    import islpy as isl

    return isl.dim_type.in_


def _out() -> Any:
    import islpy as isl

    return isl.dim_type.out


class DependenceKind(StrEnum):
    """Kind of a dependence, by the accesses of its source and its sink."""

    FLOW = "flow"
    ANTI = "anti"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """Iterations of two statements that must keep their order."""

    kind: DependenceKind
    # source, sink: statements, by their places among the instances
    source: int
    sink: int
    # first, second: the accesses of the source and of the sink
    first: Access
    second: Access
    relation: Any
    """isl relation from ``S<source>[...]`` to ``S<sink>[...]``."""


def dependence_relations(statements: Sequence[StatementInstance]) -> tuple[Dependence, ...]:
    """Return all dependences between the iterations of statements."""
    touched: dict[str, list[tuple[int, bool, Access, Any]]] = {}
    for at, instance in enumerate(statements):
        for access, where, writes in _accesses(instance):
            relation = elements_at(f"S{at}", where, access)
            touched.setdefault(access.array, []).append((at, writes, access, relation))
    orders: dict[tuple[int, int], Any] = {}
    return tuple(
        found for accesses in touched.values() for found in _between(statements, accesses, orders)
    )


def _between(
    statements: Sequence[StatementInstance],
    accesses: Sequence[tuple[int, bool, Access, Any]],
    orders: dict[tuple[int, int], Any],
) -> Iterator[Dependence]:
    for source, first_writes, first, here in accesses:
        for sink, second_writes, second, there in accesses:
            if not (first_writes or second_writes):
                continue
            pair = source, sink
            if pair not in orders:
                orders[pair] = execution_order(statements, *pair)
            if orders[pair] is None:
                continue
            relation = here.apply_range(there.reverse()).intersect(orders[pair])
            if not relation.is_empty():
                kind = _kind(first_writes, second_writes)
                yield Dependence(kind, source, sink, first, second, relation)


def _kind(first_writes: bool, second_writes: bool) -> DependenceKind:
    if first_writes and second_writes:
        return DependenceKind.OUTPUT
    return DependenceKind.FLOW if first_writes else DependenceKind.ANTI


def _accesses(
    instance: StatementInstance,
) -> Iterator[tuple[Access, StatementInstance, bool]]:
    """Yield every access with the statement where it happens, and whether it is the write."""
    yield instance.target, instance, True
    for access, where in dict.fromkeys(instance.conditional_reads):
        yield access, where, False
