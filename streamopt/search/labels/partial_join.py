"""A node that meets its producers one by one, before its own times are known."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import NEVER, ZERO, Component, clamped, joined

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.instance import SearchInstance
    from streamopt.search.labels.component import Origin, Property

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    Columns = dict[Property, Integers]
    Form = dict[Origin, Integers]

__all__ = ["PartialJoin", "finished", "open_properties", "opened", "with_component", "with_source"]


@dataclass(frozen=True, slots=True)
class PartialJoin:
    """A node's rows joined with some of its producers; arrays have one entry a label.

    Attributes
    ----------
    start, end
        Forms of the latest arrival, and of the latest producer's end plus epilogue.
    """

    node: int
    used: dict[int, frozenset[int]]
    seen: Counter[int]
    least_dsps: int
    least_amounts: Integers
    row: Integers
    state: Columns
    start: Form
    end: Form
    dsps: Integers
    amounts: Integers
    back: tuple[Integers, ...]
    parts: tuple[Component | int, ...]

    def taken(self, places: Integers) -> PartialJoin:
        """Return the draft with some of its labels, or with some of them twice."""
        return replace(
            self,
            row=self.row[places],
            state={name: column[places] for name, column in self.state.items()},
            start={origin: column[places] for origin, column in self.start.items()},
            end={origin: column[places] for origin, column in self.end.items()},
            dsps=self.dsps[places],
            amounts=self.amounts[places],
            back=tuple(column[places] for column in self.back),
        )


def opened(problem: SearchInstance, node: int) -> PartialJoin:
    """Return the draft of a node that has met no producer."""
    choices = problem.nodes[node]
    rows = np.arange(len(choices.dsps))
    state: Columns = {("class", k): factors for k, factors in choices.factors.items()}
    state |= {("walk", e): walks for e, walks in choices.walks.items()}
    return PartialJoin(
        node=node,
        used={},
        seen=Counter(list(choices.factors)),
        least_dsps=int(choices.dsps.min()),
        least_amounts=choices.least_amounts,
        row=rows,
        state=state,
        start={} if problem.ins[node] else {ZERO: np.zeros_like(rows)},
        end={},
        dsps=choices.dsps,
        amounts=choices.amounts,
        back=(rows,),
        parts=(node,),
    )


def with_component(
    problem: SearchInstance, draft: PartialJoin, channel: int, part: Component
) -> PartialJoin:
    """Return the draft joined with the component at the other side of a channel (E3)."""
    common = [name for name in part.properties if name in draft.state and name[0] == "class"]
    left = np.stack([np.zeros_like(draft.row), *(draft.state[name] for name in common)], axis=1)
    right = np.stack([np.zeros_like(part.dsps), *map(part.column, common)], axis=1)
    mine, theirs = joined(left, right)
    pairs = draft.taken(mine)
    first, last = part.first[theirs], part.last[theirs]
    arrival, amounts = last, pairs.amounts + part.amounts[theirs]
    if problem.channels[channel].streams:
        walk = pairs.state[("walk", channel)]
        streams = (walk != NO_WALK) & (walk == part.column(("walk", channel))[theirs])
        arrival = np.where(streams[:, None], first, last)
        amounts = amounts + _of_channel(problem, pairs, channel, streams)
    epilogue = problem.nodes[draft.node].epilogue[channel][pairs.row]
    state = dict(pairs.state)
    for name in part.properties:
        state.setdefault(name, part.column(name)[theirs])
    state.pop(("walk", channel), None)
    return replace(
        pairs,
        used=_both(draft.used, part.used),
        seen=draft.seen + part.seen,
        least_dsps=draft.least_dsps + part.least_dsps,
        least_amounts=draft.least_amounts + part.least_amounts,
        state=state,
        start=_later(pairs.start, part.origins, arrival),
        end=_later(pairs.end, part.origins, last + epilogue[:, None]),
        dsps=pairs.dsps + part.dsps[theirs],
        amounts=amounts,
        back=(*pairs.back, theirs),
        parts=(*pairs.parts, part),
    )


def with_source(problem: SearchInstance, draft: PartialJoin, channel: int) -> PartialJoin:
    """Return the draft joined with a channel whose producer is put before it later (E4).

    A row that could stream stands twice: once needing that the producer walks the same way, and
    once waiting for its last write, whatever the walk.
    """
    source = problem.channels[channel].producer
    used = _both(draft.used, {source: frozenset({channel})})
    at_last: tuple[Origin, ...] = ((source, "last"),)
    if not problem.channels[channel].streams:
        arrival = np.zeros((len(draft.row), 1), dtype=np.int64)
        return replace(draft, used=used, start=_later(draft.start, at_last, arrival))
    size = len(draft.row)
    walk = draft.state["walk", channel]
    streaming = np.flatnonzero(walk != NO_WALK)
    both = draft.taken(np.concatenate([np.arange(size), streaming]))
    streams = np.arange(len(both.row)) >= size
    need = np.where(streams, both.state["walk", channel], NO_WALK)
    state = {name: column for name, column in both.state.items() if name != ("walk", channel)}
    epilogue = problem.nodes[draft.node].epilogue[channel][both.row]
    arrival = np.stack([np.where(streams, 0, NEVER), np.where(streams, NEVER, 0)], axis=1)
    return replace(
        both,
        used=used,
        state={**state, ("need", channel): need},
        amounts=both.amounts + _of_channel(problem, both, channel, streams),
        start=_later(both.start, ((source, "first"), *at_last), arrival),
        end=_later(both.end, at_last, epilogue[:, None]),
    )


def _of_channel(
    problem: SearchInstance, draft: PartialJoin, channel: int, streams: Flags
) -> Integers:
    """Return what a channel that can stream takes in every label (R2)."""
    choices = problem.nodes[draft.node]
    if not problem.limits:
        return np.zeros_like(draft.amounts)
    fifo, buffer = choices.as_fifo[channel][draft.row], choices.as_buffer[channel][draft.row]
    return np.where(streams[:, None], fifo, buffer)


def finished(problem: SearchInstance, draft: PartialJoin) -> Component:
    """Return the component that the node and all its producers are (E2)."""
    choices = problem.nodes[draft.node]
    origins = tuple(draft.start)
    never = np.full_like(draft.row, NEVER)
    start = np.stack([draft.start[origin] for origin in origins], axis=1)
    end = np.stack([draft.end.get(origin, never) for origin in origins], axis=1)
    first = start + choices.first_write[draft.row][:, None]
    last = np.maximum(start + choices.last_write[draft.row][:, None], end)
    if not any(problem.channels[e].streams for e in problem.outs[draft.node]):
        first = last  # nobody can see it
    properties = open_properties(problem, draft.state, draft.seen)
    columns = [draft.state[name] for name in properties]
    return Component(
        exit=draft.node,
        used=draft.used,
        seen=draft.seen,
        least_dsps=draft.least_dsps,
        least_amounts=draft.least_amounts,
        properties=properties,
        origins=origins,
        state=np.stack([np.zeros_like(draft.row), *columns], axis=1)[:, 1:],
        first=clamped(first),
        last=clamped(last),
        dsps=draft.dsps,
        amounts=draft.amounts,
        back=np.stack(draft.back, axis=1),
        parts=draft.parts,
    )


def open_properties(
    problem: SearchInstance, state: Columns, seen: Counter[int]
) -> tuple[Property, ...]:
    """Return the properties of a state that some node outside can see."""
    return tuple(
        name for name in state if name[0] != "class" or seen[name[1]] < problem.users[name[1]]
    )


def _both(
    first: dict[int, frozenset[int]], second: dict[int, frozenset[int]]
) -> dict[int, frozenset[int]]:
    nothing = frozenset[int]()
    forks = [*first, *(fork for fork in second if fork not in first)]
    return {fork: first.get(fork, nothing) | second.get(fork, nothing) for fork in forks}


def _later(form: Form, origins: tuple[Origin, ...], times: Integers) -> Form:
    """Return the later of two times, as forms."""
    latest = dict(form)
    size = len(times)
    for origin, column in zip(origins, clamped(times).T, strict=True):
        latest[origin] = np.maximum(latest.get(origin, np.full(size, NEVER)), column)
    return latest
