"""Documents of published designs to the parts of a network: storage, pipelines and processes.

Loops that write one array run one after another in a single process: a dataflow region allows
one producer for a buffer, and Vitis HLS puts such loops together.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Condition
from streamopt.ir.network import AccessMode, Memory, Operation, Pipeline, Place, Port, Process
from streamopt.ir.program import Loop
from streamopt.published.expressions import (
    CTextError,
    NotAffineError,
    read_guard,
    read_operations,
    read_subscript,
)

if TYPE_CHECKING:
    from streamopt.published.document import (
        DesignAccess,
        DesignArray,
        DesignChannel,
        DesignDocument,
        DesignNode,
    )

_C_TYPES: Mapping[str, ElementType] = {
    **{element.value: element for element in ElementType},
    "int": ElementType.INT32,
    "unsigned": ElementType.UINT32,
    "char": ElementType.INT8,
    "bool": ElementType.UINT8,
    "long": ElementType.INT64,
}


_STREAMS = frozenset({"stream", "fifo"})


class Storage(NamedTuple):
    """The declaration of an array or stream."""

    shape: tuple[int, ...]
    factors: tuple[int, ...]
    crosses_boundary: bool
    depth_elems: int | None


def element_types(
    document: DesignDocument, file: str
) -> tuple[dict[str, ElementType], ElementType, list[Diagnostic]]:
    """Return the types of the top arrays, the design's most frequent one, and problems (E146)."""
    found: dict[str, ElementType] = {}
    problems: list[Diagnostic] = []
    for place, array in enumerate(document.top.args):
        if array.type is None:
            continue
        element = _C_TYPES.get(_plain_type(array.type))
        if element is None:
            message = f"'{array.name}' has type '{array.type}', which is not known"
            loc = SourceLoc(file, f"top.args[{place}].type")
            problems.append(Diagnostic("E146", message, loc, f"known: {', '.join(_C_TYPES)}"))
        else:
            found[array.name] = element
    usual = Counter(found.values()).most_common(1)
    return found, usual[0][0] if usual else ElementType.FLOAT, problems


def _plain_type(text: str) -> str:
    """Return a type without ``const``, ``&``, ``*`` and the stream around it."""
    inner = re.sub(r"\b(const|volatile)\b|[&*]", "", text).strip()
    stream = re.fullmatch(r"(?:hls::)?stream\s*<\s*([^,<>]+?)\s*(?:,[^<>]*)?>", inner)
    return inner if stream is None else stream[1]


def storages(document: DesignDocument) -> dict[str, Storage]:
    """Return the declarations by the network's names."""
    found: dict[str, Storage] = {}
    arguments = {array.name: array for array in document.top.args}
    inside = {a.channel: a for node in document.nodes for a in node.args if a.channel}
    for name, array in arguments.items():
        found[name] = Storage(array.shape, _factors((array,)), True, None)
    for channel in document.channels:
        name = channel.name
        declared = [channel, *(group[name] for group in (arguments, inside) if name in group)]
        outer = name in arguments or channel.kind == "top_arg"
        found[name] = Storage(_shape(declared), _factors(declared), outer, channel.depth)
    for node in document.nodes:
        for array in node.local_arrays:
            name = _storage_name(array.name, None, node, document)
            found.setdefault(name, Storage(array.shape, _factors((array,)), False, None))
    return found


def streams_of(document: DesignDocument) -> frozenset[str]:
    """Return the names of the FIFOs: what is declared or accessed as one."""
    declared = {channel.name for channel in document.channels if channel.kind in _STREAMS}
    targets = (
        (access.kind, target_of(access, node, document))
        for node in document.nodes
        for access in node.accesses
    )
    return frozenset(name for kind, name in targets if kind in _STREAMS or name in declared)


def target_of(access: DesignAccess, node: DesignNode, document: DesignDocument) -> str:
    """Return the network's name of what an access of a node touches."""
    name = _storage_name(access.array, access.channel, node, document)
    if access.kind == "register" and name == access.array and not _is_top_name(name, document):
        return f"{node.name}.{name}"
    return name


def _storage_name(
    array: str, channel: str | None, node: DesignNode, document: DesignDocument
) -> str:
    """Return the network's name of what a node calls ``array``: unique for each local array.

    Without a channel it is an argument of the node, an array of its own, or one of the top
    function.
    """
    passed = (a.channel for a in node.args if a.name == array and a.channel is not None)
    channel = channel or next(passed, None)
    if channel is not None:
        return channel
    owners = [n.name for n in document.nodes if any(a.name == array for a in n.local_arrays)]
    if node.name in owners and (len(owners) > 1 or _is_top_name(array, document)):
        return f"{node.name}.{array}"
    return array


def _is_top_name(name: str, document: DesignDocument) -> bool:
    return any(c.name == name for c in (*document.channels, *document.top.args))


def _shape(declared: Sequence[DesignArray | DesignChannel]) -> tuple[int, ...]:
    return next((array.shape for array in declared if array.shape), ())


def _factors(declared: Sequence[DesignArray | DesignChannel]) -> tuple[int, ...]:
    """Return the partition factors of the first declaration that splits; 0 is every element."""
    shape = _shape(declared)
    for array in declared:
        if len(array.partition) == len(shape):
            pairs = zip(array.partition, shape, strict=True)
            factors = tuple(extent if factor == 0 else factor or 1 for factor, extent in pairs)
            if any(factor > 1 for factor in factors):
                return factors
    return (1,) * len(shape)


def memory_of(
    name: str, storage: Storage, element: ElementType, *, outside: bool, users: int
) -> Memory:
    """Return the memory that a declaration means.

    Parameters
    ----------
    outside
        Whether its values come from outside, or go there.
    users
        Processes that touch it: an array inside the design that two of them touch is a ping-pong
        buffer between them.
    """
    inside = Place.PING_PONG if users > 1 else Place.LOCAL
    place = Place.ARGUMENT if outside else inside
    splits = not outside and max(storage.factors, default=1) == 1
    return Memory(name, place, element, storage.shape, storage.factors, tool_splits=splits)


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
        return Pipeline(
            node.name,
            tiles,
            lanes,
            ports,
            operations,
            loc,
            reassociates=self.document.unsafe_math_optimizations,
        )

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


def called(pipelines: Sequence[Pipeline], document: DesignDocument) -> list[Process]:
    """Return each pipeline as a process, in the order in which the top function calls them."""
    order = {name: place for place, name in enumerate(document.top.call_order)}
    if all(pipeline.name in order for pipeline in pipelines):
        pipelines = sorted(pipelines, key=lambda pipeline: order[pipeline.name])
    return [Process(pipeline.name, (pipeline,)) for pipeline in pipelines]


def joined(processes: Sequence[Process], streams: frozenset[str]) -> tuple[Process, ...]:
    """Return the processes that are built, each after those that write what it reads if it can be.

    Parameters
    ----------
    streams
        Names of the FIFOs: two writers of one FIFO stay two processes.
    """
    writers: dict[str, list[int]] = defaultdict(list)
    group_of = [*range(len(processes))]
    for number, process in enumerate(processes):
        for target in sorted(_touched(process, AccessMode.WRITE) - streams):
            writers[target].append(number)
    for numbers in writers.values():
        same = {group_of[number] for number in numbers}
        group_of = [group_of[numbers[0]] if group in same else group for group in group_of]
    groups: dict[int, list[Process]] = defaultdict(list)
    for number, process in enumerate(processes):
        groups[group_of[number]].append(process)
    found = [
        Process("_".join(m.name for m in members), tuple(p for m in members for p in m.pipelines))
        for members in groups.values()
    ]
    return _in_order_of_data(found)


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
