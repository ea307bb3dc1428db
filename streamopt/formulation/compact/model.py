"""Builds the compact program and reads schedules back from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.formulation.compact import families
from streamopt.formulation.compact.variables import Compact, add_variables
from streamopt.formulation.tags import new_model, pyo
from streamopt.space.assemble import assemble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.schedule import Schedule
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows

__all__ = ["build", "read_back"]


def build(
    space: DecisionSpace,
    rows: Mapping[str, NodeRows],
    *,
    horizon_cycles: int,
    untiled_limit_cycles: int | None = None,
) -> Compact:
    """Return the compact program: minimise the latency in cycles.

    Parameters
    ----------
    rows
        What each node may be.
    horizon_cycles
        Bound of all times: schedules with a higher latency are left out.
    untiled_limit_cycles
        Level opt4: the least latency of any loop orders without tiles.
    """
    compact = add_variables(new_model(space.graph.name), space, rows, horizon_cycles)
    families.row_choice(compact)
    families.tile_coupling(compact)
    families.dsp_budget(compact)
    families.fifo_order(compact)
    families.latency(compact)
    if untiled_limit_cycles is not None:
        families.untiled_latency(compact, untiled_limit_cycles)
    model = compact.formulation.model
    model.objective = pyo.Objective(expr=model.latency, sense=pyo.minimize)
    return compact


def read_back(compact: Compact, values: Mapping[str, float]) -> Schedule:
    """Return the schedule of a solution, given by variable name."""
    orders: dict[str, tuple[str, ...]] = {}
    factors: dict[str, tuple[int, ...]] = {}
    for node, choices in compact.row.items():
        chosen = max(range(len(choices)), key=lambda r: values[choices[r].name])
        orders[node] = compact.rows[node].orders[chosen]
        factors[node] = compact.rows[node].factors[chosen]
    return assemble(compact.space.graph, orders, factors)
