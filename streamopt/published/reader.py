"""Published designs: their networks, and what others measured of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.files import load_text
from streamopt.formats.json_text import MAX_CHARACTERS, decode
from streamopt.formats.names import did_you_mean
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Fifo, Memory, Network, Pipeline, Port, Process

if TYPE_CHECKING:
    from streamopt.published.document import DesignDocument
    from streamopt.published.network import Storage


@dataclass(frozen=True, slots=True)
class MeasuredPipeline:
    """The report of synthesis on one pipeline; None where it is silent."""

    process: str | None = None
    """Process of the dataflow region that the tool put it into."""
    trip: int | None = None
    """Iterations of the loop that was pipelined in the end."""
    ii: int | None = None
    """Cycles between the starts of two iterations."""
    iteration_latency_cycles: int | None = None
    """Cycles of one iteration."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Cycles and resources that were published; None where they are not known."""

    rtl_cycles: int | None = None
    model_cycles: int | None = None
    vitis_cycles: int | None = None
    dsps: int | None = None
    bram18: int | None = None
    ffs: int | None = None
    luts: int | None = None
    urams: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedDesign:
    """A design of a suite's kernel at a level and a DSP limit."""

    name: str
    suite: str
    kernel: str
    level: str
    dsp_limit: int | None
    network: Network
    """The hardware by the source alone: nothing in it comes from a measurement."""
    measured: Measured
    """Of the whole design."""
    pipelines: Mapping[str, MeasuredPipeline]
    """Reports by pipeline name; a pipeline without a report has none."""


def load_published_design(path: str | PathLike[str]) -> PublishedDesign:
    """Read a design's file; errors as `read_published_design`, and E141 if it can't be read."""
    return read_published_design(load_text(path, "E141", MAX_CHARACTERS), str(path))


def read_published_design(text: str, file: str) -> PublishedDesign:
    """Read a published design.

    Parameters
    ----------
    text
        The JSON text.
    file
        Name of the file for messages.

    Raises
    ------
    FrontendError
        If it is not JSON (E101, E103) or no design (E142); a subscript or guard can't be read
        (E143); names clash (E144); a stream is not declared, or an argument (E145); a type is
        not known (E146); an access has other dimensions than its array (E147).
    """
    from streamopt.published.document import read_document

    raw, problems = decode(text, file, nan_is_null=True)
    if problems:
        raise FrontendError(*problems)
    document = read_document(raw, file)
    parts = (document.suite, document.kernel, document.opt, document.dsp_limit)
    return PublishedDesign(
        "-".join(str(part) for part in parts if part is not None),
        document.suite,
        document.kernel,
        document.opt,
        document.dsp_limit,
        _network(document, file),
        _measured(document),
        dict(_reports(document)),
    )


def _network(document: DesignDocument, file: str) -> Network:
    from streamopt.published.network import (
        NodeReader,
        called,
        element_types,
        joined,
        storages,
        streams_of,
    )

    elements, usual, problems = element_types(document, file)
    streams = streams_of(document)
    reader = NodeReader(document, usual, streams, file, problems)
    pipelines = [reader.pipeline(place) for place in range(len(document.nodes))]
    problems += _clashes(pipelines)
    declared = storages(document)
    problems += _access_problems(document, pipelines, (declared, streams), file)
    if problems:
        raise FrontendError(*problems)
    processes = joined(called(pipelines, document), streams)
    return Network(
        document.kernel,
        processes,
        tuple(_memories(processes, streams, declared, (elements, usual))),
        tuple(_fifos(pipelines, streams, declared, usual)),
    )


def _clashes(pipelines: Sequence[Pipeline]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for pipeline in pipelines:
        if pipeline.name in seen:
            yield Diagnostic("E144", f"two nodes are named '{pipeline.name}'", pipeline.loc)
        seen.add(pipeline.name)


def _access_problems(
    document: DesignDocument,
    pipelines: Sequence[Pipeline],
    known: tuple[Mapping[str, Storage], frozenset[str]],
    file: str,
) -> Iterator[Diagnostic]:
    declared, streams = known
    shaped = {name for name, storage in declared.items() if storage.shape}
    for place, (node, pipeline) in enumerate(zip(document.nodes, pipelines, strict=True)):
        for number, (access, port) in enumerate(zip(node.accesses, pipeline.ports, strict=True)):
            loc = SourceLoc(file, f"nodes[{place}].accesses[{number}]")
            if port.target in streams:
                yield from _stream_problem(port, declared, loc)
            if port.target in streams or port.target in shaped:
                yield from _rank_problem(port.target, len(access.index), declared, loc)


def _stream_problem(
    port: Port, declared: Mapping[str, Storage], loc: SourceLoc
) -> Iterator[Diagnostic]:
    storage = declared.get(port.target)
    if storage is None:
        hint = did_you_mean(port.target, declared)
        yield Diagnostic("E145", f"stream '{port.target}' is not among the channels", loc, hint)
    elif storage.crosses_boundary:
        message = f"stream '{port.target}' is an argument of the top function"
        yield Diagnostic("E145", message, loc, "designs take and give arrays")


def _rank_problem(
    name: str, subscripts: int, declared: Mapping[str, Storage], loc: SourceLoc
) -> Iterator[Diagnostic]:
    storage = declared.get(name)
    if storage is not None and len(storage.shape) != subscripts:
        message = f"'{name}' has {len(storage.shape)} dimensions, "
        message += f"but this access has {subscripts} subscripts"
        yield Diagnostic("E147", message, loc)


def _memories(
    processes: Sequence[Process],
    streams: frozenset[str],
    declared: Mapping[str, Storage],
    types: tuple[Mapping[str, ElementType], ElementType],
) -> Iterator[Memory]:
    from streamopt.published.network import Storage, memory_of

    elements, usual = types
    users: dict[str, set[str]] = defaultdict(set)
    written: set[str] = set()
    reaches: dict[str, tuple[int, ...]] = {}
    for process in processes:
        for pipeline in process.pipelines:
            for port in pipeline.ports:
                extents = reach(port, pipeline)
                known = reaches.get(port.target, extents)
                reaches[port.target] = tuple(map(max, known, extents))
                users[port.target].add(process.name)
                if port.mode is AccessMode.WRITE:
                    written.add(port.target)
    for name in (name for name in users if name not in streams):
        shape = reaches[name]
        storage = declared.get(name) or Storage(shape, (1,) * len(shape), False, None)
        if not storage.shape:
            storage = storage._replace(shape=shape, factors=(1,) * len(shape))
        outside = storage.crosses_boundary or name not in written
        element = elements.get(name, usual)
        yield memory_of(name, storage, element, outside=outside, users=len(users[name]))


def reach(port: Port, pipeline: Pipeline) -> tuple[int, ...]:
    """Return the extents that an access needs: the shape of what nothing declares."""
    trips = {loop.name: loop.trip_count for loop in (*pipeline.tiles, *pipeline.lanes)}
    return tuple(max(1, subscript.bounds(trips)[1] + 1) for subscript in port.subscripts)


def _fifos(
    pipelines: Sequence[Pipeline],
    streams: frozenset[str],
    declared: Mapping[str, Storage],
    element: ElementType,
) -> Iterator[Fifo]:
    """Yield the FIFOs; one whose depth isn't given is as deep as its writers have iterations."""
    writers = dict.fromkeys(streams, 1)
    for pipeline in pipelines:
        for port in pipeline.ports:
            if port.target in streams:
                writers[port.target] = max(writers[port.target], pipeline.iterations)
    for name in sorted(streams):
        storage = declared[name]
        yield Fifo(name, element, storage.shape, storage.depth_elems or writers[name])


def _measured(document: DesignDocument) -> Measured:
    return Measured(
        rtl_cycles=document.rtl_cycles,
        model_cycles=document.model_cycles,
        vitis_cycles=document.vitis_cycles,
        dsps=document.dsp,
        bram18=document.bram,
        ffs=document.ff,
        luts=document.lut,
        urams=document.uram,
    )


def _reports(document: DesignDocument) -> Iterator[tuple[str, MeasuredPipeline]]:
    for node in document.nodes:
        if node.vitis is not None:
            told = node.vitis
            found = MeasuredPipeline(told.process, told.trip, told.ii, told.iteration_latency)
            yield node.name, found
