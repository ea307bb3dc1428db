"""Token traces: which node first handed over something wrong, at which iteration.

A run with a trace directory leaves what was written to each stream, in order, and what each
buffer held when its producer ended (``include/hls_dataflow.h``). Here each channel is compared
with the reference interpreter's values in the order of the producer's loops. Processes are asked
in topological order, so that the first wrong token is not the consequence of another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import CppPort, CppProcess, plan_layout
from streamopt.errors import Diagnostic
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.program import Array, Program
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.verification.compare import OutputVerdict
from streamopt.verification.csim.standstill import Standstill
from streamopt.verification.exact.interpreter import interpret
from streamopt.verification.reference.execution import Result, execute
from streamopt.verification.reference.scheduled_order import nest_of
from streamopt.verification.storage import numbers_of

EVERYTHING_ENDED = Standstill(frozenset({"*"}))
"""State of a run that came to its end."""


@dataclass(frozen=True, slots=True)
class _Token:
    """One token that is not what it should be; ``write`` counts the node's writes."""

    write: int
    text: str


def first_wrong_token(
    scheduled: ScheduledGraph,
    inputs: Mapping[str, NDArray[np.float64]],
    trace: Path,
    outputs: tuple[OutputVerdict, ...] = (),
    dialect: Dialect = Dialect.HLS,
    state: Standstill = EVERYTHING_ENDED,
) -> Diagnostic | None:
    """Return the first wrong token of a run, E716; None where every token is right.

    Parameters
    ----------
    inputs
        That the design ran on.
    trace
        Directory of the trace.
    outputs
        What is known of the outputs; empty if the run did not come to its end.
    dialect
        Of the design, whose streams have their names by it.
    state
        Of a run that did not come to its end.
    """
    if state == EVERYTHING_ENDED:
        inputs = last_inputs(scheduled.graph, inputs)
    values = graph_values(scheduled.graph, inputs, in_any_order=scheduled.may_reorder_sums)
    wrong_outputs = {output.name: output for output in outputs}
    layout = plan_layout(scheduled, dialect)
    inside = {port.name for port in layout.channels}
    for process in layout.processes:
        for port in process.writes:
            value, found = values[port.array.name], None
            if port.depth_elems is not None:
                ended = state.has_ended(process.name)
                found = _streams(process.nodes[0], port, value, trace, ended=ended)
            elif port.name not in inside:
                found = _output(process, port.array, wrong_outputs.get(port.array.name))
            elif (path := trace / f"{dialect.buffer_trace(port.name)}.tokens").exists():
                found = _buffer(process, port, value, path)
            if found is not None:
                return found
    return None


def _diagnostic(node: ScheduledNode, text: str) -> Diagnostic:
    return Diagnostic("E716", f"node '{node.node.name}' {text}", node.node.loc)


def _at(writes: Writes, write: int) -> str:
    iteration = writes.iteration(write)
    return f" at {iteration}" if iteration else ""


def _element(array: Array, flat: int) -> str:
    return array.name + "".join(f"[{at}]" for at in np.unravel_index(flat, array.shape))


def _compared(got: float, value: float, bound: float) -> str:
    return f"got {got:.9g}, expected {value:.9g} +- {bound:g}"


def _wrong(got: NDArray[np.float64], value: Result, flat: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the places of wrong values; where nobody writes, anything is right."""
    expected, bound = value.value.ravel()[flat], value.bound.ravel()[flat]
    with np.errstate(all="ignore"):
        right = (got == expected) | (np.abs(got - expected) <= bound)
        return np.flatnonzero(~right & ~np.isnan(expected))


def _read(path: Path, array: Array) -> NDArray[np.float64]:
    return numbers_of(np.fromfile(path, dtype=array.element.dtype), array.element)


def _streams(
    node: ScheduledNode, port: CppPort, value: Result, trace: Path, *, ended: bool
) -> Diagnostic | None:
    """Compare a group of streams; the wrong token of the earliest iteration counts."""
    writes = writes_of(node, port.array)
    streams = {
        _stream_name(port, lanes): writes.of_stream(lanes)
        for lanes in product(*(range(factor) for factor in port.factors or (1,)))
    }
    got = {name: _tokens_in(trace / f"{name}.tokens", port.array) for name in streams}
    written = (own[: len(got[name])] for name, own in streams.items())
    last = max((int(own[-1]) for own in written if len(own)), default=-1)
    found = [
        token
        for name, own in streams.items()
        if (token := _wrong_token(writes, own, name, port.array, value, got[name]))
    ] or [
        token
        for name, own in streams.items()
        if (token := _missing_token(writes, own, name, len(got[name]), None if ended else last))
    ]
    if not found:
        return None
    return _diagnostic(node, min(found, key=lambda token: token.write).text)


def _stream_name(port: CppPort, lanes: tuple[int, ...]) -> str:
    """Return the name of one stream of a group in a trace."""
    if port.dialect is Dialect.HLS:
        return port.stream([*map(str, lanes)])
    flat = 0
    for lane, count in zip(lanes, port.factors, strict=False):
        flat = flat * count + lane
    return port.stream([]) if prod(port.factors) == 1 else f"{port.name}[{flat}]"


def _tokens_in(path: Path, array: Array) -> NDArray[np.float64]:
    return _read(path, array) if path.exists() else np.zeros(0)


def _wrong_token(
    writes: Writes,
    own: NDArray[np.intp],
    stream: str,
    array: Array,
    value: Result,
    got: NDArray[np.float64],
) -> _Token | None:
    """Return the first token of a stream with a wrong value, or the first one too many."""
    compared = min(len(own), len(got))
    flat = writes.elements[own]
    wrong = _wrong(got[:compared], value, flat[:compared])
    if wrong.size:
        first = int(wrong[0])
        element = int(flat[first])
        expected = value.value.ravel()[element], value.bound.ravel()[element]
        text = f"writes a wrong token to {stream}{_at(writes, own[first])}: number {first} of "
        text += f"{len(own)}, {_element(array, element)}, {_compared(got[first], *expected)}"
        text += _shift(got[first:], value, flat[first:])
        return _Token(int(own[first]), text)
    if len(got) > len(own):
        text = f"writes {len(got)} tokens to {stream}, {len(got) - len(own)} too many"
        return _Token(len(writes.elements), text)
    return None


def _shift(got: NDArray[np.float64], value: Result, flat: NDArray[np.int64]) -> str:
    """Return whether wrong tokens are only late or early: one was left out, or is too many."""
    for skipped, added, what in ((1, 0, "it is left out"), (0, 1, "one too many is before it")):
        count = min(len(got) - added, len(flat) - skipped)
        early, right = got[added : added + count], flat[skipped : skipped + count]
        if count > 1 and not _wrong(early, value, right).size:
            return f": {what}"
    return ""


def _missing_token(
    writes: Writes, own: NDArray[np.intp], stream: str, count: int, last: int | None
) -> _Token | None:
    """Return the first token that a stream was not given in its turn."""
    if count >= len(own) or (last is not None and own[count] > last):
        return None
    done = f"writes {count} tokens of {len(own)} to {stream}, "
    text = f"{done}none{_at(writes, own[count])}"
    text += "" if last is None else f", and goes on{_at(writes, last)}"
    return _Token(int(own[count]), text)


def _buffer(process: CppProcess, port: CppPort, value: Result, path: Path) -> Diagnostic | None:
    array = port.array
    got = _read(path, array)
    wrong = _wrong(got, value, np.arange(array.size_elems))
    if not wrong.size:
        return None
    where = {int(element) for element in wrong}
    node, write, element = _first_write(process, array, where)
    expected = value.value.ravel()[element], value.bound.ravel()[element]
    text = f"writes a wrong element to buffer {port.name}{write}: "
    return _diagnostic(
        node, f"{text}{_element(array, element)}, {_compared(got[element], *expected)}"
    )


def _first_write(
    process: CppProcess, array: Array, wrong: set[int]
) -> tuple[ScheduledNode, str, int]:
    """Return who was the last to write the earliest wrong element, and at which iteration."""
    for node in reversed(process.nodes):
        if isinstance(node.node, SequentialNode):
            continue
        writes = writes_of(node, array)
        hits = np.flatnonzero(np.isin(writes.elements, list(wrong)))
        if hits.size:
            return node, _at(writes, int(hits[0])), int(writes.elements[hits[0]])
    return process.nodes[-1], "", min(wrong)


def _output(process: CppProcess, array: Array, verdict: OutputVerdict | None) -> Diagnostic | None:
    """Return who wrote a wrong output from right tokens."""
    first = None if verdict is None else verdict.first
    if first is None:
        return None
    flat = int(np.ravel_multi_index(first.index, array.shape)) if array.shape else 0
    node, where, element = _first_write(process, array, {flat})
    compared = _compared(first.got, first.expected, first.tolerance)
    text = f"writes a wrong output{where}: {_element(array, element)}, {compared}"
    return _diagnostic(node, text)


def graph_values(
    graph: Graph, inputs: Mapping[str, NDArray[np.float64]], *, in_any_order: bool = False
) -> Mapping[str, Result]:
    """Return value and bound of every array after the nodes have run one after another.

    Parameters
    ----------
    inputs
        Of the source program; what the graph has a copy of is given once.
    in_any_order
        Whether sums of sequential nodes may have been added in any order, too.

    Raises
    ------
    VerificationError
        As `streamopt.verification.reference.execution.execute`.
    """
    given = dict(inputs)
    given.update({copy: inputs[original] for copy, original in graph.copies if original in inputs})
    nests = tuple(nest_of(node) for node in graph.nodes)
    return execute(Program(graph.name, graph.arrays, nests), given, in_any_order=in_any_order)


def last_inputs(
    graph: Graph, inputs: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Return the inputs of the last pass of a graph: the bits that those before it leave."""
    found = dict(inputs)
    if graph.passes is None:
        return found
    program = Program(graph.name, graph.arrays, tuple(nest_of(node) for node in graph.nodes))
    for _ in range(graph.passes.count - 1):
        left = interpret(program, found)
        found |= {given: left[output] for output, given in graph.passes.in_place}
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Writes:
    """All writes of a node, in the order in which the emitted loops make them."""

    points: Mapping[str, NDArray[np.int64]]
    """Value of every iterator of the node at each write."""
    elements: NDArray[np.int64]
    """Flat index of the element at each write."""
    lanes: NDArray[np.int64]
    """Which stream of the group takes it, by array dimension; of shape (dimensions, writes)."""

    def iteration(self, at: int) -> str:
        """Return the original iterators of one write: ``i = 3, j = 0``."""
        return ", ".join(f"{name} = {values[at]}" for name, values in self.points.items())

    def of_stream(self, lanes: tuple[int, ...]) -> NDArray[np.intp]:
        """Return which of the writes go to one stream of the group."""
        wanted = np.array(lanes, dtype=np.int64).reshape(-1, 1)
        return np.flatnonzero((self.lanes == wanted).all(axis=0))


def writes_of(scheduled: ScheduledNode, array: Array) -> Writes:
    """Return the writes of a node to its array."""
    node = scheduled.node
    used = set(node.write.iterators())
    loops = [loop for loop in scheduled.loops if loop.name in used]
    tiles = [-(-loop.trip_count // loop.unroll) for loop in loops]
    extents = [*tiles, *(loop.unroll for loop in loops)]
    flat = np.indices(extents, dtype=np.int64).reshape(len(extents), prod(extents))
    lane = {loop.name: flat[len(loops) + at] for at, loop in enumerate(loops)}
    delay = {loop.name: node.delays.get(loop.name, 0) for loop in loops}
    point = {
        loop.name: flat[at] * loop.unroll + lane[loop.name] - delay[loop.name]
        for at, loop in enumerate(loops)
    }
    inside = np.ones(flat.shape[1], dtype=np.bool_)
    for loop in loops:
        inside &= (point[loop.name] >= 0) & (point[loop.name] < node.trip_counts[loop.name])
    count = int(inside.sum())
    last = {name: np.full(count, trips - 1) for name, trips in node.trip_counts.items()}
    points = {name: point[name][inside] if name in used else last[name] for name in last}
    elements = np.zeros(count, dtype=np.int64)
    lanes = np.zeros((max(1, len(array.shape)), count), dtype=np.int64)
    for at, (subscript, extent) in enumerate(zip(node.write.subscripts, array.shape, strict=True)):
        elements = elements * extent + subscript.evaluate(points)
        name = subscript.as_iterator()
        if name is not None:
            lanes[at] = lane[name][inside]
    ordered = {loop.name: points[loop.name] for loop in node.loops}
    return Writes(ordered, elements, lanes)
