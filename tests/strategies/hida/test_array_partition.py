"""How many banks a node's lanes need along each dimension of an array."""

from __future__ import annotations

import pytest

import streamopt as so
from streamopt.strategies.hida.partition import accesses_of, node_partition
from tests.support.programs.sketches import program


@pytest.mark.parametrize(
    ("body", "factors", "banks"),
    [
        ("a[i]", {"i": 4, "j": 1}, 4),
        ("a[2 * i]", {"i": 4, "j": 1}, 8),
        ("a[2 * i]", {"i": 1, "j": 1}, 1),
        ("a[i + j]", {"i": 4, "j": 3}, 6),
        ("a[2 * i + j]", {"i": 4, "j": 3}, 9),
        ("a[9 - i]", {"i": 3, "j": 1}, 3),
        ("a[i] * a[i + 2]", {"i": 1, "j": 1}, 4),
        ("a[i] * a[i + 1]", {"i": 4, "j": 1}, 5),
        ("a[i] * a[j]", {"i": 4, "j": 1}, 3),
        ("a[i / 2]", {"i": 2, "j": 1}, 2),
        ("a[i / 2]", {"i": 8, "j": 1}, 3),
    ],
)
def test_banks(body: str, factors: dict[str, int], banks: int) -> None:
    graph = so.dataflow(
        program({"a": "input 40", "y": "output 8"}, {"node": f"i 8, j 4: y[i] += {body}"})
    )
    node = graph.node("node")
    assert node_partition(accesses_of(node, "a"), factors) == (banks,)
