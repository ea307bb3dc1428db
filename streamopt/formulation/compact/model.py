"""Builds the compact program and reads schedules back from it."""

from collections.abc import Mapping
from typing import Any

from streamopt.formulation.compact import families
from streamopt.formulation.compact.variables import Compact, add_variables
from streamopt.formulation.tags import new_model, pyo
from streamopt.ir.schedule import Schedule
from streamopt.space.assemble import assemble_rows
from streamopt.space.decisions import DecisionSpace
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps, Objective
from streamopt.space.row_values import NodeRows

LATENCY = Latency()


def build(
    space: DecisionSpace,
    rows: Mapping[str, NodeRows],
    *,
    horizon_cycles: int,
    untiled_limit_cycles: int | None = None,
    objective: Objective = LATENCY,
) -> Compact:
    """Return the compact program: minimise the latency, the interval, or the DSPs.

    Parameters
    ----------
    rows
        What each node may be.
    horizon_cycles
        Bound of all times: schedules with a higher latency are left out. For the interval it
        bounds that alone, as the latency is not asked.
    untiled_limit_cycles
        Level opt4: the least latency of any loop orders without tiles.
    objective
        Of two objectives, the second: the horizon keeps the first.
    """
    compact = add_variables(new_model(space.graph.name), space, rows, horizon_cycles)
    families.row_choice(compact)
    families.tile_coupling(compact)
    families.budgets(compact)
    families.fifo_order(compact)
    if isinstance(objective, Interval):
        families.interval(compact)
    else:
        families.latency(compact)
    if untiled_limit_cycles is not None:
        families.untiled_latency(compact, untiled_limit_cycles)
    model = compact.formulation.model
    model.objective = pyo.Objective(expr=_least(compact, objective), sense=pyo.minimize)
    return compact


def _least(compact: Compact, objective: Objective) -> Any:
    model = compact.formulation.model
    match objective:
        case Latency():
            return model.latency
        case Interval():
            return model.interval
        case FewestDsps() | LatencyThenDsps():
            return sum(compact.over_rows(name, rows.dsps) for name, rows in compact.rows.items())


def read_back(compact: Compact, values: Mapping[str, float]) -> Schedule:
    """Return the schedule of a solution, given by variable name."""
    chosen = {
        node: max(range(len(choices)), key=lambda r: values[choices[r].name])
        for node, choices in compact.row.items()
    }
    return assemble_rows(compact.space.graph, compact.rows, chosen)
