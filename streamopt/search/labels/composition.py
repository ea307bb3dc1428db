"""Contraction of a graph: node after node joins the components that feed it.

Nodes are taken in topological order. A node and the components of its producers become one
component (E2 to E4); a fork waits until one component reads all of its channels, and is then put
before it (E5). The last component holds every Pareto-minimal (latency, DSPs) of the graph.
"""

from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import NO_WALK, SearchInstance
from streamopt.search.labels.component import NEVER, Component, Origin, clamped, codes, joined
from streamopt.search.labels.partial_join import joined_node, open_properties
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Trim = Callable[[Component], Component]


def contracted(problem: SearchInstance, trim: Trim) -> Generator[None, None, Component]:
    """Return the component of the whole graph; stop after each node, so that others have turns.

    Parameters
    ----------
    trim
        Applied to every component; may drop labels that can't be part of a wanted schedule.

    Raises
    ------
    SearchTooLargeError
        If a component has too many labels to go on.
    """
    ready: dict[int, Component] = {}
    for node in range(len(problem.nodes)):
        direct = next((e for e in problem.ins[node] if not _is_deferred(problem, e)), None)
        component = trim(joined_node(problem, node, direct, ready))
        if direct is not None:
            del ready[problem.channels[direct].producer]
        while (source := complete_source(problem, component, waits=True)) is not None:
            component = trim(composed(problem, component, ready.pop(source)))
        ready[node] = component
        yield
    return ready[len(problem.nodes) - 1]


def _is_deferred(problem: SearchInstance, channel: int) -> bool:
    """Return whether the producer is put before its consumers only later.

    Forks must be; where a channel can't stream, what comes after is the same at all times, so
    its labels are first found for time zero.
    """
    outs = problem.outs[problem.channels[channel].producer]
    return len(outs) > 1 or not problem.channels[channel].streams


def _streams_out(problem: SearchInstance, node: int) -> bool:
    return any(problem.channels[e].streams for e in problem.outs[node])


def complete_source(
    problem: SearchInstance, component: Component, *, waits: bool = False
) -> int | None:
    """Return a source all of whose channels end in the component, the latest one first.

    Parameters
    ----------
    waits
        Whether a source without a channel that can stream waits until the component's exit has
        none either: then only the last writes count.
    """
    closing = not waits or not _streams_out(problem, component.exit)
    complete = [
        source
        for source, used in component.region.used.items()
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
    region = after.region.joined(fork.region, closed=fork.exit)
    properties = open_properties(problem, columns, region.seen)
    kept = [origin for origin in after.origins if origin[0] != fork.exit]
    origins = (*kept, *(origin for origin in fork.origins if origin not in kept))
    spend(WORK.labels.label * len(ours) * (3 * len(origins) + len(properties)))
    return replace(
        after,
        region=region,
        properties=properties,
        origins=origins,
        state=np.stack([np.zeros_like(ours), *(columns[n] for n in properties)], axis=1)[:, 1:],
        first=_through(back.first, back.origins, front, origins),
        last=_through(back.last, back.origins, front, origins),
        usage=back.usage + front.usage,
        back=np.stack([ours, theirs], axis=1),
        parts=(after, fork),
    )


def _common_columns(after: Component, fork: Component) -> tuple[Integers, Integers]:
    """Return the tile classes and walks that both have in their states, shape (labels, ...)."""
    common = [name for name in after.properties if name in fork.properties]
    ours, theirs = (
        np.stack([np.zeros_like(own.back[:, 0]), *map(own.column, common)], axis=1)
        for own in (after, fork)
    )
    return ours, theirs


def matching_pairs(after: Component, fork: Component) -> int:
    """Return how many pairs of labels agree in the tile classes that both have."""
    left, right = _common_columns(after, fork)
    both = codes(np.concatenate([left, right]))
    size = int(both.max(initial=0)) + 1
    counts = np.bincount(both[: len(left)], minlength=size)
    return int(counts @ np.bincount(both[len(left) :], minlength=size))


def matched_labels(problem: SearchInstance, after: Component, fork: Component) -> Flags:
    """Return which labels of a component agree with some label of a fork that it reads."""
    channels = [e for e in after.region.used[fork.exit] if problem.channels[e].streams]
    common = _common_columns(after, fork)
    needs = [after.column(("need", e))[:, None] for e in channels]
    walks = [fork.column(("walk", e))[:, None] for e in channels]
    own, place = np.unique(np.concatenate([common[0], *needs], axis=1), axis=0, return_inverse=True)
    others: Integers = np.unique(np.concatenate([common[1], *walks], axis=1), axis=0)
    agree: Flags = np.ones((len(own), len(others)), dtype=np.bool_)
    for number in range(own.shape[1]):
        ours: Integers = own[:, number, None]
        same: Flags = ours == others[:, number]
        agree &= same | (ours == NO_WALK) if number >= common[0].shape[1] else same
    found: Flags = np.any(agree, axis=1)
    return found[place.ravel()]


def _matches(
    problem: SearchInstance, after: Component, fork: Component
) -> tuple[Integers, Integers]:
    """Return the pairs of labels whose classes and walks agree."""
    ours, theirs = joined(*_common_columns(after, fork))
    agree = after.dsps[ours] + fork.dsps[theirs] <= problem.limits[0]
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
