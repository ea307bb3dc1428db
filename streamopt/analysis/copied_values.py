"""Where values come from that statements hand on: through isl's transitive closure.

A *copy* is a statement without an operation: ``s[k] = s[k - 1]``, ``s[0] = x[n]``, ``last = 0``.
Following copies back, each read of what they write has an *origin*: an iteration of a copy that
reads something else, or sets a number ([1]).

[1] Kelly, Pugh, Rosser and Shpeisman, Transitive closure of infinite graphs and its applications,
    IJPP 24, 1996.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from streamopt.analysis.affine_pieces import affine_pieces
from streamopt.analysis.dependence import DataFlow, StatementRead, execution_order
from streamopt.analysis.instances import StatementInstance, elements_at, iterations_of
from streamopt.ir.expression import Access, Condition, Expression, Read, substitute


@dataclass(slots=True)
class CopiedValues:
    """Finds the origins of reads of what copies write."""

    statements: Sequence[StatementInstance]
    flow: DataFlow
    """Of values, at least of those that copies write."""
    copies: Collection[int]
    """Places of the copies among the statements; each has one read at most."""
    closure: Any = field(init=False)
    """From each iteration of a copy to those whose values it hands on."""
    ends: Any = field(init=False)
    """Iterations of copies that are origins."""
    is_exact: bool = field(init=False)
    """Whether the closure holds nothing more."""

    def __post_init__(self) -> None:
        import islpy as isl

        step, all_copies = isl.UnionMap("{ }"), isl.UnionSet("{ }")
        for at in self.copies:
            all_copies = all_copies.union(self._domain(at))
            touch = StatementRead(at, 0)
            for writer in sorted(self.flow.sources.get(touch, ())):
                if writer in self.copies:
                    step = step.union(self._source_of(touch, writer))
        self.closure, exact = step.transitive_closure()
        self.is_exact = bool(exact) or step.is_empty()
        self.ends = all_copies.subtract(step.domain())

    def cases(self, touch: StatementRead) -> list[tuple[Condition | bool, Expression]] | None:
        """Return the values at a read's origins, by the reader's iterators, with where they hold.

        None where there is a read without an origin, or with one whose value is overwritten
        before.
        """
        import islpy as isl

        reached = isl.UnionMap("{ }")
        for writer in sorted(self.flow.sources[touch]):
            reached = reached.union(self._source_of(touch, writer))
        if not self.is_exact or touch in self.flow.from_before or not reached.is_single_valued():
            return None
        reached = reached.union(reached.apply_range(self.closure)).intersect_range(self.ends)
        found: list[tuple[Condition | bool, Expression]] = []
        relations: list[Any] = []
        reached.foreach_map(relations.append)
        for relation in sorted(relations, key=str):
            copy = int(relation.get_tuple_name(isl.dim_type.out)[1:])
            if not self._is_unchanged(copy, touch.statement, relation):
                return None
            names = self.statements[touch.statement].iterators
            iterators, value = self.statements[copy].iterators, self.statements[copy].assign.value
            found += (
                (condition, substitute(value, dict(zip(iterators, places, strict=True))))
                for condition, places in affine_pieces(
                    relation, self._domain(touch.statement), names
                )
            )
        return found

    def _domain(self, at: int) -> Any:
        return iterations_of(self.statements[at], f"S{at}")

    def _source_of(self, touch: StatementRead, writer: int) -> Any:
        """Return the relation from the iterations of a read to those of a writer."""
        import islpy as isl

        relation = self.flow.relations[writer, touch].reverse()
        relation = relation.set_tuple_name(isl.dim_type.in_, f"S{touch.statement}")
        return relation.set_tuple_name(isl.dim_type.out, f"S{writer}")

    def _is_unchanged(self, copy: int, reader: int, origin: Any) -> bool:
        """Return whether nothing is written over what a copy read until it is read again.

        Parameters
        ----------
        origin
            From the iterations of the reader to those of the copy.
        """
        value = self.statements[copy].assign.value
        if not isinstance(value, Read):
            return True
        element = self._touched(copy, value.access)
        for other, instance in enumerate(self.statements):
            if instance.target.array != value.access.array:
                continue
            after = execution_order(self.statements, copy, other)
            before = execution_order(self.statements, other, reader)
            if after is None or before is None:
                continue
            written = self._touched(other, instance.target)
            same = origin.apply_range(element).apply_range(written.reverse())
            between = same.intersect(origin.apply_range(after)).intersect(before.reverse())
            if not between.is_empty():
                return False
        return True

    def _touched(self, at: int, access: Access) -> Any:
        return elements_at(f"S{at}", self.statements[at], access)
