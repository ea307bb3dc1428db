"""From a scheduled node to its kernel: values get the first cycle in which they can be there."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, prod

from streamopt.analysis.accumulator import update_distance
from streamopt.analysis.operations import BEFORE
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal, all_of
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Operation,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
)
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.rtl.kernel.conditions import (
    ALWAYS,
    TileCondition,
    UnknownConditionError,
    iterators_in,
    over_tiles,
)
from streamopt.rtl.kernel.kernel import (
    FETCH_STAGE,
    STREAM_STAGE,
    Begun,
    Computed,
    Fetched,
    Kernel,
    KernelValue,
    LanesCombined,
    LocalWrite,
    Recalled,
    Received,
    Send,
)
from streamopt.rtl.kernel.places import (
    UnknownPlaceError,
    WordPlace,
    place_in_memory,
    place_in_streams,
)
from streamopt.rtl.kernel.refusals import check_network, refused
from streamopt.rtl.kernel.values import NoOperatorError, ValueList, combining
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.number_format import WholeFormat, format_of, plain
from streamopt.transforms.lower import lower

HURRIED_LEVELS = 4
"""Of an adder on a recurrence that has no time for more."""


def make_kernels(scheduled: ScheduledGraph, network: Network) -> tuple[Kernel, ...]:
    """Return the kernel of each process of a network, in order.

    Raises
    ------
    CodegenError
        E640 for all that there is no structure for.
    """
    check_network(network, scheduled)
    kernels: list[Kernel] = []
    for process, nodes in zip(network.processes, scheduled.processes, strict=True):
        if len(process.pipelines) != 1:
            raise refused(f"process {process.name} has several loop nests")
        kernels.append(_KernelMaker(nodes[0], process.pipelines[0], network).kernel())
    return tuple(kernels)


def kernel_timings(scheduled: ScheduledGraph) -> dict[str, PipelineTiming]:
    """Return the timing of each pipeline as RTL: the length of the schedule that is built.

    Raises
    ------
    CodegenError
        E640 for a design that can't be RTL.
    """
    kernels = make_kernels(scheduled, lower(scheduled))
    return {one.name: PipelineTiming(one.ii, one.depth_cycles) for one in kernels}


class _KernelMaker:
    """Makes one kernel; used once."""

    def __init__(self, scheduled: ScheduledNode, pipeline: Pipeline, network: Network) -> None:
        self._scheduled, self._pipeline = scheduled, pipeline
        self._memories = {memory.name: memory for memory in network.memories}
        self._fifos = {fifo.name: fifo for fifo in network.fifos}
        self._values = ValueList([loop.name for loop in pipeline.lanes])
        self._stores: list[LocalWrite] = []
        self._ports = {p.value: p for p in pipeline.ports if p.mode is AccessMode.READ}
        self._ii = max(1, pipeline.target_ii)

    def kernel(self) -> Kernel:
        """Return the kernel."""
        for operation in self._pipeline.operations:
            self._compute(operation)
        sends = [self._send(port) for port in self._pipeline.ports if self._leaves(port)]
        stages = [self._values[one.value].stage for one in (*sends, *self._stores)]
        depth = max([STREAM_STAGE, *stages]) + 1
        used = {store.memory for store in self._stores}
        return Kernel(
            self._pipeline.name,
            self._pipeline.tiles,
            self._pipeline.lanes,
            self._ii,
            depth,
            self._values.made,
            tuple(self._stores),
            tuple(sends),
            tuple(memory for name, memory in self._memories.items() if name in used),
        )

    def _leaves(self, port: Port) -> bool:
        is_local = port.target in self._memories and (
            self._memories[port.target].place is Place.LOCAL
        )
        return port.mode is AccessMode.WRITE and not is_local

    def _named(self, name: str, element: ElementType) -> KernelValue:
        """Return the value that an operand is, made where it wasn't yet.

        Parameters
        ----------
        element
            Of numbers that have no type of their own.
        """
        if name in self._values:
            return self._values[name]
        port = self._ports.get(name)
        if port is not None:
            return self._read(port)
        try:
            return self._values.number(float(name), element)
        except ValueError:
            raise refused(f"it computes with {name}", self._scheduled) from None

    def _read(self, port: Port) -> KernelValue:
        if port.target in self._fifos:
            fifo = self._fifos[port.target]
            place = self._place(port)
            when = self._when(port.guard, place)
            source = Received(fifo.name, place, when)
            form = plain(format_of(fifo.element))
            return self._values.put(port.value, form, place.lanes, STREAM_STAGE, source)
        memory = self._memories[port.target]
        place = self._place(port)
        if memory.place is Place.LOCAL:
            return self._recall(port, memory, place)
        source = Fetched(memory.name, place)
        form = plain(format_of(memory.element))
        return self._values.put(port.value, form, place.lanes, FETCH_STAGE, source)

    def _recall(self, port: Port, memory: Memory, place: WordPlace) -> KernelValue:
        """Read what an iteration keeps of a stream, in the cycle in which it would come."""
        writes = [
            other
            for other in self._pipeline.ports
            if other.target == memory.name and other.mode is AccessMode.WRITE
        ]
        if len(writes) != 1 or writes[0].subscripts != port.subscripts:
            raise refused(f"{memory.name} is read elsewhere than written", self._scheduled)
        new = self._values.stored(self._named(writes[0].value, memory.element), memory.element)
        when = self._when(writes[0].guard, place)
        self._stores.append(LocalWrite(memory.name, place, new.name, when))
        source = Recalled(memory.name, place, new.name, when)
        return self._values.put(port.value, new.form, place.lanes, new.stage, source)

    def _compute(self, operation: Operation) -> None:
        try:
            if BEFORE in operation.operands and BEFORE in self._ports:
                self._accumulate(operation)
            elif operation.over:
                self._combine(operation)
            else:
                self._values.compute(operation, self._named)
        except NoOperatorError as problem:
            raise refused(str(problem), self._scheduled) from None

    def _combine(self, operation: Operation) -> None:
        """Combine the values of lanes to one, in a tree."""
        terms = self._named(operation.operands[0], operation.element)
        term, leaf = self._values.stored(terms, operation.element), combining(operation)
        lanes = tuple(name for name in term.lanes if name not in operation.over)
        trips = {loop.name: loop.trip_count for loop in self._pipeline.lanes}
        count = prod(trips[name] for name in operation.over)
        source = LanesCombined(leaf, term.name, operation.over)
        stage = term.stage + leaf.levels * (count - 1).bit_length()
        self._values.put(operation.result, term.form, lanes, stage, source)

    def _accumulate(self, operation: Operation) -> None:
        """Add to a partial value, in time for the iteration that needs it next."""
        port = self._ports[BEFORE]
        memory, place = self._memories[port.target], self._place(port)
        (name,) = (name for name in operation.operands if name != BEFORE)
        term = self._values.stored(self._named(name, operation.element), operation.element)
        leaf = combining(operation)
        distance = update_distance(self._scheduled)
        if distance * self._ii <= leaf.levels and leaf.levels > HURRIED_LEVELS:
            assert isinstance(leaf, FloatLeaf)
            leaf = replace(leaf, levels=HURRIED_LEVELS)
        self._ii = max(self._ii, -(-leaf.levels // distance))
        is_forwarded = distance * self._ii == leaf.levels
        new = operation.result if is_forwarded else ""
        source = Recalled(memory.name, place, new)
        self._values.put(BEFORE, term.form, place.lanes, term.stage, source)
        begun = self._begin(term, operation)
        names = tuple(begun if operand == BEFORE else term.name for operand in operation.operands)
        computed = Computed(leaf, names)
        if {*term.lanes} != {*place.lanes}:
            raise refused("lanes of a sum have no place in its partial values", self._scheduled)
        stage = term.stage + leaf.levels
        self._values.put(operation.result, term.form, place.lanes, stage, computed)
        self._stores.append(LocalWrite(memory.name, place, operation.result, ALWAYS))

    def _begin(self, term: KernelValue, operation: Operation) -> str:
        """Return the name of the partial value, or in first iterations of the start."""
        node = self._scheduled.node
        start = node.start
        if start is not None and not isinstance(start, Literal):
            raise refused("a sum starts with a value of an array", self._scheduled)
        assert node.reduction is not None
        number = node.reduction.identity if start is None else float(start.value)
        if isinstance(term.form, WholeFormat) and not isfinite(number):
            form = term.form
            number = (form.low if number < 0 else form.high) / 2**form.fraction_bits
        reduced = {*node.reduction_loops}
        parts: list[Condition] = [
            Compare(CompareOp.EQ, Index(Affine.iterator(loop.name)), Literal(0))
            for loop in self._pipeline.tiles
            if loop.name in reduced
        ]
        first = over_tiles(all_of(parts), self._pipeline.tiles, ())
        begin = self._values.number(number, operation.element)
        source = Begun(BEFORE, begin.name, first)
        return self._values.put(
            f"{BEFORE}_or_start", term.form, term.lanes, term.stage, source
        ).name

    def _send(self, port: Port) -> Send:
        element = (self._fifos.get(port.target) or self._memories[port.target]).element
        value = self._values.stored(self._named(port.value, element), element)
        place = self._place(port)
        if not {*value.lanes} <= {*place.lanes}:
            raise refused(f"lanes of {port.target} are not those of its values", self._scheduled)
        when = self._when(port.guard, place)
        return Send(port.target, place, value.name, when, port.target in self._fifos)

    def _place(self, port: Port) -> WordPlace:
        loops = self._pipeline.tiles, self._pipeline.lanes
        try:
            if port.target in self._fifos:
                return place_in_streams(self._fifos[port.target], port.subscripts, *loops)
            memory = self._memories[port.target]
            place = place_in_memory(memory, port.subscripts, *loops)
            is_whole = memory.place is not Place.LOCAL and port.mode is AccessMode.READ
            if not is_whole and {*place.slots} != {*range(memory.banks)}:
                raise UnknownPlaceError(f"not all banks of {memory.name} are written at once")
            return place
        except UnknownPlaceError as problem:
            raise refused(str(problem), self._scheduled) from None

    def _when(self, guard: Condition | None, place: WordPlace) -> TileCondition:
        """Return when an access happens: the same in all lanes that have elements of their own."""
        if {*place.lanes} & iterators_in(guard):
            raise refused("lanes of an access are guarded apart", self._scheduled)
        others = [loop for loop in self._pipeline.lanes if loop.name in iterators_in(guard)]
        try:
            return over_tiles(guard, self._pipeline.tiles, others)
        except UnknownConditionError:
            raise refused("an access is guarded by several loops", self._scheduled) from None
