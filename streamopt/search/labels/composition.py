"""Exact search by reduction: node after node joins the components that feed it.

Nodes are taken in topological order. A node and the components of its producers become one
component (E2 to E4); a fork waits until one component reads all of its channels, and is then put
before it (E5). The last component holds every Pareto-minimal (latency, DSPs) of the graph.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import NEVER, Component, clamped, joined
from streamopt.search.labels.partial_join import (
    finished,
    open_properties,
    opened,
    with_component,
    with_source,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.instance import SearchInstance
    from streamopt.search.labels.component import Origin

    Integers = npt.NDArray[np.int64]
    Trim = Callable[[Component], Component]

__all__ = ["composed", "contracted"]


def contracted(problem: SearchInstance, trim: Trim) -> Component:
    """Return the component of the whole graph.

    Parameters
    ----------
    trim
        Applied to every component; may drop labels that can't be part of what is sought.

    Raises
    ------
    SearchTooLargeError
        If a component has too many labels to go on.
    """
    ready: dict[int, Component] = {}
    for node in range(len(problem.nodes)):
        component = trim(_joined_node(problem, node, ready))
        while (source := _complete_source(problem, component)) is not None:
            component = trim(composed(problem, component, ready.pop(source)))
        ready[node] = component
    return ready[len(problem.nodes) - 1]


def _joined_node(problem: SearchInstance, node: int, ready: dict[int, Component]) -> Component:
    draft = opened(problem, node)
    direct = [e for e in problem.ins[node] if not _is_deferred(problem, e)][:1]
    for channel in direct:
        part = ready.pop(problem.channels[channel].producer)
        draft = with_component(problem, draft, channel, part)
    for channel in problem.ins[node]:
        if channel not in direct:
            draft = with_source(problem, draft, channel)
    return finished(problem, draft)


def _is_deferred(problem: SearchInstance, channel: int) -> bool:
    """Return whether the producer is put before its consumers only later.

    Forks must be; where a channel can't stream, what comes after is the same at all times, so
    its labels are first found for time zero.
    """
    outs = problem.outs[problem.channels[channel].producer]
    return len(outs) > 1 or not problem.channels[channel].streams


def _streams_out(problem: SearchInstance, node: int) -> bool:
    return any(problem.channels[e].streams for e in problem.outs[node])


def _complete_source(problem: SearchInstance, component: Component) -> int | None:
    """Return a source that can be put before the component, the latest one first.

    All of its channels must end in the component. Without a channel that can stream, it waits
    until the component's exit has none either: then only the last writes count.
    """
    closing = not _streams_out(problem, component.exit)
    complete = [
        source
        for source, used in component.used.items()
        if len(used) == len(problem.outs[source]) and (closing or _streams_out(problem, source))
    ]
    return max(complete, default=None)


def composed(problem: SearchInstance, after: Component, fork: Component) -> Component:
    """Return the component with the component of a fork put before it (E5)."""
    ours, theirs = _matches(problem, after, fork)
    back, front = after.taken(ours), fork.taken(theirs)
    columns = {
        name: component.column(name)
        for component in (front, back)
        for name in component.properties
        if not (name[0] in ("walk", "need") and name[1] in problem.outs[fork.exit])
    }
    seen = after.seen + fork.seen
    properties = open_properties(problem, columns, seen)
    used = {node: channels for node, channels in after.used.items() if node != fork.exit}
    for node, channels in fork.used.items():
        used[node] = used.get(node, frozenset()) | channels
    kept = [origin for origin in after.origins if origin[0] != fork.exit]
    origins = (*kept, *(origin for origin in fork.origins if origin not in kept))
    return replace(
        after,
        used=used,
        seen=seen,
        least_dsps=after.least_dsps + fork.least_dsps,
        least_amounts=after.least_amounts + fork.least_amounts,
        properties=properties,
        origins=origins,
        state=np.stack([np.zeros_like(ours), *(columns[n] for n in properties)], axis=1)[:, 1:],
        first=_through(back.first, back.origins, front, origins),
        last=_through(back.last, back.origins, front, origins),
        dsps=back.dsps + front.dsps,
        amounts=back.amounts + front.amounts,
        back=np.stack([ours, theirs], axis=1),
        parts=(after, fork),
    )


def _matches(
    problem: SearchInstance, after: Component, fork: Component
) -> tuple[Integers, Integers]:
    """Return the pairs of labels whose classes and walks agree."""
    common = [name for name in after.properties if name in fork.properties]
    left = np.stack([np.zeros_like(after.dsps), *map(after.column, common)], axis=1)
    right = np.stack([np.zeros_like(fork.dsps), *map(fork.column, common)], axis=1)
    ours, theirs = joined(left, right)
    agree = after.dsps[ours] + fork.dsps[theirs] <= problem.dsp_limit
    for channel in problem.outs[fork.exit]:
        if problem.channels[channel].streams:
            need = after.column(("need", channel))[ours]
            agree &= (need == NO_WALK) | (need == fork.column(("walk", channel))[theirs])
    return ours[agree], theirs[agree]


def _through(
    times: Integers, names: tuple[Origin, ...], fork: Component, origins: tuple[Origin, ...]
) -> Integers:
    """Return times over the fork's writes as times over what these depend on."""
    never = np.full(len(times), NEVER)
    by_name = dict(zip(names, times.T, strict=True))
    first = by_name.get((fork.exit, "first"), never)
    last = by_name.get((fork.exit, "last"), never)
    columns: list[Integers] = []
    for origin in origins:
        own = by_name.get(origin, never)
        if origin in fork.origins:
            place = fork.origins.index(origin)
            own = np.maximum(own, first + fork.first[:, place])
            own = np.maximum(own, last + fork.last[:, place])
        columns.append(own)
    return clamped(np.stack(columns, axis=1))
