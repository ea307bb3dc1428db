"""Where a design will hardly reach its clock: sums whose recurrence is too short for their tree.

Where the tool may reassociate a sum, it moves additions onto the recurrence and squeezes them into
too few cycles by chaining logic without registers. Evidence: the clock estimates of 182 pipelines
that accumulate, in 61 published Stream-HLS designs on PolyBench and chains of matrix products
(Vitis HLS 2023.2, xcu280, 3.33 ns with 0.90 ns uncertainty).

A sum of ours has one adder on its recurrence, and an II with time for its registers; its tree has
registers too and waits for nothing. That is the published sum of one term an iteration, which is
not among those at risk; of these others 2 of 103 miss the clock. So no sum of a design that
streamopt lowers is at risk. Whether the wires of a full region keep the clock is not said here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from streamopt.ir.network import Network, PipelineTiming
from streamopt.perf.pipelines.recurrence import ROUND_TRIP_CYCLES, recurrences
from streamopt.target.device import Target

_MOST_HARMLESS_TERMS = 2


@dataclass(frozen=True, slots=True)
class ClockRisk:
    """A sum that has less time than its additions need."""

    pipeline: str
    memory: str
    """The memory of its partial sums."""
    terms: int
    """Terms that an iteration adds to an element."""
    # given_cycles, needed_cycles: time between two updates of an element, and what a tree of
    # registered adders takes
    given_cycles: int
    needed_cycles: int

    @property
    def problem(self) -> str:
        """Return the problem in words."""
        return (
            f"{self.pipeline} adds {self.terms} terms to an element of {self.memory} every "
            f"{self.given_cycles} cycles, and a tree of adders takes {self.needed_cycles}"
        )

    @property
    def remedy(self) -> str:
        """Return the change that avoids it."""
        return "put more iterations between, or unroll less of the reduction"

    def __str__(self) -> str:
        """Return the problem and its remedy, in words."""
        return f"{self.problem}: {self.remedy}"


def clock_risks(
    network: Network, timings: Mapping[str, PipelineTiming], target: Target
) -> tuple[ClockRisk, ...]:
    """Return the sums that put the clock at risk; none that the tool must add as they are written.

    A sum of ``r`` terms an iteration is at risk where ``ii * distance`` is below
    ``(latency + 1) * ceil(log2(r + 1)) + 2``, with the latency of the adder that the design asks
    for, else of the table's first; one or two terms never are. Of the 182 published sums 79 are
    said to be at risk, of which 69 miss 3.33 ns by 0.2 to 1.6 ns, as do 2 of the other 103.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an addition.
    """
    found: dict[tuple[str, str], ClockRisk] = {}
    for pipeline in network.pipelines:
        if not pipeline.reassociates:
            continue
        for update in recurrences(pipeline):
            if not update.is_sum or update.distance is None:
                continue
            last = update.operations[-1]
            adder = target.operator(last.operator, last.element, last.implementation)
            stages = adder.latency_cycles + 1
            needed_cycles = stages * update.terms.bit_length() + ROUND_TRIP_CYCLES
            given_cycles = timings[pipeline.name].ii * update.distance
            if update.terms > _MOST_HARMLESS_TERMS and given_cycles < needed_cycles:
                found[pipeline.name, update.target] = ClockRisk(
                    pipeline.name, update.target, update.terms, given_cycles, needed_cycles
                )
    return tuple(found.values())
