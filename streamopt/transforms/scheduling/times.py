"""Times of iterations as isl relations, and dependences seen through them.

Times of all statements have one length, so that they compare: shorter ones end in zeros.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from streamopt.analysis.dependence import Dependence, DependenceKind
from streamopt.ir.text import isl_affine
from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement


class Vector(NamedTuple):
    """How far a dependence reaches along loops that its two statements share."""

    distance: tuple[int, ...]
    """The lexicographically least difference of two iterations, outermost loop first."""
    direction: tuple[str, ...]
    """``<``, ``=`` or ``>`` for each loop where all differences agree, else ``<=``, ``>=`` or
    ``*``."""


def time_length(program: TimedProgram) -> int:
    """Return the entries of the times of a program."""
    return 2 * max((len(own.loops) for own in program.statements), default=0) + 1


def time_map(program: TimedProgram, at: int, length: int) -> Any:
    """Return the isl relation from the iterations of a statement to their times."""
    import islpy as isl

    statement = program.statements[at]
    names = _names(statement)
    times: list[str] = []
    for place, loop in zip(statement.position, statement.loops, strict=False):
        times += [str(place), isl_affine(loop.value, names)]
    times.append(str(statement.position[-1]))
    times += ["0"] * (length - len(times))
    return isl.Map(f"{{ S{at}[{', '.join(names.values())}] -> [{', '.join(times)}] }}")


def distance_vector(program: TimedProgram, dependence: Dependence) -> Vector:
    """Return how far a dependence reaches, in the loops that its statements share now."""
    source, sink = program.statements[dependence.source], program.statements[dependence.sink]
    shared = _shared(source, sink)
    here, there = (_loops_map(program, at, shared) for at in (dependence.source, dependence.sink))
    relation = dependence.relation.apply_domain(here).apply_range(there)
    if not shared:
        return Vector((), ())
    deltas = relation.deltas()
    least = _coordinates(deltas.lexmin().sample_point(), shared)
    signs = tuple(
        _sign(deltas.dim_min_val(at).to_python(), deltas.dim_max_val(at).to_python())
        for at in range(shared)
    )
    return Vector(least, signs)


def _coordinates(point: Any, count: int) -> tuple[int, ...]:
    import islpy as isl

    return tuple(point.get_coordinate_val(isl.dim_type.set, at).to_python() for at in range(count))


def _sign(low: int, high: int) -> str:
    if low > 0 or high < 0:
        return "<" if low > 0 else ">"
    if low == high:
        return "="
    if low == 0 or high == 0:
        return "<=" if low == 0 else ">="
    return "*"


def _shared(source: TimedStatement, sink: TimedStatement) -> int:
    """Return how many loops two statements share."""
    count = 0
    while (
        count < min(len(source.loops), len(sink.loops))
        and source.position[: count + 1] == sink.position[: count + 1]
    ):
        count += 1
    return count


def _loops_map(program: TimedProgram, at: int, count: int) -> Any:
    import islpy as isl

    statement = program.statements[at]
    names = _names(statement)
    values: Sequence[str] = [isl_affine(own.value, names) for own in statement.loops[:count]]
    return isl.Map(f"{{ S{at}[{', '.join(names.values())}] -> [{', '.join(values)}] }}")


def _names(statement: TimedStatement) -> dict[str, str]:
    return {name: f"c{at}" for at, name in enumerate(statement.instance.iterators)}


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
