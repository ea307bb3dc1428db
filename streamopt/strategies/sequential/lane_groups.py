"""Loops of a sequential node that take the same lanes: those that walk one dimension of an array.

An element is then in the same bank whatever phase touches it. Loops of one phase are never grouped,
even where they read one dimension, as in ``A[i][k] * A[j][k]``: copies of the array serve these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter
from streamopt.ir.expression import reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import Phase, Steps

Dimension = tuple[str, int]
"""(array, dimension)."""


def lane_groups(steps: Steps) -> tuple[tuple[str, ...], ...]:
    """Return the loops that may have lanes, in groups of equal ones; first those that write."""
    groups = _Groups(set(steps.laned))
    phases = steps.phases
    together = [frozenset(loop.name for loop in phase.loops) for phase in phases]
    walked: dict[Dimension, str] = {}
    for ways in (_written, _read):
        for phase in phases:
            for dimension, loop in ways(phase):
                groups.join(walked.setdefault(dimension, loop), loop, together)
    return groups.found()


def idle_loops(steps: Steps, groups: Sequence[Sequence[str]]) -> tuple[frozenset[str], ...]:
    """Return loops that may do without lanes, of phases whose other loop has those of a sweep.

    Sweeps along rows and along columns each have lanes of one loop; a phase between them that
    walks both dimensions has as many if its lanes are those of one sweep.
    """
    of = {name: at for at, group in enumerate(groups) for name in group}
    swept = {of[phase.loops[0].name] for phase in steps.phases if len(phase.loops) == 1}
    between = [
        phase.loops
        for phase in steps.phases
        if len(phase.loops) > 1
        and not phase.sums
        and len({of[loop.name] for loop in phase.loops} & swept) == len(phase.loops)
    ]
    kept = dict.fromkeys(of[loop.name] for loops in between for loop in loops)
    return tuple(
        frozenset(loop.name for loops in between for loop in loops if of[loop.name] != group)
        for group in kept
    )


class _Groups:
    def __init__(self, names: set[str]) -> None:
        self._of = {name: frozenset({name}) for name in sorted(names)}

    def join(self, one: str, other: str, together: list[frozenset[str]]) -> None:
        """Join two groups unless a phase has loops of both."""
        joined = self._of[one] | self._of[other]
        if any(len(joined & loops) > 1 for loops in together):
            return
        self._of.update(dict.fromkeys(joined, joined))

    def found(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(sorted(group)) for group in dict.fromkeys(self._of.values()))


def _written(phase: Phase) -> Iterator[tuple[Dimension, str]]:
    for statement in phase.statements:
        yield from _walked(phase, statement.target)


def _read(phase: Phase) -> Iterator[tuple[Dimension, str]]:
    for statement in phase.statements:
        for access in _reads(statement):
            yield from _walked(phase, access)


def _reads(statement: Statement) -> Iterator[Access]:
    for expression in statement.expressions:
        yield from reads(expression)


def _walked(phase: Phase, access: Access) -> Iterator[tuple[Dimension, str]]:
    """Yield the dimensions along which a loop of the phase moves by ones."""
    names = {loop.name for loop in phase.loops}
    for dimension, subscript in enumerate(access.subscripts):
        own = [
            (atom.name, by)
            for atom, by in subscript.terms
            if isinstance(atom, Iter) and atom.name in names
        ]
        if len(own) == 1 and abs(own[0][1]) == 1:
            yield (access.array, dimension), own[0][0]
