"""Whether steps are an order of a node's iterations that keeps its dependences, by isl relations.

The test looks at steps alone, with bounds, guards and subscripts as they are, so that a mistake in
making them is found too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.ir import expression as ir
from streamopt.ir.stepping.steps import walk_phases
from streamopt.ir.text import isl_affine, isl_condition
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
    statements = sum(len(phase.statements) for _, phase in spans.values())
    return (
        statements == len(problem.places)
        and all(_runs(problem, one, *spans[one.phase]) for one in built.placed)
        and all(
            _is_kept(one, placed[one.source], placed[one.sink], spans[placed[one.source].phase][1])
            for one in problem.orderings
        )
    )


def _runs(problem: OrderProblem, one: Placed, around: Sequence[StepLoop], phase: Phase) -> bool:
    """Return whether a statement of a phase runs just the points of a piece, each once."""
    import islpy as isl

    loops = (*around, *phase.loops)
    names = {loop.name: f"v{at}" for at, loop in enumerate(loops)}
    statement, original = phase.statements[one.number], problem.statement(one.piece)
    conditions = () if statement.guard is None else ir.conjuncts(statement.guard)
    affine = [isl_condition(c, names) for c in conditions if ir.is_affine_condition(c)]
    head = f"[{', '.join(names.values())}]"
    guard = isl.Set(f"{{ {head} : {' and '.join(affine) or 'true'} }}")
    points = problem.pieces[one.piece].points
    run = within_loops(loops).intersect(guard)
    if not (one.times.is_injective() and one.times.domain().is_equal(points)):
        return False
    if not one.times.range().is_equal(run):
        return False
    own = {loop: f"c{at}" for at, loop in enumerate(problem.loops)}
    for new, old in zip(_accesses(statement), _accesses(original), strict=True):
        here = isl.Map(f"{{ {head} -> {_element(new, names)} }}").intersect_domain(run)
        tuple_text = f"S{one.piece}[{', '.join(own.values())}]"
        there = isl.Map(f"{{ {tuple_text} -> {_element(old, own)} }}").intersect_domain(points)
        if not one.times.apply_range(here).is_equal(there):
            return False
    return True


def _accesses(statement: Statement) -> Iterable[ir.Access]:
    """Return the accesses of a statement in order, those of its affine conditions left out."""
    yield statement.target
    guards = () if statement.guard is None else ir.conjuncts(statement.guard)
    for expression in (*(g for g in guards if not ir.is_affine_condition(g)), statement.value):
        yield from (p.access for p in ir.walk(expression) if isinstance(p, ir.Read))


def _element(access: ir.Access, names: Mapping[str, str]) -> str:
    subscripts = ", ".join(isl_affine(subscript, names) for subscript in access.subscripts)
    return f"A_{access.array}[{subscripts}]"


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
