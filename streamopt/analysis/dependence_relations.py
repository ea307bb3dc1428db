"""Dependences as relations between iterations, with the accesses that they come from.

Two iterations depend on each other where both touch one element and one of them writes it; the
one that runs first is the source ([1] section 2.2). Dependences are by memory: those through an
element that is overwritten in between are there too, which the ones around it imply.

[1] Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from streamopt.analysis.dependence import execution_order
from streamopt.analysis.polyhedral_text import access_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.analysis.instances import Instance
    from streamopt.ir.expression import Access

__all__ = ["Dependence", "DependenceKind", "dependence_relations"]


class DependenceKind(StrEnum):
    """What the source and the sink of a dependence do with the element."""

    FLOW = "flow"
    ANTI = "anti"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """Iterations of two statements that must keep their order.

    Attributes
    ----------
    source, sink
        Statements, by their places among the instances.
    first, second
        The accesses of the source and of the sink.
    relation
        isl relation from ``S<source>[...]`` to ``S<sink>[...]``.
    """

    kind: DependenceKind
    source: int
    sink: int
    first: Access
    second: Access
    relation: Any


def dependence_relations(statements: Sequence[Instance]) -> tuple[Dependence, ...]:
    """Return all dependences between the iterations of statements."""
    touched: dict[str, list[tuple[int, bool, Access, Any]]] = {}
    for at, instance in enumerate(statements):
        for access, writes in _accesses(instance):
            relation = _access_map(instance, access, at)
            touched.setdefault(access.array, []).append((at, writes, access, relation))
    orders: dict[tuple[int, int], Any] = {}
    return tuple(
        found for accesses in touched.values() for found in _between(statements, accesses, orders)
    )


def _between(
    statements: Sequence[Instance],
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


def _accesses(instance: Instance) -> Iterator[tuple[Access, bool]]:
    yield instance.target, True
    for access in dict.fromkeys(instance.reads):
        yield access, False


def _access_map(instance: Instance, access: Access, at: int) -> Any:
    import islpy as isl

    return isl.Map(f"{{ {access_text(f'S{at}', instance, access)} }}")
