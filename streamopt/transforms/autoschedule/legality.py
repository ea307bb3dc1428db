"""Whether steps are an order of a node's iterations that keeps its dependences, by isl relations.

The test looks at steps alone, with bounds, guards and subscripts as they are, so that a mistake in
making them is found too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.ir import expression as ir
from streamopt.ir.stepping.steps import walk_phases
from streamopt.ir.text import isl_condition
from streamopt.transforms.autoschedule.pieces import element_text
from streamopt.transforms.autoschedule.spans import within_loops

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import Phase, StepLoop
    from streamopt.transforms.autoschedule.building import BuiltSteps, Placed
    from streamopt.transforms.autoschedule.pieces import Ordering, OrderProblem


def is_legal(problem: OrderProblem, built: BuiltSteps) -> bool:
    """Return whether steps run each iteration once, and in an order that keeps all dependences."""
    spans = {phase.name: (around, phase) for phase, around in walk_phases(built.steps.items)}
    placed = {one.piece: one for one in built.placed}
    if sorted(one.piece for one in built.placed) != [*problem.places]:
        return False
    together: dict[tuple[str, int], list[Placed]] = {}
    for one in built.placed:
        together.setdefault((one.phase, one.number), []).append(one)
    statements = {(name, at) for name, (_, p) in spans.items() for at in range(len(p.statements))}
    return (
        statements == {*together}
        and all(_runs(problem, some, *spans[name]) for (name, _), some in together.items())
        and all(
            _is_kept(one, placed[one.source], placed[one.sink], spans[placed[one.source].phase][1])
            for one in problem.orderings
        )
    )


def _runs(
    problem: OrderProblem, placed: Sequence[Placed], around: Sequence[StepLoop], phase: Phase
) -> bool:
    """Return whether a statement of a phase runs just the points of its pieces, each once."""
    import islpy as isl

    loops = (*around, *phase.loops)
    names = {loop.name: f"v{at}" for at, loop in enumerate(loops)}
    statement = phase.statements[placed[0].number]
    conditions = () if statement.guard is None else ir.conjuncts(statement.guard)
    affine = [isl_condition(c, names) for c in conditions if ir.is_affine_condition(c)]
    head = f"[{', '.join(names.values())}]"
    guard = isl.Set(f"{{ {head} : {' and '.join(affine) or 'true'} }}")
    left = within_loops(loops).intersect(guard)
    for one in placed:
        own = one.times.range()
        if not own.is_subset(left) or not _has_its_accesses(problem, one, statement, names):
            return False
        left = left.subtract(own)
    return bool(left.is_empty())


def _has_its_accesses(
    problem: OrderProblem, one: Placed, statement: Statement, names: Mapping[str, str]
) -> bool:
    """Return whether a statement touches, at each point of a piece, what that touches."""
    import islpy as isl

    points = problem.pieces[one.piece].points
    if not (one.times.is_injective() and one.times.domain().is_equal(points)):
        return False
    original = problem.statement(one.piece)
    head = f"[{', '.join(names.values())}]"
    for new, old in zip(_accesses(statement), _accesses(original), strict=True):
        here = isl.Map(f"{{ {head} -> {element_text(new, names)} }}")
        if not one.times.apply_range(here).is_equal(problem.elements_at(one.piece, old)):
            return False
    return True


def _accesses(statement: Statement) -> Iterable[ir.Access]:
    """Return the accesses of a statement in order, those of its affine conditions left out."""
    yield statement.target
    guards = () if statement.guard is None else ir.conjuncts(statement.guard)
    for expression in (*(g for g in guards if not ir.is_affine_condition(g)), statement.value):
        yield from (p.access for p in ir.walk(expression) if isinstance(p, ir.Read))


def _is_kept(ordering: Ordering, first: Placed, second: Placed, phase: Phase) -> bool:
    """Return whether all pairs of a relation keep their order.

    Parameters
    ----------
    phase
        That of the first piece.
    """
    relation = ordering.relation.apply_domain(first.times).apply_range(second.times)
    if ordering.is_sum_step:
        # terms may be added in any order; in one visit, only those along its sums
        if first.phase != second.phase:
            return True
        if first.number == second.number:
            around = len(first.position) - 1
            visit = relation.intersect(_all_equal(relation, range(around)))
            loops = enumerate(phase.loops, around)
            still = [at for at, loop in loops if loop.name not in phase.sums]
            return bool(visit.is_subset(_all_equal(relation, still)))
    return bool(relation.is_subset(_in_order(relation, first, second, phase)))


def _in_order(relation: Any, first: Placed, second: Placed, phase: Phase) -> Any:
    """Return pairs of which the first comes in an earlier visit, or earlier in one iteration."""
    import islpy as isl

    legal = isl.Map.empty(relation.get_space())
    common = 0
    deepest = min(len(first.position), len(second.position)) - 1
    while common < deepest and first.position[common] == second.position[common]:
        legal = legal.union(
            _all_equal(relation, range(common)).intersect(_before(relation, common))
        )
        common += 1
    if first.position[common] < second.position[common]:
        return legal.union(_all_equal(relation, range(common)))
    if first.phase == second.phase and first.number < second.number:
        count = len(first.position) - 1 + len(phase.loops)
        return legal.union(_all_equal(relation, range(count)))
    return legal


def _all_equal(relation: Any, levels: Iterable[int]) -> Any:
    import islpy as isl

    found = isl.Map.universe(relation.get_space())
    for level in levels:
        found = found.equate(isl.dim_type.in_, level, isl.dim_type.out, level)
    return found


def _before(relation: Any, level: int) -> Any:
    import islpy as isl

    universe = isl.Map.universe(relation.get_space())
    return universe.order_lt(isl.dim_type.in_, level, isl.dim_type.out, level)
