"""Hosts that load a kernel with XRT, run it and check its outputs; and what builds them.

For kernels all of whose arrays are outside: in memory off the chip, or streams. A host reaches
memory only, so each array that crosses the boundary as a stream has a kernel beside the design's:
``mm2s_A`` reads the words of A and streams them, ``s2mm_D`` stores those of D. The C++ host is the
testbench with buffers of the device in the place of the call; the Python host does the same with
pyxrt.

XRT documentation, "XRT Native APIs" and "XRT Python Bindings"; AMD UG1393, "Mapping Kernel Ports to
Memory" and "Specifying Streaming Connections between Compute Units".
"""

from collections.abc import Iterator, Mapping, Sequence

from streamopt.codegen.backends.vitis_project import VitisSettings, vitis_release
from streamopt.codegen.floorplan import array_slr, is_spread, linked_floorplan
from streamopt.codegen.hosts.testbench import (
    HostProgram,
    checked_program,
    packed,
    single_value,
    stored_type,
    unpacked,
)
from streamopt.codegen.layout import BYTE_BITS, CppPort, DesignLayout
from streamopt.codegen.processes.mover import burst_comment, bursts
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import (
    CppFunction,
    CppStatement,
    Directive,
    For,
    Item,
    Pragma,
    pipelined,
    render,
)
from streamopt.ir.ports import PortKind
from streamopt.ir.scheduled import ScheduledGraph


def mover_kernel(port: CppPort) -> str:
    """Return the name of the kernel that fills or empties a stream."""
    return f"{'mm2s' if port.array.is_given else 's2mm'}_{port.name}"


def stream_connections(layout: DesignLayout) -> Iterator[str]:
    """Yield what the linker is told: which stream goes where."""
    for port in layout.streamed:
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
    for port in layout.streamed:
        items += [CppStatement(""), _kernel(port)]
    return render(items)


def _kernel(port: CppPort) -> CppFunction:
    count, word, name = port.packed.total_words, port.word_type, port.name
    words, at = ("memory" if name != "memory" else "words"), ("at" if name != "at" else "word")
    const = "const " if port.array.is_given else ""
    moved = f"{name}.write({words}[{at}]);" if const else f"{words}[{at}] = {name}.read();"
    where = "offset=slave bundle=gmem"
    body = (
        Pragma(f"interface mode=m_axi port={words} {where} depth={count} {bursts(port)}"),
        Pragma(f"interface mode=axis port={name}"),
        Pragma("interface mode=s_axilite port=return"),
        burst_comment(port),
        For(at, count, (pipelined(1), CppStatement(moved))),
    )
    taken = (f"{const}{word} *{words}", f"hls::stream<{word}> &{name}")
    return CppFunction(f'extern "C" void {mover_kernel(port)}', taken, body)


def has_host(layout: DesignLayout) -> bool:
    """Return whether a host can hand over all that a kernel takes."""
    return all(port.by_value or port.packing is not None for port in layout.boundary)


def host_files(
    layout: DesignLayout,
    scheduled: ScheduledGraph,
    settings: VitisSettings,
    header: Sequence[Item],
    types: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Yield pairs (path, text): both hosts, the compiler's and the linker's options and a Makefile.

    With streams, kernels that move them too.

    Parameters
    ----------
    scheduled
        Whose schedule knows memory channels and regions.
    header
        Comments that the files begin with.
    types
        Headers of element types, which the vendor's HLS tool has.
    """
    movers = [mover_kernel(port) for port in layout.streamed]
    yield "host.cpp", render(header) + checked_program(layout, _host(layout, types))
    arrays = "".join(f"    {_described(port, layout.home(port))},\n" for port in layout.boundary)
    yield "host.py", fill("host.py.in", top=layout.top, arrays=arrays)
    if movers:
        yield "stream_movers.cpp", stream_movers(layout, header, types)
    lines = ["[connectivity]", *(f"nk={name}:1:{name}_1" for name in (layout.top, *movers))]
    channels = {plan.array: plan.channels for plan in scheduled.schedule.ports}
    lines += _places(layout, channels)
    units = dict.fromkeys((layout.top, *movers), settings.slr) if settings.slr else {}
    if is_spread(scheduled):
        slrs = (array_slr(scheduled, port.array.name) for port in layout.streamed)
        units = dict(zip(movers, (f"SLR{slr}" for slr in slrs), strict=True))
    lines += (f"slr={name}_1:{slr}" for name, slr in units.items())
    lines += [*stream_connections(layout), *linked_floorplan(scheduled)]
    yield "connectivity.cfg", "\n".join(lines) + "\n"
    emulations = ["sw_emu"] * vitis_release(settings.release).sw_emu + ["hw_emu"]
    yield (
        "Makefile",
        fill(
            "xrt.mk",
            top=layout.top,
            movers=" ".join(movers),
            release=settings.release,
            emulations=" ".join(emulations),
            types="-I$(XILINX_HLS)/include " if types else "",
            megahertz=f"{1000 / settings.clock_ns:.0f}",
        ),
    )


def _places(layout: DesignLayout, channels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield which memory each port goes to."""
    for port in layout.boundary:
        for name, channel in zip(port.names, channels.get(port.array.name, ()), strict=False):
            yield f"sp={layout.top}_1.{name}:{channel}"


def _host(layout: DesignLayout, types: Sequence[str]) -> HostProgram:
    headers = ("xrt_bo", "xrt_device", "xrt_kernel")
    return HostProgram(
        headers="".join(
            f"#include <{name}>\n" for name in (*types, *(f"xrt/{name}.h" for name in headers))
        ),
        arguments=" [binary]",
        arrays=(),
        run=tuple(map(CppStatement, _run(layout))),
    )


def _run(layout: DesignLayout) -> Iterator[str]:
    yield f'const std::string binary = argc > 3 ? argv[3] : "{layout.top}.xclbin";'
    yield "xrt::device device(0);"
    yield "const xrt::uuid uuid = device.load_xclbin(binary);"
    yield f'xrt::kernel kernel(device, uuid, "{layout.top}");'
    for port in layout.streamed:
        yield f'xrt::kernel kernel_{port.name}(device, uuid, "{mover_kernel(port)}");'
    arguments: list[str] = []
    for port in layout.boundary:
        if port.packing is None:
            arguments.append(single_value(port))
            continue
        home = layout.home(port)
        if home != port:
            arguments += map(_buffer, home.names)
            continue
        is_streamed = port.kind is PortKind.STREAM
        owner, first = (f"kernel_{port.name}", 0) if is_streamed else ("kernel", len(arguments))
        yield from _buffers(port, owner, first)
        arguments += [] if is_streamed else map(_buffer, port.names)
    yield from _runs(layout, arguments)
    for port in layout.packed:
        if not port.array.is_given:
            home = layout.home(port)
            for at, name in enumerate(home.names):
                yield f"{_buffer(name)}.sync(XCL_BO_SYNC_BO_FROM_DEVICE);"
                yield f"{_buffer(name)}.read({_words(home, at)});"
            yield unpacked(port, _words(home)).text


def _buffers(port: CppPort, owner: str, first: int) -> Iterator[str]:
    """Yield a buffer for each memory of a port, the arguments of a kernel from the first one on."""
    room = _stored(port)
    yield f"std::vector<{stored_type(port)}> words_{port.name}({room * len(port.names)});"
    if port.array.is_given:
        yield packed(port, _words(port)).text
    bytes_each = port.packed.total_elems * port.array.element.outside_bits // BYTE_BITS
    for at, name in enumerate(port.names):
        yield f"xrt::bo {_buffer(name)}(device, {bytes_each}, {owner}.group_id({first + at}));"
        if port.array.is_given:
            yield f"{_buffer(name)}.write({_words(port, at)});"
            yield f"{_buffer(name)}.sync(XCL_BO_SYNC_BO_TO_DEVICE);"


def _runs(layout: DesignLayout, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the starts of all kernels, those that fill streams first, and the waits for them."""
    design = [f"xrt::run run = kernel({', '.join(arguments)});"]
    if not arguments:  # a call without any is none that the API has
        design = ["xrt::run run(kernel);", "run.start();"]
    filled = [port for port in layout.streamed if port.array.is_given]
    emptied = [port for port in layout.streamed if not port.array.is_given]
    for ports, then in ((filled, design), (emptied, [])):
        for port in ports:
            yield f"xrt::run run_{port.name} = kernel_{port.name}({_buffer(port.name)});"
        yield from then
    yield from (f"run_{port.name}.wait();" for port in filled)
    yield "run.wait();"
    yield from (f"run_{port.name}.wait();" for port in emptied)


def _buffer(name: str) -> str:
    return f"buffer_{name}"


def _words(port: CppPort, memory: int = 0) -> str:
    """Return where the words of one memory begin."""
    begin = f"words_{port.name}.data()"
    return f"{begin} + {memory * _stored(port)}" if memory else begin


def _stored(port: CppPort) -> int:
    """Return the numbers that one memory of an array holds: elements, or bytes that they share."""
    return port.packed.total_elems // port.elems_a_byte


def _described(port: CppPort, home: CppPort) -> str:
    """Return how the Python host knows an array, and the one whose memory it has."""
    element = port.array.element
    letter = "f" if element.is_float else "i" if element.is_signed else "u"
    scale = 2.0**-element.fixed_point.fraction_bits if element.is_fixed else 1
    packing = port.packing
    if packing is None:
        order, lanes = tuple(range(len(port.array.shape))), (1,) * len(port.array.shape)
        numbers = "0, 1, 1"
    else:
        order, lanes, words = packing.order, packing.lanes, packing.words
        numbers = f"{words.stride_elems}, {words.lanes}, {words.memories}"
    mover = mover_kernel(port) if port.kind is PortKind.STREAM else ""
    listed = f'"{port.name}", "<{letter}{element.storage_bits // 8}", {port.array.is_given}, '
    place = f"{port.array.shape}, {order}, {lanes}, {numbers}, {element.outside_bits}"
    return f'Array({listed}{place}, "{mover}", {scale}, "{home.name}")'
