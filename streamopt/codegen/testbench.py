"""The self-checking testbench: runs the top function on files and compares with golden files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import extents_text
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import Statement
from streamopt.codegen.writer import render
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.layout import Layout, Port

__all__ = ["Program", "checked_program", "flat_array", "single_value", "testbench", "variable"]


def testbench(layout: Layout, headers: str) -> str:
    """Return the C++ text of the testbench, which includes further headers."""
    words = [
        Statement(f"alignas(4096) static {port.word_type} {_words(port)}[{packing.all_words}];")
        for port in layout.boundary
        if (packing := port.packing) is not None
    ]
    program = Program(
        headers=f'#include "{layout.top}.h"\n{headers}',
        arguments=" [bitstream]" if _is_tapa(layout) else "",
        arrays=words,
        run=[*_cleared_words(layout), *_run(layout)],
    )
    return checked_program(layout, program)


@dataclass(frozen=True, slots=True)
class Program:
    """What programs that run a design and check its outputs differ in.

    Attributes
    ----------
    arguments
        After the usual ones, as the usage has them.
    arrays
        Definitions besides those of the arrays themselves.
    run
        Takes inputs from the arrays, runs the design, and leaves outputs there.
    """

    headers: str
    arguments: str
    arrays: Sequence[Statement]
    run: Sequence[Statement]


def checked_program(layout: Layout, program: Program) -> str:
    """Return a C++ program that reads inputs, runs a design, and checks what it makes of them."""
    loads: list[Statement] = []
    checks: list[Statement] = []
    for port in layout.boundary:
        flat = flat_array(port)
        if port.array.is_given:
            loads.append(Statement(f'load("{port.name}", {flat}, {port.array.size_elems});'))
        else:
            extents = ", ".join(map(str, port.array.shape))
            checks.append(Statement(f'passed &= check("{port.name}", {flat}, {{{extents}}});'))
    packed = [port for port in layout.boundary if port.packing is not None]
    outputs = [port for port in layout.boundary if not port.array.is_given]
    arrays = [
        Statement(f"static {port.array.element} {variable(port)}{extents_text(port.array.shape)};")
        for port in layout.boundary
    ]
    arrays += [*program.arrays, *(Statement(_packing(port)) for port in packed)]
    return fill(
        "testbench.cpp",
        headers=program.headers + ('#include "packing.h"\n' if packed else ""),
        arguments=program.arguments,
        arrays=render(arrays),
        probe=_probe(layout),
        loads=_indented(loads),
        parameters="int argc, char **argv" if program.arguments else "",
        call="argc, argv" if program.arguments else "",
        run=_indented([*(_cleared(variable(port)) for port in outputs), *program.run]),
        checks=_indented(checks),
    )


def _cleared(name: str) -> Statement:
    """Return what fills an array with values that no kernel leaves there by accident."""
    return Statement(f"std::memset(static_cast<void *>({name}), 0xff, sizeof({name}));")


def _cleared_words(layout: Layout) -> Iterator[Statement]:
    for port in layout.boundary:
        if port.packing is not None and not port.array.is_given:
            yield _cleared(_words(port))


def _is_tapa(layout: Layout) -> bool:
    return any(port.dialect is Dialect.TAPA for port in layout.boundary)


def _probe(layout: Layout) -> str:
    """Return a file that the data directory has."""
    return next(f"{p.name}.golden.bin" for p in layout.boundary if not p.array.is_given)


def _run(layout: Layout) -> list[Statement]:
    """Return the call, with what brings arrays into words and back."""
    packed = [port for port in layout.boundary if port.packing is not None]
    streams = [port for port in packed if port.kind is PortKind.STREAM]
    found = [
        *(Statement(f'hls::stream<{p.word_type}> {_stream(p)}("{p.name}");') for p in streams),
        *(item for port in packed if port.array.is_given for item in _brought(port)),
        Statement(_call(layout)),
        *(item for port in packed if not port.array.is_given for item in _taken(port)),
    ]
    if not streams:
        return found
    inner = (Statement(f"    {item.text}") for item in found)
    return [Statement("{"), *inner, Statement("}")]


def _call(layout: Layout) -> str:
    if not _is_tapa(layout):
        arguments = ", ".join(text for port in layout.boundary for text in _arguments(port))
        return f"{layout.top}({arguments});"
    arguments = ", ".join(text for port in layout.boundary for text in _host_memories(port))
    return f'tapa::invoke({layout.top}, argc > 3 ? argv[3] : "", {arguments});'


def _host_memories(port: Port) -> tuple[str, ...]:
    """Return an array as TAPA's host code hands it over."""
    if port.packing is None:
        return _arguments(port)
    way, const = ("read", "const ") if port.array.is_given else ("write", "")
    memory = f"tapa::{way}_only_mmap<{const}{port.word_type}>"
    return tuple(f"{memory}({words}, {port.packing.total_words})" for words in _arguments(port))


def _arguments(port: Port) -> tuple[str, ...]:
    """Return what the top function takes for a port: words memory by memory, one after another."""
    if port.packing is None:
        return (single_value(port) if port.by_value else variable(port),)
    if port.kind is PortKind.STREAM:
        return (_stream(port),)
    count, words = port.packing.total_words, _words(port)
    return tuple(f"{words} + {at * count}" if at else words for at in range(len(port.names)))


def _brought(port: Port) -> Iterator[Statement]:
    """Yield what packs an array, and fills its stream."""
    assert port.packing is not None
    flat = f"reinterpret_cast<{port.array.element} *>"
    places = f"{flat_array(port)}, {flat}({_words(port)})"
    yield Statement(f"pack({places}, packing_{port.name});")
    if port.kind is PortKind.STREAM:
        yield Statement(f"for (const auto &word : {_words(port)})")
        yield Statement(f"    {_stream(port)}.write(word);")


def _taken(port: Port) -> Iterator[Statement]:
    """Yield what empties the stream of an array, and unpacks it."""
    assert port.packing is not None
    if port.kind is PortKind.STREAM:
        yield Statement(f"for (auto &word : {_words(port)})")
        yield Statement(f"    word = {_stream(port)}.read();")
    flat = f"reinterpret_cast<{port.array.element} *>"
    places = f"{flat}({_words(port)}), {flat_array(port)}"
    yield Statement(f"unpack({places}, packing_{port.name});")


def _packing(port: Port) -> str:
    """Return the definition of how an array is packed."""
    assert port.packing is not None
    found = port.packing
    lists = (", ".join(map(str, one)) for one in (found.extents, found.order, found.lanes))
    members = ", ".join(f"{{{one}}}" for one in lists)
    numbers = f"{found.words.stride_elems}, {found.words.lanes}, {found.total_elems}"
    return f"static const Packing packing_{port.name} = {{{members}, {numbers}}};"


def _words(port: Port) -> str:
    return f"words_{port.name}"


def _stream(port: Port) -> str:
    return f"stream_{port.name}"


def variable(port: Port) -> str:
    """Return a name that neither the C library nor the testbench has."""
    return f"port_{port.name}"


def single_value(port: Port) -> str:
    """Return the only element of an array."""
    return f"{variable(port)}{'[0]' * max(1, len(port.array.shape))}"


def flat_array(port: Port) -> str:
    """Return the elements of an array, one after another."""
    return f"reinterpret_cast<{port.array.element} *>({variable(port)})"


def _indented(statements: Sequence[Statement]) -> str:
    return "".join(f"    {line}\n" for line in render(statements).splitlines())
