"""Nodes of a published design to pipelines, and pipelines to the processes that run them.

Loops that write one array run one after another in a single process: a dataflow region allows
one producer for a buffer, and Vitis HLS puts such loops together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.ir.network import AccessMode, Pipeline, Port, Process
from streamopt.ir.program import Loop
from streamopt.published.expressions import (
    CTextError,
    NotAffineError,
    read_guard,
    read_operations,
    read_subscript,
)
from streamopt.published.storage import target_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Condition
    from streamopt.ir.network import Operation
    from streamopt.published.document import (
        DesignAccess,
        DesignDocument,
        DesignNode,
    )

__all__ = ["NodeReader", "processes_of"]


class NodeReader(NamedTuple):
    """Reads the nodes of one document; problems (E143, E144) are put behind those there are."""

    document: DesignDocument
    element: ElementType
    streams: frozenset[str]
    file: str
    problems: list[Diagnostic]

    def pipeline(self, place: int) -> Pipeline:
        """Return the pipeline of the node at a place."""
        node = self.document.nodes[place]
        tiles = tuple(Loop(tile.iv, tile.trip) for tile in node.outer)
        lanes = tuple(Loop(lane.iv, lane.factor) for lane in node.unrolled)
        names = [loop.name for loop in (*tiles, *lanes)]
        if len(set(names)) < len(names):
            self._report("E144", f"node '{node.name}' names two loops alike", f"nodes[{place}]")
        constants = node.scalar_args or {}
        literals = {name: str(value) for name, value in constants.items() if value is not None}
        ports = tuple(
            self._port(node, access, names, f"nodes[{place}].accesses[{number}]", literals)
            for number, access in enumerate(node.accesses)
        )
        operations = tuple(
            _with_literals(operation, literals)
            for document in node.ops
            for operation in read_operations(document, self.element)
        )
        loc = SourceLoc(self.file, f"nodes[{place}]")
        return Pipeline(node.name, tiles, lanes, ports, operations, loc)

    def _port(
        self,
        node: DesignNode,
        access: DesignAccess,
        iterators: Sequence[str],
        path: str,
        literals: Mapping[str, str],
    ) -> Port:
        subscripts: list[Affine] = []
        for number, index in enumerate(access.index):
            try:
                subscripts.append(read_subscript(str(index.expr), iterators))
            except (CTextError, NotAffineError) as problem:
                where = f"{path}.index[{number}].expr"
                message = f"subscript {index.expr} of '{access.array}' can't be read: {problem}"
                self._report("E143", message, where)
        value = str(access.value)
        target = target_of(access, node, self.document)
        return Port(
            AccessMode(access.mode),
            target,
            tuple(subscripts),
            literals.get(value, value),
            self._guard(access, iterators, path, is_stream=target in self.streams),
        )

    def _guard(
        self, access: DesignAccess, iterators: Sequence[str], path: str, *, is_stream: bool
    ) -> Condition | None:
        """Return when an access happens; always, where a memory's access hangs on data."""
        if not access.guard:
            return None
        try:
            return read_guard(access.guard, iterators)
        except NotAffineError as problem:
            if not is_stream:
                return None
            reason = str(problem)
        except CTextError as problem:
            reason = str(problem)
        message = f"guard {access.guard} of '{access.array}' can't be read: {reason}"
        self._report("E143", message, f"{path}.guard")
        return None

    def _report(self, code: str, message: str, path: str) -> None:
        self.problems.append(Diagnostic(code, message, SourceLoc(self.file, path)))


def _with_literals(operation: Operation, literals: Mapping[str, str]) -> Operation:
    operands = tuple(literals.get(operand, operand) for operand in operation.operands)
    return type(operation)(operation.operator, operation.element, operands, operation.result)


def processes_of(
    pipelines: Sequence[Pipeline], document: DesignDocument, streams: frozenset[str]
) -> tuple[Process, ...]:
    """Return the processes, each after those that write what it reads, as far as that is possible.

    Parameters
    ----------
    streams
        Names of the FIFOs: two writers of one FIFO stay two processes.
    """
    order = {name: place for place, name in enumerate(document.top.call_order)}
    if all(pipeline.name in order for pipeline in pipelines):
        pipelines = sorted(pipelines, key=lambda pipeline: order[pipeline.name])
    group_of = {pipeline.name: pipeline.name for pipeline in pipelines}
    for writers in _writers(pipelines, streams).values():
        joined = {group_of[name] for name in writers}
        for name, group in group_of.items():
            if group in joined:
                group_of[name] = group_of[writers[0]]
    groups: dict[str, list[Pipeline]] = defaultdict(list)
    for pipeline in pipelines:
        groups[group_of[pipeline.name]].append(pipeline)
    found = [
        Process("_".join(p.name for p in members), tuple(members)) for members in groups.values()
    ]
    return _in_order_of_data(found)


def _writers(pipelines: Sequence[Pipeline], streams: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for pipeline in pipelines:
        written = {port.target for port in pipeline.ports if port.mode is AccessMode.WRITE}
        for target in sorted(written - streams):
            found[target].append(pipeline.name)
    return found


def _in_order_of_data(processes: Sequence[Process]) -> tuple[Process, ...]:
    """Return the processes sorted so that writers come first; the given order breaks ties."""
    waiting, done = list(processes), list[Process]()
    while waiting:
        ready = next((p for p in waiting if not _waits(p, waiting)), waiting[0])
        waiting.remove(ready)
        done.append(ready)
    return tuple(done)


def _waits(process: Process, waiting: Sequence[Process]) -> bool:
    read = _touched(process, AccessMode.READ)
    return any(
        other is not process and read & _touched(other, AccessMode.WRITE) for other in waiting
    )


def _touched(process: Process, mode: AccessMode) -> set[str]:
    ports = (port for pipeline in process.pipelines for port in pipeline.ports)
    return {port.target for port in ports if port.mode is mode}
