"""The testbench of an engine: arrays as the source has them, packed into words and back."""

from __future__ import annotations

from streamopt.codegen.engines.kernel import input_names
from streamopt.codegen.engines.ports import EnginePorts, group_chunks, slots
from streamopt.codegen.templates import fill
from streamopt.ir.engines.table import LayerPass
from streamopt.ir.program import Array, Role


def testbench_text(ports: EnginePorts) -> str:
    """Return a C++ program that reads inputs, runs an engine, and checks its outputs."""
    arrays = "".join(
        f"static {array.element} {_variable(ports, array.name)}[{array.size_elems}];\n"
        for array in ports.arrays
    )
    given = [array for array in ports.arrays if array.role is not Role.OUTPUT]
    outputs = [array for array in ports.arrays if array.role is Role.OUTPUT]
    return fill(
        "testbench.cpp",
        headers=f'#include "{ports.top}.h"\n#include "engine_packing.h"\n',
        arguments="",
        arrays=arrays,
        probe=f"{ports.names[outputs[0].name]}.golden.bin",
        loads="".join(_load(ports, array) for array in given),
        parameters="",
        call="",
        run=_run(ports, outputs),
        checks="".join(_check(ports, array) for array in outputs),
    )


def _variable(ports: EnginePorts, name: str) -> str:
    return f"port_{ports.names[name]}"


def _load(ports: EnginePorts, array: Array) -> str:
    name = ports.names[array.name]
    return f'    load("{name}", {_variable(ports, array.name)}, {array.size_elems});\n'


def _check(ports: EnginePorts, array: Array) -> str:
    extents = ", ".join(map(str, array.shape))
    name = ports.names[array.name]
    return f'    passed &= check("{name}", {_variable(ports, array.name)}, {{{extents}}});\n'


def _run(ports: EnginePorts, outputs: list[Array]) -> str:
    table = ports.hardware.table
    shape = table.shape
    numbers = [
        *(shape.depth, ports.word, shape.lanes, shape.drain, shape.pending),
        *(ports.share, ports.shares, ports.channels),
        *(table.weight_bits // 8, table.word_bytes),
    ]
    lines = [
        f"EngineWords words = {{{', '.join(map(str, numbers))}, {{}}, 0}};",
        "words.begin();",
        *(line for one in table.passes for line in _packed(ports, one)),
    ]
    channels = range(ports.channels)
    for channel in channels:
        lines.append(f"std::vector<Share> weights_{channel}(words.count * SHARES);")
        lines.append(
            f"std::memcpy(static_cast<void *>(weights_{channel}.data()), "
            f"words.parts[{channel}].data(), words.parts[{channel}].size());"
        )
    names = input_names(ports)
    for name, place in zip(names, table.inputs, strict=True):
        given = place.map
        beats = -(-given.size_elems // ports.beat)
        sizes = f"{given.rows}, {given.columns}, {given.channels}"
        strides = ", ".join(map(str, given.strides))
        lines.append(f"std::vector<Beat> {name}({beats});")
        lines.append(
            f"pack_map({_variable(ports, given.name)}, "
            f"reinterpret_cast<{table.element} *>({name}.data()), {sizes}, {strides});"
        )
    lines.append("std::vector<Results> out(RESULTS);")
    for array in outputs:
        variable = _variable(ports, array.name)
        lines.append(f"std::memset(static_cast<void *>({variable}), 0xff, sizeof({variable}));")
    given_names = [f"weights_{channel}" for channel in channels] + names + ["out"]
    lines.append(f"{ports.top}({', '.join(f'{name}.data()' for name in given_names)});")
    lines.append(
        f"const {ports.value} *from = reinterpret_cast<const {ports.value} *>(out.data());"
    )
    lines += [_unpacked(ports, one) for one in ports.output_passes]
    return "".join(f"    {line}\n" for line in lines)


def _packed(ports: EnginePorts, one: LayerPass) -> list[str]:
    """Return the lines that pack the words of a layer: of each tile constants, then weights."""
    layer, cut = one.layer, one.tiling
    if layer.weights is None and not one.head:
        return []
    is_row = not cut.is_whole and layer.columns.spread == 1 and layer.groups == 1
    is_stretch = not layer.is_lanes and (is_row or cut.is_whole)
    outputs = layer.columns.positions * layer.channels if cut.is_flat else layer.outputs
    weights = layer.weights
    strides = (0, 0, 0, 0, 0) if weights is None else weights.strides
    numbers = [
        *(one.groups, cut.tiles, cut.tile, outputs, cut.beside, cut.parts, cut.together),
        *(*cut.runs, cut.run, cut.width),
        *(layer.depth, layer.columns.taps, int(is_stretch), int(cut.is_whole)),
        *(int(layer.is_lanes), int(cut.is_flat), layer.channels),
        f"{{{', '.join(map(str, strides))}}}",
        0 if weights is None else weights.offset,
    ]
    lines = [
        "{",
        f"    const LayerWeights layer = {{{', '.join(map(str, numbers))}}};",
        "    for (int group = 0; group < layer.groups; group++)",
        "        for (int tile = 0; tile < layer.tiles; tile++) {",
    ]
    for _, own in layer.epilogue.parameters:
        variable = _variable(ports, own.array)
        constant = f"LayerParameter{{{own.stride}, {own.offset}}}"
        lines.append(
            f"            pack_parameter(words, layer, group, tile, {variable}, {constant});"
        )
    if weights is not None:
        element, variable = ports.weight, _variable(ports, weights.array)
        lines.append(f"            pack_weights<{element}>(words, layer, group, tile, {variable});")
    return [*lines, "        }", "}"]


def _unpacked(ports: EnginePorts, one: LayerPass) -> str:
    layer, cut = one.layer, one.tiling
    result = ports.hardware.table.graph.map(layer.result)
    tile, blocks, of_block = cut.tile, cut.columns, slots(one)
    if cut.together > 1:
        tile, blocks, of_block = layer.outputs * cut.together, blocks * of_block // cut.together, 1
    numbers = [
        *(one.groups, cut.tiles, tile, layer.outputs, cut.rows, blocks, of_block),
        *(group_chunks(one), ports.hardware.table.shape.drain, result.columns),
        *(int(layer.is_lanes), int(cut.is_flat or cut.together > 1), result.channels),
        *result.strides,
    ]
    return (
        f"unpack_results(from, {_variable(ports, layer.result)}, "
        f"LayerResults{{{', '.join(map(str, numbers))}}});"
    )
