"""HLS C++ as other tools print it, made of facts: published designs, tile sizes and factors."""

from __future__ import annotations

import re
from typing import Any

HEADERS = (
    "#include <ap_int.h>\n#include <hls_stream.h>\n#include <stdint.h>\nusing namespace std;\n"
)


def partitions(name: str, factors: Any, indent: str = "  ") -> str:
    """Return the pragmas of an array."""
    return "".join(
        f"{indent}#pragma HLS array_partition variable={name} cyclic dim={place} factor={factor}\n"
        for place, factor in enumerate(factors or (), start=1)
        if factor and factor > 1
    )


def _extents(shape: Any) -> str:
    return "".join(f"[{extent}]" for extent in shape)


def _declared(array: dict[str, Any]) -> str:
    kind = "hls::stream<float>" if array.get("stream") else "float"
    return f"{kind} {array['name']}{_extents(array['shape'])}"


def _body(node: dict[str, Any], indent: str) -> list[str]:
    """Return the statements: each operation once its operands are there, before its use."""
    values = [each["value"] for each in node["accesses"] if each["mode"] == "read"]
    needed = {*values, *(op["dst"] for op in node["ops"])}
    lines, have, waiting = [f"{indent}float {value};" for value in values], set[str](), node["ops"]
    for access in node["accesses"]:
        place = access["array"] + "".join(f"[{each['expr']}]" for each in access["index"])
        if access["mode"] == "read":
            source = f"{place}.read()" if access["kind"] == "stream" else place
            text = f"{access['value']} = {source};"
            have.add(access["value"])
        else:
            for op in waiting:
                if {*re.findall(r"[A-Za-z_]\w*", op["expr"])} & needed <= have - {op["dst"]}:
                    lines += [f"{indent}float {op['dst']} = {op['expr']};"] * (
                        op["dst"] not in have
                    )
                    have.add(op["dst"])
            value = access["value"]
            sent = f"{place}.write({value});"
            text = sent if access["kind"] == "stream" else f"{place} = {value};"
        guard = access["guard"]
        lines.append(f"{indent}if ({guard}) {{ {text} }}" if guard else f"{indent}{text}")
    return lines


def _function(node: dict[str, Any]) -> str:
    constants: dict[str, str] = node.get("scalar_args") or {}
    scalars = [f"float {name}" for name in constants]
    listed = ",\n  ".join([*(_declared(each) for each in node["args"]), *scalars])
    text = f"void {node['name']}(\n  {listed}\n) {{\n"
    for array in node["args"]:
        text += "" if array["stream"] else partitions(array["name"], array["partition"])
    for array in node["local_arrays"]:
        text += f"  {_declared(array)};\n" + partitions(array["name"], array["partition"])
    indent = "  "
    for loop in node["outer"]:
        text += f"{indent}{loop['label']}: {_for(loop['iv'], loop['trip'])}"
        indent += "  "
    text += f"{indent}#pragma HLS pipeline II=1\n{indent}#pragma HLS loop_flatten\n"
    for lane in node["unrolled"]:
        text += indent + _for(lane["iv"], lane["factor"])
        indent += "  "
    ends = "}" * (len(node["outer"]) + len(node["unrolled"]))
    return "\n".join(
        [text + _body(node, indent)[0], *_body(node, indent)[1:], ends, "return ; }\n"]
    )


def _for(name: str, trips: int) -> str:
    return f"for (int {name} = 0; {name} < {trips}; {name}++) {{\n"


def stream_hls(design: dict[str, Any]) -> str:
    """Return a published design as Stream-HLS prints it."""
    top = design["top"]
    by_name = {node["name"]: node for node in design["nodes"]}
    listed = ",\n  ".join(_declared(each) for each in top["args"])
    text = f"void forward(\n  {listed}\n) {{\n\t#pragma HLS DATAFLOW\n"
    text += "".join(partitions(each["name"], each["partition"]) for each in top["args"])
    for channel in design["channels"]:
        name, kind = channel["name"], channel["kind"]
        if kind == "top_arg":
            continue
        declared = {"name": name, "shape": channel["shape"], "stream": kind == "fifo"}
        text += f"  {_declared(declared)};\n"
        if kind == "fifo":
            text += f"\t#pragma HLS STREAM variable={name} depth={channel['depth']}\n"
        else:
            text += partitions(name, channel.get("partition"))
    for name in top["call_order"]:
        constants: dict[str, str] = by_name[name].get("scalar_args") or {}
        given: list[str] = [each["channel"] for each in by_name[name]["args"]]
        text += f"  {name}({', '.join([*given, *constants.values()])});\n"
    return HEADERS + "".join(map(_function, design["nodes"])) + text + "  return ;\n}\n"


class WrittenOut:
    """Products of a matrix and vectors as ScaleHLS and HIDA print them: every lane a statement."""

    def __init__(self, name: str, arguments: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]):
        listed = ",\n  ".join(f"float {n}{_extents(shape)}" for n, (shape, _) in arguments.items())
        split = "".join(partitions(n, factors) for n, (_, factors) in arguments.items())
        self.text = f"{HEADERS}/// This is top function.\nvoid {name}(\n  {listed}\n) {{\n{split}"
        self._values = 0

    def _value(self) -> str:
        self._values += 1
        return f"t{self._values}"

    def multiply(
        self, source: str, target: str, tiles: tuple[int, int], lanes: tuple[int, int], **how: Any
    ) -> WrittenOut:
        """Add ``target[i] += v0[i][o] * source[o]`` with o outside; lanes of both written out."""
        outer, inner = self._value(), self._value()
        lines = [
            f"  for (int {outer} = 0; {outer} < {tiles[0]}; {outer} += 1) {{\t// II=1",
            f"    for (int {inner} = 0; {inner} < {tiles[1]}; {inner} += 1) {{",
            f"      #pragma HLS pipeline II={how.get('interval', 1)}",
        ]
        sums: dict[int, str] = {}

        def make(expression: str) -> str:
            name = self._value()
            lines.append(f"      float {name} = {expression};")
            return name

        for k in range(lanes[0]):
            o = f"(({outer} * {lanes[0]}) + {k})"
            factor = make(f"{source}[{o}]")
            for m in range(lanes[1]):
                i = f"(({inner} * {lanes[1]}) + {m})"
                term = make(
                    f"{make(f'v0[{o}][{i}]' if how['rows'] else f'v0[{i}][{o}]')} * {factor}"
                )
                sums[m] = make(f"{sums[m]} + {term}") if m in sums else term
                if k == lanes[0] - 1:
                    total = make(f"{make(f'{target}[{i}]')} + {sums[m]}")
                    lines.append(f"      {target}[{i}] = {total};")
        self.text += "\n".join([*lines, "    }", "  }", ""])
        return self

    def source(self) -> str:
        """Return the file."""
        return self.text + "}\n"


def hida_atax() -> str:
    """Return atax with the tiles and partitions of HIDA's design: 13,402 cycles in RTL."""
    shapes = {"v0": ((390, 410), (15, 10)), "v1": ((410,), (2,))}
    design = WrittenOut("test_atax", shapes | {"v2": ((410,), (10,)), "v3": ((390,), (15,))})
    design.multiply("v1", "v3", (205, 26), (2, 15), rows=False)
    return design.multiply("v3", "v2", (195, 41), (2, 10), rows=True).source()


def scalehls_mvt() -> str:
    """Return mvt with the tiles, partitions and II of ScaleHLS's design: 15,076 cycles in RTL."""
    vectors = {f"v{n}": ((400,), ((4,) if n < 3 else (16,))) for n in range(1, 5)}
    design = WrittenOut("test_mvt", {"v0": ((400, 400), (16, 16))} | vectors)
    design.multiply("v1", "v3", (100, 25), (4, 16), rows=False, interval=3)
    return design.multiply("v2", "v4", (100, 25), (4, 16), rows=True, interval=3).source()
