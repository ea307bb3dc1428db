"""Joins of a node with its producers, one by one, before the node's times are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import NO_WALK, SearchInstance
from streamopt.search.labels.component import (
    NEVER,
    ZERO,
    Component,
    NodeSet,
    Origin,
    Property,
    clamped,
    joined,
)
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Columns = dict[Property, Integers]
Form = dict[Origin, Integers]


@dataclass(frozen=True, slots=True)
class _PartialJoin:
    """A node's rows joined with some of its producers; arrays have one entry a label."""

    node: int
    region: NodeSet
    row: Integers
    state: Columns
    # start, end: forms of the latest arrival, and of the latest producer's end plus epilogue
    start: Form
    end: Form
    usage: Integers
    back: tuple[Integers, ...]
    parts: tuple[Component | int, ...]

    def taken(self, places: Integers) -> _PartialJoin:
        """Return the join with some of its labels, or with some of them twice."""
        return replace(
            self,
            row=self.row[places],
            state={name: column[places] for name, column in self.state.items()},
            start={origin: column[places] for origin, column in self.start.items()},
            end={origin: column[places] for origin, column in self.end.items()},
            usage=self.usage[places],
            back=tuple(column[places] for column in self.back),
        )


def joined_node(
    problem: SearchInstance, node: int, direct: int | None, ready: Mapping[int, Component]
) -> Component:
    """Return the component that a node makes with the component of one producer.

    All other producers become sources, which are put before it later.

    Parameters
    ----------
    direct
        Channel of the one producer; None to have only sources.
    ready
        Components by their exits.
    """
    join = _opened(problem, node)
    if direct is not None:
        join = _with_component(problem, join, direct, ready[problem.channels[direct].producer])
    for channel in problem.ins[node]:
        if channel != direct:
            join = _with_source(problem, join, channel)
    return _finished(problem, join)


def _opened(problem: SearchInstance, node: int) -> _PartialJoin:
    """Return the join of a node that has met no producer."""
    choices = problem.nodes[node]
    rows = np.arange(len(choices))
    state: Columns = {("class", k): factors for k, factors in choices.factors.items()}
    state |= {("walk", e): walks for e, walks in choices.walks.items()}
    return _PartialJoin(
        node=node,
        region=NodeSet({}, Counter(list(choices.factors)), choices.least_usage),
        row=rows,
        state=state,
        start={} if problem.ins[node] else {ZERO: np.zeros_like(rows)},
        end={},
        usage=choices.usage,
        back=(rows,),
        parts=(node,),
    )


def _with_component(
    problem: SearchInstance, join: _PartialJoin, channel: int, part: Component
) -> _PartialJoin:
    """Return the join with the component at the other side of a channel (E3)."""
    common = [name for name in part.properties if name in join.state and name[0] == "class"]
    left = np.stack([np.zeros_like(join.row), *(join.state[name] for name in common)], axis=1)
    right = np.stack([np.zeros_like(part.back[:, 0]), *map(part.column, common)], axis=1)
    mine, theirs = joined(left, right)
    pairs = join.taken(mine)
    first, last = part.first[theirs], part.last[theirs]
    arrival, usage = last, pairs.usage + part.usage[theirs]
    if problem.channels[channel].streams:
        walk = pairs.state[("walk", channel)]
        streams = (walk != NO_WALK) & (walk == part.column(("walk", channel))[theirs])
        arrival = np.where(streams[:, None], first, last)
        usage = usage + _of_channel(problem, pairs, channel, streams)
    epilogue = problem.nodes[join.node].epilogue[channel][pairs.row]
    state = dict(pairs.state)
    for name in part.properties:
        state.setdefault(name, part.column(name)[theirs])
    state.pop(("walk", channel), None)
    return replace(
        pairs,
        region=join.region.joined(part.region),
        state=state,
        start=_later(pairs.start, part.origins, arrival),
        end=_later(pairs.end, part.origins, last + epilogue[:, None]),
        usage=usage,
        back=(*pairs.back, theirs),
        parts=(*pairs.parts, part),
    )


def _with_source(problem: SearchInstance, join: _PartialJoin, channel: int) -> _PartialJoin:
    """Return the join with a channel whose producer is put before it later (E4).

    A row that could stream stands twice: once needing that the producer walks the same way, and
    once waiting for its last write, whatever the walk.
    """
    source = problem.channels[channel].producer
    read = NodeSet(
        {source: frozenset({channel})}, Counter(), np.zeros_like(join.region.least_usage)
    )
    region = join.region.joined(read)
    at_last: tuple[Origin, ...] = ((source, "last"),)
    if not problem.channels[channel].streams:
        arrival = np.zeros((len(join.row), 1), dtype=np.int64)
        return replace(join, region=region, start=_later(join.start, at_last, arrival))
    size = len(join.row)
    walk = join.state["walk", channel]
    streaming = np.flatnonzero(walk != NO_WALK)
    both = join.taken(np.concatenate([np.arange(size), streaming]))
    streams = np.arange(len(both.row)) >= size
    need = np.where(streams, both.state["walk", channel], NO_WALK)
    state = {name: column for name, column in both.state.items() if name != ("walk", channel)}
    epilogue = problem.nodes[join.node].epilogue[channel][both.row]
    arrival = np.stack([np.where(streams, 0, NEVER), np.where(streams, NEVER, 0)], axis=1)
    return replace(
        both,
        region=region,
        state={**state, ("need", channel): need},
        usage=both.usage + _of_channel(problem, both, channel, streams),
        start=_later(both.start, ((source, "first"), *at_last), arrival),
        end=_later(both.end, at_last, epilogue[:, None]),
    )


def _of_channel(problem: SearchInstance, join: _PartialJoin, channel: int, streams: Flags) -> Any:
    """Return the usage of a channel that can stream in every label, as a FIFO or not (R2)."""
    choices = problem.nodes[join.node]
    if channel not in choices.as_fifo:
        return 0
    fifo, buffer = choices.as_fifo[channel][join.row], choices.as_buffer[channel][join.row]
    return np.where(streams[:, None], fifo, buffer)


def _finished(problem: SearchInstance, join: _PartialJoin) -> Component:
    """Return the component that the node and all its producers are (E2)."""
    choices = problem.nodes[join.node]
    origins = tuple(join.start)
    never = np.full_like(join.row, NEVER)
    start = np.stack([join.start[origin] for origin in origins], axis=1)
    end = np.stack([join.end.get(origin, never) for origin in origins], axis=1)
    first = start + choices.first_write[join.row][:, None]
    last = np.maximum(start + choices.last_write[join.row][:, None], end)
    if not any(problem.channels[e].streams for e in problem.outs[join.node]):
        first = last  # nobody can see it
    properties = open_properties(problem, join.state, join.region.seen)
    columns = [join.state[name] for name in properties]
    spend(WORK.labels.label * len(start) * (3 * len(origins) + len(properties)))
    return Component(
        exit=join.node,
        region=join.region,
        properties=properties,
        origins=origins,
        state=np.stack([np.zeros_like(join.row), *columns], axis=1)[:, 1:],
        first=clamped(first),
        last=clamped(last),
        usage=join.usage,
        back=np.stack(join.back, axis=1),
        parts=join.parts,
    )


def open_properties(
    problem: SearchInstance, state: Columns, seen: Counter[int]
) -> tuple[Property, ...]:
    """Return the properties of a state that some node outside can see."""
    return tuple(
        name for name in state if name[0] != "class" or seen[name[1]] < problem.users[name[1]]
    )


def _later(form: Form, origins: tuple[Origin, ...], times: Integers) -> Form:
    """Return the later of two times, as forms."""
    latest = dict(form)
    size = len(times)
    for origin, column in zip(origins, clamped(times).T, strict=True):
        latest[origin] = np.maximum(latest.get(origin, np.full(size, NEVER)), column)
    return latest
