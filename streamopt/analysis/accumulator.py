"""The one operator on the recurrence of a reduction, and the parts that it is built from.

The terms of an iteration are combined by a tree, so that a partial value waits for one operator
whatever the number of terms. An adder of DSP slices takes 6 cycles for a float at 3.33 ns and one
of LUTs 4: where an element comes again after few iterations and nothing is asked for, the adder is
asked to be of LUTs, and II is 4 where it would be 6. Vitis HLS 2023.2 chooses the same unasked in
all published Stream-HLS designs of one term an iteration; saying it leaves nothing to the tool.
"""

from typing import Any

from streamopt.ir.element import ElementType
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import Binding, bound_implementation
from streamopt.ir.scheduled import ScheduledNode

SLACK_ITERATIONS = {ElementType.FLOAT: 8, ElementType.HALF: 8, ElementType.DOUBLE: 9}
"""Distance from which an adder of DSP slices keeps II 1: its latency at 3.33 ns, and 2 cycles
for the memory between two updates."""


def update_distance(scheduled: ScheduledNode) -> int:
    """Return the iterations between two updates of an element; 0 where none comes twice."""
    inside = 1
    for loop in reversed(scheduled.loops):
        if loop.tiles > 1 and loop.name in scheduled.node.reduction_loops:
            return inside
        inside *= loop.tiles
    return 0


def is_hurried(operator: Operator, element: ElementType, distances: Any) -> Any:
    """Return whether an adder of DSP slices would be too slow for a recurrence.

    Parameters
    ----------
    distances
        Iterations between two updates: an integer, or an array of one entry a schedule; 0 for none.
    """
    slack = SLACK_ITERATIONS.get(element, 0) if operator is Operator.ADD else 0
    return (distances > 0) & (distances < slack)


def accumulator(
    binding: Binding, operator: Operator, element: ElementType, distance: int
) -> Implementation | None:
    """Return the parts of the operator on a recurrence; None for the tool's choice."""
    asked = bound_implementation(binding, operator, element)
    hurried = asked is None and is_hurried(operator, element, distance)
    return Implementation.FABRIC if hurried else asked
