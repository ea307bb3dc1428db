"""The self-checking testbench: runs the top function on files and compares with golden files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import CppPort, DesignLayout, extents_text
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import CppStatement, render
from streamopt.ir.ports import PortKind


def testbench(layout: DesignLayout, headers: str) -> str:
    """Return the C++ text of the testbench, which includes further headers."""
    words = [
        CppStatement(f"alignas(4096) static {p.word_type} {_words(p)}[{p.packed.all_words}];")
        for p in layout.packed
        if layout.home(p) == p
    ]
    cleared = (
        _cleared(_words(port))
        for port in layout.packed
        if not port.array.is_given and layout.home(port) == port
    )
    program = HostProgram(
        headers=f'#include "{layout.top}.h"\n{headers}',
        arguments=" [bitstream]" if _is_tapa(layout) else "",
        arrays=words,
        run=[*cleared, *_run(layout)],
    )
    return checked_program(layout, program)


@dataclass(frozen=True, slots=True)
class HostProgram:
    """The parts that differ between programs that run a design and check its outputs."""

    headers: str
    arguments: str
    """After the usual ones, as the usage has them."""
    arrays: Sequence[CppStatement]
    """Definitions besides those of the arrays themselves."""
    run: Sequence[CppStatement]
    """Takes inputs from the arrays, runs the design, and leaves outputs there."""
    frames: FrameLoops | None = None
    """Of a design that is given all frames of a run at once."""


@dataclass(frozen=True, slots=True)
class FrameLoops:
    """Statements of each frame of a run, which says ``frames`` and has ``directories``.

    Attributes
    ----------
    before
        Of the run as a whole, before all frames.
    given, taken
        Which bring the inputs of ``frame`` from the arrays, and its outputs there.
    """

    before: Sequence[CppStatement]
    given: Sequence[CppStatement]
    taken: Sequence[CppStatement]


def _in_frames(statements: Iterable[CppStatement]) -> Iterator[CppStatement]:
    """Yield a loop over the frames of a run."""
    yield CppStatement("for (std::size_t frame = 0; frame < frames; frame++) {")
    yield CppStatement("    directories.enter(frame);")
    yield from (CppStatement(f"    {one.text}") for one in statements)
    yield CppStatement("}")


def checked_program(layout: DesignLayout, program: HostProgram) -> str:
    """Return a C++ program that reads inputs, runs a design, and checks what it makes of them."""
    loads: list[CppStatement] = []
    checks: list[CppStatement] = []
    for port in layout.boundary:
        flat = flat_array(port)
        if port.array.is_given:
            loads.append(CppStatement(f'load("{port.name}", {flat}, {port.array.size_elems});'))
        else:
            extents = ", ".join(map(str, port.array.shape))
            checks.append(CppStatement(f'passed &= check("{port.name}", {flat}, {{{extents}}});'))
    packed = layout.packed
    outputs = [port for port in layout.boundary if not port.array.is_given]
    arrays = [
        CppStatement(
            f"static {port.array.element} {variable(port)}{extents_text(port.array.shape)};"
        )
        for port in layout.boundary
    ]
    arrays += [*program.arrays, *(CppStatement(_packing(port)) for port in packed)]
    run = [*(_cleared(variable(port)) for port in outputs), *program.run]
    if (frames := program.frames) is not None:
        run = [*frames.before, *_in_frames([*loads, *frames.given]), *program.run]
        loads, checks = [], [*_in_frames([*frames.taken, *checks])]
    return fill(
        "testbench.cpp",
        headers=program.headers + ('#include "packing.h"\n' if packed else ""),
        arguments=program.arguments,
        arrays=render(arrays),
        probe=probe(layout),
        loads=_indented(loads),
        parameters="int argc, char **argv" if program.arguments else "",
        call="argc, argv" if program.arguments else "",
        run=_indented(run),
        checks=_indented(checks),
    )


def _cleared(name: str) -> CppStatement:
    """Return the lines that fill an array with values that no kernel leaves there by accident."""
    return CppStatement(f"std::memset(static_cast<void *>({name}), 0xff, sizeof({name}));")


def _is_tapa(layout: DesignLayout) -> bool:
    return any(port.dialect is Dialect.TAPA for port in layout.boundary)


def probe(layout: DesignLayout) -> str:
    """Return a file that the data directory has."""
    return next(f"{p.name}.golden.bin" for p in layout.boundary if not p.array.is_given)


def _run(layout: DesignLayout) -> list[CppStatement]:
    """Return the call, with what brings arrays into words and back."""
    packed = layout.packed
    streams = [port for port in packed if port.kind is PortKind.STREAM]
    found = [
        *(CppStatement(f'hls::stream<{p.word_type}> {_stream(p)}("{p.name}");') for p in streams),
        *(item for port in packed if port.array.is_given for item in _brought(port)),
        CppStatement(_call(layout)),
        *(i for p in packed if not p.array.is_given for i in _taken(p, _words(layout.home(p)))),
    ]
    if not streams:
        return found
    inner = (CppStatement(f"    {item.text}") for item in found)
    return [CppStatement("{"), *inner, CppStatement("}")]


def _call(layout: DesignLayout) -> str:
    if not _is_tapa(layout):
        homes = map(layout.home, layout.boundary)
        arguments = ", ".join(text for port in homes for text in _arguments(port))
        return f"{layout.top}({arguments});"
    arguments = ", ".join(text for port in layout.boundary for text in _host_memories(port))
    return f'tapa::invoke({layout.top}, argc > 3 ? argv[3] : "", {arguments});'


def _host_memories(port: CppPort) -> tuple[str, ...]:
    """Return an array as TAPA's host code hands it over."""
    if port.packing is None:
        return _arguments(port)
    way, const = ("read", "const ") if port.array.is_given else ("write", "")
    memory = f"tapa::{way}_only_mmap<{const}{port.word_type}>"
    return tuple(f"{memory}({words}, {port.packed.total_words})" for words in _arguments(port))


def _arguments(port: CppPort) -> tuple[str, ...]:
    """Return the arguments of the top function for a port: words, a memory after another."""
    if port.packing is None:
        return (single_value(port) if port.by_value else variable(port),)
    if port.kind is PortKind.STREAM:
        return (_stream(port),)
    count, words = port.packed.total_words, _words(port)
    return tuple(f"{words} + {at * count}" if at else words for at in range(len(port.names)))


def _brought(port: CppPort) -> Iterator[CppStatement]:
    """Yield what packs an array, and fills its stream."""
    yield packed(port, f"reinterpret_cast<{stored_type(port)} *>({_words(port)})")
    if port.kind is PortKind.STREAM:
        yield CppStatement(f"for (const auto &word : {_words(port)})")
        yield CppStatement(f"    {_stream(port)}.write(word);")


def _taken(port: CppPort, words: str) -> Iterator[CppStatement]:
    """Yield what empties the stream of an array, and unpacks it from its words."""
    if port.kind is PortKind.STREAM:
        yield CppStatement(f"for (auto &word : {words})")
        yield CppStatement(f"    word = {_stream(port)}.read();")
    yield unpacked(port, f"reinterpret_cast<{stored_type(port)} *>({words})")


def stored_type(port: CppPort) -> str:
    """Return the type of the numbers that the words of an array are stored as."""
    return "unsigned char" if port.elems_a_byte > 1 else str(port.array.element)


def packed(port: CppPort, words: str) -> CppStatement:
    """Return the call that brings an array into words, stored from a place on."""
    return CppStatement(f"pack{_bits(port)}({flat_array(port)}, {words}, packing_{port.name});")


def unpacked(port: CppPort, words: str) -> CppStatement:
    """Return the call that brings words back into an array."""
    return CppStatement(f"unpack{_bits(port)}({words}, {flat_array(port)}, packing_{port.name});")


def _bits(port: CppPort) -> str:
    return f"_bits<{port.array.element.outside_bits}>" if port.elems_a_byte > 1 else ""


def _packing(port: CppPort) -> str:
    """Return the definition of how an array is packed."""
    found = port.packed
    lists = (", ".join(map(str, one)) for one in (found.extents, found.order, found.lanes))
    members = ", ".join(f"{{{one}}}" for one in lists)
    numbers = f"{found.words.stride_elems}, {found.words.lanes}, {found.total_elems}"
    return f"static const Packing packing_{port.name} = {{{members}, {numbers}}};"


def _words(port: CppPort) -> str:
    return f"words_{port.name}"


def _stream(port: CppPort) -> str:
    return f"stream_{port.name}"


def variable(port: CppPort) -> str:
    """Return a name that neither the C library nor the testbench has."""
    return f"port_{port.name}"


def single_value(port: CppPort) -> str:
    """Return the only element of an array."""
    return f"{variable(port)}{'[0]' * max(1, len(port.array.shape))}"


def flat_array(port: CppPort) -> str:
    """Return the elements of an array, one after another."""
    return f"reinterpret_cast<{port.array.element} *>({variable(port)})"


def _indented(statements: Sequence[CppStatement]) -> str:
    return "".join(f"    {line}\n" for line in render(statements).splitlines())
