"""Good inputs of each kind, which mutations start from."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import streamopt as so

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SCHEDULED", "SEEDS", "WEIGHTED"]
from tests.support.programs.mlir_texts import GEMM, LINEAR, LOOPS, body

TOP = Path(__file__).parents[2]
_PROGRAMS = TOP / "tests/frontends/c/programs"
_SMALL = ("blocked", "conv_border", "dct", "fir", "gauss", "linebuf", "skip", "sobel", "viterbi")

WEIGHTED = json.dumps(
    {
        "schema_version": 1,
        "name": "layer",
        "weights": "seed.npz",
        "arrays": {
            "x": {"shape": [4, 8], "role": "input"},
            "w": {"shape": [8, 6], "role": "weight"},
            "b": {"shape": [6], "role": "weight"},
            "y": {"shape": [4, 6], "role": "output"},
        },
        "nodes": [
            {
                "name": "mm",
                "loops": {"i": 4, "j": 6, "k": 8},
                "body": ["y[i][j] += x[i][k] * w[k][j] + b[j]"],
            }
        ],
    }
)
"""The graph whose weights are mutated."""


SCHEDULED = {
    "schedule": TOP / "graphs/polybench/atax.json",
    "turns": TOP / "tests/frontends/c/programs/copies.c",
}
"""Programs whose schedules are mutated, by kind: of streaming nodes, and with one in order."""


def _c() -> list[bytes]:
    kernels = sorted((TOP / "models/kernels").rglob("*.c"))
    texts = (path.read_bytes() for path in [*kernels, *sorted(_PROGRAMS.glob("*.c"))])
    return [text.replace(b"4096", b"32") for text in texts]


def _cpp() -> list[bytes]:
    return [*(path.read_bytes() for path in sorted(_PROGRAMS.glob("*.cpp"))), *_c()[::5]]


def _json() -> list[bytes]:
    """Return graphs of the repository, and small ones of many kinds of statements."""
    from streamopt.formats.graph_json import write_graph_json

    graphs = [path.read_bytes() for path in sorted((TOP / "graphs/polybench").glob("*.json"))]
    programs = (so.load(_PROGRAMS / f"{name}.c") for name in _SMALL)
    return [*graphs, *(write_graph_json(program).encode() for program in programs)]


def _schedules(kind: str, levels: tuple[str, ...]) -> list[bytes]:
    from streamopt.formats.schedule_json import write_schedule_json

    graph = so.dataflow(so.load(SCHEDULED[kind]))
    found = [so.solve(graph, level=level, dsp=60).schedule for level in levels]
    found.append(so.put_outside(graph, found[1], so.plan_ports(graph, "m_axi")))
    return [write_schedule_json(schedule).encode() for schedule in found]


def _onnx() -> list[bytes]:
    from tests.support.programs.onnx_models import ints, make_model, node, values

    image, matrix = {"x": values(1, 3, 6, 6)}, {"x": values(4, 6)}
    models = [
        make_model(
            [
                node("Gemm", "x w b", "h", transB=1),
                node("Relu", "h", "r"),
                node("Softmax", "r", "y"),
            ],
            matrix,
            {"w": values(5, 6), "b": values(5)},
        ),
        make_model(
            [
                node("Conv", "x w", "c", pads=[1, 1, 1, 1]),
                node("MaxPool", "c", "p", kernel_shape=[2, 2], strides=[2, 2]),
                node("Reshape", "p s", "y"),
            ],
            image,
            {"w": values(2, 3, 3, 3), "s": ints(1, -1)},
        ),
        make_model(
            [
                node("Transpose", "x", "t", perm=[1, 0]),
                node("MatMul", "x t", "m"),
                node("Slice", "m b e", "s"),
                node("Concat", "s s", "y", axis=1),
            ],
            matrix,
            {"b": ints(0, 1), "e": ints(3, 4)},
        ),
        make_model(
            [
                node("ReduceMean", "x", "m", axes=[1]),
                node("Sub", "x m", "d"),
                node("Expand", "d s", "e"),
                node("Pad", "e p", "y"),
            ],
            matrix,
            {"s": ints(2, 4, 6), "p": ints(0, 0, 1, 0, 1, 0)},
        ),
        make_model(
            [node("ConstantOfShape", "s", "c"), node("Tile", "c r", "t"), node("Add", "x t", "y")],
            matrix,
            {"s": ints(2, 6), "r": ints(2, 1)},
        ),
    ]
    return [model.SerializeToString() for model in models]


def _mlir() -> list[bytes]:
    loops = (body(*lines) for lines, _ in LOOPS.values())
    return [text.encode() for text in (GEMM, LINEAR, *loops)]


def _weights() -> list[bytes]:
    import io

    made: list[bytes] = []
    rng = np.random.default_rng(0)
    arrays = {"w": rng.random((8, 6), np.float32), "b": rng.random(6, np.float32)}
    for save in (np.savez, np.savez_compressed):
        buffer = io.BytesIO()
        save(buffer, w=arrays["w"], b=arrays["b"])
        made.append(buffer.getvalue())
    return made


SEEDS: Mapping[str, Callable[[], list[bytes]]] = {
    "c": _c,
    "cpp": _cpp,
    "json": _json,
    "schedule": partial(_schedules, "schedule", ("opt1", "opt5")),
    "turns": partial(_schedules, "turns", ("opt1", "opt6")),
    "weights": _weights,
    "onnx": _onnx,
    "mlir": _mlir,
}
"""By kind."""
