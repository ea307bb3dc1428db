"""Which statements wait for their own iteration before: their inner loop carries a dependence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.dependence import DependenceKind
from streamopt.transforms.scheduling.times import distance_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.transforms.scheduling.timed import TimedProgram

__all__ = ["carried_inside", "flow_distances", "is_carried_inside"]


def carried_inside(program: TimedProgram) -> frozenset[str]:
    """Return the statements whose inner loop carries a dependence."""
    names = (own.name for own in program.statements)
    return frozenset(name for name in names if is_carried_inside(program, name))


def is_carried_inside(program: TimedProgram, name: str) -> bool:
    """Return whether an iteration of the inner loop needs what one before it has written."""
    return any(
        distance and distance[-1] > 0 and not any(distance[:-1])
        for distance in flow_distances(program, name)
    )


def flow_distances(program: TimedProgram, name: str) -> Iterator[tuple[int, ...]]:
    """Yield the least distance of every flow from a statement to itself, outermost loop first."""
    at = [own.name for own in program.statements].index(name)
    for found in program.dependences:
        if found.kind is DependenceKind.FLOW and found.source == found.sink == at:
            yield distance_vector(program, found).distance
