"""Sequential nodes in the order of a design, bit for bit: tiles in turn, sums as trees of lanes.

Where a source has no finite error bounds, as behind a division by what is left of a sum, its own
order of summation tells nothing of another one. Then two exact comparisons take their place: of the
design with the order that it is to have, on the numbers of the program, and of that order with the
source, on residues modulo a prime, whose sums are the same in any order. Together they say that the
design adds the terms of the source, each once, and does all else to the same operands.
"""

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.arithmetic import expression_type
from streamopt.ir.expression import BinaryOp, Expression, Function, Read
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Nest, Program, Role, Statement
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.ir.stepping.stepped import LanedItem, LanedPhase, SteppedNest, walk_laned
from streamopt.ir.stepping.steps import StepLoop
from streamopt.verification.reference.compiled_order import has_compiler, library
from streamopt.verification.reference.execution import execute
from streamopt.verification.reference.scalar_cpp import (
    SAME_EVERYWHERE,
    ScalarCpp,
    can_be_compiled,
    term_of,
)

Values = Mapping[str, NDArray[Any]]

Operation = BinaryOp | Function

_SEED = 20


def nest_of(node: Node) -> Nest:
    """Return a node of a graph as a nest of a program."""
    if isinstance(node, SequentialNode):
        return Nest(
            node.name, node.loops, node.statements, node.loc, True, node.carries, node.reason
        )
    statement = Statement(node.write, node.value, node.reduction, node.start, node.guard, node.loc)
    return Nest(node.name, node.loops, (statement,), node.loc)


@dataclass(frozen=True, slots=True)
class ScheduledCpp(ScalarCpp):
    """Prints a sequential node in the order of a design; it knows nothing of memories."""

    items: tuple[LanedItem, ...] = ()

    @classmethod
    def in_order(
        cls, nest: Nest, built: SteppedNest, arrays: Mapping[str, Array], *, in_residues: bool
    ) -> "ScheduledCpp":
        """Return the printer of a node that touches some arrays."""
        places = {name: (at, array) for at, (name, array) in enumerate(arrays.items())}
        loops = {
            loop.name: loop
            for phase, around in walk_laned(built.items)
            for loop in (*around, *phase.phase.loops)
        }
        ends = {name: max(1, loop.end) for name, loop in loops.items()}
        names = {name: f"i_{name}" for name in loops}
        return cls(places, ends, names, nest, False, False, in_residues, built.items)

    def _body(self) -> Iterator[str]:
        for item in self.items:
            yield from self._item(item)

    def _item(self, item: LanedItem) -> Iterator[str]:
        if isinstance(item, LanedPhase):
            yield from self._phase(item)
            return
        yield self._head(item.loop)
        for inner in item.items:
            yield from self._item(inner)
        yield "}"

    def _head(self, loop: StepLoop) -> str:
        name = self.iterators[loop.name]
        first = f"std::max<int64_t>({{{', '.join(map(self.affine, loop.lower))}}})"
        end = f"std::min<int64_t>({{{', '.join(map(self.affine, loop.upper))}}})"
        return f"for (int64_t {name} = {first}, end = {end}; {name} < end; {name}++) {{"

    def _phase(self, item: LanedPhase) -> Iterator[str]:
        tiles = {tile.name: f"t_{tile.name}" for tile in item.tiles}
        tiled = replace(self, iterators={**self.iterators, **tiles})
        lanes = dict(item.lanes)
        for tile in item.tiles:
            yield tiled._head(tile)
        for name in tiles:
            if name not in lanes:
                yield f"const int64_t i_{name} = t_{name};"
        summed = {name: count for name, count in lanes.items() if name in item.phase.sums}
        plain = {name: count for name, count in lanes.items() if name not in summed}
        for statement in item.phase.statements:
            step = term_of(statement) if summed else None
            if step is None or {*statement.target.iterators()} & item.phase.sums:
                place, element = statement.target, self.element(statement.target.array)
                yield from _around({**plain, **summed})
                yield f"if ({self._runs(item, statement)})"
                yield f"{self.place(place)} = {self.value(statement.value, element)};"
                yield "}" * len(lanes)
            else:
                yield from _around(plain)
                yield from self._tree(item, statement, step, summed)
                yield "}" * len(plain)
        yield "}" * len(tiles)

    def _runs(self, item: LanedPhase, statement: Statement) -> str:
        parts = [part for part in (item.guard, statement.guard) if part is not None]
        return " && ".join(map(self.condition, parts)) or "true"

    def _tree(
        self,
        item: LanedPhase,
        statement: Statement,
        step: tuple[Operation, Expression],
        summed: Mapping[str, int],
    ) -> Iterator[str]:
        """Yield the terms of lanes, their sum in rounds of pairs, and the update."""
        update, term = step
        terms = BinaryOp.ADD if update is BinaryOp.SUB else update
        element = self.element(statement.target.array)
        kind = expression_type(statement.value, self.element) or element
        own, count = self.kind(kind), int(np.prod([*summed.values()]))
        yield f"{{ {own} term[{2 * count - 1}]; bool has[{2 * count - 1}]; int lane = 0;"
        yield from _around(summed)
        yield f"has[lane] = {self._runs(item, statement)};"
        yield f"if (has[lane]) term[lane] = {self.value(term, kind)};"
        yield "lane++;"
        yield "}" * len(summed)
        yield f"for (int a = 0; a < {2 * count - 2}; a += 2, lane++) {{"
        yield "has[lane] = has[a] || has[a + 1];"
        both = self._combined(terms, "term[a]", "term[a + 1]")
        yield f"if (has[a] && has[a + 1]) term[lane] = {both};"
        yield "else if (has[lane]) term[lane] = has[a] ? term[a] : term[a + 1];"
        yield "}"
        place, root = self.place(statement.target), f"term[{2 * count - 2}]"
        value = self._combined(update, self.value(Read(statement.target), kind), root)
        value = value if kind is element else self._converted(value, kind, element)
        yield f"if (has[{2 * count - 2}]) {place} = {value}; }}"

    def _combined(self, operation: Operation, left: str, right: str) -> str:
        if isinstance(operation, Function):
            return f"{SAME_EVERYWHERE[operation]}({left}, {right})"
        return f"({left} {operation} {right})"


def _around(lanes: Mapping[str, int]) -> Iterator[str]:
    for name, count in lanes.items():
        yield f"for (int64_t l_{name} = 0; l_{name} < {count}; l_{name}++) {{"
        yield f"const int64_t i_{name} = t_{name} * {count} + l_{name};"


def in_scheduled_order(scheduled: ScheduledGraph, inputs: Values) -> dict[str, NDArray[Any]] | None:
    """Return the bits that every array of a graph has in the order of a design.

    None where some of them have more than one value that is right, or the order isn't known to
    compute the terms of the source.
    """
    graph = scheduled.graph
    if graph.passes is not None or not has_compiler():
        return None
    state = {a.name: np.asarray(inputs[a.name]) for a in graph.arrays if a.name in inputs}
    state |= {copy: np.asarray(inputs[own]) for copy, own in graph.copies if own in inputs}
    for own in scheduled.nodes:
        found = _one(graph, own.node, own.stepped, state)
        if found is None:
            return None
        state |= found
    return state


def _one(graph: Graph, node: Node, built: SteppedNest | None, state: Values) -> Values | None:
    nest = nest_of(node)
    arrays = {name: graph.array(name) for name in dict.fromkeys((*node.inputs, *node.outputs))}
    if built is None:
        return _exact(nest, arrays, state)
    if not can_be_compiled(nest, [*arrays.values()]):
        return None
    given = {name: state[name] for name in node.inputs}
    rng = np.random.default_rng(_SEED)
    residues = {
        name: rng.integers(1, 2**61 - 1, arrays[name].shape).astype(np.uint64)
        if arrays[name].element.is_float
        else given[name]
        for name in node.inputs
    }
    plain = ScalarCpp.of(nest, arrays, has_bounds=False, in_any_order=False)
    source = _run(replace(plain, in_residues=True), nest, arrays, residues)
    built_ones = ScheduledCpp.in_order(nest, built, arrays, in_residues=True)
    order = _run(built_ones, nest, arrays, residues)
    if source is None or order is None:
        return None
    if any(not np.array_equal(source[name], order[name]) for name in node.outputs):
        return None
    return _run(replace(built_ones, in_residues=False), nest, arrays, given)


def _exact(nest: Nest, arrays: Mapping[str, Array], state: Values) -> Values | None:
    """Return the arrays that a streaming nest writes, if they are exact."""
    written = {statement.target.array for statement in nest.statements}
    roles = tuple(
        replace(array, role=Role.OUTPUT if name in written else Role.INPUT)
        for name, array in arrays.items()
    )
    found = execute(Program(nest.name, roles, (nest,)), state)
    values: dict[str, NDArray[Any]] = {}
    for name in written:
        result, before = found[name], state.get(name)
        is_kept = np.isnan(result.value)
        if (result.bound[~is_kept] != 0.0).any() or (is_kept.any() and before is None):
            return None
        values[name] = result.value if before is None else np.where(is_kept, before, result.value)
    return values


def _run(code: ScalarCpp, nest: Nest, arrays: Mapping[str, Array], given: Values) -> Values | None:
    """Return the arrays that a nest writes; None where a residue would decide."""
    sources, values = dict(nest.carries), dict[str, NDArray[Any]]()
    for name, array in arrays.items():
        is_residue = code.in_residues and array.element.is_float
        kind = np.dtype(np.uint64 if is_residue else array.element.dtype)
        start = given.get(sources.get(name, name))
        values[name] = np.array(np.zeros(array.shape) if start is None else start, kind, order="C")
    outside = np.zeros(2, np.int64)
    pointers = [ctypes.c_void_p(own.ctypes.data) for own in (*values.values(), outside)]
    if library(code.text()).run(*pointers) != 0:
        return None
    return {s.target.array: values[s.target.array] for s in nest.statements}
