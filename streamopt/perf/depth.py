"""Iteration latency of a pipeline: the longest path from its reads to its writes.

In cycles of the schedule, from measured iteration latencies of the published Stream-HLS designs
(Vitis HLS 2023.2, xcu280 at 3.33 ns):

- a stream is read in the first cycle; memory brings a value in the second;
- an operator with registers takes its latency and one cycle more (fadd 7, fmul 4, exp 14), one
  without none;
- a sum of ``r`` terms an iteration is a tree of ``ceil(log2(r + 1))`` additions on the path;
  adders in a recurrence that has no time for more take 5 cycles, those of the fabric;
- a write takes one cycle, one more is passed between operators and it, another behind a sum
  (unless all its adders are of the fabric);
- an address that needs a multiplier comes two cycles later, a division ten;
- a pipeline that waits for ports spreads an iteration over ``II - 1`` cycles more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import FloorDiv, Iter, Mod
from streamopt.ir.network import AccessMode, Operator
from streamopt.perf.constant_folding import built_operations
from streamopt.perf.recurrence import ROUND_TRIP_CYCLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.network import Memory, Operation, Pipeline, Port
    from streamopt.perf.recurrence import Recurrence
    from streamopt.target.device import Target

__all__ = ["depth_cycles"]

_MULTIPLIED_ADDRESS_CYCLES = 2
_DIVIDED_ADDRESS_CYCLES = 10


def depth_cycles(
    pipeline: Pipeline,
    memories: Mapping[str, Memory],
    updates: Sequence[Recurrence],
    port_ii: int,
    target: Target,
) -> int:
    """Return the cycles of one iteration (Vitis' "iteration latency"); at least 1.

    Parameters
    ----------
    updates
        The recurrences of the pipeline.
    port_ii
        The interval that its ports ask for, in cycles.
    """
    schedule = _Schedule(pipeline, memories, updates, target)
    written = max((schedule.write_cycle(port) for port in schedule.writes), default=0)
    return max(1, written + schedule.slack_cycles) + port_ii - 1


class _Schedule:
    """Cycles after which the values of one iteration are there."""

    def __init__(
        self,
        pipeline: Pipeline,
        memories: Mapping[str, Memory],
        updates: Sequence[Recurrence],
        target: Target,
    ) -> None:
        self.writes = [port for port in pipeline.ports if port.mode is AccessMode.WRITE]
        self._memories = memories
        self._target = target
        self._makers = {operation.result: operation for operation in built_operations(pipeline)}
        self._reads = {
            p.value: (n, p) for n, p in enumerate(pipeline.ports) if p not in self.writes
        }
        self._ports = pipeline.ports
        self._sums = {update.operations[-1].result: update for update in updates if update.adds}
        self._ready: dict[str, int] = {}

    @property
    def slack_cycles(self) -> int:
        """Return the cycles that are passed beside the path."""
        slack = 1 if any(self._stages(made) for made in self._makers.values()) else 0
        sums = [update for update in self._sums.values() if update.is_sum]
        slow = any(self._fabric_levels(update) < _levels(update) for update in sums)
        alone = any(update.terms == 1 for update in sums)
        return slack + 1 if slow or alone else slack if not sums else 0

    def write_cycle(self, port: Port) -> int:
        """Return the cycle in which a write happens."""
        return max(self._value(port.value), self._address(port)) + 1

    def _value(self, name: str) -> int:
        if name not in self._ready:
            self._ready[name] = self._made(name)
        return self._ready[name]

    def _made(self, name: str) -> int:
        if name in self._makers:
            operation = self._makers[name]
            begin = max(map(self._value, operation.operands), default=0)
            return begin + self._stages(operation)
        if name not in self._reads:
            return 0
        place, port = self._reads[name]
        if port.target not in self._memories:
            return 1
        fetched = self._address(port) + 1
        for written in reversed(self._ports[:place]):
            if written.mode is AccessMode.WRITE and written.target == port.target:
                if written.subscripts != port.subscripts:
                    continue
                forwarded = self._value(written.value)
                return forwarded if written.guard is None else max(fetched, forwarded)
        return fetched

    def _address(self, port: Port) -> int:
        """Return the cycle in which the address of an access is known."""
        memory = self._memories.get(port.target)
        if memory is None:
            return 1
        extents = [-(-e // f) for e, f in zip(memory.shape, memory.factors, strict=True)]
        moving = [bool(subscript.terms) for subscript in port.subscripts]
        multiplied = any(
            any(moving[:place]) and _signed_digits(extent) > 2
            for place, extent in enumerate(extents)
        )
        divided = any(_divides(subscript) for subscript in port.subscripts)
        late = _MULTIPLIED_ADDRESS_CYCLES * multiplied + _DIVIDED_ADDRESS_CYCLES * divided
        return 1 + late

    def _stages(self, operation: Operation) -> int:
        update = self._sums.get(operation.result)
        adder = self._latency(operation, None)
        if update is None or not update.is_sum:
            stages = adder + 1 if adder else 0
            return stages if update is None else stages * _levels(update)
        fabric = self._fabric_levels(update)
        return fabric * (self._latency(operation, "fabric") + 1) + (_levels(update) - fabric) * (
            adder + 1
        )

    def _fabric_levels(self, update: Recurrence) -> int:
        """Return the additions on the path that the recurrence leaves only fabric adders for."""
        if update.distance is None:
            return 0
        last = update.operations[-1]
        chained = update.chained_additions
        there_and_back = chained * self._latency(last, None) + ROUND_TRIP_CYCLES
        return chained if there_and_back > update.distance else 0

    def _latency(self, operation: Operation, implementation: str | None) -> int:
        operator = Operator.ADD if implementation else operation.operator
        return self._target.operator(operator, operation.element, implementation).latency_cycles


def _levels(update: Recurrence) -> int:
    """Return the additions on the longest path through a sum."""
    levels = update.terms.bit_length()
    if update.is_sum and update.distance == 1:
        # The published designs with 9 and more terms take two levels before the recurrence's.
        return max(levels, update.chained_additions + (2 if update.terms > 8 else 0))
    return levels


def _signed_digits(factor: int) -> int:
    """Return the additions and subtractions of shifts that make a factor (non-adjacent form)."""
    return (factor ^ (3 * factor)).bit_count()


def _divides(subscript: Affine) -> bool:
    for atom, _ in subscript.terms:
        match atom:
            case Iter():
                pass
            case FloorDiv(value, divisor) | Mod(value, divisor):
                if divisor & (divisor - 1) or _divides(value):
                    return True
    return False
