"""One node as a tiled, pipelined loop nest, in the form of [1] Listings 2 and 3.

The tile loops stand in the scheduled order; below the innermost, pipelined one, loops over the
lanes are unrolled, so the body stands once whatever the factors. Guards name the tile and the lane
(`streamopt.codegen.processes.guards`):

- a stream is read once per element, at the first of the iterations that need it, into a local
  buffer; or straight into the expression if only one iteration needs it;
- a reduction keeps its partial values in a local buffer, starts at the first iteration of each
  element, and sends at the last one (Cond. 1 of [1]); local buffers hold what is alive at a time
  (`streamopt.analysis.live_range`);
- a window takes its array from a stream into line buffers (`streamopt.codegen.processes.windows`);
  what is computed is a few rows behind.

Where a factor doesn't divide its trip count, lanes of the last tile have no iteration. Of a loop
that moves the output their whole body is under ``if (i_tile < 14 || i_lane < 18)``; these lane
loops stand outermost. Lanes of a reduction loop read nothing there and add the identity.

The lanes of reduction loops stand innermost. What they add to an element are the terms of a tree
(`streamopt.codegen.processes.term_tree`), and its result is combined with the partial value by one
operator: the only one on the recurrence, whatever the number of terms, and in an order that is
fixed.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial as partial_function

from streamopt.analysis.accumulator import accumulator, update_distance
from streamopt.analysis.live_range import local_buffer
from streamopt.analysis.value_ranges import ValueContext, accumulated_type
from streamopt.codegen.expressions import ExpressionText, literal
from streamopt.codegen.layout import CppPort, CppProcess, extents_text
from streamopt.codegen.names import Names
from streamopt.codegen.operators import OperatorFunctions
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.loops import CppNest, partition_pragmas, storage_pragma
from streamopt.codegen.processes.products import (
    PackedProducts,
    narrow_multiplication,
    packed_products,
)
from streamopt.codegen.processes.term_tree import term_tree
from streamopt.codegen.processes.walks import WindowWalk, prefill, take
from streamopt.codegen.processes.windows import LineWriter, dependences
from streamopt.codegen.tree import CppStatement, If, Item
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Expression, reads
from streamopt.ir.line_buffer import LineBuffer
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.ports import RamBlock
from streamopt.ir.program import Array
from streamopt.ir.scheduled import ScheduledNode


class NestWriter(CppNest):
    """Builds the items of one node; used once.

    ``scope`` is the function's: local buffers take names there, so that the next nest of the
    function has others; iterators and values live inside the nest. ``functions`` takes the
    operators that are bound.
    """

    def __init__(
        self,
        scheduled: ScheduledNode,
        process: CppProcess,
        scope: Names,
        functions: OperatorFunctions,
    ) -> None:
        super().__init__(scheduled, process, scope)
        self.scheduled = scheduled
        self.array = process.writes[0].array
        delays = self.node.delays
        self.computed = {
            name: Affine.iterator(text) - Affine.of(delays.get(name, 0))
            for name, text in self.iterator.items()
        }
        reduced = self.node.reduction_loops if self.node.reduction is not None else ()
        partial = [loop for loop in self.loops if loop.is_partial]
        self.lanes = [loop for loop in self.loops if loop.unroll > 1]
        self.summed = [loop for loop in self.lanes if loop.name in reduced]
        counts = [(self.lane[loop.name], loop.unroll) for loop in self.summed]
        self.tree = term_tree(counts, self.names)
        if self.tree is not None:
            scope.take(self.tree.name)
        self.carries = update_distance(scheduled) > 0
        self.guarded = [loop for loop in partial if loop.name not in reduced]
        self.masked = [loop for loop in partial if loop.name in reduced]
        self.locals: list[Item] = []
        self.prefills: list[Item] = []
        self.fetched: dict[Access, str] = {}
        self.line_buffers = scheduled.line_buffers
        self.line_writers: list[LineWriter] = []
        self.walks: dict[str, WindowWalk] = {}
        ports = (*process.reads.values(), *process.writes)
        elements = {port.array.name: port.array.element for port in ports}
        function = partial_function(functions.name, scheduled.binding)
        among = ValueContext(elements.__getitem__, self.node.trip_counts)
        self.element = accumulated_type(self.node, among)
        self.expression = ExpressionText(elements.__getitem__, self._operand, self._index, function)

        def accumulating(operator: Operator, element: ElementType, number: int) -> str | None:
            distance = update_distance(scheduled)
            parts = accumulator(scheduled.binding, operator, element, distance)
            return functions.name(((operator, parts),) if parts else (), operator, element)

        self.accumulating = replace(self.expression, function=accumulating)
        self.narrow = narrow_multiplication(scheduled, elements.__getitem__, functions)
        self.packed: PackedProducts | None = None
        if self.narrow is not None and self.narrow.is_packed:
            factors = self.narrow.product
            self.packed = packed_products(factors, self.lanes, self.lane, self.names.unique)

    def items(self) -> tuple[Item, ...]:
        """Return local buffers and the loop nest."""
        taken = [*self._windows()]
        taken += self._multiplied()
        body: list[Item]
        computed: list[Item] = [*_merged(self._fetches(self.node.reads)), *self._term()]
        result, computing = [*self._result()], self._computing()
        outer, inner = self.counters.lanes([self.lane[loop.name] for loop in self.summed])
        if self.tree is None:
            body = _under(computing, [*outer, *inner, *computed, *result])
        else:
            body = _under(computing, [*inner, *computed])
            for loop in reversed(self.summed):
                body = [self.lane_loop(loop, body)]
            declared = self.tree.declared(self.element)
            body = [*outer, *declared, *body, *_under(computing, result)]
        body = self._in_lanes(body)
        body = [*dependences(self.line_writers), *self.constants(self.loops), *taken, *body]
        body += self.counters.steps
        body += [step for walk in self.walks.values() for step in walk.counters.steps]
        nest = self.tiled(body, self.scheduled.target_ii)
        return (*self.locals, *self.prefills, *self.counters.declared, *nest)

    def _in_lanes(self, inner: Iterable[Item]) -> list[Item]:
        """Return items in the loops over the lanes of loops that move the output."""
        body: list[Item] = [*inner]
        plain = [p for p in self.lanes if p not in self.guarded and p not in self.summed]
        for loop in reversed((*self.guarded, *plain)):
            if loop.unroll > 1:
                end = self.inside([loop.name]) if loop in self.guarded else ""
                body = [self.lane_loop(loop, body, end)]
        return body

    def _multiplied(self) -> list[Item]:
        """Return the products of all lanes, two in a DSP; nothing where none are packed."""
        if self.narrow is None or self.packed is None:
            return []
        product, before = self.narrow.product, {*self.used}
        factors = product.left, product.right
        fetched = [*_merged(self._fetches([a for one in factors for a in reads(one)]))]
        texts = [self._factor(factor, product.factor) for factor in factors]
        body: list[Item] = _under(self._computing(), [*fetched, *self.packed.taken(*texts)])
        for loop in reversed(self.summed):
            body = [self.lane_loop(loop, body)]
        body = self._in_lanes(body)
        self.used = before
        return [*self.packed.declared(), *body, *self.packed.multiplied(self.narrow.function)]

    def _factor(self, factor: Expression, element: ElementType) -> str:
        """Return a factor of a lane's product; 0 where a lane has no iteration."""
        text = self.expression.text(factor, element)
        loops = {name for access in reads(factor) for name in access.iterators()}
        inside = self.inside(self._masked_names() & loops)
        return f"{inside} ? {text} : {literal(0, element)}" if inside else text

    def _windows(self) -> Iterator[Item]:
        """Yield what fills windows from their line buffers, and then takes the next elements."""
        taken: list[Item] = []
        for window in self.node.windows:
            port = self.process.reads[self.node.name, window.array]
            if not port.is_stream:
                continue
            if window.counted_rows:
                self.walks[window.array] = WindowWalk.of(
                    window, self.loops, self.tile, self.taken_name
                )
                self.locals += self.walks[window.array].counters.declared
            of_array = [lines for lines in self.line_buffers if lines.array == window.array]
            writers = [self._line_writer(lines, port.array) for lines in of_array]
            self.line_writers += writers
            for writer in writers:
                yield from writer.fill()
                self.fetched |= writer.element_texts()
            taken += take(self, window, port, writers, self.walks.get(window.array))
            if window.prefilled:
                self.prefills.append(prefill(self, window, port, writers))
        yield from taken

    def _line_writer(self, lines: LineBuffer, array: Array) -> LineWriter:
        memory = self._local(array, lines.shape, lines.factors, "lines", lines.in_words)
        window, column = (self.taken_name(f"{array.name}_{kind}") for kind in ("window", "column"))
        iterators = {name: Affine.iterator(text) for name, text in self.tile.items()}
        iterators |= {f"{name}.lane": Affine.iterator(text) for name, text in self.lane.items()}
        if array.name in self.walks:
            iterators |= self.walks[array.name].places
        registers = window, column
        return LineWriter(lines, memory, registers, array.element, iterators, self.names)

    def _computing(self) -> str:
        """Return the condition that stretched loops have something to compute; empty if always."""
        parts: list[str] = []
        for stretch in self.node.stretches:
            guard, end = self.guards[stretch.loop], self.node.trip_counts[stretch.loop]
            parts += [guard.since(stretch.delay), guard.before(stretch.delay + end)]
        return all_of(parts)

    def _fetches(self, accesses: Iterable[Access]) -> Iterator[Item]:
        """Yield the reads of streams; each read access function of an array is read once."""
        for access in accesses:
            port = self.process.reads[self.node.name, access.array]
            if not port.is_stream or access in self.fetched:
                continue
            part = self.node.part(access.array)
            lanes = self.stream_lanes(access if part is None else part.taken)
            source = f"{port.stream(lanes)}.read()"
            reused = [loop.name for loop in self.loops if loop.name not in access.iterators()]
            condition = self._at(reused, last=False)
            inside = self.inside(self._masked_names() & {*access.iterators()}, part)
            if not condition:
                name = self.names.unique(f"{port.name}_value")
                zero = literal(0, port.array.element)
                value = f"{inside} ? {source} : {zero}" if inside else source
                yield CppStatement(f"const {port.array.element} {name} = {value};")
                self.fetched[access] = name
                continue
            element = self._buffer(port.array, access, "local")
            yield If(all_of([condition, inside]), (CppStatement(f"{element} = {source};"),))
            self.fetched[access] = element

    def _term(self) -> Iterator[Item]:
        """Yield the computation of one lane's term; without a reduction, of its result."""
        node = self.node
        value = self._value()
        conditions = [self.inside(self._masked_names())]
        if node.guard is not None:
            guard = self.expression.condition(node.guard)
            conditions.append(f"({guard})" if conditions[0] else guard)
        if condition := all_of(conditions):
            value = f"{condition} ? {value} : {self._identity()}"
        self.value = value
        if self.tree is not None:
            yield CppStatement(f"{self.tree.place} = {value};")
        elif node.reduction is not None and (self.carries or node.start is not None):
            self.value = self.names.unique("term")
            yield CppStatement(f"const {self.element} {self.value} = {value};")

    def _value(self) -> str:
        """Return the text of one lane's value."""
        if self.packed is not None:
            return self.packed.text
        if self.narrow is None or self.narrow.is_packed:
            return self.expression.text(self.node.value, self.element)
        product = self.narrow.product
        factors = (self.expression.text(f, product.factor) for f in (product.left, product.right))
        return f"{self.narrow.function}({', '.join(factors)})"

    def _result(self) -> Iterator[Item]:
        """Yield the tree, the operator that adds to a partial value, and the writes."""
        element, reduction = self.element, self.node.reduction
        targets = [self._target(port) for port in self.process.writes]
        if reduction is None:
            yield from self._send(targets, self.value)
            return
        term = self.value
        if self.tree is not None:
            combine = self.expression.combine
            yield self.tree.combined(lambda one, other: combine(reduction, one, other, element))
            term = self.tree.root
        if not self.carries:
            if self.node.start is not None:
                term = self.expression.combine(reduction, self._start(), term, element)
            yield from self._send(targets, term)
            return
        kept = replace(self.array, element=element)
        partial = self._buffer(kept, self.node.write, "acc")
        first, last = self._at_tile(last=False), self._at_tile(last=True)
        total = self.names.unique("total")
        if reduction in (Reduction.ADD, Reduction.MUL) or self.node.start is not None:
            before = f"({first} ? {self._start()} : {partial})"
            combined = self.accumulating.combine(reduction, before, term, element)
        else:
            combined = self.accumulating.combine(reduction, partial, term, element)
            combined = f"({first}) ? {term} : {combined}"
        yield CppStatement(f"const {element} {total} = {combined};")
        yield CppStatement(f"{partial} = {total};")
        yield If(last, tuple(self._send(targets, total)))

    def _start(self) -> str:
        """Return the start of a reduction."""
        if self.node.start is not None:
            return self.expression.text(self.node.start, self.element)
        return self._identity()

    def _identity(self) -> str:
        """Return the identity of a reduction; where its type has none, a bound."""
        element, reduction = self.element, self.node.reduction
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
        return self.index(value, self.computed)

    def _buffer(self, array: Array, access: Access, purpose: str) -> str:
        """Declare a buffer for the elements of an access that are alive; return an element."""
        kept = local_buffer(self.scheduled, access, array.shape)
        name = self._local(array, kept.shape, kept.factors, purpose)
        if kept.in_bram and f"{array.name}_{purpose}" not in dict(self.scheduled.blocks):
            self.locals.append(storage_pragma(name, RamBlock.BRAM))
        lanes = {f"{name}.lane": Affine.iterator(text) for name, text in self.lane.items()}
        texts = (self.index(s, {**self.computed, **lanes}) for s in kept.subscripts)
        return f"{name}{''.join(f'[{text}]' for text in texts)}"

    def _local(
        self,
        array: Array,
        shape: tuple[int, ...],
        factors: tuple[int, ...],
        purpose: str,
        in_words: Sequence[int] = (),
    ) -> str:
        name = self.taken_name(f"{array.name}_{purpose}")
        # Compilers that unroll can't tell that each is set at its first use: registers begin as
        # zeros, which costs nothing; a memory would be swept.
        are_registers = all(f >= extent for f, extent in zip(factors, shape, strict=True))
        start = " = {}" if are_registers else ""
        self.locals.append(CppStatement(f"{array.element} {name}{extents_text(shape)}{start};"))
        self.locals += partition_pragmas(name, factors, in_words)
        block = dict(self.scheduled.blocks).get(f"{array.name}_{purpose}")
        if block is not None:
            self.locals.append(storage_pragma(name, block))
        return name

    def _at(self, loops: Sequence[str], *, last: bool) -> str:
        """Return the condition that loops are at their first or last iteration; empty if always."""
        trips = self.node.trip_counts
        guarded = [name for name in loops if trips[name] > 1]
        delays = self.node.delays
        places = [delays.get(name, 0) + (trips[name] - 1 if last else 0) for name in guarded]
        pairs = zip(guarded, places, strict=True)
        return all_of([self.guards[name].at(place) for name, place in pairs])

    def _at_tile(self, *, last: bool) -> str:
        """Return the condition that an element gets its first or last terms."""
        reduced = [p for p in self.loops if p.name in self.node.reduction_loops and p.tiles > 1]
        places = ((p.name, p.tiles - 1 if last else 0) for p in reduced)
        return all_of([f"{self.tile[name]} == {place}" for name, place in places])

    def _masked_names(self) -> frozenset[str]:
        return frozenset(loop.name for loop in self.masked)

    def _subscripts(self, access: Access) -> str:
        return self.placed(access, self.computed)


def _under(condition: str, items: Sequence[Item]) -> list[Item]:
    """Return items under a condition, if there is one."""
    return [If(condition, tuple(items))] if condition and items else [*items]


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
