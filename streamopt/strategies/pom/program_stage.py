"""The first stage on loops as written: interchange, split-interchange-merge, skew ([1] VI-A).

Before::

    for (i) for (j) { S1: s[j] += ...  S2: q[i] += ... }

After::

    for (i) for (j) { S1: s[j] += ...  S2: q[j] += ... }

S2 added to one element in all iterations of the inner loop. S1 would, were the loops interchanged
for both; so S2 gets loops of its own, these are interchanged, and both are merged again. The
published system has no legality test; here a step that breaks a dependence is not taken.

[1] Zhang et al., POM, HPCA 2024.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from streamopt.analysis.dependence import DependenceKind
from streamopt.errors import LegalityError
from streamopt.ir.loop_steps import After, Fuse, Interchange, LoopStep, Skew
from streamopt.strategies.pom.nest import MOST_FUSED
from streamopt.strategies.rival import DesignStep
from streamopt.transforms.scheduling import TimedProgram, TimedStatement, transformed
from streamopt.transforms.scheduling.times import (
    carried_inside,
    flow_distances,
    is_carried_inside,
)
from streamopt.transforms.scheduling.transformed import step_text

_WIDE = 9
"""Dependences of a statement on itself from which on the published code skews by (1, 2)."""
_STAGE = "dependence-aware transformation"


@dataclass(frozen=True, slots=True)
class ProgramStage:
    """The first stage carried out on a program."""

    program: TimedProgram
    """After the steps."""
    steps: tuple[LoopStep, ...]
    told: tuple[DesignStep, ...]
    """Every step, also those that were refused, with the reason."""


def dependence_steps(program: TimedProgram, kept: frozenset[str] = frozenset()) -> ProgramStage:
    """Return the steps after which as few inner loops as possible carry a dependence.

    Parameters
    ----------
    program
        With the steps that a user has taken already, which stay.
    kept
        Statements that no step is taken for.
    """
    return _Stage(program, kept).run()


class _Stage:
    def __init__(self, program: TimedProgram, kept: frozenset[str]) -> None:
        self.program = program
        self.kept = kept
        self.steps: list[LoopStep] = []
        self.told: list[DesignStep] = []

    def run(self) -> ProgramStage:
        for statement in self.program.statements:
            if statement.name not in self.kept and is_carried_inside(self.program, statement.name):
                self._relieve(statement.name)
        nests = _nests(self.program)
        if len(nests) <= MOST_FUSED:
            for first, second in pairwise(nests):
                self._fuse(first, second)
        return ProgramStage(self.program, tuple(self.steps), tuple(self.told))

    def _relieve(self, name: str) -> None:
        """Interchange, else split off and interchange, else skew; the first that helps."""
        attempts = [
            *_interchanges(self.program, name),
            *_split_interchanges(self.program, name),
            *_skews(self.program, name),
        ]
        if not any(self._takes(attempt, name) for attempt in attempts):
            text = f"{name}: its inner loop goes on carrying a dependence"
            self.told.append(DesignStep(_STAGE, text))

    def _takes(self, attempt: Sequence[LoopStep], name: str) -> bool:
        """Take steps if all are legal and relieve a statement and burden no other."""
        before = carried_inside(self.program)
        found = self._legal(attempt)
        if found is None or not carried_inside(found) <= before - {name}:
            return False
        self._take(attempt, found)
        return True

    def _legal(self, attempt: Sequence[LoopStep]) -> TimedProgram | None:
        found = self.program
        for step in attempt:
            try:
                found = transformed(found, step)
            except LegalityError as error:
                reason = error.diagnostics[0].message
                refused = DesignStep(_STAGE, f"{step_text(step)} is refused: {reason}")
                self.told += [] if refused in self.told else [refused]
                return None
        return found

    def _take(self, attempt: Sequence[LoopStep], found: TimedProgram) -> None:
        self.program = found
        self.steps += attempt
        self.told += [DesignStep(_STAGE, step_text(step)) for step in attempt]

    def _fuse(self, first: Sequence[str], second: Sequence[str]) -> None:
        """Fuse two neighbouring nests with the same bounds and no flow between them."""
        here, there = (self.program.statement(names[0]) for names in (first, second))
        if not here.loops or _bounds(here) != _bounds(there) or self.kept & {*first, *second}:
            return
        if _has_flow(self.program, first, second):
            return
        attempt = [Fuse(name, first[0], here.loops[-1].name) for name in second]
        found = self._legal(attempt)
        if found is not None and carried_inside(found) <= carried_inside(self.program):
            self._take(attempt, found)


def _interchanges(program: TimedProgram, name: str) -> Iterator[tuple[LoopStep, ...]]:
    """Yield interchanges that bring the inner loop outwards, to the outermost place first."""
    *outer, inner = (loop.name for loop in program.statement(name).loops)
    steps = tuple(Interchange(name, loop, inner) for loop in reversed(outer))
    yield from (steps[:count] for count in range(len(steps), 0, -1))


def _split_interchanges(program: TimedProgram, name: str) -> Iterator[tuple[LoopStep, ...]]:
    """Yield splits of a statement from those beside it, each with an interchange."""
    beside = next(names for names in _nests(program) if name in names)
    others = [other for other in beside if other != name]
    if others:
        after = After(name, others[-1])
        yield from ((after, *steps) for steps in _interchanges(program, name))


def _skews(program: TimedProgram, name: str) -> Iterator[tuple[LoopStep, ...]]:
    """Yield skews of the two inner loops: by the published factors, then the other way round."""
    loops = [loop.name for loop in program.statement(name).loops]
    count = sum(1 for _ in flow_distances(program, name))
    if len(loops) < 2 or count < 2:
        return
    outer, inner = loops[-2:]
    names = (f"{outer}_w", f"{inner}_w")
    factors = ((1, 1), (1, 2), (2, 1)) if count < _WIDE else ((1, 2), (2, 1))
    yield from ((Skew(name, (outer, inner), own, names),) for own in factors)


def _nests(program: TimedProgram) -> list[tuple[str, ...]]:
    """Return the statements that share all their loops, in text order."""
    found: dict[tuple[int, ...], list[str]] = {}
    for own in sorted(program.statements, key=lambda statement: statement.position):
        found.setdefault(own.position[:-1], []).append(own.name)
    return [tuple(names) for names in found.values()]


def _bounds(statement: TimedStatement) -> tuple[tuple[int, int], ...]:
    return tuple(statement.reach(level) for level in range(len(statement.loops)))


def _has_flow(program: TimedProgram, first: Iterable[str], second: Iterable[str]) -> bool:
    here, there = {*first}, {*second}
    names = [own.name for own in program.statements]
    return any(
        found.kind is DependenceKind.FLOW
        and names[found.source] in here
        and names[found.sink] in there
        for found in program.dependences
    )
