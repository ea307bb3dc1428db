"""Which adders are built from LUTs unasked: those on a recurrence too tight for DSP slices.

Evidence: 292 nodes of the published Stream-HLS designs on PolyBench and chains of matrix products
(Vitis HLS 2023.2, xcu280, 3.33 ns), 4971 of whose 19393 adders have no DSP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.perf.pipelines.recurrence import ROUND_TRIP_CYCLES, recurrences

if TYPE_CHECKING:
    from streamopt.ir.network import Pipeline, PipelineTiming
    from streamopt.perf.pipelines.recurrence import Recurrence
    from streamopt.perf.resources.operators import Replicas
    from streamopt.target.device import Target

__all__ = [
    "fabric_adders",
    "leaves_one_addition",
    "needed_cycles",
    "sharing_cycles",
    "short_adders",
]


def fabric_adders(
    pipeline: Pipeline, replicas: Replicas, timing: PipelineTiming, target: Target
) -> int:
    """Return how many of an operation's replicas the tool makes adders without DSPs, unasked.

    A recurrence has ``ii * distance`` cycles. Where its additions don't fit with the adder that
    the table has first (6 cycles each at 3.33 ns, and 2 for the memory), Vitis HLS takes the
    shorter adder of LUTs for each of them; additions off the recurrence keep their DSPs. So it
    is in 279 of the 292 nodes; in all, 79 adders of 4971 are taken for the wrong kind.
    """
    operation = replicas.operation
    if operation.implementation is not None:
        return 0
    usual = target.operator(operation.operator, operation.element)
    if usual.dsps == 0:
        return 0
    for update in recurrences(pipeline):
        if not update.is_sum or update.distance is None or operation not in update.operations:
            continue
        if needed_cycles(update, usual.latency_cycles) > timing.ii * update.distance:
            return replicas.count // update.terms * short_adders(update)
    return 0


def sharing_cycles(pipeline: Pipeline, timing: PipelineTiming) -> int:
    """Return over how many cycles of the II operations are spread, and so share units.

    All of them, but in one case, observed and not explained: where a recurrence of distance 1
    sets the II and leaves one addition of each element off it (four terms, II 12), operations
    are found in half of the cycles (64 multiplications in 11 units instead of 6; 22 nodes of the
    published matrix chains).
    """
    for update in recurrences(pipeline):
        follows = update.is_sum and update.distance == 1
        if follows and timing.ii > 1 and leaves_one_addition(update):
            return timing.ii // 2
    return timing.ii


def needed_cycles(update: Recurrence, latency_cycles: int) -> int:
    """Return the cycles that a sum needs from one update of an element to the next.

    Parameters
    ----------
    latency_cycles
        Of the adder that the tool would take.
    """
    return update.chained_additions * latency_cycles + ROUND_TRIP_CYCLES


def short_adders(update: Recurrence) -> int:
    """Return the adders of LUTs of each element of a tight sum: those in a chain.

    Four for five to seven terms. Measured: 1 of 1 and 2, 3 of 4 and 8, 3.9 of 5, 3.7 of 7, 4 of
    10 to 25 terms.
    """
    in_chain = 4 if 4 < update.terms < 8 else update.chained_additions
    return min(in_chain, update.terms)


def leaves_one_addition(update: Recurrence) -> bool:
    """Return whether all additions of an element but one are in a chain of several."""
    return 1 < update.chained_additions == update.terms - 1
