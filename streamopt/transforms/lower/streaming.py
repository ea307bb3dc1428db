"""One streaming node as a pipeline: the accesses and operations of the emitted nest.

A stream is read once an element, at the first of the iterations that need it, into a local
buffer; a reduction keeps its partial values in a local buffer, starts at the first iteration of
each element and sends at the last one ([1] Listings 2 and 3).

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Index,
    Literal,
    Logic,
    LogicOp,
    substitute_condition,
)
from streamopt.ir.network import AccessMode, Fifo, Memory, PartialTile, Pipeline, Place, Port
from streamopt.ir.program import Loop
from streamopt.transforms.lower.read_guards import read_guards

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Array
    from streamopt.ir.scheduled import ScheduledNode, TiledLoop

__all__ = ["StreamingNode"]


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
        self.node = scheduled.node
        self.loops = scheduled.loops
        self.sources = sources
        self.targets = targets
        self.arrays = arrays
        self.memories: list[Memory] = []
        self.ports: list[Port] = []
        self.tiles = scheduled.tile_loops
        self._iterator = {loop.name: self._position(loop) for loop in self.loops}
        self._operations = OperationList(
            lambda name: arrays[name].element, self._fetched, scheduled.binding
        )
        self._values: dict[Access, str] = {}
        self._read_guards = read_guards(self.node)

    def pipeline(self) -> Pipeline:
        """Return the pipeline; its local memories are in ``memories`` afterwards."""
        for access in self.node.reads:
            self._fetch(access)
        self._compute()
        lanes = [Loop(f"{loop.name}.lane", loop.unroll) for loop in self.loops if loop.unroll > 1]
        return Pipeline(
            self.node.name,
            tuple(Loop(loop.name, loop.tiles) for loop in self.tiles),
            tuple(lanes),
            tuple(self.ports),
            tuple(self._operations.operations),
            self.node.loc,
            tuple(
                PartialTile(loop.name, f"{loop.name}.lane", loop.tiles - 1, loop.last_lanes)
                for loop in self.loops
                if loop.is_partial
            ),
        )

    def _position(self, loop: TiledLoop) -> Affine:
        """Return the original iterator over tile iterator and lane iterator."""
        tile = Affine.iterator(loop.name) if loop in self.tiles else Affine()
        lane = Affine.iterator(f"{loop.name}.lane") if loop.unroll > 1 else Affine()
        return tile.scaled(loop.unroll) + lane

    def _fetched(self, access: Access) -> str:
        return self._values[access]

    def _fetch(self, access: Access) -> None:
        source = self.sources[access.array]
        value = self._values[access] = f"v{len(self._values)}"
        if isinstance(source, Memory):
            self._guarded_read(source, access, value)
            return
        reused = [loop.name for loop in self.loops if loop.name not in access.iterators()]
        guard = self._at(reused, last=False)
        lanes = self._lanes(access)
        if guard is None:
            self._port(AccessMode.READ, source.name, lanes, value)
            return
        self._port(AccessMode.READ, source.name, lanes, f"{value}.new", guard)
        buffer = self._buffer(access, "local")
        self._port(AccessMode.WRITE, buffer, self._subscripts(access), f"{value}.new", guard)
        self._port(AccessMode.READ, buffer, self._subscripts(access), value)

    def _guarded_read(self, source: Memory, access: Access, value: str) -> None:
        guard = self._read_guards.get(access)
        if guard is not None:
            guard = substitute_condition(guard, self._iterator)
        self._port(AccessMode.READ, source.name, self._subscripts(access), value, guard)

    def _compute(self) -> None:
        node = self.node
        result = add_body(self._operations, node, self.arrays[node.write.array].element)
        if not accumulates(node):
            self._send(result, None)
            return
        place = self._subscripts(node.write)
        buffer = self._buffer(node.write, "acc")
        self._port(AccessMode.READ, buffer, place, BEFORE)
        self._port(AccessMode.WRITE, buffer, place, result)
        self._send(result, self._at(node.reduction_loops, last=True))

    def _send(self, value: str, guard: Condition | None) -> None:
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
        guard: Condition | None = None,
    ) -> None:
        self.ports.append(Port(mode, target, subscripts, value, guard))

    def _subscripts(self, access: Access) -> tuple[Affine, ...]:
        placed = tuple(s.substitute(self._iterator) for s in access.subscripts)
        return placed or (Affine(),)

    def _lanes(self, access: Access) -> tuple[Affine, ...]:
        """Return which stream of a group an access uses: the lane of each dimension's loop."""
        unrolled = {loop.name for loop in self.loops if loop.unroll > 1}
        names = (subscript.as_iterator() for subscript in access.subscripts)
        return tuple(
            Affine.iterator(f"{name}.lane") if name in unrolled else Affine() for name in names
        )

    def _buffer(self, access: Access, purpose: str) -> str:
        """Add a local memory of the array's shape, split like the lanes; return its name."""
        array = self.arrays[access.array]
        name = f"{self.node.name}.{array.name}_{purpose}"
        again = sum(memory.name.startswith(name) for memory in self.memories)
        name += f"{again or ''}"
        unroll = {loop.name: loop.unroll for loop in self.loops}
        factors = tuple(
            min(extent, prod(unroll[iterator] for iterator in subscript.iterators()))
            for subscript, extent in zip(access.subscripts, array.shape, strict=True)
        )
        shape = array.shape or (1,)
        self.memories.append(Memory(name, Place.LOCAL, array.element, shape, factors or (1,)))
        return name

    def _at(self, loops: Sequence[str], *, last: bool) -> Condition | None:
        """Return the condition that loops are at their first or last iteration; None if always."""
        trips = self.node.trip_counts
        parts: list[Condition] = [
            Compare(
                CompareOp.EQ,
                Index(Affine.iterator(name)),
                Literal(trips[name] - 1 if last else 0),
            )
            for name in loops
            if trips[name] > 1
        ]
        if not parts:
            return None
        guard = parts[0] if len(parts) == 1 else Logic(LogicOp.AND, tuple(parts))
        return substitute_condition(guard, self._iterator)
