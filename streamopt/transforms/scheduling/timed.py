"""Statements with the times of their iterations: what loop transformations work on.

Before::

    for (t = 0; t < 20; t++)
      for (i = 0; i < 62; i++)
        S: A[i + 1] = (A[i] + A[i + 2]) * 0.5

After::

    S   domain 0 <= t < 20, 0 <= i < 62     loops t: t, i: i     position (0, 0, 0)

The time of an iteration is ``(position, loop, position, loop, ..., position)`` in lexicographic
order ([1]). A transformation changes loops and positions, never the statement or its domain.

[1] Kelly and Pugh, A unifying framework for iteration reordering transformations, 1995.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streamopt.analysis.dependence import Dependence, dependence_relations
from streamopt.analysis.instances import StatementInstance, hull_of
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import reads
from streamopt.ir.source import Source
from streamopt.transforms.free_names import FreeNames, numbered_stem
from streamopt.transforms.restructure import expanded_source
from streamopt.transforms.restructure.reductions import recognized


@dataclass(frozen=True, slots=True)
class TimedLoop:
    """A loop by the value that its iterator has, over the iterators of the source."""

    name: str
    value: Affine


@dataclass(frozen=True, slots=True)
class TimedStatement:
    """A statement of the source and when its iterations run."""

    name: str
    instance: StatementInstance
    """As it stands in the source: domain, accesses and conditions are over its iterators."""
    loops: tuple[TimedLoop, ...]
    """Outermost first."""
    position: tuple[int, ...]
    """Place among its siblings at every level; one more than there are loops."""

    def depth(self, loop: str) -> int:
        """Return the level of a loop, 0 for the outermost.

        Raises
        ------
        LegalityError
            If it has no such loop (E232).
        """
        names = [own.name for own in self.loops]
        if loop not in names:
            message = f"{self.name} has no loop '{loop}'"
            hint = f"its loops are {', '.join(names)}" if names else "it has no loops"
            raise LegalityError(Diagnostic("E232", message, self.instance.assign.loc, hint))
        return names.index(loop)

    def reach(self, level: int) -> tuple[int, int]:
        """Return values between which a loop's are; exact where they are linear in a box."""
        hulls = hull_of(self.instance.loops)
        ends = {name: (low, max(low, high - 1)) for name, (low, high) in hulls.items()}
        return self.loops[level].value.interval(ends)


@dataclass(frozen=True, slots=True)
class TimedProgram:
    """A source whose statements have times."""

    source: Source
    statements: tuple[TimedStatement, ...]
    dependences: tuple[Dependence, ...] = field(compare=False, repr=False)
    """Between the iterations of the statements, which no times change."""
    ordered: Mapping[tuple[int, int], Any] = field(compare=False, repr=False)
    """By (source, sink): isl relation of all iterations whose order times must keep."""

    def statement(self, name: str) -> TimedStatement:
        """Return the statement of a name.

        Raises
        ------
        LegalityError
            If there is none (E231).
        """
        for statement in self.statements:
            if statement.name == name:
                return statement
        names = ", ".join(statement.name for statement in self.statements)
        message = f"{self.source.name} has no statement '{name}'"
        raise LegalityError(Diagnostic("E231", message, hint=f"its statements are {names}"))


def timed_program(source: Source) -> TimedProgram:
    """Return a source with the times that its text says.

    A statement is called as its label, that of its innermost labelled loop, or the array that it
    writes; later ones of a name get a number. Local scalars are put in where they are used, or get
    dimensions, so that they stand in nobody's way.
    """
    body = expanded_source(source)
    source = replace(source, variables=tuple(body.variables.values()))
    found = body.statements
    every = {loop.iterator for instance in found for loop in instance.loops}
    names = _names(found)
    statements = tuple(
        TimedStatement(name, instance, _loops(instance, every), instance.position)
        for name, instance in zip(names, found, strict=True)
    )
    dependences = dependence_relations(found)
    return TimedProgram(source, statements, dependences, ordered_pairs(dependences, found))


def _names(found: Sequence[StatementInstance]) -> list[str]:
    free = FreeNames()
    labels = ([loop.label for loop in own.loops if loop.label] for own in found)
    return [
        free.fresh(own.assign.label or (names or [own.target.array])[-1])
        for own, names in zip(found, labels, strict=True)
    ]


def _loops(instance: StatementInstance, every: set[str]) -> tuple[TimedLoop, ...]:
    """Return the loops, without the numbers by which front ends tell iterators apart."""
    taken = {loop.iterator for loop in instance.loops}
    loops: list[TimedLoop] = []
    for loop in instance.loops:
        name, short = loop.iterator, numbered_stem(loop.iterator)
        if short in every - taken:
            name = short
            taken.add(name)
        loops.append(TimedLoop(name, Affine.iterator(loop.iterator)))
    return tuple(loops)


def ordered_pairs(
    dependences: Sequence[Dependence], statements: Sequence[StatementInstance]
) -> dict[tuple[int, int], Any]:
    """Return the order that times must keep, in one relation for two statements: all but (L2)."""
    found: dict[tuple[int, int], Any] = {}
    for dependence in dependences:
        if not is_reduction_step(dependence, statements):
            pair = dependence.source, dependence.sink
            known = found.get(pair)
            new = dependence.relation
            found[pair] = new if known is None else known.union(new)
    return {pair: relation.coalesce() for pair, relation in found.items()}


def is_reduction_step(dependence: Dependence, statements: Sequence[StatementInstance]) -> bool:
    """Return whether a dependence is between two terms of one reduction."""
    if dependence.source != dependence.sink:
        return False
    instance = statements[dependence.source]
    assign = instance.assign
    own = {assign.target} == {dependence.first, dependence.second}
    asked = any(assign.target in reads(guard) for guard in instance.guards)
    return own and not asked and recognized(assign.target, assign.value) is not None
