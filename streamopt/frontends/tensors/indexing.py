"""Points of a nest: one index expression for each dimension of a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from streamopt.ir.affine import Affine


@dataclass(frozen=True, slots=True)
class ElementPoint:
    """One index expression for each dimension of a tensor, over the loops of a nest."""

    indices: tuple[Affine, ...]
    trip_counts: Mapping[str, int]
    """Trip count by iterator, outermost loop first."""

    def to(self, indices: Iterable[Affine]) -> ElementPoint:
        """Return other index expressions over the same loops."""
        return ElementPoint(tuple(indices), self.trip_counts)

    def pick(self, *positions: int) -> ElementPoint:
        """Return the index expressions at the given positions."""
        return self.to(self.indices[position] for position in positions)


def point_over(names: Sequence[str], trip_counts: Mapping[str, int]) -> ElementPoint:
    """Return the point whose indices are the iterators; 0 for those that have no loop."""
    return ElementPoint(
        tuple(Affine.iterator(name) if name in trip_counts else Affine() for name in names),
        trip_counts,
    )
