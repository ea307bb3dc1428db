"""Kernels that move arrays between memory and the streams of a design, for hosts to start.

A host reaches memory only, so each array that crosses the boundary as a stream has a kernel beside
the design's: ``mm2s_A`` reads the words of A and streams them, ``s2mm_D`` stores those of D.
AMD UG1393, "Specifying Streaming Connections between Compute Units".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.tree import CppFunction, CppStatement, Directive, For, Item, Pragma, render
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.layout import CppPort, DesignLayout

__all__ = ["mover_kernel", "stream_connections", "stream_movers", "streamed"]


def streamed(layout: DesignLayout) -> tuple[CppPort, ...]:
    """Return the ports that are streams."""
    return tuple(port for port in layout.boundary if port.kind is PortKind.STREAM)


def mover_kernel(port: CppPort) -> str:
    """Return the name of the kernel that fills or empties a stream."""
    return f"{'mm2s' if port.array.is_given else 's2mm'}_{port.name}"


def stream_connections(layout: DesignLayout) -> Iterator[str]:
    """Yield what the linker is told: which stream goes where."""
    for port in streamed(layout):
        kernel, design = f"{mover_kernel(port)}_1.{port.name}", f"{layout.top}_1.{port.name}"
        ends = (kernel, design) if port.array.is_given else (design, kernel)
        yield f"stream_connect={':'.join(ends)}"


def stream_movers(layout: DesignLayout, header: Sequence[Item], types: Sequence[str]) -> str:
    """Return the C++ text of all these kernels.

    Parameters
    ----------
    header
        Comments that it begins with.
    types
        Headers of element types.
    """
    included = (*types, "cstdint", "hls_stream.h", "hls_vector.h")
    items: list[Item] = [*header, *(Directive(f"#include <{name}>") for name in included)]
    for port in streamed(layout):
        items += [CppStatement(""), _kernel(port)]
    return render(items)


def _kernel(port: CppPort) -> CppFunction:
    assert port.packing is not None
    count, word, name = port.packing.total_words, port.word_type, port.name
    words, at = ("memory" if name != "memory" else "words"), ("at" if name != "at" else "word")
    const = "const " if port.array.is_given else ""
    moved = f"{name}.write({words}[{at}]);" if const else f"{words}[{at}] = {name}.read();"
    body = (
        Pragma(f"interface mode=m_axi port={words} offset=slave bundle=gmem depth={count}"),
        Pragma(f"interface mode=axis port={name}"),
        Pragma("interface mode=s_axilite port=return"),
        For(at, count, (Pragma("pipeline II=1"), CppStatement(moved))),
    )
    taken = (f"{const}{word} *{words}", f"hls::stream<{word}> &{name}")
    return CppFunction(f'extern "C" void {mover_kernel(port)}', taken, body)
