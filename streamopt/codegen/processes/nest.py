"""One node as a tiled, pipelined loop nest, in the form of [1] Listings 2 and 3.

The tile loops stand in the scheduled order; below the innermost, pipelined one, loops over the
lanes are unrolled, so the body stands once whatever the factors. Guards name the tile and the lane
(`streamopt.codegen.processes.guards`):

- a stream is read once per element, at the first of the iterations that need it, into a local
  buffer; or straight into the expression if only one iteration needs it;
- a reduction keeps its partial values in a local buffer, starts at the first iteration of each
  element, and sends at the last one (Cond. 1 of [1]);
- a window takes its array from a stream into line buffers (`streamopt.codegen.processes.windows`);
  what is computed is a few rows behind.

Where a factor doesn't divide its trip count, lanes of the last tile have no iteration. Of a loop
that moves the output their whole body is under ``if (i_tile < 14 || i_lane < 18)``; these lane
loops stand outermost, so that what is added to one element stays together. Lanes of a reduction
loop read nothing there and add the identity: sums stay plain chains of additions, which the
vendor's tool can turn into trees.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.codegen.expressions import ExpressionText, check_dividends, literal
from streamopt.codegen.layout import CppPort, extents_text
from streamopt.codegen.processes.guards import LoopGuard, all_of
from streamopt.codegen.processes.windows import LineWriter, dependences, unrolled
from streamopt.codegen.tree import CppStatement, For, If, Item, Pragma, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from streamopt.codegen.layout import CppProcess
    from streamopt.codegen.names import Names
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.line_buffer import LineBuffer
    from streamopt.ir.network import Operator
    from streamopt.ir.program import Array
    from streamopt.ir.scheduled import ScheduledNode, TiledLoop
    from streamopt.ir.window import Window

__all__ = ["CppNest", "NestWriter", "partition_pragmas"]


def partition_pragmas(name: str, factors: tuple[int, ...]) -> Iterator[Pragma]:
    """Yield the pragmas that split an array cyclically, one for each dimension that needs it."""
    for dimension, factor in enumerate(factors, start=1):
        if factor > 1:
            split = f"type=cyclic factor={factor} dim={dimension}"
            yield Pragma(f"array_partition variable={name} {split}")


class CppNest:
    """The loops of one node: tiles outside, lanes inside, and what C++ calls their iterators."""

    def __init__(self, scheduled: ScheduledNode, process: CppProcess, scope: Names) -> None:
        self.node = scheduled.node
        self.loops = scheduled.loops
        self.built = scheduled.tile_loops
        self.process = process
        self.names = names = scope.inner()
        self.iterator = {loop.name: names.unique(loop.name) for loop in self.loops}
        unrolled = [loop for loop in self.loops if loop.unroll > 1]
        tiled = [loop for loop in unrolled if loop in self.built]
        self.tile = dict(self.iterator)
        self.tile |= {p.name: names.unique(f"{self.iterator[p.name]}_tile") for p in tiled}
        self.lane = {p.name: names.unique(f"{self.iterator[p.name]}_lane") for p in unrolled}
        self.guards = {
            p.name: LoopGuard(p, self.tile[p.name], self.lane.get(p.name, "0")) for p in self.loops
        }
        self.used: set[str] = set()

    def inside(self, loops: Collection[str]) -> str:
        """Return the condition that loops are before their ends; empty for no loop."""
        known = (p for p in self.loops if p.name in loops)
        return all_of([self.guards[loop.name].before(loop.trip_count) for loop in known])

    def lane_loop(self, loop: TiledLoop, body: Iterable[Item], end: str = "") -> For:
        """Return the loop over the lanes of a loop, under a condition if it has an ``end``."""
        lane = self.lane[loop.name]
        inner: list[Item] = [Pragma("unroll")]
        body = [If(end, tuple(body))] if end else body
        if loop.name in self.used:
            is_tiled = loop in self.built
            value = f"{self.tile[loop.name]} * {loop.unroll} + {lane}" if is_tiled else lane
            inner.append(CppStatement(f"const int {self.iterator[loop.name]} = {value};"))
        return For(lane, loop.unroll, (*inner, *body))

    def constants(self, loops: Iterable[TiledLoop]) -> list[Item]:
        """Return the iterators of loops without a loop in C++, as far as they are used."""
        single = (p for p in loops if p.unroll == 1 and p.tiles == 1 and p not in self.built)
        names = (self.iterator[loop.name] for loop in single if loop.name in self.used)
        return [CppStatement(f"const int {name} = 0;") for name in names]

    def tiled(self, body: Iterable[Item], interval: int) -> tuple[Item, ...]:
        """Return the loops over the tiles, the innermost of them pipelined."""
        items = (pipelined(interval), *body) if self.loops else tuple(body)
        for loop in reversed(self.built):
            items = (For(self.tile[loop.name], loop.tiles, items),)
        return items

    def stream_lanes(self, access: Access) -> list[str]:
        """Return which stream of a group an access uses: the lane of each dimension's loop."""
        names = [subscript.as_iterator() or "" for subscript in access.subscripts]
        return [self.lane.get(name, "0") for name in names]

    def placed(self, access: Access, iterators: Mapping[str, Affine]) -> str:
        """Return the subscripts of an access, with C++ names for the iterators."""
        for subscript in access.subscripts:
            check_dividends(subscript, self.node)
        return "".join(f"[{s.substitute(iterators)}]" for s in access.subscripts) or "[0]"


class NestWriter(CppNest):
    """Builds the items of one node; used once.

    ``scope`` is the function's: local buffers take names there, so that the next nest of the
    function has others; iterators and values live inside the nest. ``function`` names the
    functions of bound operators, as for `ExpressionText`.
    """

    def __init__(
        self,
        scheduled: ScheduledNode,
        process: CppProcess,
        scope: Names,
        function: Callable[[Operator, ElementType], str | None],
    ) -> None:
        super().__init__(scheduled, process, scope)
        self.target_ii = scheduled.target_ii
        self.array = process.writes[0].array
        self.scope = scope
        delays = self.node.delays
        self.computed = {
            name: Affine.iterator(text) - Affine.of(delays.get(name, 0))
            for name, text in self.iterator.items()
        }
        reduced = self.node.reduction_loops if self.node.reduction is not None else ()
        partial = [loop for loop in self.loops if loop.is_partial]
        self.guarded = [loop for loop in partial if loop.name not in reduced]
        self.masked = [loop for loop in partial if loop.name in reduced]
        self.locals: list[Item] = []
        self.fetched: dict[Access, str] = {}
        self.line_buffers = scheduled.line_buffers
        self.line_writers: list[LineWriter] = []
        elements = {port.array.name: port.array.element for port in process.reads.values()}
        self.expression = ExpressionText(elements.__getitem__, self._operand, self._index, function)

    def items(self) -> tuple[Item, ...]:
        """Return local buffers and the loop nest."""
        taken = [*self._windows()]
        body: list[Item] = [*_merged(self._fetches()), *self._compute()]
        computing = self._computing()
        body = [If(computing, tuple(body))] if computing else body
        plain = [loop for loop in self.loops if loop not in self.guarded]
        for loop in reversed((*self.guarded, *plain)):
            if loop.unroll > 1:
                end = self.inside([loop.name]) if loop in self.guarded else ""
                body = [self.lane_loop(loop, body, end)]
        body = [*dependences(self.line_writers), *self.constants(self.loops), *taken, *body]
        return (*self.locals, *self.tiled(body, self.target_ii))

    def _windows(self) -> Iterator[Item]:
        """Yield what fills windows from their line buffers, and then takes the next elements."""
        taken: list[Item] = []
        for window in self.node.windows:
            port = self.process.reads[self.node.name, window.array]
            if not port.is_stream:
                continue
            of_array = [lines for lines in self.line_buffers if lines.array == window.array]
            writers = [self._line_writer(lines, port.array) for lines in of_array]
            self.line_writers += writers
            for writer in writers:
                yield from writer.fill()
                self.fetched |= writer.element_texts()
            taken += self._take(window, port, writers)
        yield from taken

    def _line_writer(self, lines: LineBuffer, array: Array) -> LineWriter:
        memory = self._local(array, lines.shape, lines.factors, "lines")
        window = self.names.unique(f"{array.name}_window")
        iterators = {name: Affine.iterator(text) for name, text in self.tile.items()}
        iterators |= {f"{name}.lane": Affine.iterator(text) for name, text in self.lane.items()}
        return LineWriter(lines, memory, window, array.element, iterators, self.names)

    def _take(self, window: Window, port: CppPort, writers: Sequence[LineWriter]) -> list[Item]:
        """Return the loops that take the next elements of a window into its line buffers."""
        trips, taken = self.node.built_trip_counts, window.taken
        own = {*taken.iterators()}
        reused = [loop for loop in self.loops if loop.name not in own and loop.tiles > 1]
        parts = [f"{self.tile[loop.name]} == 0" for loop in reused]
        ends = {n: window.extents.get(n, trips[n]) for n in trips if n in own}
        parts += [self.guards[name].before(end) for name, end in ends.items()]
        value = self.names.unique(f"{port.name}_value")
        source = f"{port.stream(self.stream_lanes(taken))}.read()"
        body: list[Item] = [CppStatement(f"const {port.array.element} {value} = {source};")]
        body += [item for writer in writers for item in writer.store(value)]
        condition = all_of(parts)
        body = [If(condition, tuple(body))] if condition else body
        for loop in reversed(self.loops):
            if loop.name in own and loop.unroll > 1:
                body = [unrolled(self.lane[loop.name], loop.unroll, body)]
        return body

    def _computing(self) -> str:
        """Return the condition that stretched loops have something to compute; empty if always."""
        parts: list[str] = []
        for stretch in self.node.stretches:
            guard, end = self.guards[stretch.loop], self.node.trip_counts[stretch.loop]
            parts += [guard.since(stretch.delay), guard.before(stretch.delay + end)]
        return all_of(parts)

    def _fetches(self) -> Iterator[Item]:
        """Yield the reads of streams; each read access function of an array is read once."""
        for access in self.node.reads:
            port = self.process.reads[self.node.name, access.array]
            if not port.is_stream or access in self.fetched:
                continue
            source = f"{port.stream(self.stream_lanes(access))}.read()"
            reused = [loop.name for loop in self.loops if loop.name not in access.iterators()]
            condition = self._at(reused, last=False)
            inside = self.inside(self._masked_names() & {*access.iterators()})
            if not condition:
                name = self.names.unique(f"{port.name}_value")
                zero = literal(0, port.array.element)
                value = f"{inside} ? {source} : {zero}" if inside else source
                yield CppStatement(f"const {port.array.element} {name} = {value};")
                self.fetched[access] = name
                continue
            element = f"{self._buffer(port.array, access, 'local')}{self._subscripts(access)}"
            yield If(all_of([condition, inside]), (CppStatement(f"{element} = {source};"),))
            self.fetched[access] = element

    def _compute(self) -> Iterator[Item]:
        element, reduction = self.array.element, self.node.reduction
        targets = [self._target(port) for port in self.process.writes]
        value = self.expression.text(self.node.value, element)
        reduced = self.node.reduction_loops
        condition = self._at(reduced, last=True)
        if reduction is None or (not condition and self._is_plain_sum()):
            yield from self._send(targets, value)
            return
        buffer = self._buffer(self.array, self.node.write, "acc") if condition else ""
        partial = f"{buffer}{self._subscripts(self.node.write)}"
        total = self.names.unique("total")
        first = self._at(reduced, last=False)
        if self.node.guard is None:
            yield from self._unguarded(value, total, first, partial)
        else:
            start = self._start()
            yield CppStatement(
                f"{element} {total} = {f'{first} ? {start} : {partial}' if first else start};"
            )
            step = self.expression.combine(reduction, total, f"({value})", element)
            guard = self.expression.condition(self.node.guard)
            inside = self.inside(self._masked_names())
            both = all_of([inside, f"({guard})" if inside else guard])
            yield If(both, (CppStatement(f"{total} = {step};"),))
        if condition:
            yield CppStatement(f"{partial} = {total};")
            yield If(condition, tuple(self._send(targets, total)))
        else:
            yield from self._send(targets, total)

    def _is_plain_sum(self) -> bool:
        """Return whether a reduction over no loop is its term."""
        return self.node.guard is None and self.node.start is None

    def _unguarded(self, value: str, total: str, first: str, partial: str) -> Iterator[Item]:
        element, reduction = self.array.element, self.node.reduction
        assert reduction is not None
        term = self.names.unique("term")
        inside = self.inside(self._masked_names())
        value = f"{inside} ? {value} : {self._identity()}" if inside else value
        yield CppStatement(f"const {element} {term} = {value};")
        sums = reduction in (Reduction.ADD, Reduction.MUL)
        if sums or self.node.start is not None:
            start = self._start()
            before = f"({first} ? {start} : {partial})" if first else start
            combined = self.expression.combine(reduction, before, term, element)
        else:
            combined = self.expression.combine(reduction, partial, term, element)
            combined = f"({first}) ? {term} : {combined}"
        yield CppStatement(f"const {element} {total} = {combined};")

    def _start(self) -> str:
        """Return the start of a reduction."""
        if self.node.start is not None:
            return self.expression.text(self.node.start, self.array.element)
        return self._identity()

    def _identity(self) -> str:
        """Return the identity of a reduction; where its type has none, a bound."""
        element, reduction = self.array.element, self.node.reduction
        assert reduction is not None
        if reduction in (Reduction.ADD, Reduction.MUL):
            return literal(reduction.identity, element)
        return self.expression.extreme(element, largest=reduction is Reduction.MIN)

    def _send(self, targets: Sequence[tuple[str, str]], value: str) -> Iterator[Item]:
        """Yield the writes to all ports; the value is computed once."""
        if len(targets) > 1 and not value.isidentifier():
            name = self.names.unique(f"{self.array.name}_value")
            yield CppStatement(f"const {self.array.element} {name} = {value};")
            value = name
        for before, after in targets:
            yield CppStatement(f"{before}{value}{after};")

    def _target(self, port: CppPort) -> tuple[str, str]:
        if port.is_stream:
            return f"{port.stream(self.stream_lanes(self.node.write))}.write(", ")"
        return f"{port.name}{self._subscripts(self.node.write)} = ", ""

    def _operand(self, access: Access) -> str:
        port = self.process.reads[self.node.name, access.array]
        if access in self.fetched or port.by_value:
            return self.fetched.get(access, port.name)  # no iterator is used
        return port.element(self._subscripts(access))

    def _index(self, value: Affine) -> str:
        check_dividends(value, self.node)
        self.used.update(value.iterators())
        return str(value.substitute(self.computed))

    def _buffer(self, array: Array, access: Access, purpose: str) -> str:
        """Declare a local buffer of the array's shape, split like the lanes; return its name."""
        unroll = {loop.name: loop.unroll for loop in self.loops}
        factors = tuple(
            min(extent, prod(unroll[iterator] for iterator in subscript.iterators()))
            for subscript, extent in zip(access.subscripts, array.shape, strict=True)
        )
        return self._local(array, array.shape, factors, purpose)

    def _local(
        self, array: Array, shape: tuple[int, ...], factors: tuple[int, ...], purpose: str
    ) -> str:
        name = self.names.unique(f"{array.name}_{purpose}")
        self.scope.take(name)
        # Compilers that unroll can't tell that each is set at its first use: registers begin as
        # zeros, which costs nothing; a memory would be swept.
        are_registers = all(f >= extent for f, extent in zip(factors, shape, strict=True))
        start = " = {}" if are_registers else ""
        self.locals.append(CppStatement(f"{array.element} {name}{extents_text(shape)}{start};"))
        self.locals += partition_pragmas(name, factors)
        return name

    def _at(self, loops: Sequence[str], *, last: bool) -> str:
        """Return the condition that loops are at their first or last iteration; empty if always."""
        trips = self.node.trip_counts
        guarded = [name for name in loops if trips[name] > 1]
        delays = self.node.delays
        places = [delays.get(name, 0) + (trips[name] - 1 if last else 0) for name in guarded]
        pairs = zip(guarded, places, strict=True)
        return all_of([self.guards[name].at(place) for name, place in pairs])

    def _masked_names(self) -> frozenset[str]:
        return frozenset(loop.name for loop in self.masked)

    def _subscripts(self, access: Access) -> str:
        self.used.update(access.iterators())
        return self.placed(access, self.computed)


def _merged(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items with neighbours under one condition in one block."""
    last: Item | None = None
    for item in items:
        if isinstance(last, If) and isinstance(item, If) and last.condition == item.condition:
            last = If(last.condition, (*last.body, *item.body))
            continue
        if last is not None:
            yield last
        last = item
    if last is not None:
        yield last
