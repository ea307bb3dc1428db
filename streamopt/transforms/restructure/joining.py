"""Groups of statements that would hand a large array over as a whole, joined instead.

A sequential nest hands over its arrays at its end, and one that reads them copies them first. Where
both are one nest, the array is held once and nothing is copied.
"""

from collections.abc import Collection, Iterator, Sequence
from math import prod

from streamopt.analysis.dependence import DataFlow
from streamopt.analysis.instances import StatementInstance, hull_of
from streamopt.transforms.restructure.flat_source import FlatSource

Groups = Sequence[tuple[int, ...]]

LARGE_ELEMS = 1024
"""Arrays up to this size are handed over: two memory blocks at most, and few cycles."""
MOST_STATEMENTS = 24
"""Of groups that are joined: how many isl schedules in a second."""


def joints(
    groups: Groups, sequential: Collection[int], body: FlatSource, flow: DataFlow
) -> tuple[tuple[int, int], ...]:
    """Return pairs of statements that shall be in one group.

    A group joins a sequential one where an array larger than `LARGE_ELEMS` goes between them, if it
    is sequential too, or *light*: it has no more iterations than the array has elements, and
    nothing else waits for its result.

    Parameters
    ----------
    sequential
        Places of the groups that can't be streaming nests.
    """
    group_of = {statement: at for at, group in enumerate(groups) for statement in group}
    links = {
        (group_of[writer], group_of[touch.statement])
        for writer, touch in flow.relations
        if _is_large(body.statements[writer].target.array, body)
    }
    links = {(first, second) for first, second in links if first != second}
    readers: dict[int, set[int]] = {at: set() for at in range(len(groups))}
    for writer, touch in flow.relations:
        readers[group_of[writer]].add(group_of[touch.statement])
    joined: set[int] = {*sequential}
    found = [link for link in links if joined.issuperset(link)]
    is_growing = True
    while is_growing:
        light = {
            at
            for at, group in enumerate(groups)
            if at not in joined and is_light(group, body) and readers[at] <= joined
            if any(at in link and joined.intersection(link) for link in links)
        }
        found += [link for link in links if light.intersection(link) and joined.intersection(link)]
        joined |= light
        is_growing = bool(light)
    return tuple((groups[first][0], groups[second][0]) for first, second in sorted({*found}))


def is_light(group: tuple[int, ...], body: FlatSource) -> bool:
    """Return whether a statement has no more iterations than its target has elements."""
    instances = [body.statements[statement] for statement in group]
    return all(_points(one) <= prod(body.variables[one.target.array].shape) for one in instances)


def refused(
    groups: Groups, before: Groups, sequential: Collection[int], body: FlatSource
) -> Iterator[tuple[int, ...]]:
    """Yield the groups that have become too large, or hold a streaming one that isn't light."""
    streaming = {
        statement
        for at, group in enumerate(before)
        if at not in sequential and not is_light(group, body)
        for statement in group
    }
    for group in groups:
        if group not in before and (len(group) > MOST_STATEMENTS or streaming.intersection(group)):
            yield group


def _is_large(name: str, body: FlatSource) -> bool:
    return prod(body.variables[name].shape) > LARGE_ELEMS


def _points(instance: StatementInstance) -> int:
    return prod(high - low for low, high in hull_of(instance.loops).values())
