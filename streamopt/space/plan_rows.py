"""Rows of a sequential node: whole plans, which couple with nothing.

It takes its arrays as wholes and hands them over as wholes, so only its run and its resources
reach the rest of the problem.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streamopt.ir.graph import Edge, SequentialNode
from streamopt.perf.costs import OpenPlans, Setting
from streamopt.space.decisions import DecisionSpace
from streamopt.space.dominance import minimal
from streamopt.space.row_values import NodeRows, Times
from streamopt.space.usage import RowUsage

Integers = npt.NDArray[np.int64]

DSPS, CYCLES, LUTS = range(3)
"""Columns of costs."""


def plan_rows(
    space: DecisionSpace,
    node: SequentialNode,
    channels: tuple[Sequence[Edge], Sequence[Edge]],
    most_dsps: int,
    *,
    prune: bool,
) -> NodeRows | None:
    """Return the rows of a sequential node; None if no plan is within the limits.

    Parameters
    ----------
    channels
        To it and from it.
    most_dsps
        That the other nodes leave it.
    """
    setting = Setting.of(space.graph, node, *channels)
    wanted = open_plans(space, node, most_dsps)
    plans = space.costs.plans(space.graph, node, wanted)
    costs = [space.costs.plan_cost(space.graph, node, plan) for plan in plans]
    columns = np.array([(c.dsps, c.timing.last_write, c.luts) for c in costs], dtype=np.int64)
    fits = columns[:, DSPS] <= most_dsps
    if space.horizon_cycles is not None:
        fits &= columns[:, CYCLES] <= space.horizon_cycles
    if space.lut_limit is not None:
        fits &= columns[:, LUTS] <= space.lut_limit
    places: Integers = np.flatnonzero(fits)
    if not places.size:
        return None
    if prune:
        compared = columns[places, : LUTS + (space.lut_limit is not None)]
        places = places[np.sort(minimal(np.zeros(len(places), dtype=np.int64), compared))]
    each: list[int] = places.tolist()
    kept = [plans[place] for place in each]
    used = [DSPS] if space.lut_limit is None else [DSPS, LUTS]
    first = np.full(len(kept), columns[0, CYCLES])
    return NodeRows(
        node=node.name,
        orders=tuple(plan.order for plan in kept),
        factors=tuple(tuple(plan.factors.values()) for plan in kept),
        bindings=tuple(plan.binding for plan in kept),
        times=_whole(setting, columns[places, CYCLES]),
        streams={},
        untiled=_whole(setting, first) if space.level.untiled_first else None,
        usage=RowUsage(columns[places][:, used]),
        plans=tuple(kept),
    )


def open_plans(space: DecisionSpace, node: SequentialNode, most_dsps: int) -> OpenPlans:
    """Return which plans of a node are of interest in a space."""
    bindings = space.bindings.get(node.name, ((),))
    has_lanes = space.level.unrolls_sequential
    return OpenPlans(most_dsps, space.lut_limit, has_lanes=has_lanes, bindings=bindings)


def _whole(setting: Setting, cycles: Integers) -> Times:
    """Return times of a node that reads before it begins, and writes when it ends."""
    return Times(cycles, cycles, dict.fromkeys(setting.operands, np.zeros_like(cycles)))
