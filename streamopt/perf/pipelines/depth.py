"""Iteration latency of a pipeline: the longest path from its reads to its writes.

In cycles of the schedule, from measured iteration latencies of the published Stream-HLS designs
(Vitis HLS 2023.2, xcu280 at 3.33 ns):

- a stream is read in the first cycle, and an operator may use its value in the next; memory brings
  a value in the second cycle, in the third if its address is a sum, in the fifth if it is a
  product, ten later if it is a quotient that is divided, not counted;
- an operator with registers takes its latency and one cycle more (fadd 7, fmul 4, exp 14), one
  without none;
- a tree over ``r`` lanes has ``ceil(log2(r))`` operators on the path, and the recurrence one more;
  a chain has ``r``, and a sum that the tool may reassociate ``ceil(log2(r + 1))``;
- adders in a recurrence that has no time for more take 5 cycles, those of the fabric, as all do
  where the design asks for it;
- the operands of a sum that is not in such haste come in the fourth cycle at the earliest;
- a write takes one cycle, when value and address are there;
- a pipeline that waits for ports spreads an iteration over ``II - 1`` cycles more;
- a word off the chip passes a FIFO between the process that bursts and the one that unpacks, two
  cycles (an estimate: no published design has a port), and one that is read comes after the latency
  of its channel;
- where unroll factors don't divide trip counts, one cycle more tells the lanes of the last tiles
  whether they have an iteration (an estimate: no published design does so).

In our own Verilog nothing but operators and memories outside of a process takes a cycle: streams
are there after one, those memories' words after two, and an operator takes its registers. What is
said here of it is what a choice takes at least, before it is scheduled.

A copy from stream to memory so takes 2, a bias 10, bias and ReLU 12, ``exp(x - max)`` 24, a
multiply-accumulate 16, one of four terms 22 in haste and 30 else.
"""

from collections.abc import Mapping, Sequence
from math import prod

from streamopt.analysis.addresses.bank_padding import bank_extents
from streamopt.analysis.addresses.signed_digits import MOST_ADDED, signed_digits
from streamopt.analysis.digits import is_counted
from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.network import (
    AccessMode,
    Implementation,
    Memory,
    Operation,
    Pipeline,
    Place,
    Port,
)
from streamopt.perf.pipelines.bandwidth import first_word_cycles
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import Recurrence
from streamopt.target.device import Target

PARTIAL_TILE_CYCLES = 1
"""By which an iteration with lanes that may have none of their own is longer."""

_ADDED_ADDRESS_CYCLES = 1
_MULTIPLIED_ADDRESS_CYCLES = 3
_DIVIDED_ADDRESS_CYCLES = 10
_MEMORY_CYCLES = 2
_REGISTERED_CYCLES = 2
_WORD_CYCLES = 2
_SUMMED_CYCLES = 4


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
    schedule = _ValueTimes(pipeline, memories, updates, target)
    written = max((schedule.write_cycle(port) for port in schedule.writes), default=0)
    partial = partial_tile_cycles(target) if pipeline.partial_tiles else 0
    return max(1, written) + port_ii - 1 + partial


def partial_tile_cycles(target: Target) -> int:
    """Return by how much an iteration with lanes that may have none of their own is longer."""
    return 0 if target.is_open else PARTIAL_TILE_CYCLES


class _ValueTimes:
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
        self._lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
        self._counts_digits = pipeline.counts_digits
        self._makers = {operation.result: operation for operation in built_operations(pipeline)}
        self._reads = {
            p.value: (n, p) for n, p in enumerate(pipeline.ports) if p not in self.writes
        }
        self._ports = pipeline.ports
        self._updates = {update.operations[-1].result: update for update in updates}
        self._ready: dict[str, int] = {}
        waits = any(self._waits_for_operands(update) for update in updates)
        self._operands_cycles = _SUMMED_CYCLES if waits else _REGISTERED_CYCLES
        if target.is_open:
            self._operands_cycles = 0

    def write_cycle(self, port: Port) -> int:
        """Return the cycle in which a write happens."""
        memory = self._memories.get(port.target)
        words = 0 if memory is None or memory.place is not Place.OFF_CHIP else _WORD_CYCLES
        return max(self._value(port.value), self._address(port)) + 1 + words

    def _value(self, name: str) -> int:
        if name not in self._ready:
            self._ready[name] = self._made(name)
        return self._ready[name]

    def _made(self, name: str) -> int:
        if name in self._makers:
            operation = self._makers[name]
            begin = max(map(self._value, operation.operands), default=0)
            stages = self._stages(operation)
            return max(begin, self._operands_cycles) + stages if stages else begin
        if name not in self._reads:
            return 0
        place, port = self._reads[name]
        if port.target not in self._memories:
            return 1
        memory = self._memories[port.target]
        fetched = self._address(port) + _MEMORY_CYCLES
        if self._target.is_open and memory.place is Place.LOCAL:
            fetched = 0
        if memory.place is Place.OFF_CHIP:
            fetched += _WORD_CYCLES + first_word_cycles(memory.channels, self._target)
        for written in reversed(self._ports[:place]):
            if written.mode is AccessMode.WRITE and written.target == port.target:
                if written.subscripts != port.subscripts:
                    continue
                forwarded = self._value(written.value)
                return forwarded if written.guard is None else max(fetched, forwarded)
        return fetched

    def _address(self, port: Port) -> int:
        """Return the cycles until the address of an access is known."""
        memory = self._memories.get(port.target)
        if memory is None or self._target.is_open:
            return 0
        extents = bank_extents(memory)
        moving = [bool(subscript.terms) for subscript in port.subscripts]
        digits = [signed_digits(e) for place, e in enumerate(extents) if any(moving[:place])]
        divided = [s for s in port.subscripts if not (self._counts_digits and is_counted(s))]
        cycles = _DIVIDED_ADDRESS_CYCLES * any(map(_divides, divided))
        if any(count > MOST_ADDED for count in digits):
            return cycles + _MULTIPLIED_ADDRESS_CYCLES
        return cycles + _ADDED_ADDRESS_CYCLES * any(count > 1 for count in digits)

    def _stages(self, operation: Operation) -> int:
        """Return the cycles from operands to result."""
        update = self._updates.get(operation.result)
        one = self._stages_of(operation, operation.implementation)
        if update is None:
            terms = prod(self._lanes.get(name, 1) for name in operation.over)
            return one * (levels(terms) if operation.over else 1)
        chained = self._chained_in_fabric(update)
        in_fabric = self._stages_of(operation, Implementation.FABRIC) if chained else one
        if not update.reassociates:
            return in_fabric * update.terms
        if not update.adds:
            return one
        before = max(update.terms.bit_length() - chained, _levels_before(update) if chained else 0)
        return one * before + chained * in_fabric

    def _waits_for_operands(self, update: Recurrence) -> bool:
        """Return whether operands wait for the sum's place: not if all its adders are hurried."""
        chained = self._chained_in_fabric(update)
        return update.is_sum and (update.terms == 1 or chained < update.terms.bit_length())

    def _chained_in_fabric(self, update: Recurrence) -> int:
        """Return the additions of a recurrence that has no time for more than fabric adders."""
        if update.distance is None or not update.is_sum:
            return 0
        last = update.operations[-1]
        if last.implementation not in (None, Implementation.FABRIC):
            return 0
        needed = update.round_trip_cycles(self._latency(last, None), self._target)
        return update.chained_additions if needed > update.distance else 0

    def _stages_of(self, operation: Operation, implementation: Implementation | None) -> int:
        """Return the cycles of one operator; the tool has a register behind each."""
        latency = self._latency(operation, implementation)
        return latency + 1 if latency and not self._target.is_open else latency

    def _latency(self, operation: Operation, implementation: Implementation | None) -> int:
        cost = self._target.operator(operation.operator, operation.element, implementation)
        return cost.latency_cycles


def levels(terms: int) -> int:
    """Return the operators on the way through a balanced tree."""
    return (terms - 1).bit_length()


def _levels_before(update: Recurrence) -> int:
    """Return the additions before those of a tight recurrence: none that are seen for few terms.

    The published designs with 9 and more terms have one more level than a balanced tree, two
    where the next iteration needs the sum.
    """
    if update.terms <= 8:
        return 0
    return 2 if update.distance == 1 else 1


def _divides(subscript: Affine) -> bool:
    for atom, _ in subscript.terms:
        match atom:
            case Iter():
                pass
            case FloorDiv(value, divisor) | Mod(value, divisor):
                if divisor & (divisor - 1) or _divides(value):
                    return True
    return False
