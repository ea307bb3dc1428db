"""Sequential nodes in C++: local copies, one nest of guarded statements, copies out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import CodegenError
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Index, Literal
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
    start = source.index("float y_state[8];")
    assert source[start : source.index("\n}", start)].split("\n") == [
        "float y_state[8];",
        "    for (int d0 = 0; d0 < 8; d0++) {",
        "        #pragma HLS pipeline II=1 style=stp",
        "        y_state[d0] = x[d0];",
        "    }",
        "    for (int i = 0; i < 7; i++) {",
        "        #pragma HLS pipeline II=1 style=stp",
        "        #pragma HLS dependence variable=y_state type=inter direction=RAW false",
        "        if ((i & 1) == 0) {",
        "            y_state[i + 1] = (y_state[i] + y_state[i + 1]) / 2.0f;",
        "        }",
        "    }",
        "    for (int d0_2 = 0; d0_2 < 8; d0_2++) {",
        "        #pragma HLS pipeline II=1 style=stp",
        "        y[d0_2] = y_state[d0_2];",
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


def test_negative_dividends_are_refused() -> None:
    program = update("if i < 3: y[i] = y[i + 1]")
    (nest,) = program.nests
    value = (Affine.iterator("i") - Affine.of(3)).floordiv(2)
    guard = Compare(CompareOp.LT, Index(value), Literal(1.0))
    (statement,) = nest.statements
    wrong = replace(nest, statements=(replace(statement, guard=guard),))
    with pytest.raises(CodegenError, match=r"E603 \(i - 3\) / 2 in node 'n' divides a negative"):
        text(replace(program, nests=(wrong,)))
