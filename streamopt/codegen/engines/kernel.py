"""The kernel of an engine: one template, with the parts that depend on the network."""

from __future__ import annotations

from functools import partial

from streamopt.codegen.engines.ports import EnginePorts
from streamopt.codegen.engines.table_text import (
    maps_of,
    numbers_of,
    table_text,
    windows_of,
)
from streamopt.codegen.expressions import ExpressionText, OperatorNames
from streamopt.codegen.operators import OperatorFunctions
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import render
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import SUM
from streamopt.ir.engines.shape import EngineShape
from streamopt.ir.engines.table import Form, LeavingOrder
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import BINDABLE, Binding

PARAMETER_BYTES = 4


def header_text(ports: EnginePorts) -> str:
    """Return the header of the top function."""
    table = ports.hardware.table
    return fill(
        "engine.h",
        words=str(table.words),
        shares=str(ports.shares),
        beat=str(ports.beat),
        share=str(ports.share),
        results=str(ports.results),
        beside=str(windows_of(table)),
        element=str(table.element),
        weight=str(ports.weight),
        value=str(ports.value),
        drain=str(table.shape.drain),
        signature=_signature(ports),
    )


def kernel_text(ports: EnginePorts, blocks: tuple[str, str]) -> str:
    """Return the C++ of an engine.

    Parameters
    ----------
    blocks
        What the memories of maps, and the weights of a tile, are made of: ``bram``, ``uram`` or
        ``lutram``.
    """
    table = ports.hardware.table
    shape = table.shape
    functions = OperatorFunctions()
    named = partial(functions.name, _binding(shape))
    adder = None if shape.adder is None else named(Operator.ADD, ElementType.FLOAT, 0)
    forms = [_form(n, form, numbers_of(table), named) for n, form in enumerate(table.forms)]
    accumulators = [form.accumulator for form in table.forms]
    parameters = max(1, *(len(form.parameters) for form in table.forms))
    return fill(
        "engine.cpp",
        top=ports.top,
        headers="\n#include <ap_int.h>" if shape.packed else "\n#include <cmath>",
        layers=str(len(table.passes)),
        outputs=str(shape.outputs),
        depth=str(shape.depth),
        products=str(shape.products),
        word=str(ports.word),
        lanes=str(shape.lanes),
        sums=str(max(shape.outputs, shape.lanes)),
        banks=str(shape.banks),
        drain=str(shape.drain),
        pending=str(shape.pending),
        partials=str(shape.partials),
        memories=str(table.memories),
        memory_rows=str(table.depth),
        tile_words=str(table.tile_words),
        parameters=str(parameters),
        numbers=str(numbers_of(table)),
        maps=str(maps_of(table)),
        element=str(table.element),
        weight=str(ports.weight),
        sum=str(max(accumulators, key=lambda kind: kind.bits)),
        value=str(ports.value),
        parameter=str(ports.parameter),
        table=table_text(table),
        multiply=_multiply(ports, functions),
        added=f"{adder}(left, right)" if adder else "left + right",
        form_functions="\n".join(forms),
        form_cases="".join(
            _case(n, form, n + 1 == len(table.forms)) for n, form in enumerate(table.forms)
        ),
        read_maps="".join(_read_map(place) for place in range(maps_of(table)))
        if any(form.maps for form in table.forms)
        else "",
        take_parameters=_take_parameters(ports, parameters)
        if any(one.head for one in table.passes)
        else "                (void)word, (void)parameters;\n",
        latch=_latch(ports),
        signature=_signature(ports),
        fifo_words=str(ports.hardware.supply.fifo_words),
        memory_block=blocks[0],
        kept_block=blocks[1],
        **_boundary(ports),
    )


def input_names(ports: EnginePorts) -> list[str]:
    """Return the C++ names of the inputs' ports."""
    return [f"in_{ports.names[name]}" for name in ports.hardware.table.graph.inputs]


def _signature(ports: EnginePorts) -> str:
    weights = [f"const Share *weights_{channel}" for channel in range(ports.channels)]
    inputs = [f"const Beat *{name}" for name in input_names(ports)]
    return f'extern "C" void {ports.top}({", ".join([*weights, *inputs, "Results *out"])})'


def _boundary(ports: EnginePorts) -> dict[str, str]:
    """Return the parts of the template that have a line for each port."""
    channels = range(ports.channels)
    names = input_names(ports)
    m_axi = "#pragma HLS interface mode=m_axi port={0} offset=slave bundle=gmem_{0} depth={1}\n"
    share = "        for (int part = 0; part < SHARES; part++) {{\n"
    share += "            const Share beat = share_{0}.read();\n"
    share += "            for (int i = 0; i < {1}; i++) {{\n#pragma HLS unroll\n"
    share += "                const int at = ({0} * SHARES + part) * {1} + i;\n"
    share += "                if (at < WORD)\n                    word.at[at] = beat[i];\n"
    share += "            }}\n        }}\n"
    loads = "    load({0}, {1}, memories, {2}, {3});\n"
    places = zip(names, ports.hardware.table.inputs, strict=True)
    depth = ports.hardware.table.words * ports.shares
    beats = [-(-place.map.size_elems // ports.beat) for place in ports.hardware.table.inputs]
    sizes = [(f"weights_{channel}", depth) for channel in channels]
    sizes += [*zip(names, beats, strict=True), ("out", ports.results)]
    return {
        "share_streams": ", ".join(f"ShareStream &share_{channel}" for channel in channels),
        "join": "".join(share.format(channel, ports.share) for channel in channels),
        "input_parameters": ", ".join(f"const Beat *{name}" for name in names),
        "loads": "".join(
            loads.format(name, -(-place.map.size_elems // ports.beat), place.memory, place.base)
            for name, place in places
        ),
        "interfaces": "".join(m_axi.format(name, size) for name, size in sizes),
        "streams": "".join(f"    ShareStream share_{channel};\n" for channel in channels),
        "readers": "".join(
            f"    read_share(weights_{channel}, share_{channel});\n" for channel in channels
        ),
        "share_beats": str(2 * ports.shares),
        "shares": ", ".join(f"share_{channel}" for channel in channels),
        "inputs": ", ".join(names),
        "out": "out",
    }


def _binding(shape: EngineShape) -> Binding:
    """Return the parts of floating-point adders, where they can be asked for."""
    if shape.adder is None or shape.adder.implementation not in BINDABLE[Operator.ADD]:
        return ()
    return ((Operator.ADD, Implementation(shape.adder.implementation)),)


def _multiply(ports: EnginePorts, functions: OperatorFunctions) -> str:
    """Return the function of all products of a cycle, and of those of lanes layers.

    Parameters
    ----------
    functions
        Of operators, all of which are defined before it.
    """
    shape, table = ports.hardware.table.shape, ports.hardware.table
    place = "0"
    for sharers in sorted({order.sharers for order in table.orders} - {1}):
        tile = shape.tile(sharers)
        place = f"layer.windows == {sharers} ? output / {tile} % {sharers} : {place}"
    head = (
        "static void multiply(const Layer &layer, const element_t (&windows)[BESIDE][BANKS],\n"
        "                     const element_t (&lanes)[LANES], const Word &word,\n"
        "                     sum_t (&products)[PRODUCTS],\n"
        "                     sum_t (&own)[LANES]) {\n"
    )
    in_dsps = shape.outputs - shape.in_luts
    body = (_packed_body if shape.packed else _plain_body)(place, in_dsps)
    if shape.packed:
        functions.packed_products(8)
    if shape.in_luts:
        body += _fabric_body(place, in_dsps, _fabric_product(shape, functions))
    return f"{render(functions.items)}\n{head}#pragma HLS inline\n    (void)layer;\n{body}}}\n"


def _fabric_product(shape: EngineShape, functions: OperatorFunctions) -> str:
    """Return the function of a product that is built from LUTs."""
    if shape.adder is None:
        return functions.narrow_product(8)
    built = ((Operator.MUL, Implementation.FABRIC),)
    return functions.name(built, Operator.MUL, ElementType.FLOAT) or ""


def _fabric_body(place: str, in_dsps: int, function: str) -> str:
    return f"""    for (int output = {in_dsps}; output < OUTPUTS; output++) {{
#pragma HLS unroll
        const int window = {place};
        for (int i = 0; i < DEPTH; i++) {{
#pragma HLS unroll
            const int at = output * DEPTH + i;
            const element_t left =
                layer.is_lanes != 0 && at < LANES ? lanes[at % LANES] : windows[window][i];
            products[at] = {function}(left, word.at[at]);
            if (at < LANES)
                own[at] = products[at];
        }}
    }}
"""


def _plain_body(place: str, in_dsps: int) -> str:
    return f"""    for (int output = 0; output < {in_dsps}; output++) {{
#pragma HLS unroll
        const int window = {place};
        for (int i = 0; i < DEPTH; i++) {{
#pragma HLS unroll
            const int at = output * DEPTH + i;
            const element_t left =
                layer.is_lanes != 0 && at < LANES ? lanes[at % LANES] : windows[window][i];
            products[at] = sum_t(left) * sum_t(word.at[at]);
            if (at < LANES)
                own[at] = products[at];
        }}
    }}
"""


def _packed_body(place: str, in_dsps: int) -> str:
    return f"""    for (int output = 0; output < {in_dsps}; output += 2) {{
#pragma HLS unroll
        const int window = {place};
        for (int i = 0; i < DEPTH; i++) {{
#pragma HLS unroll
            const int at = output / 2 * DEPTH + i;
            const bool is_own = layer.is_lanes != 0 && at < LANES;
            const element_t common = is_own ? lanes[at % LANES] : windows[window][i];
            const weight_t first = is_own ? word.at[at] : word.at[output * DEPTH + i];
            const weight_t second = is_own ? weight_t(0) : word.at[(output + 1) * DEPTH + i];
            std::int16_t lower, upper;
            int8_mul_packed(common, first, second, lower, upper);
            products[output * DEPTH + i] = lower;
            products[(output + 1) * DEPTH + i] = upper;
            if (at < LANES)
                own[at] = lower;
        }}
    }}
"""


def _form(number: int, form: Form, numbers: int, function: OperatorNames) -> str:
    """Return the function of an epilogue."""
    types = {SUM: form.accumulator}
    types |= {f"map{place}": kind for place, kind in enumerate(form.maps)}
    types |= {f"parameter{place}": kind for place, kind in enumerate(form.parameters)}
    types |= {f"number{place}": ElementType.INT32 for place in range(form.numbers)}
    texts = ExpressionText(types.__getitem__, lambda access: _operand(access.array), str, function)
    parameters = [
        *(f"const {kind} {name}" for name, kind in types.items() if not name.startswith("number")),
        f"const int (&numbers)[{numbers}]",
    ]
    value = texts.text(form.value, form.element)
    return (
        f"static {form.element} form_{number}({', '.join(parameters)}) {{\n#pragma HLS inline\n"
        f"    (void)numbers;\n    return {value};\n}}\n"
    )


def _operand(name: str) -> str:
    return f"numbers[{name[6:]}]" if name.startswith("number") else name


def _case(number: int, form: Form, is_last: bool) -> str:
    given = [f"static_cast<{form.accumulator}>(sum)"]
    given += [f"static_cast<{kind}>(maps[{place}])" for place, kind in enumerate(form.maps)]
    given += [
        f"static_cast<{kind}>(parameters[{place}])" for place, kind in enumerate(form.parameters)
    ]
    label = "default" if is_last else f"case {number}"
    call = f"form_{number}({', '.join([*given, 'layer.numbers'])})"
    return f"    {label}:\n        return {call};\n"


def _read_map(place: int) -> str:
    return f"""            if ({place} < layer.map_count) {{
                element_t found[BANKS];
#pragma HLS array_partition variable=found type=complete
                take_line(memories, layer.map_memory[{place}],
                          layer.map_base[{place}] + leaving.beside + neighbour * layer.slot_elems +
                              chunk * DRAIN,
                          found);
                for (int lane = 0; lane < DRAIN; lane++) {{
#pragma HLS unroll
                    beside[lane][{place}] = found[lane];
                }}
            }}
"""


def _take_parameters(ports: EnginePorts, parameters: int) -> str:
    """Return the lines that take constants of channels out of a word."""
    shape = ports.hardware.table.shape
    bits = ports.hardware.table.weight_bits
    pieces = PARAMETER_BYTES * 8 // bits
    each = ports.word // pieces
    words = -(-shape.pending // each)
    parts = " | ".join(
        f"std::uint32_t(std::uint{bits}_t(word.at[{pieces} * i + {piece}])) << {bits * piece}"
        for piece in range(pieces)
    )
    value = f"int({parts})" if shape.adder is None else "word.at[i]"
    text = ""
    for number in range(parameters * words):
        first = number % words * each
        count = min(each, shape.pending - first)
        text += f"                if (head == {number})\n"
        text += f"                    for (int i = 0; i < {count}; i++) {{\n#pragma HLS unroll\n"
        text += f"                        parameters[{first} + i][{number // words}] = {value};\n"
        text += "                    }\n"
    return text


def _latch(ports: EnginePorts) -> str:
    """Return the lines that let finished sums wait to leave."""
    table = ports.hardware.table
    text = "                if (layer.is_lanes != 0) {\n"
    text += _copied("LANES", "lane", "sums[lane][turn]")
    for number, order in enumerate(table.orders):
        text += f"                }} else if (layer.order == {number}) {{\n"
        text += _in_order(order, table.shape)
    return text + "                }\n"


def _in_order(order: LeavingOrder, shape: EngineShape) -> str:
    """Return the lines that let the sums of product layers wait."""
    tile = shape.tile(order.sharers)
    lanes = -(-tile // shape.drain) * shape.drain
    if order.together == 1:
        own = " + ".join(f"sums[lane + {part * tile}][turn]" for part in range(order.parts))
        at = f"lane / {tile} * {lanes} + lane % {tile}"
        return _copied(str(tile * order.beside), at, own)
    text = ""
    for position in range(order.beside):
        slot, column = divmod(position, order.pool_columns)
        group, place = divmod(slot, order.together)
        first = (group * order.pool_columns + column) * shape.drain + place * order.channels
        text += _copied(
            str(order.channels), f"{first} + lane", f"sums[{position * tile} + lane][turn]"
        )
    return text


def _copied(count: str, at: str, value: str) -> str:
    return (
        f"                    for (int lane = 0; lane < {count}; lane++) {{\n#pragma HLS unroll\n"
        f"                        for (int turn = 0; turn < PARTIALS; turn++) {{\n"
        f"#pragma HLS unroll\n"
        f"                            pending[{at}][turn] = {value};\n"
        f"                        }}\n                    }}\n"
    )
