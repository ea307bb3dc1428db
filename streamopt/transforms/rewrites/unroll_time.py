"""Time steps of a stencil as a chain of streaming nests: a pass over the grid does several steps.

Grids that don't fit on the chip then cross its boundary once for all steps of a pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Cast,
    Compare,
    Condition,
    Expression,
    Index,
    Literal,
    Read,
    Select,
    all_of,
    moved_leaf,
    rewrite,
)
from streamopt.ir.graph import Graph, Node, Passes, SequentialNode
from streamopt.ir.operators import CompareOp
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.stencil_form import StencilForm, Update, stencil_form


@dataclass(frozen=True, slots=True)
class UnrollTime(GraphRewrite):
    """A stencil's time steps as streaming nests, and passes where these are not all of its steps.

    Before: ``for t < 100, i: B[i] = f(A[i - 1], A[i + 1]); A[i] = g(B[i - 1], B[i + 1])``
    After:  ``100 / s`` passes of ``B_1 = f(A_0); A_1 = g(B_1); ...; A_out = g(B_s)``

    An element that a step doesn't compute is taken from the array as it was before. Between passes
    the arrays lie off the chip, each in one memory that is updated in place.
    """

    steps: int
    """Of a pass; they divide the time steps."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with time steps unrolled.

        Raises
        ------
        LegalityError
            E325 if its nests have no such steps.
        """
        count = pass_steps(graph)
        if count == 0 or count % self.steps != 0:
            message = f"'{graph.name}' has no time loop that {self.steps} steps a pass divide"
            hint = "it has one where a sequential nest alone updates whole arrays in every step"
            raise LegalityError(Diagnostic("E325", message, hint=hint))
        return one_pass(graph, self.steps)


class _NoPassError(Exception):
    """An array would have to keep values between passes that no memory off the chip has."""


def pass_steps(graph: Graph) -> int:
    """Return the time steps of a graph that is one stencil; 0 for another graph."""
    found = _unrolled(graph)
    if found is None:
        return 0
    try:
        found.graph(1)
    except _NoPassError:
        return 0
    return found.steps


def one_pass(graph: Graph, steps: int) -> Graph:
    """Return a pass of so many steps of a graph that has `pass_steps`, as often as it fits."""
    found = _unrolled(graph)
    assert found is not None, "it has time steps"
    return found.graph(steps)


def _unrolled(graph: Graph) -> _Unrolled | None:
    """Return a graph that is one stencil, with copies of whole arrays around it at most."""
    if len(graph.nodes) != 1:
        return None
    (node,) = graph.nodes
    form = stencil_form(node) if isinstance(node, SequentialNode) else None
    if form is None or not isinstance(node, SequentialNode):
        return None
    brought = [_copied(graph, update) for update in form.before]
    handed = [_copied(graph, update) for update in form.after]
    pairs = [pair for pair in (*brought, *handed) if pair is not None]
    if len(pairs) < len(brought) + len(handed):
        return None
    sources = dict(node.carries) | dict(pairs[: len(brought)])
    results = {source: target for target, source in pairs[len(brought) :]}
    given = all(graph.array(name).is_given for name in sources.values())
    inside = all(graph.array(name).role is Role.INTERNAL for name in results)
    written = {update.array for update in form.updates}
    is_whole = len(results) == len(handed) and written >= results.keys()
    return _Unrolled(graph, form, sources, results) if given and inside and is_whole else None


def _copied(graph: Graph, update: Update) -> tuple[str, str] | None:
    """Return the target and the source of a copy of a whole array; None for another update."""
    place = tuple(map(Affine.iterator, update.loops))
    match update.value:
        case Read(Access(source, subscripts)) if subscripts == place:
            array, other = graph.array(update.array), graph.array(source)
        case _:
            return None
    whole = tuple((0, extent) for extent in array.shape)
    same = array.shape == other.shape and array.element is other.element
    return (array.name, source) if same and update.box == whole else None


class _Unrolled:
    """A stencil whose passes are made, with what its arrays begin as and what they are handed to.

    Attributes
    ----------
    sources, results
        By array: the argument that it begins as a copy of, and the output that gets a copy of it.
    """

    def __init__(
        self,
        graph: Graph,
        form: StencilForm,
        sources: Mapping[str, str],
        results: Mapping[str, str],
    ) -> None:
        self._source, self._form = graph, form
        self.sources, self.results = sources, results

    @property
    def steps(self) -> int:
        """Return the time steps."""
        return self._form.steps

    def graph(self, steps: int) -> Graph:
        """Return a pass of so many steps; the last ones write what the nest hands over."""
        made = _Pass(self._source, self._form, self.sources)
        updates = [update for _ in range(steps) for update in self._form.updates]
        last = {update.array: at for at, update in enumerate(updates)}
        for at, update in enumerate(updates):
            made.add(update, self._handed(update.array) if last[update.array] == at else None)
        count = self.steps // steps
        passes = Passes(count, self._in_place(made)) if self.steps > 1 else None
        found = made.graph()
        return replace(found, passes=passes if count > 1 else None)

    def _handed(self, array: str) -> str | None:
        is_output = self._source.array(array).role is Role.OUTPUT
        return self.results.get(array, array if is_output else None)

    def _in_place(self, made: _Pass) -> tuple[tuple[str, str], ...]:
        """Return the pairs of output and input that are one memory.

        Raises
        ------
        _NoPassError
            If an array has values from one pass to the next, and is no output or not the only one
            in its memory.
        """
        pairs: list[tuple[str, str]] = []
        for name in made.kept:
            output = self._handed(name)
            if output is None or name not in self.sources:
                raise _NoPassError
            pairs.append((output, self.sources[name]))
        memories = [given for _, given in pairs]
        if any(made.brought.count(given) > 1 for given in memories):
            raise _NoPassError
        return tuple(pairs)


class _Pass:
    """Nodes and arrays of a pass, in the order in which they are made.

    Attributes
    ----------
    kept
        Arrays of which it reads elements that the pass before has written.
    brought
        Arguments that it reads, once for each array that begins as one.
    """

    def __init__(self, graph: Graph, form: StencilForm, sources: Mapping[str, str]) -> None:
        self._source, self._form, self._sources = graph, form, sources
        self._names = FreeNames([n.name for n in graph.nodes] + [a.name for a in graph.arrays])
        self._arrays = {array.name: array for array in graph.arrays}
        self._current: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._nodes: list[Node] = []
        self.kept: dict[str, None] = {}
        self.brought: list[str] = []

    def graph(self) -> Graph:
        """Return the pass as it is now."""
        touched = {name for node in self._nodes for name in (*node.inputs, *node.outputs)}
        arrays = [
            array
            for array in self._arrays.values()
            if array.name in touched or array.role is not Role.INTERNAL
        ]
        return with_parts(self._source, arrays, self._nodes)

    def add(self, update: Update, handed: str | None) -> None:
        """Append the node of an update, which writes an output if it is handed over."""
        array = self._arrays[update.array]
        value = rewrite(update.value, moved_leaf(self._now))
        place = tuple(map(Affine.iterator, update.loops))
        conditions = tuple(_outside_checks(update, array))
        if conditions:
            value = Select(all_of(conditions), value, self._before(array, place))
        name = handed or self._fresh(array)
        loops = tuple(map(Loop, update.loops, array.shape))
        self._nodes.append(
            Node(self._names.fresh(f"step_{name}"), loops, Access(name, place), value)
        )
        self._current[array.name] = name

    def _now(self, access: Access) -> Access:
        """Return an access to what an array is at this point of the pass."""
        name = access.array
        if name not in self._current and any(u.array == name for u in self._form.updates):
            self.kept[name] = None
        return Access(self._version(name), access.subscripts)

    def _before(self, array: Array, place: tuple[Affine, ...]) -> Expression:
        if array.name not in self._current and array.name not in self._sources:
            return Cast(array.element, Literal(0.0))  # elements that nobody reads
        several = sum(update.array == array.name for update in self._form.updates) > 1
        if array.name not in self._current and several:  # else nobody writes these elements
            self.kept[array.name] = None
        return Read(Access(self._version(array.name), place))

    def _version(self, name: str) -> str:
        if name in self._current:
            return self._current[name]
        if name not in self._taken:
            self._taken[name] = self._brought(name)
        return self._taken[name]

    def _brought(self, name: str) -> str:
        """Return a copy of an argument, which its mover brings once for all that read it."""
        source = self._arrays[self._sources.get(name, name)]
        if not source.is_given:
            raise _NoPassError
        self.brought.append(source.name)
        if source.size_elems == 1:
            return source.name
        copy = self._fresh(source)
        loops = tuple(Loop(f"d{at}", extent) for at, extent in enumerate(source.shape))
        place = tuple(Affine.iterator(loop.name) for loop in loops)
        taken = Node(
            self._names.fresh(f"take_{source.name}"),
            loops,
            Access(copy, place),
            Read(Access(source.name, place)),
        )
        self._nodes.append(taken)
        return copy

    def _fresh(self, array: Array) -> str:
        name = self._names.fresh(f"{array.name}_1", array.name, 2)
        self._arrays[name] = replace(array, name=name, role=Role.INTERNAL)
        return name


def _outside_checks(update: Update, array: Array) -> Iterator[Condition]:
    """Yield the conditions under which an element is in an update's box."""
    for name, (low, high), extent in zip(update.loops, update.box, array.shape, strict=True):
        place = Index(Affine.iterator(name))
        if low > 0:
            yield Compare(CompareOp.GE, place, Literal(low))
        if high < extent:
            yield Compare(CompareOp.LT, place, Literal(high))
