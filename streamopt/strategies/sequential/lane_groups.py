"""Loops of a sequential node that take the same lanes: those that walk one dimension of an array.

An element is then in the same bank whatever phase touches it. Loops of one phase are never grouped,
even where they read one dimension, as in ``A[i][k] * A[j][k]``: copies of the array serve these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter
from streamopt.ir.expression import reads

if TYPE_CHECKING:
    from collections.abc import Iterator

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
