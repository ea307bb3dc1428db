"""Time steps of a stencil as a chain of streaming nests: a pass over the grid does several steps.

Grids that don't fit on the chip then cross its boundary once for all steps of a pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Cast,
    Compare,
    Index,
    Literal,
    Read,
    Select,
    all_of,
    moved_leaf,
    rewrite,
)
from streamopt.ir.graph import Node, Passes, SequentialNode
from streamopt.ir.operators import CompareOp
from streamopt.ir.program import Loop, Role
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.stencil_form import StencilForm, stencil_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Array
    from streamopt.transforms.rewrites.stencil_form import Update


@dataclass(frozen=True, slots=True)
class UnrollTime(GraphRewrite):
    """A stencil's time steps as streaming nests, and passes where these are not all of its steps.

    Before: ``for t < 100, i: B[i] = f(A[i - 1], A[i + 1]); A[i] = g(B[i - 1], B[i + 1])``
    After:  ``100 / s`` passes of ``B_1 = f(A_0); A_1 = g(B_1); ...; A_out = g(B_s)``

    An element that a step doesn't compute is taken from the array as it was before. Between passes
    the arrays lie off the chip, each in one memory that is updated in place.

    Attributes
    ----------
    steps
        Of a pass; they divide the time steps.
    """

    steps: int

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


def pass_steps(graph: Graph) -> int:
    """Return the time steps of a graph that is one stencil; 0 for another graph."""
    form = _form(graph, graph.nodes[0]) if len(graph.nodes) == 1 else None
    return 0 if form is None else form.steps


def one_pass(graph: Graph, steps: int) -> Graph:
    """Return a pass of so many steps of a graph that has `pass_steps`, as often as it fits."""
    (node,) = graph.nodes
    form = _form(graph, node)
    assert form is not None, "it has time steps"
    assert isinstance(node, SequentialNode)
    return _Unrolled(graph, node, form).graph(steps)


def _form(graph: Graph, node: Node) -> StencilForm | None:
    """Return the form of a nest whose arrays may be updated in place, pass after pass."""
    if not isinstance(node, SequentialNode):
        return None
    sources = [source for _, source in node.carries]
    kept = {access.array for access in node.reads}
    is_own = len(set(sources)) == len(sources) and kept.isdisjoint(sources)
    given = all(graph.array(name).role is Role.INPUT for name in sources)
    return stencil_form(node) if is_own and given else None


class _Unrolled:
    """Nodes and arrays of a pass, in the order in which they are made."""

    def __init__(self, graph: Graph, node: SequentialNode, form: StencilForm) -> None:
        self._source, self._node, self._form = graph, node, form
        self._names = FreeNames([node.name, *(array.name for array in graph.arrays)])
        self._sources = dict(node.carries)
        self._arrays = {array.name: array for array in graph.arrays}
        self._current: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._nodes: list[Node] = []

    def graph(self, steps: int) -> Graph:
        """Return a pass of so many steps; the last ones write what the nest hands over."""
        updates = [update for _ in range(steps) for update in self._form.updates]
        last = {update.array: at for at, update in enumerate(updates)}
        for at, update in enumerate(updates):
            self._add(update, is_last=last[update.array] == at)
        pairs = tuple((name, self._sources[name]) for name in self._taken if name in self._sources)
        count = self._form.steps // steps
        passes = Passes(count, pairs) if count > 1 else None
        touched = {name for node in self._nodes for name in (*node.inputs, *node.outputs)}
        arrays = [
            array
            for array in self._arrays.values()
            if array.name in touched or array.role is not Role.INTERNAL
        ]
        return replace(with_parts(self._source, arrays, self._nodes), passes=passes)

    def _add(self, update: Update, *, is_last: bool) -> None:
        array = self._arrays[update.array]
        value = rewrite(update.value, moved_leaf(self._now))
        place = tuple(map(Affine.iterator, update.loops))
        conditions = tuple(_outside_checks(update, array))
        if conditions:
            value = Select(all_of(conditions), value, self._before(array, place))
        handed = is_last and array.role is not Role.INTERNAL
        name = array.name if handed else self._fresh(array)
        loops = tuple(map(Loop, update.loops, array.shape))
        self._nodes.append(
            Node(self._names.fresh(f"step_{name}"), loops, Access(name, place), value)
        )
        self._current[array.name] = name

    def _now(self, access: Access) -> Access:
        """Return an access to what an array is at this point of the pass."""
        return Access(self._version(access.array), access.subscripts)

    def _before(self, array: Array, place: tuple[Affine, ...]) -> Expression:
        if array.name in self._current or array.name in self._sources:
            return Read(Access(self._version(array.name), place))
        return Cast(array.element, Literal(0.0))  # elements that nobody reads

    def _version(self, name: str) -> str:
        if name in self._current:
            return self._current[name]
        if name not in self._taken:
            self._taken[name] = self._brought(name)
        return self._taken[name]

    def _brought(self, name: str) -> str:
        """Return a copy of an argument, which its mover brings once for all that read it."""
        source = self._arrays[self._sources.get(name, name)]
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
