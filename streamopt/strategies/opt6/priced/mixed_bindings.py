"""Bindings of a schedule's nodes that take DSPs and LUTs in the shares of both limits: (O36).

At a price of LUTs nodes choose alike: a little below the price at which one kind of unit costs as
much in LUTs as in DSPs all of them are of LUTs, and a little above none is, so that one limit is
short and the other is left over. What no price can tell is which nodes are of which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import Binding, NodePlan, Schedule
from streamopt.perf.costs import CostModel
from streamopt.space.assemble import node_costs

SECONDS = 2.0
"""For one choice, which takes milliseconds."""
NEAR = 1e-3
"""Gap at which a choice is as good as the best."""
SLOWER = 0.01
"""Weight of the cycles that all nodes take together against the share of a limit."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A node bound in one way, and its cost."""

    node: str
    binding: Binding
    dsps: int
    luts: int
    cycles: int


def with_mixed_bindings(
    graph: Graph,
    schedule: Schedule,
    bindings: Mapping[str, Sequence[Binding]],
    costs: CostModel,
    limits: tuple[int, int],
) -> Schedule:
    """Return a schedule with the bindings that take the least share of a limit.

    Parameters
    ----------
    bindings
        By node, what its operators may be built from; other nodes and sequential ones stay.
    limits
        The DSPs and LUTs of all rows.
    """
    ways = _ways(graph, schedule, bindings, costs)
    nodes = {way.node for way in ways}
    if len(nodes) == len(ways):
        return schedule
    chosen = {way.node: way.binding for way in _of_least_share(ways, limits)}
    plans = (replace(plan, binding=chosen[plan.node]) if plan.node in chosen else plan
             for plan in schedule.nodes)  # fmt: skip
    return replace(schedule, nodes=tuple(plans))


def _ways(
    graph: Graph,
    schedule: Schedule,
    bindings: Mapping[str, Sequence[Binding]],
    costs: CostModel,
) -> list[_Way]:
    """Return every node in its own way, and with the other bindings at the same interval."""
    sequential = {node.name for node in graph.nodes if isinstance(node, SequentialNode)}

    def choices(plan: NodePlan) -> list[Binding]:
        others = () if plan.node in sequential else bindings.get(plan.node, ())
        return list(dict.fromkeys((plan.binding, *others)))

    every = {plan.node: choices(plan) for plan in schedule.nodes}
    known: dict[str, list[_Way]] = {name: [] for name in every}
    for at in range(max(map(len, every.values()), default=0)):
        plans = tuple(
            replace(plan, binding=every[plan.node][min(at, len(every[plan.node]) - 1)])
            for plan in schedule.nodes
        )
        found = node_costs(graph, replace(schedule, nodes=plans), costs)
        for plan in plans:
            if at < len(every[plan.node]):
                cost = found[plan.node]
                cycles = cost.timing.last_write
                own = _Way(plan.node, plan.binding, cost.dsps, cost.luts, cycles)
                known[plan.node].append(own)
    return [way for own in known.values() for way in own]


def _of_least_share(ways: Sequence[_Way], limits: tuple[int, int]) -> list[_Way]:
    """Return a way of each node such that the larger share of both limits is least."""
    import scipy.optimize

    optimize: Any = scipy.optimize

    names = list(dict.fromkeys(way.node for way in ways))
    count = len(ways)
    one = np.array([[float(way.node == name) for way in ways] for name in names])
    used = [[way.dsps for way in ways], [way.luts for way in ways]]
    share = np.array(used, dtype=np.float64) / np.maximum(1, limits)[:, None]
    cycles = np.array([way.cycles for way in ways], dtype=np.float64)
    objective: npt.NDArray[np.float64] = np.append(SLOWER * cycles / max(1.0, cycles.sum()), 1.0)
    found: Any = optimize.milp(
        objective,
        integrality=np.append(np.ones(count), 0.0),
        bounds=optimize.Bounds(0.0, np.append(np.ones(count), np.inf)),
        constraints=[
            optimize.LinearConstraint(np.hstack([one, np.zeros((len(names), 1))]), 1.0, 1.0),
            optimize.LinearConstraint(np.hstack([share, -np.ones((2, 1))]), -np.inf, 0.0),
        ],
        options={"time_limit": SECONDS, "mip_rel_gap": NEAR},
    )
    if found.x is None:
        return []
    return [way for way, value in zip(ways, found.x[:count], strict=True) if value > 0.5]
