"""Inputs that somebody made to break a reader: too large, too deep, without end, or not files."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.fuzz.seeds import WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["ATTACKS", "BUILT"]


def _written(text: str | bytes, name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"))
    return path


_DOCUMENT = """{"schema_version": 1, "name": "attack",
"arrays": {"x": {"shape": [EXTENT], "role": "input"}, NAME: {"shape": [EXTENT], "role": "output"}},
"nodes": [{"name": "n", "loops": {"i": EXTENT}, "body": ["BODY"]}]}"""


def _document(extent: str = "8", body: str = "y[i] = x[i] + 1", name: str = '"y"') -> str:
    """Return a graph of one node; an extent and a name are as JSON has them."""
    return _DOCUMENT.replace("EXTENT", extent).replace("NAME", name).replace("BODY", body)


def _chain(nodes: int) -> str:
    arrays = {f"a{at}": {"shape": [4], "role": "internal"} for at in range(1, nodes)}
    arrays |= {"a0": {"shape": [4], "role": "input"}, f"a{nodes}": {"shape": [4], "role": "output"}}
    listed = [
        {"name": f"n{at}", "loops": {"i": 4}, "body": [f"a{at + 1}[i] = a{at}[i] + 1"]}
        for at in range(nodes)
    ]
    return json.dumps({"schema_version": 1, "name": "g", "arrays": arrays, "nodes": listed})


def _deep_loops() -> str:
    loops = {f"i{at}": 2 for at in range(30)}
    subscripts = "".join(f"[{name}]" for name in loops)
    shape = [2] * 30
    return json.dumps(
        {
            "schema_version": 1,
            "name": "deep",
            "arrays": {
                "x": {"shape": shape, "role": "input"},
                "y": {"shape": shape, "role": "output"},
            },
            "nodes": [
                {"name": "n", "loops": loops, "body": [f"y{subscripts} = x{subscripts} + 1"]}
            ],
        }
    )


_JSON: dict[str, str] = {
    "extent of 10^12": _document("1000000000000"),
    "extent of 10^100": _document("1" + "0" * 100),
    "extent of 5000 digits": _document("9" * 5000),
    "extent of an int": _document("2147483647"),
    "extent 8.0": _document("8.0"),
    "extent true": _document("true"),
    "extent NaN": _document("NaN"),
    "extent Infinity": _document("Infinity"),
    "extent 1e400": _document("1e400"),
    "key twice": _document(name='"x"'),
    "tower of powers": _document(body="y[i] = x[i] + 9**9**9"),
    "import": _document(body="y[i] = __import__('os').system('true')"),
    "lambda": _document(body="y[i] = (lambda: x[i])()"),
    "expression of depth 5000": _document(body="y[i] = " + "(" * 5000 + "x[i]" + ")" * 5000),
    "signs of depth 5000": _document(body="y[i] = " + "-" * 5000 + "x[i]"),
    "sum of 20000": _document(body="y[i] = " + " + ".join(["x[i]"] * 20_000)),
    "lists of depth 100000": "[" * 100_000 + "]" * 100_000,
    "name ../../x": _document(name='"../../x"', body="../../x[i] = x[i]"),
    "name with a quote": _document(name='"a\\"b"'),
    "name that ends a comment": _document(name='"*/"'),
    "name from right to left": _document(name='"\\u202ey"', body="\\u202ey[i] = x[i]"),
    "half a character": _document(name='"\\ud800"', body="\\ud800[i] = x[i]"),
    "name of a command": _document(name='"$(touch x)"'),
    "name of 5000 letters": _document(name=f'"{"y" * 5000}"', body=f"{'y' * 5000}[i] = x[i]"),
    "30 loops": _deep_loops(),
    "2000 nodes": _chain(2000),
    "30000 nodes": _chain(30_000),
    "not text": "\udcff\udcfe{",
    "empty": "",
}


def _kernel(body: str, before: str = "") -> str:
    return f"{before}\nvoid f(float a[8], float b[8]) {{\n{body}\n}}\n"


def _bomb(line: str) -> str:
    macros = "".join(f"#define M{at + 1} M{at} + M{at}\n" for at in range(40))
    return f"#define M0 1\n{macros}{line}\n"


def _calls(doublings: int, before: str = "") -> str:
    text = f"static float f0(float x) {{ {before} return x; }}\n"
    for at in range(doublings):
        text += f"static float f{at + 1}(float x) {{ {before} return f{at}(x) + f{at}(x); }}\n"
    return text


_LOOP = "for (int i = 0; i < 8; i++) b[i] = a[i];"
_C: dict[str, str] = {
    "includes itself": '#include "includes itself.c"\n' + _kernel(_LOOP),
    "includes itself twice": '#include "includes itself twice.c"\n' * 2 + _kernel(_LOOP),
    "includes a device": '#include "/dev/zero"\n' + _kernel(_LOOP),
    "includes passwords": '#include "/etc/passwd"\n' + _kernel(_LOOP),
    "macros that double": _kernel("b[0] = M40;", _bomb("")),
    "macros that double in a condition": _kernel(_LOOP, _bomb("#if M40\n#endif")),
    "macros that double in an extent": _bomb("") + "void f(float a[M40]) { a[0] = 1; }",
    "function macros that double": _kernel("b[0] = D(D(D(D(D(D(D(D(D(D(a[0]))))))))));",
        "#define C(x) x + x + x + x\n#define D(x) C(C(C(x)))"),
    "recursion": _kernel("b[0] = g(a[0]);", "static float g(float x) { return g(x); }"),
    "2^29 inlined calls": _kernel("b[0] = f29(a[0]);", _calls(29)),
    "2^29 calls under a condition": _kernel(
        "b[0] = a[0] > 0 ? f29(a[0]) : 0;", _calls(29, "float y = x; y += 1;")
    ),
    "parentheses of depth 5000": _kernel(f"b[0] = {'(' * 5000}1{')' * 5000};"),
    "blocks of depth 5000": _kernel("{" * 5000 + "b[0] = 1;" + "}" * 5000),
    "conditions of depth 5000": _kernel("if (a[0] > 0) " * 5000 + "b[0] = 1;"),
    "choices of depth 5000": _kernel("b[0] = " + "a[0] > 0 ? 1 : " * 5000 + "2;"),
    "loops of depth 300": _kernel("for (int i = 0; i < 2; i++) " * 300 + "b[0] += 1;"),
    "1000 statements": _kernel("a[0] += 1;\n" * 1000),
    "800 loops": _kernel("for (int i = 0; i < 8; i++) b[i] += a[i];\n" * 800),
    "extent of 10^15": "void f(float a[1000000000000000]) { a[0] = 1; }",
    "loop of 2^40": _kernel("for (long i = 0; i < 1099511627776; i++) b[0] += a[0];"),
    "string without end": _kernel('"' + "x" * 100_000),
    "comment without end": "/*" * 100_000,
    "backslashes": "\\\n" * 100_000,
}  # fmt: skip
_CPP: dict[str, str] = {
    f"900 kB of {piece}": (piece * (900_000 // len(piece)))
    for piece in ("struct a ", "( & a ", "struct a{", "using a=", "template<", 'extern "C" {', "<(")
}


def _mlir(type_text: str, body: str = "") -> str:
    return f"func.func @f(%x: {type_text}, %y: {type_text}) {{\n{body}\nreturn\n}}"


_COPY = """affine.for %i = 0 to 8 {
%v = affine.load %x[%i] : memref<1000000000000xf32>
affine.store %v, %y[%i] : memref<1000000000000xf32>
}"""
_CONSTANT = """func.func @f(%x: tensor<99999999999xf32>) -> tensor<99999999999xf32> {
%c = arith.constant dense<1.0> : tensor<99999999999xf32>
%r = arith.addf %x, %c : tensor<99999999999xf32>
return %r : tensor<99999999999xf32>
}"""
_MLIR: dict[str, str] = {
    "extent of 10^12": _mlir("memref<1000000000000xf32>", _COPY),
    "constant of 10^11": _CONSTANT,
    "loops of depth 2000": _mlir(
        "memref<8xf32>", "affine.for %i = 0 to 2 {\n" * 2000 + "}\n" * 2000
    ),
    "loop of 2^60": _mlir("memref<8xf32>", "affine.for %i = 0 to 1152921504606846976 {\n}"),
    "brackets": "(" * 200_000,
    "empty": "",
}


def _onnx(build: Callable[[Any], bytes], name: str, folder: Path) -> Path:
    from onnx import helper

    return _written(build(helper), name, folder)


def _constant_of_shape(helper: Any) -> bytes:
    return _model(
        helper,
        [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("Add", "xc", "y")],
        {"s": np.array([2**34], np.int64)},
    )


def _tile(helper: Any) -> bytes:
    return _model(
        helper,
        [helper.make_node("Tile", "wr", "t"), helper.make_node("Add", "xt", "y")],
        {"w": np.zeros(4, np.float32), "r": np.array([2**32], np.int64)},
    )


def _expand(helper: Any) -> bytes:
    return _model(
        helper,
        [helper.make_node("Expand", "ws", "e"), helper.make_node("Add", "xe", "y")],
        {"w": np.zeros(1, np.float32), "s": np.array([2**20, 2**20], np.int64)},
    )


def _range(helper: Any) -> bytes:
    limits = {"a": 0, "b": 2**40, "d": 1}
    return _model(
        helper,
        [helper.make_node("Range", "abd", "t"), helper.make_node("Add", "xt", "y")],
        {name: np.array(value, np.int64) for name, value in limits.items()},
    )


def _model(helper: Any, nodes: list[Any], constants: Mapping[str, Any]) -> bytes:
    from onnx import numpy_helper

    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, [4])],
        [helper.make_tensor_value_info("y", 1, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def _external(location: str, helper: Any) -> bytes:
    import onnx

    tensor = onnx.TensorProto(name="w", data_type=1, dims=[4])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    tensor.external_data.add(key="length", value=str(2**40))
    model = onnx.load_from_string(_model(helper, [helper.make_node("Add", "xw", "y")], {}))
    model.graph.initializer.append(tensor)
    return bytes(model.SerializeToString())


_ONNX: dict[str, Callable[[Any], bytes]] = {
    "ConstantOfShape 2^34": _constant_of_shape,
    "Tile 2^32": _tile,
    "Expand 2^40": _expand,
    "Range 2^40": _range,
    "weights above": partial(_external, "../../../etc/passwd"),
    "weights elsewhere": partial(_external, "/dev/zero"),
    "weights in nothing": partial(_external, ""),
    "empty": lambda _: b"",
}


def _npy(shape: str, values: bytes, element: str = "<f4") -> bytes:
    header = f"{{'descr': '{element}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


def _archive(members: Mapping[str, bytes], folder: Path) -> Path:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    _written(made.getvalue(), "seed.npz", folder)
    return _written(WEIGHTED, "seed.json", folder)


_GOOD = {"w.npy": _npy("(8, 6)", bytes(192)), "b.npy": _npy("(6,)", bytes(24))}


def _unpacking(folder: Path) -> Path:
    huge = _npy("(8, 6)", bytes(192)) + bytes(500 * 2**20)
    return _archive({**_GOOD, "w.npy": huge, "b.npy": _npy("(131072000,)", huge)}, folder)


def _pickled(folder: Path) -> Path:
    return _archive({**_GOOD, "w.npy": _npy("(8, 6)", b"cos\nsystem\n(S'true'\ntR.", "|O")}, folder)


def _nan(folder: Path) -> Path:
    values = np.full(48, np.nan, "<f4").tobytes()
    return _archive({**_GOOD, "w.npy": _npy("(8, 6)", values)}, folder)


def _damaged(folder: Path) -> Path:
    path = _archive(_GOOD, folder)
    data = bytearray((folder / "seed.npz").read_bytes())
    data[60] ^= 255
    _written(bytes(data), "seed.npz", folder)
    return path


def _weights_link(target: str, folder: Path) -> Path:
    os.symlink(target, folder / "seed.npz")
    return _written(WEIGHTED, "seed.json", folder)


_WEIGHTS: dict[str, Callable[[Path], Path]] = {
    "unpacks to 1 GB": _unpacking,
    "shape of 2^60": partial(_archive, {**_GOOD, "w.npy": _npy("(1152921504606846976,)", b"")}),
    "shape of -1": partial(_archive, {**_GOOD, "w.npy": _npy("(-1,)", bytes(192))}),
    "above": partial(_archive, {**_GOOD, "../x.npy": _npy("(1,)", bytes(4))}),
    "pickled": _pickled,
    "not a number": _nan,
    "damaged": _damaged,
    "a device": partial(_weights_link, "/dev/zero"),
    "a folder": partial(_weights_link, "/tmp"),
}


def _link(target: str, suffix: str, folder: Path) -> Path:
    path = folder / f"link{suffix}"
    os.symlink(target, path)
    return path


def _pipe(suffix: str, folder: Path) -> Path:
    path = folder / f"pipe{suffix}"
    os.mkfifo(path)
    return path


def _folder(suffix: str, folder: Path) -> Path:
    path = folder / f"folder{suffix}"
    path.mkdir()
    return path


_SUFFIXES = (".json", ".c", ".cpp", ".mlir", ".onnx")
_FILES: dict[str, Callable[[Path], Path]] = {
    **{f"{suffix} of /dev/zero": partial(_link, "/dev/zero", suffix) for suffix in _SUFFIXES},
    **{f"{suffix} of /dev/urandom": partial(_link, "/dev/urandom", suffix) for suffix in _SUFFIXES},
    **{f"{suffix} of nothing": partial(_link, "/nowhere", suffix) for suffix in _SUFFIXES},
    **{f"{suffix} is a pipe": partial(_pipe, suffix) for suffix in _SUFFIXES},
    **{f"{suffix} is a folder": partial(_folder, suffix) for suffix in _SUFFIXES},
}

ATTACKS: Mapping[str, Callable[[Path], Path]] = {
    **{f"json: {name}": partial(_written, text, "x.json") for name, text in _JSON.items()},
    **{f"c: {name}": partial(_written, text, f"{name}.c") for name, text in _C.items()},
    **{f"cpp: {name}": partial(_written, text, "x.cpp") for name, text in _CPP.items()},
    **{f"mlir: {name}": partial(_written, text, "x.mlir") for name, text in _MLIR.items()},
    **{f"onnx: {name}": partial(_onnx, build, "x.onnx") for name, build in _ONNX.items()},
    **{f"weights: {name}": build for name, build in _WEIGHTS.items()},
    **{f"file: {name}": build for name, build in _FILES.items()},
}
"""What makes the file that is read, in a folder."""

BUILT = (
    "json: extent of an int",
    "json: 30 loops",
    "c: loop of 2^40",
    "c: macros that double",
    "weights: not a number",
)
"""Those that are small to read, and too large, or wrong, to solve and write."""
