"""Random small programs: products, sums, copies, joins and forks over a few matrices."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from streamopt.frontends.graph_json import read_graph_json
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.graph import Graph

Node = dict[str, Any]


class _Sketch:
    def __init__(self, rng: random.Random, extents: tuple[int, ...]) -> None:
        self.rng = rng
        self.extents = extents
        self.arrays: dict[str, dict[str, Any]] = {}
        self.nodes: list[Node] = []
        self.unused: list[str] = []

    def given(self, *shape: int) -> str:
        name = f"I{len(self.arrays)}"
        self.arrays[name] = {"shape": list(shape), "role": "input"}
        return name

    def shape(self, name: str) -> list[int]:
        return self.arrays[name]["shape"]

    def operand(self) -> str:
        """Return a matrix: mostly one that some node computes, so that graphs are deep."""
        computed = [n for n, a in self.arrays.items() if n[0] == "C" and len(a["shape"]) == 2]
        if computed and self.rng.random() < 0.85:
            name = self.rng.choice(computed)
            if name in self.unused:
                self.unused.remove(name)
            return name
        return self.given(self.rng.choice(self.extents), self.rng.choice(self.extents))

    def add(self, loops: dict[str, int], shape: list[int], body: str) -> None:
        name = f"C{len(self.arrays)}"
        self.arrays[name] = {"shape": shape, "role": "internal"}
        order = list(loops)
        self.rng.shuffle(order)
        statement = body.replace("OUT", name)
        self.nodes.append(
            {
                "name": f"n{len(self.nodes)}",
                "loops": {loop: loops[loop] for loop in order},
                "body": [statement],
            }
        )
        self.unused.append(name)


def _product(s: _Sketch) -> None:
    left = s.operand()
    n, k = s.shape(left)
    m = s.rng.choice(s.extents)
    fitting = [a for a in s.unused if s.shape(a) == [k, m]]
    right = s.rng.choice(fitting) if fitting else s.given(k, m)
    if right in s.unused:
        s.unused.remove(right)
    s.add({"i": n, "j": m, "k": k}, [n, m], f"OUT[i][j] += {left}[i][k] * {right}[k][j]")


def _sum_of_two(s: _Sketch) -> None:
    left = s.operand()
    n, m = s.shape(left)
    alike = [a for a in s.arrays if s.shape(a) == [n, m]]
    right = s.rng.choice(alike)
    if right in s.unused:
        s.unused.remove(right)
    scale = s.rng.choice(["", "2.0 * "])
    s.add({"i": n, "j": m}, [n, m], f"OUT[i][j] = {scale}{left}[i][j] + {scale}{right}[i][j]")


def _transposed(s: _Sketch, given: str | None = None) -> None:
    source = given or s.operand()
    n, m = s.shape(source)
    s.add({"i": n, "j": m}, [m, n], f"OUT[j][i] = {source}[i][j]")


def _row_sum(s: _Sketch) -> None:
    source = s.operand()
    n, m = s.shape(source)
    s.add({"i": n, "j": m}, [n], f"OUT[i] += {source}[i][j]")


def _flat(s: _Sketch) -> None:
    source = s.operand()
    n, m = s.shape(source)
    s.add({"i": n * m}, [n * m], f"OUT[i] = {source}[i // {m}][i % {m}]")


def _window(s: _Sketch) -> None:
    source = s.operand()
    n, m = s.shape(source)
    if m < 2:
        _transposed(s, source)
        return
    s.add({"i": n, "j": m - 1, "k": 2}, [n, m - 1], f"OUT[i][j] += 0.5 * {source}[i][j + k]")


MAKERS: tuple[Callable[[_Sketch], None], ...] = (
    _product,
    _product,
    _sum_of_two,
    _transposed,
    _row_sum,
    _flat,
    _window,
)


def random_graph(seed: int, nodes: int, extents: tuple[int, ...] = (2, 3, 4)) -> Graph:
    """Return a random graph; what no node uses is an output."""
    sketch = _Sketch(random.Random(seed), extents)
    for _ in range(nodes):
        sketch.rng.choice(MAKERS)(sketch)
    for name in sketch.unused:
        sketch.arrays[name]["role"] = "output"
    document = {
        "schema_version": 1,
        "name": f"random{seed}",
        "arrays": sketch.arrays,
        "nodes": sketch.nodes,
    }
    return canonicalize(read_graph_json(json.dumps(document), f"random{seed}.json"))
