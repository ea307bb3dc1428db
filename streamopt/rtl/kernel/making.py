"""From a scheduled node to its kernel: values get the first cycle in which they can be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from streamopt.analysis.accumulator import update_distance
from streamopt.analysis.operations import BEFORE
from streamopt.analysis.value_ranges import narrow_product
from streamopt.ir.element import ElementType
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.network import (
    AccessMode,
    Implementation,
    Memory,
    Network,
    Operation,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
    Process,
)
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.rtl.kernel.accesses import PortAccesses
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.conditions import iterators_in
from streamopt.rtl.kernel.kernel import (
    FETCH_STAGE,
    STREAM_STAGE,
    Begun,
    Computed,
    Fetched,
    Held,
    HeldWrite,
    Holds,
    Kernel,
    KernelValue,
    LaneConditions,
    LocalWrite,
    Masked,
    Recalled,
    Received,
    Send,
)
from streamopt.rtl.kernel.nest import nest_kernels
from streamopt.rtl.kernel.node_conditions import NodeConditions
from streamopt.rtl.kernel.places import BankPlace
from streamopt.rtl.kernel.plain_rows import with_plain_rows
from streamopt.rtl.kernel.refusals import PORTS, check_network, refused
from streamopt.rtl.kernel.sharing import SHARED_LEVELS, SharedStart, share
from streamopt.rtl.kernel.values import NoOperatorError, ValueList, combining
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import TRUTH, format_of, plain
from streamopt.rtl.outside.word_streams import with_answers, with_word_streams

HURRIED_LEVELS = 4
"""Of an adder on a recurrence that has no time for more."""


def make_kernels(scheduled: ScheduledGraph, network: Network) -> tuple[tuple[Kernel, ...], ...]:
    """Return the kernels of each process of a network, in order.

    Raises
    ------
    CodegenError
        E640 for all that there is no structure for.
    """
    check_network(network)
    network = with_word_streams(network)
    return tuple(
        tuple(_of_process(scheduled, nodes, process, network))
        for process, nodes in zip(network.processes, scheduled.processes, strict=True)
    )


def _of_process(
    scheduled: ScheduledGraph, nodes: Sequence[ScheduledNode], process: Process, network: Network
) -> Iterator[Kernel]:
    turns = {own.name: own for own in process.turns}
    for node in nodes:
        own, name = node.node, node.node.name
        if isinstance(own, SequentialNode):
            mine = [p for p in process.pipelines if p.name.startswith(f"{name}.")]
            yield from nest_kernels(scheduled, node, mine, turns[name], network)
        else:
            (pipeline,) = (p for p in process.pipelines if p.name == name)
            yield KernelMaker(scheduled.graph, node, pipeline, network).kernel()


def timed_network(scheduled: ScheduledGraph) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return the network as RTL and the timing of each pipeline, which is the schedule's length.

    Raises
    ------
    CodegenError
        E640 for a design that can't be RTL.
    """
    scheduled = with_plain_rows(scheduled)
    network = built_network(scheduled)
    return timed_kernels(network, make_kernels(scheduled, network))


def timed_kernels(
    network: Network, made: Sequence[Sequence[Kernel]]
) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return the network of kernels, by process, and the timing of each pipeline.

    Those that take turns have one more, by the name of them all; movers wait for what is outside.
    """
    kernels = [kernel for process in made for kernel in process]
    turns = {own.turns.name: own.turns for own in (k.built for k in kernels) if own is not None}
    processes = tuple(
        replace(process, turns=tuple(turns[own.name] for own in process.turns))
        for process in network.processes
    )
    timings: dict[str, PipelineTiming] = {}
    for kernel in kernels:
        own = ((kernel.name, ()),)
        if kernel.built is not None:
            own = (*kernel.built.port_cycles, (kernel.built.turns.name, ()))
        for name, cycles in own:
            timings[name] = PipelineTiming(kernel.ii, kernel.depth_cycles, cycles)
    return replace(network, processes=processes), with_answers(network, timings)


class KernelMaker:
    """Makes one kernel; used once."""

    def __init__(
        self, graph: Graph, scheduled: ScheduledNode, pipeline: Pipeline, network: Network
    ) -> None:
        self._scheduled, self._pipeline = scheduled, pipeline
        self._memories = {memory.name: memory for memory in network.memories}
        self._accesses = PortAccesses(scheduled, pipeline, self._memories)
        self._conditions = NodeConditions(graph, scheduled)
        self._is_narrow = narrow_product(scheduled.node, graph.element_of) is not None
        self._fifos = {fifo.name: fifo for fifo in network.fifos}
        self._users = Counter(p.target for one in network.pipelines for p in one.ports)
        self._trips = {loop.name: loop.trip_count for loop in pipeline.lanes}
        self._stores: list[LocalWrite] = []
        self._ports = {p.value: p for p in pipeline.ports if p.mode is AccessMode.READ}
        self._updates = [o for o in pipeline.operations if BEFORE in o.operands]
        self._ii = self._interval()
        self._values = ValueList(self._trips, self._ii)

    def _interval(self) -> int:
        """Return the cycles from one iteration to the next, for ports and the update of a sum."""
        found = [1, self._pipeline.target_ii]
        takers = Counter(p.target for p in self._ports.values() if p.target in self._fifos)
        found += takers.values()
        for port in self._ports.values():
            memory = self._memories.get(port.target)
            is_outside = memory is not None and memory.place is Place.ARGUMENT
            if memory is not None and is_outside and self._accesses.is_in_words(port):
                places = len(self._accesses.elements(port)[0].parts())
                found.append(-(-places // self._free_ports(memory)))
        for update in self._updates if BEFORE in self._ports else ():
            levels, distance = self._combining(update).levels, update_distance(self._scheduled)
            if distance * max(found) <= levels:
                found.append(-(-min(levels, HURRIED_LEVELS) // distance))
        return max(found)

    def _combining(self, operation: Operation) -> OperatorBlock:
        try:
            return combining(operation)
        except NoOperatorError as problem:
            raise refused(str(problem), self._scheduled) from None

    def _free_ports(self, memory: Memory) -> int:
        """Return the ports of a memory outside that an access may take."""
        return max(1, PORTS // self._users[memory.name])

    def kernel(self) -> Kernel:
        """Return the kernel."""
        for operation in self._pipeline.operations:
            self._compute(operation)
        sends = [self._send(port) for port in self._pipeline.ports if self._leaves(port)]
        stages = [self._values[send.value].last for send in sends]
        stages += [store.stage + max(store.late, default=0) for store in self._stores]
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
        memory = self._memories.get(port.target)
        is_local = memory is not None and memory.place is Place.LOCAL
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
        index = self._conditions.indices.get(name)
        if index is not None:
            return self._values.count(name, index, self._pipeline.tiles, self._pipeline.lanes)
        return self._values.number(float(name), element)

    def _read(self, port: Port) -> KernelValue:
        if port.target in self._fifos:
            fifo = self._fifos[port.target]
            takers = [name for name, other in self._ports.items() if other.target == fifo.name]
            place, when = self._accesses.streams(port, fifo)
            source = Received(fifo.name, place, when)
            form = plain(format_of(fifo.element))
            stage = STREAM_STAGE + takers.index(port.value)
            return self._values.put(port.value, form, place.lanes, stage, source)
        memory = self._memories[port.target]
        form = plain(format_of(memory.element))
        if memory.place is not Place.LOCAL and not self._accesses.is_in_words(port):
            places, lanes = self._accesses.each(port)
            held = Held(memory.name, places, FETCH_STAGE)
            return self._values.put(port.value, form, lanes, FETCH_STAGE, held)
        place, _ = self._accesses.elements(port)
        if memory.place is Place.LOCAL:
            return self._recall(port, memory, place)
        stages = [FETCH_STAGE] * len(place.offsets)
        ports = self._free_ports(memory) if memory.place is Place.ARGUMENT else 0
        for turn, part in enumerate(place.parts() if ports else ()):
            for at in part.points:
                stages[at] += turn // ports
        source = Fetched(memory.name, place, ports)
        return self._values.put(port.value, form, place.lanes, stages, source)

    def _recall(self, port: Port, memory: Memory, place: BankPlace) -> KernelValue:
        """Read what an iteration keeps of a stream, in the cycle in which it would come.

        Where other elements are read than were just written, it is the next cycle.
        """
        writes = [
            other
            for other in self._pipeline.ports
            if other.target == memory.name and other.mode is AccessMode.WRITE
        ]
        stage = self._kept(memory, writes)
        form = plain(format_of(memory.element))
        if len(writes) != 1 or writes[0].subscripts != port.subscripts:
            source = Recalled(memory.name, place)
            return self._values.put(port.value, form, place.lanes, stage + 1, source)
        store = next(store for store in self._stores if store.memory == memory.name)
        when = self._accesses.anywhere(writes[0].guard)
        source = Recalled(memory.name, place, store.value, when)
        return self._values.put(port.value, form, place.lanes, stage, source)

    def _kept(self, memory: Memory, writes: Sequence[Port]) -> int:
        """Write a local memory, if that isn't done yet; return the stage in which it is."""
        done = [store.stage for store in self._stores if store.memory == memory.name]
        if done:
            return max(done)
        named = [self._named(port.value, memory.element) for port in writes]
        values = [self._values.stored(value, memory.element) for value in named]
        for port, value in zip(writes, values, strict=True):
            place, whens = self._accesses.elements(port)
            if place.points:
                store = LocalWrite(memory.name, place, value.name, value.last, whens)
                self._stores.append(store)
        return max(value.last for value in values)

    def _compute(self, undecided: Operation) -> None:
        operation = self._decided(undecided)
        try:
            if BEFORE in operation.operands and BEFORE in self._ports:
                self._accumulate(operation)
            elif operation.over:
                self._combine(operation)
            else:
                self._values.compute(operation, self._named)
        except NoOperatorError as problem:
            raise refused(str(problem), self._scheduled) from None

    def _decided(self, operation: Operation) -> Operation:
        """Return an operation with the truth values of conditions on loops that it takes."""
        operands = [*operation.operands]
        for at, condition in self._conditions.of(operation):
            asked = iterators_in(condition)
            lanes = tuple(loop.name for loop in self._pipeline.lanes if loop.name in asked)
            operands[at] = f"{operation.result}_if_{at}"
            source = Holds(self._accesses.by_lane(condition, lanes))
            self._values.put(operands[at], TRUTH, lanes, 0, source)
        fits = self._is_narrow or operation.implementation is not Implementation.PACKED
        built = operation.implementation if fits else None
        return replace(operation, operands=tuple(operands), implementation=built)

    def _combine(self, operation: Operation) -> None:
        """Combine the values of lanes to one, in a tree."""
        terms = self._named(operation.operands[0], operation.element)
        stored, leaf = self._values.combined(terms, operation)
        term = self._busy(stored, operation)
        self._values.combine(operation.result, leaf, term, operation.over)

    def _busy(self, term: KernelValue, operation: Operation) -> KernelValue:
        """Return the terms of a sum, without those of idle lanes and outside of a guard."""
        assert self._scheduled.node.reduction is not None
        identity = self._values.identity(self._scheduled.node.reduction, operation.element)
        if self._conditions.truth:
            truth = self._values[self._conditions.truth]
            term = self._values.choose(f"{term.name}_where", truth, term, identity)
        guard = self._conditions.guard
        asked = {*term.lanes, *operation.over, *iterators_in(guard)}
        lanes = tuple(loop.name for loop in self._pipeline.lanes if loop.name in asked)
        partial = {part.lane for part in self._pipeline.partial_tiles}
        if guard is None and not partial & {*operation.over}:
            return term
        whens = self._accesses.by_lane(guard, lanes)
        source = Masked(term.name, identity.name, whens)
        stages = self._values.readies([term], lanes)
        return self._values.put(f"{term.name}_or_none", term.form, lanes, stages, source)

    def _accumulate(self, operation: Operation) -> None:
        """Add to a partial value, in time for the iteration that needs it next."""
        port = self._ports[BEFORE]
        memory, (place, _) = self._memories[port.target], self._accesses.elements(port)
        (name,) = (name for name in operation.operands if name != BEFORE)
        term = self._values.stored(self._named(name, operation.element), operation.element)
        if not any(other.over for other in self._pipeline.operations):
            term = self._busy(term, operation)
        leaf = combining(operation)
        distance = update_distance(self._scheduled)
        if distance * self._ii <= leaf.levels and leaf.levels > HURRIED_LEVELS:
            assert isinstance(leaf, FloatLeaf)
            leaf = replace(leaf, levels=HURRIED_LEVELS)
        is_forwarded = distance * self._ii == leaf.levels
        if not {*term.lanes} <= {*place.lanes}:
            raise refused("lanes of a sum have no place in its partial values", self._scheduled)
        begin = self._begin(operation)
        begins = self._updates_begin([term, begin], place, leaf)
        stages = [start.stage for start in begins]
        if any(dimension.turns != (0,) for dimension in place.dimensions) and self._ii > 1:
            raise refused("lanes that share adders turn among banks", self._scheduled)
        again = self._accesses.anywhere(self._conditions.again)
        recalled = Recalled(memory.name, place, operation.result if is_forwarded else "", again)
        self._values.put(BEFORE, term.form, place.lanes, stages, recalled)
        first = Begun(BEFORE, begin.name, self._accesses.anywhere(self._conditions.first))
        partial = self._values.put(f"{BEFORE}_or_start", term.form, place.lanes, stages, first)
        names = tuple(partial.name if o == BEFORE else term.name for o in operation.operands)
        shared = begins if self._ii > 1 and leaf.levels >= SHARED_LEVELS else ()
        written = [stage + leaf.levels for stage in stages]
        computed = Computed(leaf, names, shared)
        value = self._values.put(operation.result, term.form, place.lanes, written, computed)
        whens = self._accesses.by_lane(self._conditions.computing, place.lanes, idles=False)
        self._stores.append(
            LocalWrite(memory.name, place, value.name, value.stage, whens, value.late)
        )

    def _updates_begin(
        self, taken: Sequence[KernelValue], place: BankPlace, leaf: OperatorBlock
    ) -> tuple[SharedStart, ...]:
        """Return when lanes add to their partial values, and with which adders."""
        readies = self._values.readies(taken, place.lanes)
        if self._ii > 1 and leaf.levels >= SHARED_LEVELS:
            return share(readies, self._ii)
        return tuple(SharedStart(max(readies), at) for at in range(len(readies)))

    def _begin(self, operation: Operation) -> KernelValue:
        """Return the start of a sum."""
        node, element = self._scheduled.node, operation.element
        assert node.reduction is not None
        if node.start is None:
            return self._values.identity(node.reduction, element)
        return self._values.stored(self._named(self._conditions.start, element), element)

    def _send(self, port: Port) -> Send | HeldWrite:
        fifo = self._fifos.get(port.target)
        element = (fifo or self._memories[port.target]).element
        value = self._values.stored(self._named(port.value, element), element)
        whens: LaneConditions
        if fifo is not None:
            place, when = self._accesses.streams(port, fifo)
            whens = (when,)
        elif not self._accesses.is_in_words(port):
            places, lanes = self._accesses.each(port, value.lanes)
            whens = self._accesses.by_lane(port.guard, lanes)
            return HeldWrite(port.target, places, lanes, value.name, value.last, whens)
        else:
            place, whens = self._accesses.elements(port)
        if not {*value.lanes} <= {*place.lanes}:
            raise refused(f"lanes of {port.target} are not those of its values", self._scheduled)
        return Send(port.target, place, value.name, whens)
