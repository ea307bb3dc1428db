"""The last touch of an element before another, through isl, in pieces that stay small.

isl's flow analysis asks of every sink and every source of an array whether one is the last before
the other, so its time grows with their product. Here many statements are taken apart by their
places in the text, and asked for from a sink backwards:

1. the same iteration of the loop around it;
2. earlier iterations of that loop;
3. the loops and statements before that loop, the next ones first, then twice as many, ...

What a certain source covers is not asked again, so most sinks end after a few sources. The answer
is the same as for all at once: what comes earlier in this list runs later in the program.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import lt
from typing import Any

from streamopt.analysis.instances import StatementInstance, access_text, hull_of, schedule_text
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access

AT_ONCE = 48
"""Events that are handed to isl together, however they lie in the text."""

MAX_OPERATIONS = 30_000_000
"""Operations of isl for the last touches of a function: some seconds on any input."""

KEPT_TOUCHES = 8
"""Answers that are remembered: passes on a function ask the same again."""


KEPT_TEXTS = 4096
"""Relations that are remembered, some kilobytes each."""


@dataclass(frozen=True, slots=True)
class Event:
    """An access of a statement, by a name that no other has."""

    name: str
    instance: StatementInstance
    access: Access
    phase: int
    """0 for the reads of a statement, 1 for its write."""
    hides: bool = True
    """Whether what ran before it is not asked for any more, where it is a source."""


@dataclass(frozen=True, slots=True)
class LastTouches:
    """isl relations from sources to the sinks that they are the last for."""

    relations: tuple[Any, ...]
    unhidden: frozenset[str]
    """Sinks that have, in some iteration, no source that hides what was before."""


@dataclass(frozen=True, slots=True)
class _SubscriptHull:
    """Where the subscripts of an access lie, at most, while outer iterators stand still."""

    moving: tuple[tuple[str, ...], ...]
    """The parts of each subscript with these iterators."""
    # low, high: the range of the rest of each subscript
    low: tuple[int, ...]
    high: tuple[int, ...]

    def may_meet(
        self, moving: tuple[tuple[str, ...], ...], low: tuple[int, ...], high: tuple[int, ...]
    ) -> bool:
        """Return whether an access with these may touch an element that this one touches."""
        if self.moving != moving:
            return True
        below = any(map(lt, self.high, low))
        return not below and not any(map(lt, high, self.low))


@dataclass(frozen=True, slots=True)
class _Sinks:
    """Sinks, and the iterations of them that are still asked for; None for all."""

    events: tuple[Event, ...]
    asked: Any = None


def last_touches(
    sinks: Sequence[Event], sources: Sequence[Event], at_once: int = AT_ONCE
) -> LastTouches:
    """Return which sources are the last to touch an element before sinks touch it.

    Raises
    ------
    LegalityError
        E124 where that takes isl more than a fixed number of operations.
    """
    return _limited(tuple(sinks), tuple(sources), at_once)


@lru_cache(maxsize=KEPT_TOUCHES)
def _limited(sinks: tuple[Event, ...], sources: tuple[Event, ...], at_once: int) -> LastTouches:
    import islpy as isl

    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(MAX_OPERATIONS)
    try:
        return _found(sinks, sources, at_once)
    except isl.Error:
        if not _is_exhausted():
            raise
        uses = Counter(source.access.array for source in sources)
        most = max(sinks, key=lambda sink: uses[sink.access.array])
        message = f"too many statements use {most.access.array} in ways that hang together"
        hint = "split the function, or write the statements as a loop"
        loc = most.instance.assign.loc
        raise LegalityError(Diagnostic("E124", message, loc, hint)) from None
    finally:
        context.set_max_operations(0)
        context.reset_operations()


def _is_exhausted() -> bool:
    """Return whether isl does nothing any more, since it has done as much as it may."""
    import islpy as isl

    try:
        isl.Set("{ [i] : 0 <= i < 2 }")
    except isl.Error:
        return True
    return False


def _found(sinks: Sequence[Event], sources: Sequence[Event], at_once: int) -> LastTouches:
    search = _PiecewiseSearch(at_once)
    rest: list[Any] = []
    if len(sinks) + len(sources) <= at_once:
        rest.append(search.asked(_Sinks(tuple(sinks)), sources, 0).asked)
    else:
        by_array: dict[str, tuple[list[Event], list[Event]]] = defaultdict(lambda: ([], []))
        for side, events in enumerate((sinks, sources)):
            for event in events:
                by_array[event.access.array][side].append(event)
        for own_sinks, own_sources in by_array.values():
            if own_sinks:
                rest.append(search.resolved(own_sinks, own_sources, 0).asked)
    names = frozenset(name for left in rest for name in _names(left))
    return LastTouches(tuple(search.relations), names)


class _PiecewiseSearch:
    """Collects relations while sinks are resolved piece by piece."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self.relations: list[Any] = []
        self.reaches: dict[tuple[str, int], _SubscriptHull] = {}

    def resolved(self, sinks: Sequence[Event], sources: Sequence[Event], level: int) -> _Sinks:
        """Resolve sinks by sources that run in the same iteration of the outer loops.

        Returns what is left of the sinks. All of them share as many loops as level tells.
        """
        if len(sinks) + len(sources) <= self.at_once:
            return self.asked(_Sinks(tuple(sinks)), sources, level)
        before = _by_place(sources, level)
        places = sorted(before)
        left: list[_Sinks] = []
        for place, events in sorted(_by_place(sinks, level).items()):
            own = _Sinks(tuple(events))
            inside = before.get(place, [])
            if inside and len(inside[0].instance.position) > level + 1:
                if len(own.events) + len(inside) > self.at_once:
                    own = self.resolved(events, inside, level + 1)
                if own.events:
                    own = self.asked(own, self._near(own, inside, level), level)
            left.append(self._backwards(own, [before[p] for p in places if p < place], level))
        return _joined(left, level)

    def _backwards(self, sinks: _Sinks, before: Sequence[Sequence[Event]], level: int) -> _Sinks:
        """Resolve sinks by what stands before them, from there to the start of the text."""
        end, count = len(before), 1
        while end > 0 and sinks.events:
            start = max(0, end - count)
            window = [event for events in before[start:end] for event in events]
            sinks = self.asked(sinks, self._near(sinks, window, level), level)
            end, count = start, 2 * count
        return sinks

    def _near(self, sinks: _Sinks, sources: Sequence[Event], level: int) -> list[Event]:
        """Return the sources that may touch an element that a sink touches.

        Only those are left out that ranges of subscripts tell apart from all sinks.
        """
        if len({self._reach(event, level).moving for event in sinks.events}) > 1:
            level = 0
        own = [self._reach(event, level) for event in sinks.events]
        if level == 0 and sinks.asked is not None:
            lowest, highest = _box_of(sinks)
        else:
            lowest = tuple(map(min, zip(*(reach.low for reach in own), strict=True)))
            highest = tuple(map(max, zip(*(reach.high for reach in own), strict=True)))
        return [
            event
            for event in sources
            if self._reach(event, level).may_meet(own[0].moving, lowest, highest)
        ]

    def _reach(self, event: Event, level: int) -> _SubscriptHull:
        found = self.reaches.get((event.name, level))
        if found is None:
            found = self.reaches[event.name, level] = _reach_of(event, level)
        return found

    def asked(self, sinks: _Sinks, sources: Sequence[Event], level: int) -> _Sinks:
        """Hand sinks and sources to isl; touches count in the same iteration of outer loops."""
        if not sources or not sinks.events:
            return _Sinks(sinks.events, _domain(sinks, level))
        import islpy as isl

        wanted = _union(_relation(event, level) for event in sinks.events)
        if sinks.asked is not None:
            wanted = wanted.intersect_domain(sinks.asked)
        info = isl.UnionAccessInfo.from_sink(wanted)
        info = info.set_must_source(_union(_relation(e, level) for e in sources if e.hides))
        info = info.set_may_source(_union(_relation(e, level) for e in sources if not e.hides))
        both = {event.name: event for event in (*sinks.events, *sources)}.values()
        length = 2 * max(len(event.instance.loops) for event in both) + 2
        times = (schedule_text(e.name, e.instance, length, e.phase) for e in both)
        flow = info.set_schedule_map(_union(times)).compute_flow()
        self.relations += _parts(flow.get_may_dependence())
        rest = flow.get_may_no_source().domain()
        names = {*_names(rest)}
        return _Sinks(tuple(event for event in sinks.events if event.name in names), rest)


def _box_of(sinks: _Sinks) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the least and the greatest subscripts that sinks touch where they are asked for."""
    touched = _union(_relation(event, 0) for event in sinks.events)
    elements = touched.intersect_domain(sinks.asked).range()
    boxes: list[Any] = []
    elements.foreach_set(boxes.append)
    (box,) = boxes
    sizes = range(box.dim(_set_dimension()))
    return (
        tuple(box.dim_min_val(at).to_python() for at in sizes),
        tuple(box.dim_max_val(at).to_python() for at in sizes),
    )


def _set_dimension() -> Any:
    import islpy as isl

    return isl.dim_type.set


def _by_place(events: Iterable[Event], level: int) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(event.instance.position[level], []).append(event)
    return found


def _reach_of(event: Event, level: int) -> _SubscriptHull:
    hulls = hull_of(event.instance.loops)
    outer = {*event.instance.iterators[:level]}
    ranges = {name: (low, max(low, high - 1)) for name, (low, high) in hulls.items()}
    ranges |= dict.fromkeys(outer, (0, 0))
    moving: list[tuple[str, ...]] = []
    for subscript in event.access.subscripts:
        terms = [
            (atom, c) for atom, c in subscript.terms if outer & {*Affine(((atom, c),)).iterators()}
        ]
        plain = all(isinstance(atom, Iter) for atom, _ in terms)
        moving.append(tuple(sorted(map(str, terms))) if plain else (event.name,))
    sides = [subscript.interval(ranges) for subscript in event.access.subscripts]
    return _SubscriptHull(
        tuple(moving), tuple(low for low, _ in sides), tuple(high for _, high in sides)
    )


def _relation(event: Event, level: int) -> str:
    """Return an access with the iterators of outer loops as further subscripts."""
    return access_text(event.name, event.instance, event.access, level)


def _domain(sinks: _Sinks, level: int) -> Any:
    if sinks.asked is not None:
        return sinks.asked
    return _union(_relation(event, level) for event in sinks.events).domain()


def _joined(parts: Sequence[_Sinks], level: int) -> _Sinks:
    events = tuple(event for part in parts for event in part.events)
    left: list[Any] = [_domain(part, level) for part in parts if part.events]
    while len(left) > 1:
        half: list[Any] = [left[at].union(left[at + 1]) for at in range(0, len(left) - 1, 2)]
        left = half + left[-1:] if len(left) % 2 else half
    return _Sinks(events, left[0] if left else None)


def _union(texts: Iterable[str]) -> Any:
    import islpy as isl

    union = isl.UnionMap("{ }")
    for text in texts:
        union = union.union(_parsed(text))
    return union


@lru_cache(maxsize=KEPT_TEXTS)
def _parsed(text: str) -> Any:
    """Return the relation of a text; isl takes as long to read one as to use it."""
    import islpy as isl

    return isl.UnionMap(f"{{ {text} }}")


def _parts(union: Any) -> list[Any]:
    found: list[Any] = []
    union.foreach_map(found.append)
    return [relation for relation in found if not relation.is_empty()]


def _names(union: Any) -> list[str]:
    if union is None:
        return []
    found: list[Any] = []
    union.foreach_set(found.append)
    return [part.get_tuple_name() for part in found if not part.is_empty()]
