"""The scheduling language: a program, steps on its loops, and the solver for the rest.

::

    s = so.schedule(program)
    s["C"].tile(("i", "j"), (4, 4)).pipeline("j0").unroll("i1").unroll("j1")
    print(s)
    solution = s.solve(dsp=2560)

Every step is checked against all dependences when it is taken: an illegal one raises a
`LegalityError` and leaves the schedule as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.loop_steps import (
    After,
    Fuse,
    Interchange,
    Partition,
    PartitionKind,
    PipelineLoop,
    Shift,
    Skew,
    Split,
    Step,
    Tile,
    Unroll,
)
from streamopt.ir.schedule import Schedule
from streamopt.ir.source import source_text
from streamopt.options import checked
from streamopt.pipeline.by_hand.scheduled_program import decided, with_step
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.rivals import RivalDesign
from streamopt.pipeline.solved import Solved
from streamopt.pipeline.solving import UNLIMITED, USUAL, WHOLE, solve
from streamopt.space.level import LevelName
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps, ObjectiveName
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space
from streamopt.transforms.scheduling import generated
from streamopt.transforms.scheduling.times import distance_vector
from streamopt.transforms.scheduling.transformed import step_text

if TYPE_CHECKING:
    from streamopt.pipeline.by_hand.scheduled_program import Decided, ScheduledProgram
    from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class TakenStep:
    """A step with the loops before and after it."""

    step: Step
    before: str
    after: str

    def __str__(self) -> str:
        """Return the step, and the loops it leads to."""
        return f"{step_text(self.step)}\n{self.after}"


@dataclass(frozen=True, slots=True)
class DependenceText:
    """A dependence as people look at it."""

    kind: str
    source: str
    sink: str
    accesses: tuple[str, str]
    # distance, direction: along the loops that both statements share; see
    # `streamopt.transforms.scheduling.times.Vector`
    distance: tuple[int, ...]
    direction: tuple[str, ...]


class Scheduling:
    """A program under steps; each step replaces the frozen value inside."""

    def __init__(self, scheduled: ScheduledProgram, taken: Sequence[TakenStep] = ()) -> None:
        self._scheduled = scheduled
        self._taken = [*taken]

    def __getitem__(self, name: str) -> NodeHandle:
        """Return the statement of a name, to take steps on its loops.

        Raises
        ------
        LegalityError
            If there is none (E231).
        """
        self._scheduled.timed.statement(name)
        return NodeHandle(self, name)

    def node(self, name: str) -> NodeHandle:
        """Return the statement of a name, as ``s[name]``."""
        return self[name]

    def array(self, name: str) -> ArrayHandle:
        """Return an array, to partition it."""
        return ArrayHandle(self, name)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Return the names of the statements, in the order of the program."""
        return tuple(own.name for own in self._scheduled.timed.statements)

    @property
    def steps(self) -> tuple[TakenStep, ...]:
        """Return the steps with the loops before and after each."""
        return tuple(self._taken)

    @property
    def name(self) -> str:
        """Return the name of the program."""
        return self._scheduled.timed.source.name

    @property
    def record(self) -> tuple[Step, ...]:
        """Return the steps as plain data, for `streamopt.save_steps`."""
        return self._scheduled.steps

    def take(self, step: Step) -> None:
        """Take a step that is given as data.

        Raises
        ------
        LegalityError
            If it can't be taken; the schedule stays as it was.
        """
        before = str(self)
        found = with_step(self._scheduled, step)
        after = _text(found)
        self._scheduled = found
        self._taken.append(TakenStep(step, before, after))

    def copy(self) -> Scheduling:
        """Return a schedule of its own with the same steps."""
        return Scheduling(self._scheduled, self._taken)

    def dependences(self, node: str | None = None) -> tuple[DependenceText, ...]:
        """Return the dependences that begin or end at a statement, or all; in the loops as now."""
        timed = self._scheduled.timed
        names = [own.name for own in timed.statements]
        return tuple(
            DependenceText(
                found.kind.value,
                names[found.source],
                names[found.sink],
                (str(found.first), str(found.second)),
                *distance_vector(timed, found),
            )
            for found in timed.dependences
            if node is None or node in (names[found.source], names[found.sink])
        )

    def decided(self) -> Decided:
        """Return the program after the steps, its graph, and what is fixed of its schedule.

        Raises
        ------
        LegalityError
            If the graph of the program can't keep to a step (E239).
        """
        return decided(self._scheduled)

    @checked(level=LevelName, objective=ObjectiveName)
    def solve(
        self,
        *,
        level: str = LevelName.OPT5,
        dsp: int | None = None,
        objective: str | Latency | Interval | LatencyThenDsps | FewestDsps = ObjectiveName.LATENCY,
        time_limit: float | None = None,
        space: Space = WHOLE,
        budget: Budget = UNLIMITED,
        effort: Effort = USUAL,
    ) -> Solved:
        """Return the best schedule that keeps to all steps; options as for `streamopt.solve`.

        Raises
        ------
        InfeasibleError
            If the steps can't be kept to (E408, E409), or an initiation interval that is asked
            for isn't met (E410); or as `streamopt.solve`.
        """
        found = self.decided()
        solution = solve(
            found.graph,
            level=level,
            dsp=dsp,
            objective=objective,
            time_limit=time_limit,
            space=replace(space, fixed=found.fixed),
            budget=budget,
            effort=effort,
        )
        _check_intervals(found, solution.schedule)
        return solution

    def auto_dse(
        self,
        path: str | PathLike[str] | None = None,
        *,
        dsp: int = 2560,
        on: Target | None = None,
    ) -> RivalDesign:
        """Take the steps that POM's first stage finds, and return the design of its second.

        Statements for which a user has taken steps keep them, and get no others.

        Parameters
        ----------
        path
            File to write the schedule to.
        dsp
            DSPs as built, all operators counted.
        on
            The target; the U280 where not given.

        Raises
        ------
        StrategyError
            As `streamopt.design`; E561 if a nest can't have an unroll factor that is asked for.
        InfeasibleError
            If an initiation interval that is asked for isn't met (E410).
        """
        from streamopt.pipeline.by_hand.scheduled_program import automatic_design, automatic_steps

        for step in automatic_steps(self._scheduled):
            self.take(step)
        found = self.decided()
        made = automatic_design(found, dsp, on)
        _check_intervals(found, made.schedule)
        if path is not None:
            from streamopt.formats.schedule_json import save_schedule_json
            from streamopt.pipeline.flat_records import design_record

            save_schedule_json(Path(path), made.schedule, design_record(made))
        return made

    def __str__(self) -> str:
        """Return the loops after all steps, as C has them."""
        return _text(self._scheduled)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<schedule of {self.name}: {len(self._taken)} steps>"


@dataclass(frozen=True, slots=True)
class ArrayHandle:
    """An array of a schedule."""

    of: Scheduling
    name: str

    def partition(self, kind: str, factor: int = 0, dim: int = 1) -> ArrayHandle:
        """Deal a dimension, counted from 1, out to ``factor`` memories; a complete one has none.

        The loops that walk it get that unroll factor.
        """
        self.of.take(Partition(self.name, PartitionKind(kind), factor, dim))
        return self


@dataclass(frozen=True, slots=True)
class NodeHandle:
    """A statement of a schedule; every step returns it, so that steps can be chained."""

    of: Scheduling
    name: str

    def interchange(self, first: str, second: str) -> NodeHandle:
        """Let two loops change places."""
        return self._taken(Interchange(self.name, first, second))

    def split(self, loop: str, factor: int, names: tuple[str, str] | None = None) -> NodeHandle:
        """Make two loops of one: ``i0`` outside, and ``i1`` of ``factor`` iterations inside."""
        return self._taken(Split(self.name, loop, factor, names or (f"{loop}0", f"{loop}1")))

    def tile(
        self,
        loops: Sequence[str],
        factors: Sequence[int],
        names: Sequence[str] | None = None,
    ) -> NodeHandle:
        """Split loops that are right inside each other, the parts inside tiles innermost."""
        both = [*(f"{loop}0" for loop in loops), *(f"{loop}1" for loop in loops)]
        step = Tile(self.name, tuple(loops), tuple(factors), tuple(names or both))
        return self._taken(step)

    def skew(
        self,
        outer: str,
        inner: str,
        outer_factor: int = 1,
        inner_factor: int = 1,
        names: tuple[str, str] | None = None,
    ) -> NodeHandle:
        """Let ``outer_factor * outer + inner_factor * inner`` be the outer loop: wavefronts."""
        factors, both = (outer_factor, inner_factor), (f"{outer}_w", f"{inner}_w")
        return self._taken(Skew(self.name, (outer, inner), factors, names or both))

    def shift(self, loop: str, amount: int) -> NodeHandle:
        """Let every iteration of a loop happen ``amount`` later, beside those of others."""
        return self._taken(Shift(self.name, loop, amount))

    def after(self, other: str, loop: str = "") -> NodeHandle:
        """Stand right behind another statement in one of its loops, or behind its nest."""
        return self._taken(After(self.name, other, loop))

    def fuse(self, other: str, loop: str) -> NodeHandle:
        """Join the loops of another statement down to one of them."""
        return self._taken(Fuse(self.name, other, loop))

    def pipeline(self, loop: str, ii: int | None = None) -> NodeHandle:
        """Let iterations of a loop overlap, ``ii`` cycles apart; loops inside are unrolled."""
        return self._taken(PipelineLoop(self.name, loop, ii))

    def unroll(self, loop: str, factor: int = 0) -> NodeHandle:
        """Let ``factor`` iterations of a loop work in parallel; all if left out."""
        return self._taken(Unroll(self.name, loop, factor))

    def _taken(self, step: Step) -> NodeHandle:
        self.of.take(step)
        return self


def _text(scheduled: ScheduledProgram) -> str:
    """Return the loops with what steps say of them, and of arrays."""
    loops = generated(scheduled.timed)
    notes: dict[str, list[str]] = {}
    arrays: list[str] = []
    for step in scheduled.steps:
        match step:
            case PipelineLoop(node, loop, ii):
                note = "pipeline" if ii is None else f"pipeline, ii = {ii}"
                _note(notes, loops.iterators.get((node, loop)), note)
            case Unroll(node, loop, factor):
                note = f"unroll {factor}" if factor else "unroll"
                _note(notes, loops.iterators.get((node, loop)), note)
            case Partition(array, kind, factor, dimension):
                count = f" {factor}" if factor else ""
                arrays.append(f"// {array}: {kind}{count} in dimension {dimension}")
            case _:
                pass
    joined = {iterator: "; ".join(dict.fromkeys(own)) for iterator, own in notes.items()}
    return "\n".join([*arrays, source_text(loops.source.body, joined)])


def _note(notes: dict[str, list[str]], iterator: str | None, text: str) -> None:
    if iterator is not None:
        notes.setdefault(iterator, []).append(text)


def _check_intervals(found: Decided, schedule: Schedule) -> None:
    """Raise InfeasibleError for pipelines that start less often than asked for (E410)."""
    from streamopt.evaluation.design import timed_network
    from streamopt.target.device import find_device

    if not found.intervals:
        return
    _, timings = timed_network(found.graph, schedule, find_device())
    problems = [
        Diagnostic(
            "E410",
            f"{node} starts an iteration every {timings[node].ii} cycles, not every {asked}",
            hint="move a loop that carries no dependence inside, or ask for a higher ii",
        )
        for node, asked in found.intervals.items()
        if node in timings and timings[node].ii > asked
    ]
    if problems:
        raise InfeasibleError(*problems)
