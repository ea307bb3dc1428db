"""Plans of sequential nodes: which order they choose, and whether its loops are planned rightly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic
from streamopt.transforms.autoschedule import WRITTEN, steps_of, written_steps
from streamopt.transforms.planned_loops import factor_problems, has_all_factors, loop_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.schedule import NodePlan
    from streamopt.ir.stepping.steps import Steps


def planned_steps(node: SequentialNode, plan: NodePlan) -> tuple[Steps, NodePlan]:
    """Return the order that a plan chooses, with the plan over its loops.

    A plan that names none has the first order, and one lane.

    Raises
    ------
    KeyError
        For an unknown order.
    """
    if not plan.steps:
        first = steps_of(node)[0]
        return first, one_lane(first, plan)
    steps = _named(node, plan.steps)
    if steps is None:
        raise KeyError(plan.steps)
    return steps, plan


def _named(node: SequentialNode, name: str) -> Steps | None:
    """Return the order of a name; None if there is none."""
    if name == WRITTEN:
        return written_steps(node)
    return next((steps for steps in steps_of(node) if steps.name == name), None)


def one_lane(steps: Steps, plan: NodePlan) -> NodePlan:
    """Return a plan with the loops of an order as they stand, each with one lane."""
    names = tuple(loop.name for loop in steps.loops)
    return replace(plan, order=names, unroll=tuple((n, 1) for n in names), steps=steps.name)


def plan_problems(node: SequentialNode, plan: NodePlan) -> Iterator[Diagnostic]:
    """Yield what is wrong with the order and the lanes of a plan (E303, E304, E311)."""
    if not plan.steps:
        yield from _problems_of_default(node, plan)
        return
    steps = _named(node, plan.steps)
    if steps is None:
        message = f"node '{node.name}' has no order of iterations '{plan.steps}'"
        names = ", ".join(f"'{n}'" for n in (*(s.name for s in steps_of(node)), WRITTEN))
        yield Diagnostic("E311", message, node.loc, f"choose one of {names}")
        return
    names = [loop.name for loop in steps.loops]
    yield from loop_problems(node, plan, names)
    if has_all_factors(plan, names):
        yield from _lane_problems(node, plan, steps)


def _problems_of_default(node: SequentialNode, plan: NodePlan) -> Iterator[Diagnostic]:
    names = [loop.name for loop in node.loops]
    if plan.order != tuple(names) or plan.lanes != 1:
        message = f"node '{node.name}' is sequential: its plan names no order of iterations, so "
        yield Diagnostic("E311", f"{message}its loops stay as they are, not unrolled", node.loc)


def _lane_problems(node: SequentialNode, plan: NodePlan, steps: Steps) -> Iterator[Diagnostic]:
    laned = {*steps.laned}
    in_order = [loop.name for loop in steps.loops if loop.name not in laned]
    if [name for name in plan.order if name in {*in_order}] != in_order:
        message = f"loops {', '.join(in_order)} of node '{node.name}' run in order: none can "
        yield Diagnostic("E311", f"{message}change places with another", node.loc)
    for loop in steps.loops:
        if plan.factors[loop.name] == 1:
            continue
        if loop.name in laned:
            yield from factor_problems(node, plan, loop.name, loop.trip_count)
        else:
            message = f"loop {loop.name} of node '{node.name}' runs in order: it can't be unrolled"
            yield Diagnostic("E311", message, node.loc)
