"""Hosts that load a kernel with XRT, run it and check its outputs; and what builds them.

For kernels all of whose arrays are in memory off the chip. The C++ host is the testbench with
buffers of the device in the place of the call; the Python host does the same with pyxrt.

XRT documentation, "XRT Native APIs" and "XRT Python Bindings"; AMD UG1393, "Mapping Kernel Ports to
Memory".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.templates import fill
from streamopt.codegen.testbench import Program, checked_program, flat_array, single_value
from streamopt.codegen.tree import Statement
from streamopt.codegen.vitis_release import vitis_release
from streamopt.codegen.writer import render
from streamopt.ir.element import ElementType
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.codegen.layout import Layout, Port
    from streamopt.codegen.tree import Item
    from streamopt.codegen.vitis_project import VitisSettings

__all__ = ["has_host", "host_files"]


def has_host(layout: Layout) -> bool:
    """Return whether a host can hand over all that a kernel takes."""
    return all(
        port.by_value or (port.packing is not None and port.kind is PortKind.AXI)
        for port in layout.boundary
    )


def host_files(
    layout: Layout,
    channels: Mapping[str, str],
    settings: VitisSettings,
    header: Sequence[Item],
) -> Iterator[tuple[str, str]]:
    """Yield pairs (path, text): both hosts, the linker's configuration and a Makefile.

    Parameters
    ----------
    channels
        Memory channel by array, where it is known.
    header
        Comments that the files begin with.
    """
    yield "host.cpp", render(header) + checked_program(layout, _host(layout))
    arrays = "".join(f"    {_described(port)},\n" for port in layout.boundary)
    yield "host.py", fill("host.py.in", top=layout.top, arrays=arrays)
    where = [
        f"sp={layout.top}_1.{port.name}:{channels[port.array.name]}"
        for port in layout.boundary
        if channels.get(port.array.name)
    ]
    lines = ["[connectivity]", f"nk={layout.top}:1:{layout.top}_1", *where]
    yield "connectivity.cfg", "\n".join(lines) + "\n"
    emulations = ["sw_emu"] * vitis_release(settings.release).sw_emu + ["hw_emu"]
    yield (
        "Makefile",
        fill(
            "xrt.mk",
            top=layout.top,
            release=settings.release,
            emulations=" ".join(emulations),
            megahertz=f"{1000 / settings.clock_ns:.0f}",
        ),
    )


def _host(layout: Layout) -> Program:
    headers = ("xrt_bo", "xrt_device", "xrt_kernel")
    return Program(
        headers="".join(f"#include <xrt/{name}.h>\n" for name in headers),
        arguments=" [binary]",
        arrays=(),
        run=tuple(map(Statement, _run(layout))),
    )


def _run(layout: Layout) -> Iterator[str]:
    yield f'const std::string binary = argc > 3 ? argv[3] : "{layout.top}.xclbin";'
    yield "xrt::device device(0);"
    yield "const xrt::uuid uuid = device.load_xclbin(binary);"
    yield f'xrt::kernel kernel(device, uuid, "{layout.top}");'
    packed = [(at, port) for at, port in enumerate(layout.boundary) if port.packing is not None]
    for at, port in packed:
        yield f"xrt::bo {_buffer(port)}(device, {_bytes(port)}, kernel.group_id({at}));"
        if port.array.is_given:
            yield f"pack({flat_array(port)}, {_mapped(port)}, packing_{port.name});"
            yield f"{_buffer(port)}.sync(XCL_BO_SYNC_BO_TO_DEVICE);"
    yield f"xrt::run run = kernel({', '.join(map(_argument, layout.boundary))});"
    yield "run.wait();"
    for _, port in packed:
        if not port.array.is_given:
            yield f"{_buffer(port)}.sync(XCL_BO_SYNC_BO_FROM_DEVICE);"
            yield f"unpack({_mapped(port)}, {flat_array(port)}, packing_{port.name});"


def _buffer(port: Port) -> str:
    return f"buffer_{port.name}"


def _argument(port: Port) -> str:
    return single_value(port) if port.by_value else _buffer(port)


def _mapped(port: Port) -> str:
    return f"{_buffer(port)}.map<{port.array.element} *>()"


def _bytes(port: Port) -> int:
    assert port.packing is not None
    return port.packing.total_elems * port.array.element.bits // 8


def _described(port: Port) -> str:
    """Return how the Python host knows an array."""
    element = port.array.element
    letters = {ElementType.FLOAT: "f", ElementType.DOUBLE: "f"}
    letter = letters.get(element, "i" if element.is_signed else "u")
    packing = port.packing
    if packing is None:
        order, lanes, stride = tuple(range(len(port.array.shape))), (1,) * len(port.array.shape), 0
    else:
        order, lanes, stride = packing.order, packing.lanes, packing.words.stride_elems
    listed = f'"{port.name}", "<{letter}{element.bits // 8}", {port.array.is_given}, '
    return f"Array({listed}{port.array.shape}, {order}, {lanes}, {stride})"
