"""Graphs from arrays with their shapes and nodes with their loops."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from streamopt.formats.graph_json import read_graph_json
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

Nodes = list[tuple[dict[str, int], str]]


def graph_of(given: dict[str, list[int]], computed: dict[str, list[int]], nodes: Nodes) -> Graph:
    """Return the graph of nodes n0, n1, ...; arrays that no node reads are outputs."""
    right = " ".join(body.split("=", 1)[1] for _, body in nodes)
    roles = dict.fromkeys(given, "input") | {
        name: "internal" if f"{name}[" in right else "output" for name in computed
    }
    document = {
        "schema_version": 1,
        "name": "small",
        "arrays": {n: {"shape": s, "role": roles[n]} for n, s in (given | computed).items()},
        "nodes": [
            {"name": f"n{place}", "loops": loops, "body": [body]}
            for place, (loops, body) in enumerate(nodes)
        ],
    }
    return canonicalize(read_graph_json(json.dumps(document), "small.json"))
