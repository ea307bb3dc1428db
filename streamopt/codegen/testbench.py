"""The self-checking testbench: runs the top function on files and compares with golden files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import extents_text
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import Statement
from streamopt.codegen.writer import render
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.codegen.layout import Layout, Port

__all__ = ["testbench"]


def testbench(layout: Layout) -> str:
    """Return the C++ text of the testbench."""
    loads: list[Statement] = []
    checks: list[Statement] = []
    for port in layout.boundary:
        flat = f"reinterpret_cast<{port.array.element} *>({_variable(port)})"
        if port.array.is_given:
            loads.append(Statement(f'load("{port.name}", {flat}, {port.array.size_elems});'))
        else:
            extents = ", ".join(map(str, port.array.shape))
            checks.append(Statement(f'passed &= check("{port.name}", {flat}, {{{extents}}});'))
    packed = [port for port in layout.boundary if port.packing is not None]
    arrays = [
        Statement(f"static {port.array.element} {_variable(port)}{extents_text(port.array.shape)};")
        for port in layout.boundary
    ]
    for port in packed:
        assert port.packing is not None
        words = f"{port.word_type} {_words(port)}[{port.packing.total_words}]"
        arrays += [Statement(f"alignas(4096) static {words};"), Statement(_packing(port))]
    return fill(
        "testbench.cpp",
        top=layout.top,
        arrays=render(arrays),
        probe=_probe(layout),
        loads=_indented(loads),
        includes="".join(f"#include {name}\n" for name in _headers(layout)),
        more=" [bitstream]" if _is_tapa(layout) else "",
        run=_indented(_run(layout)),
        checks=_indented(checks),
    )


def _is_tapa(layout: Layout) -> bool:
    return any(port.dialect is Dialect.TAPA for port in layout.boundary)


def _headers(layout: Layout) -> Iterator[str]:
    if not _is_tapa(layout):
        yield "<hls_stream.h>"
    if any(port.packing is not None for port in layout.boundary):
        yield '"packing.h"'


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
        return f"{layout.top}({', '.join(map(_argument, layout.boundary))});"
    arguments = ", ".join(map(_host_memory, layout.boundary))
    return f'tapa::invoke({layout.top}, argc > 3 ? argv[3] : "", {arguments});'


def _host_memory(port: Port) -> str:
    """Return an array as TAPA's host code hands it over."""
    if port.packing is None:
        return _argument(port)
    way, const = ("read", "const ") if port.array.is_given else ("write", "")
    memory = f"tapa::{way}_only_mmap<{const}{port.word_type}>"
    return f"{memory}({_words(port)}, {port.packing.total_words})"


def _argument(port: Port) -> str:
    if port.packing is None:
        return f"{_variable(port)}[0]" if port.by_value else _variable(port)
    return _stream(port) if port.kind is PortKind.STREAM else _words(port)


def _brought(port: Port) -> Iterator[Statement]:
    """Yield what packs an array, and fills its stream."""
    assert port.packing is not None
    element = port.array.element
    flat = f"reinterpret_cast<{element} *>"
    places = f"{flat}({_variable(port)}), {flat}({_words(port)})"
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
    places = f"{flat}({_words(port)}), {flat}({_variable(port)})"
    yield Statement(f"unpack({places}, packing_{port.name});")


def _packing(port: Port) -> str:
    """Return the definition of how an array is packed."""
    assert port.packing is not None
    found = port.packing
    lists = (", ".join(map(str, one)) for one in (found.extents, found.order, found.lanes))
    members = ", ".join(f"{{{one}}}" for one in lists)
    return f"static const Packing packing_{port.name} = {{{members}, {found.words.stride_elems}}};"


def _words(port: Port) -> str:
    return f"words_{port.name}"


def _stream(port: Port) -> str:
    return f"stream_{port.name}"


def _variable(port: Port) -> str:
    """Return a name that neither the C library nor the testbench has."""
    return f"port_{port.name}"


def _indented(statements: list[Statement]) -> str:
    return "".join(f"    {line}\n" for line in render(statements).splitlines())
