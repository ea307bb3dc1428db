"""Loops that run every iteration at its time: isl scans statements, shared loops become one.

Before::

    S   domain 0 <= t < 20, 0 <= i < 62     loops w: t + i, i: i

After::

    for (w = 0; w < 81; w++)
      for (i = max(0, w - 19); i < min(62, w + 1); i++)
        S: A[i + 1] = (A[i] + A[i + 2]) * 0.5

No statement appears twice: where statements share a loop and their bounds differ, the loop runs
over all of them and conditions tell them apart. So a name always means one place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.source import Branch, Item, RangeLoop, Source
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.scheduling.scan import Scan, Span, TreeChoiceError, scanned
from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement


@dataclass(frozen=True, slots=True)
class Generated:
    """A source with loops in the order of times."""

    source: Source
    iterators: Mapping[tuple[str, str], str]
    """By (statement, loop): the iterator of the source; loops of one iteration have none."""


def generated(program: TimedProgram) -> Generated:
    """Return the loops of a program; statements are labelled with their names.

    Raises
    ------
    LegalityError
        If a bound is no minimum or maximum of affine expressions (E238).
    """
    writer = _Writer(FreeNames(variable.name for variable in program.source.variables))
    members = [_Member(own, scanned(own)) for own in program.statements]
    members.sort(key=lambda member: member.statement.position)
    try:
        body = tuple(writer.items(members, 0))
    except TreeChoiceError:
        message = f"the loops of {program.source.name} would have bounds that aren't affine"
        hint = "leave the last step out, or split loops by factors that divide their trip counts"
        raise LegalityError(Diagnostic("E238", message, hint=hint)) from None
    return Generated(replace(program.source, body=body), writer.iterators)


@dataclass(frozen=True, slots=True)
class _Member:
    """A statement with what is left to write of it, inside of some loops."""

    statement: TimedStatement
    scan: Scan
    guards: tuple[ir.Condition, ...] = ()
    shared: tuple[tuple[int, str], ...] = ()
    """(level, iterator) of loops around that its scan doesn't have, as it runs in one iteration."""


@dataclass(slots=True)
class _Writer:
    """Turns scans into items; used once."""

    names: FreeNames
    iterators: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    reach: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def items(self, members: Sequence[_Member], level: int) -> Iterator[Item]:
        """Yield the items of statements that share the loops outside a level."""
        groups = groupby(members, key=lambda member: member.statement.position[level])
        for _, group in groups:
            inside = [*group]
            if len(inside[0].statement.loops) == level:
                yield from (_placed(member) for member in inside)
            else:
                yield from self._loop(inside, level)

    def _loop(self, members: Sequence[_Member], level: int) -> Iterator[Item]:
        ready = [replace(m, scan=m.scan.entered(level)) for m in members]
        looping = [m for m in ready if m.scan.has_loop(level)]
        if not looping and _is_once(ready, level):
            yield from self.items(ready, level + 1)
            return
        iterator = self.names.fresh((looping or ready)[0].statement.loops[level].name)
        spans = {m.statement.name: m.scan.span(iterator, self.reach) for m in looping}
        shared = _shared_span(ready, level, spans)
        self.reach[iterator] = shared.reach
        inside: list[_Member] = []
        for member in ready:
            name = member.statement.name
            self.iterators[name, member.statement.loops[level].name] = iterator
            if name in spans:
                checks = self._checks(iterator, spans[name], shared)
                scan = member.scan.inside(level, iterator)
                inside.append(replace(member, scan=scan, guards=(*member.guards, *checks)))
            else:
                inside.append(replace(member, shared=(*member.shared, (level, iterator))))
        yield RangeLoop(iterator, shared.lower, shared.upper, tuple(self.items(inside, level + 1)))

    def _checks(self, iterator: str, own: Span, shared: Span) -> Iterator[ir.Condition]:
        """Yield what must hold of an iterator beyond the bounds of its loop."""
        low, high = shared.reach
        place = ir.Index(Affine.iterator(iterator))
        for bound in own.lower:
            if bound not in shared.lower and bound.interval(self.reach)[1] > low:
                yield ir.Compare(ir.CompareOp.GE, place, ir.of_affine(bound))
        for bound in own.upper:
            if bound not in shared.upper and bound.interval(self.reach)[0] <= high:
                yield ir.Compare(ir.CompareOp.LT, place, ir.of_affine(bound))
        yield from own.checks


def _is_once(members: Sequence[_Member], level: int) -> bool:
    """Return whether statements that don't loop at a level run in the same iteration of it."""
    values = {member.scan.single(level) for member in members}
    return len(members) == 1 or (len(values) == 1 and None not in values)


def _shared_span(members: Sequence[_Member], level: int, spans: Mapping[str, Span]) -> Span:
    """Return the bounds of a loop that statements share: all values of each of them."""
    lowers = {span.lower for span in spans.values()}
    uppers = {span.upper for span in spans.values()}
    single = [m.statement.reach(level) for m in members if m.statement.name not in spans]
    ends = [*(span.reach for span in spans.values()), *single]
    low, high = min(least for least, _ in ends), max(most for _, most in ends)
    alike = not single
    lower = lowers.pop() if alike and len(lowers) == 1 else (Affine.of(low),)
    upper = uppers.pop() if alike and len(uppers) == 1 else (Affine.of(high + 1),)
    return Span(lower, upper, (low, high))


def _placed(member: _Member) -> Item:
    """Return a statement over the new iterators, inside of its conditions."""
    instance = member.statement.instance
    scan = member.scan.entered(len(member.statement.loops))
    moved = scan.arguments()
    assign = replace(
        instance.assign,
        target=instance.target.substitute(moved),
        value=ir.substitute(instance.assign.value, moved),
        label=member.statement.name,
    )
    item: Item = assign
    for guard in reversed([g for g in instance.guards if not ir.is_affine_condition(g)]):
        item = Branch(ir.substitute_condition(guard, moved), (item,), loc=assign.loc)
    once = (
        ir.Compare(
            ir.CompareOp.EQ,
            ir.Index(Affine.iterator(iterator)),
            ir.of_affine(member.statement.loops[level].value.substitute(moved)),
        )
        for level, iterator in member.shared
    )
    guards = (*member.guards, *scan.guards, *once)
    if guards:
        condition = ir.all_of(guards)
        item = Branch(condition, (item,), loc=assign.loc)
    return item
