"""The canonical dataflow graph: what every schedule is made for.

A node is one perfect loop nest with one output array ([1] section 3.5.1), or a sequential nest,
which may have several. Every channel has one
producer and one consumer: an array with several consumers has one channel for each. A reduction
sends only its final values down its channels, which is Cond. 1 of [1] section 3.3.2.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.errors import SourceLoc
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Condition, Expression, reads
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Program, Statement, nest_text
from streamopt.ir.text import access_text, assignment_texts, html_table
from streamopt.ir.window import StreamedPart, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.ir.window import Stretch


@dataclass(frozen=True, slots=True)
class Node:
    """A perfect loop nest that writes one array."""

    name: str
    loops: tuple[Loop, ...]
    """In program order, outermost first."""
    write: Access
    """Write access function; its iterators are the parallel loops."""
    value: Expression
    """Assigned, or combined by ``reduction``, at every point of the domain."""
    reduction: Reduction | None = None
    start: Expression | None = None
    """First value of a reduction, read once for each element; None for its identity."""
    guard: Condition | None = None
    """Where a reduction has terms; None for everywhere."""
    loc: SourceLoc | None = None
    takes: tuple[Window | StreamedPart, ...] = ()
    """Arrays that it takes from a stream other than an element in every iteration."""
    stretches: tuple[Stretch, ...] = ()
    """Loops that therefore have more iterations as built than ``loops`` says."""

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator, in program order."""
        return {loop.name: loop.trip_count for loop in self.loops}

    @property
    def built_trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator of the nest as built: with what windows add."""
        return self.trip_counts | {stretch.loop: stretch.iterations for stretch in self.stretches}

    @property
    def delays(self) -> dict[str, int]:
        """Return the loops that compute later than they take elements, by how many iterations."""
        return {stretch.loop: stretch.delay for stretch in self.stretches if stretch.delay}

    @property
    def iterations(self) -> int:
        """Return the size of the iteration domain."""
        return prod(loop.trip_count for loop in self.loops)

    @property
    def reduction_loops(self) -> tuple[str, ...]:
        """Return the loops that the write access function doesn't use, in program order."""
        used = self.write.iterators()
        return tuple(loop.name for loop in self.loops if loop.name not in used)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Return guard, start and value, as far as they are set."""
        return tuple(e for e in (self.guard, self.start, self.value) if e is not None)

    @property
    def reads(self) -> tuple[Access, ...]:
        """Return the distinct read access functions, in order of first appearance."""
        return tuple(dict.fromkeys(a for e in self.expressions for a in reads(e)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the arrays that come from outside, each once."""
        return tuple(dict.fromkeys(access.array for access in self.reads))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the arrays that it hands over."""
        return (self.write.array,)

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its statements in the syntax of graph.json."""
        parts = self.write, self.value, self.reduction, self.start, self.guard
        return tuple(assignment_texts(*parts))

    @property
    def windows(self) -> tuple[Window, ...]:
        """Return the arrays of which it keeps some rows while it takes them from a stream."""
        return tuple(own for own in self.takes if isinstance(own, Window))

    @property
    def parts(self) -> tuple[StreamedPart, ...]:
        """Return the arrays that it takes in some of its iterations only."""
        return tuple(own for own in self.takes if isinstance(own, StreamedPart))

    def __str__(self) -> str:
        """Return one line: name, loops in program order, statements, and its windows if any."""
        return self.text_over(self.loops)

    def text_over(self, loops: Iterable[object]) -> str:
        """Return its line with other loops."""
        notes = map(str, (*self.takes, *self.stretches))
        return "; ".join([nest_text(self.name, loops, self.texts, None), *notes])

    def reads_of(self, array: str) -> tuple[Access, ...]:
        """Return the distinct read access functions of one array."""
        return tuple(access for access in self.reads if access.array == array)

    def window(self, array: str) -> Window | None:
        """Return the window on an array, if there is one."""
        noted = self.noted(array)
        return noted if isinstance(noted, Window) else None

    def part(self, array: str) -> StreamedPart | None:
        """Return how an array is taken that comes in some iterations only; None for others."""
        noted = self.noted(array)
        return noted if isinstance(noted, StreamedPart) else None

    def noted(self, array: str) -> Window | StreamedPart | None:
        """Return how an array is taken, if not an element in every iteration."""
        return next((own for own in self.takes if own.array == array), None)

    def taken_of(self, array: str) -> tuple[Access, ...]:
        """Return how the elements of one array come in: as they are read, but once in a window."""
        noted = self.noted(array)
        return self.reads_of(array) if noted is None else (noted.taken,)


@dataclass(frozen=True, slots=True)
class SequentialNode(Node):
    """A loop nest whose iterations run one after another and update arrays in place.

    It reads its inputs as wholes and hands its outputs over as wholes; its loops are neither
    reordered nor unrolled. ``write`` and ``value`` are those of its last statement.
    """

    statements: tuple[Statement, ...] = ()
    """Run in order at every point of the domain, each under its guard."""
    carries: tuple[tuple[str, str], ...] = ()
    """Pairs (array, source): the array begins as a copy of the source."""
    reason: str = ""
    """Why it can't stream, for people."""

    @property
    def reduction_loops(self) -> tuple[str, ...]:
        """Return no loop: nothing is sent before the last iteration."""
        return ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Return guards and values of all statements."""
        return tuple(e for statement in self.statements for e in statement.expressions)

    @property
    def reads(self) -> tuple[Access, ...]:
        """Return the distinct reads of arrays that it doesn't write itself."""
        found = (a for e in self.expressions for a in reads(e) if a.array not in self.outputs)
        return tuple(dict.fromkeys(found))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the arrays that come from outside, those that it begins with first."""
        sources = [source for _, source in self.carries]
        return tuple(dict.fromkeys([*sources, *(access.array for access in self.reads)]))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the arrays that it writes, in order of first appearance."""
        return tuple(dict.fromkeys(s.target.array for s in self.statements))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all statements in the syntax of graph.json."""
        return tuple(text for statement in self.statements for text in statement.texts)

    def text_over(self, loops: Iterable[object]) -> str:
        """Return its line with other loops: it begins with the arrays that are copies."""
        return nest_text(self.name, loops, self.texts, self.carries)


@dataclass(frozen=True, slots=True)
class Edge:
    """A channel: one producer hands the elements of one array to one consumer."""

    channel: str
    """Unique name of the channel; equal to the array's name where it has one consumer."""
    array: str
    producer: str
    consumer: str
    write: Access
    """Write access function of the producer."""
    reads: tuple[Access, ...]
    """How the consumer takes elements; more than one access function can't be streamed."""
    is_whole: bool = False
    """Whether one side is sequential, so that the array is handed over as a whole."""

    def __str__(self) -> str:
        """Return one line: name, both nodes, and how elements are taken."""
        taken = (
            "takes it as a whole"
            if self.is_whole
            else f"reads {', '.join(map(access_text, self.reads))}"
        )
        return f"channel {self.channel}: {self.producer} -> {self.consumer} {taken}"


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Arrays and nodes by name, and the writers of every array."""

    arrays: Mapping[str, Array]
    nodes: Mapping[str, Node]
    writers: Mapping[str, tuple[Node, ...]]


def _lookup(arrays: tuple[Array, ...], nodes: tuple[Node, ...]) -> _Lookup:
    writers: dict[str, list[Node]] = {}
    for node in nodes:
        for array in node.outputs:
            writers.setdefault(array, []).append(node)
    return _Lookup(
        arrays={array.name: array for array in reversed(arrays)},
        nodes={node.name: node for node in reversed(nodes)},
        writers={array: tuple(found) for array, found in writers.items()},
    )


@dataclass(frozen=True, slots=True)
class Passes:
    """How often a graph runs, one run after the other, each on what the one before has left."""

    count: int
    """Runs; more than one."""
    in_place: tuple[tuple[str, str], ...]
    """Pairs (output, input) that are one memory off the chip: a run reads each element before it
    writes it, and the next run reads what this one has written."""

    def __str__(self) -> str:
        """Return one line: how often, and what is updated in place."""
        pairs = ", ".join(f"{output} in the place of {given}" for output, given in self.in_place)
        return f"{self.count} passes, {pairs}"


@dataclass(frozen=True, slots=True)
class Graph:
    """A DAG of nodes in topological order; built by `streamopt.transforms.canonicalize`."""

    name: str
    arrays: tuple[Array, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    copies: tuple[tuple[str, str], ...] = ()
    """Pairs (array, original): arguments that the caller fills with what it gives another one."""
    values: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
    """Values of weights that came with the source, by array; those of a copy are its original's."""
    origin: Program | None = field(default=None, compare=False, repr=False)
    """The program that it was made of, which designs are compared with; None if unknown."""
    passes: Passes | None = None
    """How often it runs, if more than once."""
    _lookup: _Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note what is where: lists would make work on graphs quadratic in their size."""
        object.__setattr__(self, "_lookup", _lookup(self.arrays, self.nodes))

    def __str__(self) -> str:
        """Return a line for each array, node and channel."""
        copies = (f"{copy} is a copy of {original}" for copy, original in self.copies)
        passes = () if self.passes is None else (self.passes,)
        parts = (*self.arrays, *copies, *self.nodes, *self.edges, *passes)
        return "\n".join([f"graph {self.name}", *map(str, parts)])

    def __repr__(self) -> str:
        """Return name and size on one line."""
        return f"<Graph {self.name}: {len(self.nodes)} nodes, {len(self.edges)} channels>"

    def _repr_html_(self) -> str:
        """Show the graph in a notebook: drawn, if a drawing is at hand."""
        if (draw := _DRAWINGS.get(Graph)) is not None:
            return draw(self)
        title = f"graph {self.name}: {len(self.nodes)} nodes, {len(self.edges)} channels"
        rows = (
            (node.name, ", ".join(edge.channel for edge in edges))
            for node, edges in zip(self.nodes, self.in_edges().values(), strict=True)
        )
        return html_table(title, ("node", "channels in"), rows)

    @property
    def pass_count(self) -> int:
        """Return how often it runs."""
        return 1 if self.passes is None else self.passes.count

    def array(self, name: str) -> Array:
        """Return the array of that name; raises KeyError."""
        return self._lookup.arrays[name]

    def element_of(self, name: str) -> ElementType:
        """Return the type of the elements of the array of that name; raises KeyError."""
        return self._lookup.arrays[name].element

    def node(self, name: str) -> Node:
        """Return the node of that name; raises KeyError."""
        return self._lookup.nodes[name]

    def values_of(self, array: str) -> NDArray[Any] | None:
        """Return the values of an array, or of what it is a copy of; None where none came."""
        return self.values.get(dict(self.copies).get(array, array))

    def in_edges(self) -> Mapping[str, tuple[Edge, ...]]:
        """Return the incoming edges of every node."""
        found: dict[str, list[Edge]] = {node.name: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.consumer].append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    def out_edges(self) -> Mapping[str, tuple[Edge, ...]]:
        """Return the outgoing edges of every node."""
        found: dict[str, list[Edge]] = {node.name: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.producer].append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    def writers(self, array: str) -> tuple[Node, ...]:
        """Return the nodes that write an array, in program order; later ones overwrite."""
        return self._lookup.writers.get(array, ())


_DRAWINGS: dict[type[Graph], Callable[[Graph], str]] = {}


def draw_graphs_with(draw: Callable[[Graph], str]) -> None:
    """Let notebooks show graphs by a drawing, which is made in a room that knows this one."""
    _DRAWINGS[Graph] = draw
