"""Sequential nodes in C++: local copies, one nest of guarded statements, copies out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streamopt.formats.graph_json import read_graph_json
from streamopt.pipeline import Space, dataflow, emit, solve, verify, write

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def update(*body: str, arrays: dict[str, object] | None = None, **node: object) -> Program:
    """Return a program whose one sequential node makes y of 8 from x."""
    found: dict[str, object] = {
        "x": {"shape": [8], "role": "input"},
        "y": {"shape": [8], "role": "output"},
        **(arrays or {}),
    }
    nest = {"name": "n", "loops": {"i": 7}, "sequential": True, "carries": {"y": "x"}, **node}
    nodes = [{**nest, "body": [*body]}]
    document = {"schema_version": 1, "name": "p", "arrays": found, "nodes": nodes}
    return read_graph_json(json.dumps(document), "p.json")


def text(program: Program) -> str:
    graph = dataflow(program)
    schedule = solve(graph, level="opt1", dsp=100).schedule
    return emit(graph, schedule).text("p.cpp")


def test_nest_on_a_local_copy() -> None:
    source = text(update("if i % 2 == 0: y[i + 1] = (y[i] + y[i + 1]) / 2"))
    start = source.index("int phase = 0;")
    assert source[start : source.index("\n    for (int d0_lane", start)].split("\n") == [
        "int phase = 0;",
        "    bool is_bubble = false;",
        "    int i = 0;",
        "    for (int iteration = 0; iteration < 7; iteration++) {",
        "        #pragma HLS pipeline II=1 style=stp",
        "        // Phase 0, a0: if i % 2 == 0: y[i + 1] = (y[i] + y[i + 1]) / 2",
        "        if (phase == 0 && !is_bubble) {",
        "            if ((i & 1) == 0) {",
        "                y_0[i + 1] = (y_0[i] + y_0[i + 1]) / 2.0f;",
        "            }",
        "        }",
        "        // The next tile; where there is none, the rest of the visit are bubbles.",
        "        if (phase == 0 && !is_bubble) {",
        "            i++;",
        "            if (i >= 7) {",
        "                is_bubble = true;",
        "            }",
        "        }",
        "    }",
    ]


@pytest.mark.parametrize(
    ("body", "node", "arrays"),
    [
        (["y[i + 1] = y[i] * 0.5 + y[i + 1]"], {}, {}),
        (["y[i + 1] = y[i] + index(7 - i)", "if y[i] > 0: y[i] = -y[i]"], {}, {}),
        (["if i > 2 and y[i] < y[i + 1] or i == 0: y[i] = y[i + 1]"], {}, {}),
        (["if (y[i] < y[i + 1]) == 0: y[i] = y[i + 1]"], {}, {}),
        (
            ["s = s + y[i]", "y[i] = s"],
            {"carries": {"y": "x", "s": "z"}},
            {"s": {"shape": [], "role": "internal"}, "z": {"shape": [], "role": "input"}},
        ),
        (
            ["n[i] = n[i] * 3 % 7 + int32_t(x[i])", "y[i] = n[i] >> 1"],
            {"carries": {"y": "x", "n": "m"}},
            {
                "n": {"shape": [8], "role": "output", "type": "int32_t"},
                "m": {"shape": [8], "role": "input", "type": "int32_t"},
            },
        ),
    ],
)
def test_designs_compute_the_same(
    body: list[str], node: dict[str, object], arrays: dict[str, object], tmp_path: Path
) -> None:
    program = update(*body, arrays=arrays, **node)
    graph = dataflow(program)
    write(program, solve(graph, level="opt1", dsp=100).schedule, tmp_path / "design")
    verify(tmp_path / "design").raise_if_failed()


def test_several_nodes_hand_over_wholes(tmp_path: Path) -> None:
    arrays: dict[str, object] = {
        "x": {"shape": [8], "role": "input"},
        "a": {"shape": [8], "role": "internal"},
        "b": {"shape": [8], "role": "internal"},
        "y": {"shape": [8], "role": "output"},
    }
    nodes = [
        {"name": "first", "loops": {"i": 8}, "body": ["a[i] = x[i] * 2"]},
        {"name": "scan", "loops": {"i": 7}, "sequential": True, "carries": {"b": "a"},
         "body": ["b[i + 1] = b[i] + b[i + 1]"]},
        {"name": "last", "loops": {"i": 8}, "body": ["y[i] = b[7 - i] + a[i]"]},
    ]  # fmt: skip
    document = {"schema_version": 1, "name": "p", "arrays": arrays, "nodes": nodes}
    program = read_graph_json(json.dumps(document), "p.json")
    solution = solve(dataflow(program), level="opt5", dsp=100, space=Space(tiling_limit=1))
    write(program, solution.schedule, tmp_path / "design")
    verify(tmp_path / "design").raise_if_failed()
