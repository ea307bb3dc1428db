"""One streaming node as a pipeline: the accesses and operations of the emitted nest.

A stream is read once an element, at the first of the iterations that need it, into a local
buffer; a reduction keeps its partial values in a local buffer, starts at the first iteration of
each element and sends at the last one ([1] Listings 2 and 3). Local buffers hold no more than what
is alive (`streamopt.analysis.live_range`), where those of [1] have the shape of the array.

A window takes its array from a stream into line buffers, from which all is read; what the node
computes then happens where the loops that it stretches have something to compute.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from streamopt.analysis.accumulator import accumulator, update_distance
from streamopt.analysis.live_range import local_buffer
from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body, read_guards
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.line_buffer import LineBuffer
from streamopt.ir.network import AccessMode, Fifo, Memory, PartialTile, Pipeline, Place, Port
from streamopt.ir.ports import RamBlock
from streamopt.ir.program import Array, Loop
from streamopt.ir.scheduled import ScheduledNode, TiledLoop
from streamopt.ir.window import Walk, Window, counted, prefill_loops
from streamopt.transforms.line_buffers import window_walk

PREFILLED = "new"
"""Value of what a nest before takes."""


class StreamingNode:
    """Builds the pipeline and the local memories of one node; used once.

    Parameters
    ----------
    sources
        What brings each array that the node reads.
    targets
        What takes the elements that it writes.
    arrays
        Every array of the graph, by name.
    """

    def __init__(
        self,
        scheduled: ScheduledNode,
        sources: Mapping[str, Fifo | Memory],
        targets: Sequence[Fifo | Memory],
        arrays: Mapping[str, Array],
    ) -> None:
        self._scheduled, self.node = scheduled, scheduled.node
        self.loops = scheduled.loops
        self.target_ii = scheduled.target_ii
        self.line_buffers = scheduled.line_buffers
        self.sources = sources
        self.targets = targets
        self.arrays = arrays
        self.memories: list[Memory] = []
        self.ports: list[Port] = []
        self.prefills: list[Pipeline] = []
        self.tiles = scheduled.tile_loops
        self.distance = update_distance(scheduled)
        self.binding = scheduled.binding
        self._built = {loop.name: self._position(loop) for loop in self.loops}
        delays = self.node.delays
        self._iterator = {
            name: place - Affine.of(delays.get(name, 0)) for name, place in self._built.items()
        }
        self._lines: dict[ir.Access, tuple[str, tuple[Affine, ...]]] = {}
        among = ValueContext(lambda name: arrays[name].element, self.node.trip_counts)
        self._operations = OperationList(among, self._fetched, scheduled.binding)
        self._values: dict[ir.Access, str] = {}
        self._read_guards = read_guards(self.node)

    def pipelines(self) -> tuple[Pipeline, ...]:
        """Return the pipelines, that of the node last; local memories are in ``memories`` then."""
        for access in self.node.reads:
            self._fetch(access)
        self._compute()
        own = Pipeline(
            self.node.name,
            tuple(Loop(loop.name, loop.tiles) for loop in self.tiles),
            _lanes(self.loops),
            tuple(self.ports),
            tuple(self._operations.operations),
            self.node.loc,
            _partial_tiles(self.loops),
            self.target_ii,
            counts_digits=True,
        )
        return (*self.prefills, own)

    def _position(self, loop: TiledLoop) -> Affine:
        """Return the original iterator over tile iterator and lane iterator."""
        tile = Affine.iterator(loop.name) if loop in self.tiles else Affine()
        lane = Affine.iterator(f"{loop.name}.lane") if loop.unroll > 1 else Affine()
        return tile.scaled(loop.unroll) + lane

    def _fetched(self, access: ir.Access) -> str:
        return self._values[access]

    def _fetch(self, access: ir.Access) -> None:
        source = self.sources[access.array]
        value = self._values[access] = f"v{len(self._values)}"
        if isinstance(source, Memory):
            guard = self._read_guards.get(access)
            if guard is not None:
                guard = ir.substitute_condition(guard, self._iterator)
            self._port(AccessMode.READ, source.name, self._subscripts(access), value, guard)
            return
        window = self.node.window(access.array)
        if window is not None:
            if access not in self._lines:
                self._take(source, window)
            self._port(AccessMode.READ, *self._lines[access], value)
            return
        part = self.node.part(access.array)
        spans = {} if part is None else part.within(self.node.trip_counts)
        own = [*self._between(spans)]
        reused = [loop.name for loop in self.loops if loop.name not in access.iterators()]
        guard = _all([*own, *self._places(reused, last=False)])
        lanes = self._lanes(access if part is None else part.taken)
        if all(self.node.trip_counts[name] == 1 for name in reused):
            self._port(AccessMode.READ, source.name, lanes, value, guard)
            return
        self._port(AccessMode.READ, source.name, lanes, f"{value}.new", guard)
        buffer, place = self._buffer(access, "local", self.arrays[access.array].element)
        self._port(AccessMode.WRITE, buffer, place, f"{value}.new", guard)
        self._port(AccessMode.READ, buffer, place, value, _all(own))

    def _take(self, source: Fifo, window: Window) -> None:
        """Take a window's next element into its line buffers, and note where these are read."""
        node, taken = self.node, window.taken
        array, trips = self.arrays[window.array], node.built_trip_counts
        places: list[Mapping[str, Affine]] = [{}]
        if window.counted_rows:
            walk = window_walk(window, self.loops)
            turns = [*map(Affine.of, range(walk.at_once))]
            parts = [[*self._uncounted(window, walk, turn)] for turn in turns]
            places = [walk.places(turn) for turn in turns]
        else:
            others = (n for n in trips if n not in taken.iterators())
            ends = ((n, end) for n, end in window.ends.items() if end < trips[n])
            first = self._equal(others, dict.fromkeys(trips, 0))
            parts = [[*first, *(self._below(n, end) for n, end in ends)]]
        values = [f"{array.name}.new{turn or ''}" for turn in range(len(places))]
        for value, conditions in zip(values, parts, strict=True):
            self._port(AccessMode.READ, source.name, self._lanes(taken), value, _all(conditions))
        stored: list[tuple[LineBuffer, str]] = []
        for lines in self.line_buffers:
            if lines.array != window.array:
                continue
            name = self._named(f"{node.name}.{array.name}_lines")
            memory = Memory(name, Place.LOCAL, array.element, lines.shape, lines.factors)
            memory = replace(memory, chosen=lines.chosen, in_words=lines.in_words)
            self.memories.append(memory)
            for value, conditions, place in zip(values, parts, places, strict=True):
                self._store(lines, name, (value, conditions), place)
            self._lines |= {read.access: (name, lines.read_place(read)) for read in lines.reads}
            stored.append((lines, name))
        if window.prefilled:
            self.prefills.append(self._prefill(source, window, stored))

    def _prefill(
        self, source: Fifo, window: Window, stored: Iterable[tuple[LineBuffer, str]]
    ) -> Pipeline:
        """Return the pipeline that takes the rows before the first window."""
        own = [loop for loop in self.loops if loop.name in window.taken.iterators()]
        tiles = {loop.name: loop.tiles for loop in self.loops}
        trips = prefill_loops(window.prefill(tiles, self.node.built_trip_counts))
        row = window.prefilled_row
        row = row.substitute({name: Affine() for name in row.iterators() if name not in trips})
        ports = [Port(AccessMode.READ, source.name, self._lanes(window.taken), PREFILLED)]
        for lines, memory in stored:
            for store in lines.stores:
                place = lines.place(row, store.slots, store.words)
                port = Port(AccessMode.WRITE, memory, place, PREFILLED, _all(store.limits))
                ports.append(port)
        return Pipeline(
            f"{self.node.name}.{window.array}_prefill",
            tuple(Loop(name, count) for name, count in trips.items()),
            _lanes(own),
            tuple(ports),
            (),
            self.node.loc,
            _partial_tiles(own),
        )

    def _store(
        self,
        lines: LineBuffer,
        name: str,
        taken: tuple[str, Sequence[ir.Condition]],
        counted: Mapping[str, Affine],
    ) -> None:
        """Store a value in all its copies, where conditions hold."""
        value, conditions = taken
        for store in lines.stores:
            place = lines.place(lines.rows.taken, store.slots, store.words)
            guard = _all([*conditions, *store.limits])
            if counted:
                place = tuple(s.substitute(counted) for s in place)
                guard = None if guard is None else ir.substitute_condition(guard, counted)
            self._port(AccessMode.WRITE, name, place, value, guard)

    def _uncounted(self, window: Window, walk: Walk, turn: Affine) -> Iterator[ir.Condition]:
        """Yield the conditions that an iteration takes elements that are counted."""
        for loop in self.loops:
            if loop.unroll > 1 and loop.name not in window.taken.iterators():
                lane = ir.Index(Affine.iterator(f"{loop.name}.lane"))
                yield ir.Compare(ir.CompareOp.EQ, lane, ir.Literal(0))
        for index in walk.at_first:
            yield ir.Compare(ir.CompareOp.EQ, ir.Index(index), ir.Literal(0))
        if walk.iterations * walk.at_once > walk.elements * walk.apart:
            end = ir.Literal(walk.elements * walk.every)
            yield ir.Compare(ir.CompareOp.LT, ir.Index(walk.number(turn)), end)
        rows, extent, steps = window.row_loop, window.shape[window.dimension], window.steps
        if extent % steps:
            row = self._built[rows].scaled(steps) + walk.places(turn)[counted(rows)]
            left = ir.Literal(extent - window.rows_before)
            yield ir.Compare(ir.CompareOp.LT, ir.Index(row), left)
        trips = self.node.built_trip_counts
        for name, end in window.outer_ends([loop.name for loop in self.loops]).items():
            if end < trips[name]:
                yield self._below(name, end)

    def _compute(self) -> None:
        node = self.node
        unrolled = (loop.name for loop in self.loops if loop.unroll > 1)
        over = tuple(f"{name}.lane" for name in unrolled if name in node.reduction_loops)
        carried = self.distance > 0
        result = add_body(self._operations, node, over, carried=carried)
        if not accumulates(node):
            self._send(result, self._at((), last=True))
            return
        if carried:
            last = self._operations.operations[-1]
            parts = accumulator(self.binding, last.operator, last.element, self.distance)
            self._operations.operations[-1] = replace(last, implementation=parts)
            buffer, place = self._buffer(node.write, "acc", last.element)
            self._port(AccessMode.READ, buffer, place, BEFORE)
            self._port(AccessMode.WRITE, buffer, place, result)
        self._send(result, self._at(node.reduction_loops, last=True))

    def _send(self, value: str, guard: ir.Condition | None) -> None:
        for target in self.targets:
            is_stream = isinstance(target, Fifo)
            place = self._lanes(self.node.write) if is_stream else self._subscripts(self.node.write)
            self._port(AccessMode.WRITE, target.name, place, value, guard)

    def _port(
        self,
        mode: AccessMode,
        target: str,
        subscripts: tuple[Affine, ...],
        value: str,
        guard: ir.Condition | None = None,
    ) -> None:
        self.ports.append(Port(mode, target, subscripts, value, guard))

    def _subscripts(self, access: ir.Access) -> tuple[Affine, ...]:
        placed = tuple(s.substitute(self._iterator) for s in access.subscripts)
        return placed or (Affine(),)

    def _lanes(self, access: ir.Access) -> tuple[Affine, ...]:
        """Return which stream of a group an access uses: the lane of each dimension's loop."""
        unrolled = {loop.name for loop in self.loops if loop.unroll > 1}
        names = (subscript.as_iterator() for subscript in access.subscripts)
        return tuple(
            Affine.iterator(f"{name}.lane") if name in unrolled else Affine() for name in names
        )

    def _buffer(
        self, access: ir.Access, purpose: str, element: ElementType
    ) -> tuple[str, tuple[Affine, ...]]:
        """Add a local memory for the elements that are alive; return its name and their place."""
        array = self.arrays[access.array]
        name = self._named(f"{self.node.name}.{array.name}_{purpose}")
        kept = local_buffer(self._scheduled, access, array.shape)
        block = RamBlock.BRAM if kept.in_bram else None
        memory = Memory(name, Place.LOCAL, element, kept.shape, kept.factors, block=block)
        self.memories.append(memory)
        return name, tuple(s.substitute(self._iterator) for s in kept.subscripts)

    def _named(self, name: str) -> str:
        again = sum(memory.name.startswith(name) for memory in self.memories)
        return f"{name}{again or ''}"

    def _at(self, loops: Sequence[str], *, last: bool) -> ir.Condition | None:
        """Return the condition that the node computes and loops are at their first or last.

        None if always.
        """
        return _all([*self._places(loops, last=last)])

    def _places(self, loops: Sequence[str], *, last: bool) -> Iterator[ir.Condition]:
        """Yield the conditions that the node computes and loops are at their first or last."""
        trips, delays = self.node.trip_counts, self.node.delays
        places = {name: delays.get(name, 0) + (trips[name] - 1) * last for name in loops}
        yield from self._equal(loops, places)
        yield from self._computing(loops)

    def _between(self, spans: Mapping[str, tuple[int, int]]) -> Iterator[ir.Condition]:
        """Yield the conditions that loops are in spans of their iterations."""
        for name, (first, end) in spans.items():
            if first:
                yield ir.Compare(ir.CompareOp.GE, ir.Index(self._built[name]), ir.Literal(first))
            if end < self.node.built_trip_counts[name]:
                yield self._below(name, end)

    def _equal(self, loops: Iterable[str], places: Mapping[str, int]) -> Iterator[ir.Condition]:
        """Yield the conditions that loops as built are at given iterations."""
        for name in loops:
            if self.node.built_trip_counts[name] > 1:
                yield ir.Compare(
                    ir.CompareOp.EQ, ir.Index(self._built[name]), ir.Literal(places[name])
                )

    def _computing(self, known: Sequence[str]) -> Iterator[ir.Condition]:
        """Yield the conditions that stretched loops have something to compute."""
        trips = self.node.trip_counts
        for stretch in self.node.stretches:
            if stretch.loop in known:
                continue
            if stretch.delay:
                first = ir.Literal(stretch.delay)
                yield ir.Compare(ir.CompareOp.GE, ir.Index(self._built[stretch.loop]), first)
            if stretch.delay + trips[stretch.loop] < stretch.iterations:
                yield self._below(stretch.loop, stretch.delay + trips[stretch.loop])

    def _below(self, name: str, end: int) -> ir.Condition:
        """Return the condition that a loop as built is before an iteration; of tiles if it can."""
        loop = next(loop for loop in self.loops if loop.name == name)
        if end % loop.unroll == 0 and loop in self.tiles:
            tile = ir.Index(Affine.iterator(name))
            return ir.Compare(ir.CompareOp.LT, tile, ir.Literal(end // loop.unroll))
        return ir.Compare(ir.CompareOp.LT, ir.Index(self._built[name]), ir.Literal(end))


def _lanes(loops: Iterable[TiledLoop]) -> tuple[Loop, ...]:
    return tuple(Loop(f"{loop.name}.lane", loop.unroll) for loop in loops if loop.unroll > 1)


def _partial_tiles(loops: Iterable[TiledLoop]) -> tuple[PartialTile, ...]:
    return tuple(
        PartialTile(loop.name, f"{loop.name}.lane", loop.tiles - 1, loop.last_lanes)
        for loop in loops
        if loop.is_partial
    )


def _all(parts: Sequence[ir.Condition]) -> ir.Condition | None:
    return ir.all_of(parts) if parts else None
