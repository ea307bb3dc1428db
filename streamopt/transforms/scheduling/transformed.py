"""One step of the scheduling language: carried out where all dependences allow it.

Times ``T`` are legal where every dependence ``x -> y`` keeps its order: ``T(x) < T(y)``, (L1) of
``models/formulations/scheduling.md``. The terms of a reduction may change places, as in every
node of a graph: only its own update stands between them, (L2) there.
"""

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from streamopt.analysis.dependence import Dependence, DependenceKind
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.loop_steps import (
    After,
    Fuse,
    Interchange,
    LoopStep,
    Partition,
    PipelineLoop,
    Shift,
    Skew,
    Split,
    Step,
    Tile,
    Unroll,
)
from streamopt.transforms.scheduling.loop_changes import (
    fused,
    interchanged,
    placed_after,
    shifted,
    skewed,
    split,
    tiled,
)
from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement, is_reduction_step
from streamopt.transforms.scheduling.times import distance_vector, time_length, time_map

_ARTICLES = {
    DependenceKind.FLOW: "a flow",
    DependenceKind.ANTI: "an anti",
    DependenceKind.OUTPUT: "an output",
}
_VERBS = {
    DependenceKind.FLOW: ("writes", "reads"),
    DependenceKind.ANTI: ("reads", "writes"),
    DependenceKind.OUTPUT: ("writes", "writes"),
}


def legality_problems(before: TimedProgram, after: TimedProgram, what: str) -> Iterator[Diagnostic]:
    """Yield E237 for dependences that new times of the statements break, one for two accesses.

    Parameters
    ----------
    what
        The step as the user wrote it.
    """
    length = time_length(after)
    changed = {at for at, own in enumerate(after.statements) if own != before.statements[at]}
    instances = [own.instance for own in after.statements]
    maps: dict[int, Any] = {}
    suspects: dict[tuple[int, int], Any] = {}
    for ends, relation in after.ordered.items():
        if changed & {*ends}:
            for at in ends:
                if at not in maps:
                    maps[at] = time_map(after, at, length)
            late = maps[ends[0]].lex_ge_map(maps[ends[1]])
            if not relation.is_disjoint(late):
                suspects[ends] = late
    for dependence in after.dependences if suspects else ():
        late = suspects.get((dependence.source, dependence.sink))
        if late is not None and not is_reduction_step(dependence, instances):
            broken = dependence.relation.intersect(late)
            if not broken.is_empty():
                yield _problem(before, dependence, broken, what)


def _problem(before: TimedProgram, dependence: Dependence, broken: Any, what: str) -> Diagnostic:
    source, sink = (before.statements[at] for at in (dependence.source, dependence.sink))
    point = broken.wrap().lexmin().sample_point()
    here = _iteration(source, point, 0)
    there = _iteration(sink, point, len(source.instance.loops))
    does, then = _VERBS[dependence.kind]
    distance = distance_vector(before, dependence).distance
    message = (
        f"{what} breaks {_ARTICLES[dependence.kind]} dependence: "
        f"{source.name} {does} {dependence.first} "
        f"{here}before {sink.name} {then} {dependence.second} {there}and would do so afterwards"
    )
    if distance:
        message += f"; its distance is ({', '.join(map(str, distance))})"
    hint = "keep the order of these loops, or skew or shift them first"
    return Diagnostic("E237", message, sink.instance.assign.loc, hint)


def _iteration(statement: TimedStatement, point: Any, first: int) -> str:
    import islpy as isl

    names: Sequence[str] = statement.instance.iterators
    values = (
        point.get_coordinate_val(isl.dim_type.set, first + at).to_python()
        for at in range(len(names))
    )
    pairs = ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
    return f"at {pairs} " if pairs else ""


def step_text(step: Step) -> str:
    """Return a step as the call that makes it: ``C.interchange(i, k)``."""
    of = step.array if isinstance(step, Partition) else step.node
    name, *arguments = _call(step)
    return f"{of}.{name}({', '.join(map(str, arguments))})"


def _call(step: Step) -> tuple[object, ...]:
    """Return name and arguments of the call."""
    match step:
        case Interchange():
            return "interchange", step.first, step.second
        case Split():
            return "split", step.loop, step.factor
        case Tile():
            return "tile", f"({', '.join(step.loops)})", f"({', '.join(map(str, step.factors))})"
        case Skew():
            return "skew", *step.loops, *step.factors
        case Shift():
            return "shift", step.loop, step.amount
        case After() | Fuse():
            return type(step).__name__.lower(), step.other, *([step.loop] if step.loop else [])
        case PipelineLoop():
            return "pipeline", step.loop, *([] if step.ii is None else [f"ii={step.ii}"])
        case Unroll():
            return "unroll", step.loop, *([step.factor] if step.factor else [])
        case Partition():
            return "partition", step.kind, step.factor, step.dimension
        case _:
            assert_never(step)


def transformed(program: TimedProgram, step: LoopStep) -> TimedProgram:
    """Return the program with the times that a step gives its statements.

    Raises
    ------
    LegalityError
        - E231 there is no such statement;
        - E232 a statement has no such loop;
        - E233 other statements are in only one of the loops;
        - E234 factors or loops that the step can't be taken with;
        - E235 a name of a loop is taken;
        - E236 a statement can't be placed there;
        - E237 a dependence would be broken.
    """
    found = _changed(program, step)
    problems = tuple(legality_problems(program, found, step_text(step)))
    if problems:
        raise LegalityError(*problems)
    return found


def _changed(program: TimedProgram, step: LoopStep) -> TimedProgram:
    match step:
        case Interchange():
            return interchanged(program, step)
        case Split():
            return split(program, step)
        case Tile():
            return tiled(program, step)
        case Skew():
            return skewed(program, step)
        case Shift():
            return shifted(program, step)
        case After():
            return placed_after(program, step)
        case Fuse():
            return fused(program, step)
        case _:
            assert_never(step)
