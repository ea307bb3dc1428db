"""Schedules of quick choices: node after node takes a row, at rising horizons."""

from collections.abc import Callable, Iterable
from itertools import product

from streamopt.ir.schedule import Schedule
from streamopt.space.assemble import evaluate, violations
from streamopt.space.decisions import DecisionSpace
from streamopt.space.horizon import HorizonFilter

DIVE_STEPS = (1.05, 1.2, 1.6, 2.5, 5.0, 20.0)
"""Horizons to try, as multiples of a lower bound."""


def dive(
    space: DecisionSpace,
    filtered: HorizonFilter,
    horizons: Iterable[int],
    is_wanted: Callable[[Schedule, int], bool],
) -> tuple[Schedule, int] | None:
    """Return the first legal schedule that is wanted, with its latency in cycles; None for none.

    Parameters
    ----------
    horizons
        Latencies within which the choices are made, in the order to try them.
    is_wanted
        Asked about schedules with their latencies.
    """
    for horizon, few_lanes in product(horizons, (False, True)):
        chosen = filtered.dive(horizon, few_lanes=few_lanes)
        if chosen is None:
            continue
        schedule = filtered.schedule(chosen)
        cycles = evaluate(space.graph, schedule, space.costs).latency_cycles
        if is_wanted(schedule, cycles) and not violations(space, schedule):
            return schedule, cycles
    return None
