"""Loop bounds and guards of sets of points, by projection."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Index, of_affine, rewrite_condition
from streamopt.ir.stepping.steps import StepLoop
from streamopt.ir.text import isl_affine
from streamopt.transforms.scheduling.scan import condition_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Condition, Expression


_PART = 8
"""A bound of some of the points that cuts less than this part off a loop isn't worth its logic."""


def step_loop(points: Any, around: Sequence[StepLoop], name: str) -> StepLoop:
    """Return the loop of the last dimension of a set of points.

    Parameters
    ----------
    points
        isl set, not empty; its dimensions are the loops around and this one.
    """
    import islpy as isl

    last = len(around)
    names = [loop.name for loop in around]
    reach = {loop.name: (loop.least, loop.end - 1) for loop in around}
    least = int(points.dim_min_val(last).to_python())
    end = int(points.dim_max_val(last).to_python()) + 1
    lower: dict[Affine, None] = {}
    upper: dict[Affine, None] = {}
    for constraint in _hull(points).get_constraints():
        factor = int(constraint.get_coefficient_val(isl.dim_type.set, last).to_python())
        if not factor:
            continue
        rest = _rest(constraint, names)
        signs = (1, -1) if constraint.is_equality() else (1,)
        for sign in signs:
            own, bound = sign * factor, rest.scaled(sign)
            if own > 0:  # own * x + bound >= 0
                value = _quotient(bound.scaled(-1) + Affine.of(own - 1), own, reach)
                lower[value] = None
            else:
                value = _quotient(bound, -own, reach)
                upper[value + Affine.of(1)] = None
    if points.n_basic_set() > 1:  # guards tell the points anyway
        slack = (end - least) // _PART
        lower = {one: None for one in lower if one.interval(reach)[1] > least + slack}
        upper = {one: None for one in upper if one.interval(reach)[0] < end - slack}
    lowest = tuple(one for one in lower if one.terms or one.constant >= least)
    highest = tuple(one for one in upper if one.terms or one.constant <= end)
    found = StepLoop(
        name,
        _binding(lowest, reach, least, most=False) or (Affine.of(least),),
        _binding(highest, reach, end, most=True) or (Affine.of(end),),
        least,
        end,
    )
    # where a loop inside has no iteration, this one may go beyond the points
    held = within_loops((*around, found))
    first, final = (int(v.to_python()) for v in (held.dim_min_val(last), held.dim_max_val(last)))
    return replace(found, least=first, end=final + 1)


def _binding(
    bounds: Sequence[Affine], reach: Mapping[str, tuple[int, int]], limit: int, *, most: bool
) -> tuple[Affine, ...]:
    """Return bounds, constants last, without constants that others imply."""
    moving = tuple(bound for bound in bounds if bound.terms)
    fixed = tuple(bound for bound in bounds if not bound.terms)
    implied = any(
        bound.interval(reach)[1] <= limit if most else bound.interval(reach)[0] >= limit
        for bound in moving
    )
    return moving if implied else (*moving, *fixed)


def _hull(points: Any) -> Any:
    """Return one basic set without divisions that holds all points."""
    points = points.remove_divs().coalesce()
    return points.simple_hull().remove_redundancies()


def _rest(constraint: Any, names: Sequence[str]) -> Affine:
    import islpy as isl

    total = Affine.of(int(constraint.get_constant_val().to_python()))
    for at, name in enumerate(names):
        factor = int(constraint.get_coefficient_val(isl.dim_type.set, at).to_python())
        total = total + Affine.iterator(name).scaled(factor)
    return total


def _quotient(value: Affine, divisor: int, reach: Mapping[str, tuple[int, int]]) -> Affine:
    """Return the floor of a quotient; what is divided is nowhere negative."""
    if divisor == 1:
        return value
    least = value.interval(reach)[0]
    turns = -(least // divisor) if least < 0 else 0
    return (value + Affine.of(turns * divisor)).floordiv(divisor) + Affine.of(-turns)


def within_loops(loops: Sequence[StepLoop]) -> Any:
    """Return the isl set of the points of loops, outermost first."""
    import islpy as isl

    names = {loop.name: f"v{at}" for at, loop in enumerate(loops)}
    conditions = [
        text
        for loop in loops
        for text in (
            *(f"{isl_affine(bound, names)} <= {names[loop.name]}" for bound in loop.lower),
            *(f"{names[loop.name]} < {isl_affine(bound, names)}" for bound in loop.upper),
        )
    ]
    return isl.Set(f"{{ [{', '.join(names.values())}] : {' and '.join(conditions) or 'true'} }}")


def union_of(parts: Sequence[Any]) -> Any:
    """Return all points of sets, of which there is at least one."""
    return reduce(lambda one, other: one.union(other), parts).coalesce()


def guard_of(points: Any, around: Any, names: Sequence[str]) -> Condition | None:
    """Return the condition of points among all around; None if there are no others."""
    import islpy as isl

    if around.is_subset(points):
        return None
    rest = points.gist(around).coalesce()
    parameters = [_as_parameters(one, names) for one in (rest, around)]
    build = isl.AstBuild.from_context(parameters[1].params())
    known = {name: Affine.iterator(name) for name in names}
    found = condition_of(build.expr_from_set(parameters[0].params()), known)
    return rewrite_condition(found, _number)


def _number(part: Expression) -> Expression:
    return of_affine(part.value) if isinstance(part, Index) else part


def _as_parameters(points: Any, names: Sequence[str]) -> Any:
    import islpy as isl

    kinds = isl.dim_type
    moved = points.move_dims(kinds.param, 0, kinds.set, 0, len(names))
    for at, name in enumerate(names):
        moved = moved.set_dim_name(kinds.param, at, name)
    return moved
