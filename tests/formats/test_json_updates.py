"""Round trips of what restructured programs hold: guards, starts, sequential nodes, types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streamopt.formats.graph_json import read_graph_json, write_graph_json

if TYPE_CHECKING:
    from streamopt.ir.program import Program


def read(body: list[str], **node: object) -> Program:
    kinds = {"x": ("input", "float"), "d": ("input", "double"), "n": ("input", "int32_t"),
             "u": ("input", "uint8_t"), "y": ("output", "float"), "m": ("output", "int32_t"),
             "s": ("internal", "double")}  # fmt: skip
    text = " ".join(body) + json.dumps(node)
    arrays = {
        name: {"shape": [8], "role": role, "type": kind}
        for name, (role, kind) in kinds.items()
        if f"{name}[" in text or f'"{name}"' in text
    }
    nodes = [{"name": "a", "loops": {"i": 8, "j": 4}, "body": body, **node}]
    document = {"schema_version": 1, "name": "p", "arrays": arrays, "nodes": nodes}
    return read_graph_json(json.dumps(document), "p.json")


def facts(program: Program) -> list[str]:
    """Everything but places; the text tells zeros of both signs apart."""
    return [
        repr((nest.name, nest.loops, nest.sequential, nest.carries,
              s.target, s.reduction, s.expressions, s.start, s.guard))
        for nest in program.nests
        for s in nest.statements
    ]  # fmt: skip


BODIES = {
    "guard": ["if j < i: y[i] += x[j]"],
    "guards joined": ["if j < i and (x[j] > 0 or i == 3): y[i] += x[j]"],
    "opposite of a comparison": ["if (x[j] < d[i]) == 0: y[i] += x[j]"],
    "start": ["y[i] = x[i]", "y[i] += d[j]"],
    "start and guard": ["y[i] = x[i] * 2", "if j < i: y[i] *= d[j]"],
    "start of an extreme": ["y[i] = x[i]", "y[i] = max(y[i], x[j])"],
    "casts": ["y[i] += float(d[j] * 2) + int8_t(x[j])"],
    "index": ["y[i] += index(2*i - j) * x[j]"],
    "truth": ["m[i] += (x[i] < d[j]) * 2"],
    "truth joined": ["m[i] += n[j] if x[i] < 1 and d[j] != 0 else u[j]"],
    "integers": ["m[i] += (n[j] % 3 << 2 | u[j] & 6 ^ 1) >> 1"],
    "negation": ["y[i] += -x[j] + (0 - x[j]) * -1.5 - -(x[i] + x[j])"],
    "functions": ["y[i] += pow(floor(x[j]), 2) + ceil(x[i]) * sin(x[j]) / cos(x[j])"],
}
SEQUENTIAL = {
    "in place": ["y[i] = y[j] + x[i]", "if j == 0: y[0] = 1"],
    "sums in place": ["y[i] += x[j]", "y[i] *= 2"],
    "several arrays": ["m[i] = m[j] + 1", "y[i] = m[i]"],
    "conditions": ["if (y[i] > y[j]) == 0 or i < j: y[i] = -y[j]"],
}


@pytest.mark.parametrize("name", BODIES)
def test_streaming_nodes(name: str) -> None:
    program = read(BODIES[name])
    text = write_graph_json(program)
    again = read_graph_json(text, "again.json")
    assert facts(again) == facts(program)
    assert write_graph_json(again) == text


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_sequential_nodes(name: str) -> None:
    program = read(SEQUENTIAL[name], sequential=True, carries={"y": "x"})
    text = write_graph_json(program)
    assert '"sequential": true, "carries": {"y": "x"}' in text
    again = read_graph_json(text, "again.json")
    assert facts(again) == facts(program)
    assert again.nests[0].statements[0].reduction is None
