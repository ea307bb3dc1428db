"""Chains, trees, series-parallel graphs and transformers of any size, for the race at scale.

Activations are matrices of rows by features. An operation is a product with a weight on the
right or on the left, a point-wise node, or a convolution along the rows over all features, which
comes with the two nodes that pad its input. Deterministic by shape, number of nodes and seed.

A transformer is the layer of gpt2_layer.json again and again, whatever the seed: one of GPT-2 with
256 features, 4 heads and 32 tokens, as the front end reads it from PyTorch.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Call, Function, Literal, Read
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Graph

__all__ = ["SHAPES", "TRANSFORMER", "large_graph"]

ROWS = (32, 64, 128)
FEATURES = (32, 48, 64, 96, 128)
TAPS = 3
CONVOLUTION_NODES = 3
LONGEST_BRANCH = 12
LEAF_NODES = 6

TRANSFORMER = "transformer"
LAYER = Path(__file__).parent / "gpt2_layer.json"

Name = str


def _at(*names: str) -> tuple[Affine, ...]:
    return tuple(Affine.iterator(name) for name in names)


def _read(array: Name, *subscripts: Affine) -> Read:
    return Read(Access(array, subscripts))


class _Network:
    """Arrays and nests so far; every method adds an operation and returns its output array."""

    def __init__(self, rng: Random, nodes: int) -> None:
        self.rng = rng
        self.nodes = nodes
        self.shapes: dict[Name, tuple[int, ...]] = {}
        self.given: dict[Name, Role] = {}
        self.nests: list[Nest] = []

    @property
    def left(self) -> int:
        """Return the nodes that are still to come."""
        return self.nodes - len(self.nests)

    def input(self, rows: int, features: int) -> Name:
        return self._array((rows, features), Role.INPUT)

    def _array(self, shape: tuple[int, ...], role: Role | None = None) -> Name:
        name = f"{'t' if role is None else role.value}{len(self.shapes)}"
        self.shapes[name] = shape
        if role is not None:
            self.given[name] = role
        return name

    def _add(
        self, trips: dict[str, int], write: Access, value: Expression, *, reduces: bool = False
    ) -> Name:
        loops = tuple(Loop(name, trip) for name, trip in trips.items())
        reduction = Reduction.ADD if reduces else None
        statement = Statement(write, value, reduction)
        self.nests.append(Nest(f"n{len(self.nests)}", loops, (statement,)))
        return write.array

    def product(self, left: Name, right: Name) -> Name:
        (rows, depth), columns = self.shapes[left], self.shapes[right][1]
        value = Binary(BinaryOp.MUL, _read(left, *_at("i", "k")), _read(right, *_at("k", "j")))
        write = Access(self._array((rows, columns)), _at("i", "j"))
        return self._add({"i": rows, "j": columns, "k": depth}, write, value, reduces=True)

    def dense(self, source: Name, features: int | None = None) -> Name:
        depth = self.shapes[source][1]
        width = self.rng.choice(FEATURES) if features is None else features
        return self.product(source, self._array((depth, width), Role.WEIGHT))

    def mix_rows(self, source: Name, rows: int | None = None) -> Name:
        depth = self.shapes[source][0]
        height = self.rng.choice(ROWS) if rows is None else rows
        return self.product(self._array((height, depth), Role.WEIGHT), source)

    def pointwise(self, source: Name) -> Name:
        rows, features = self.shapes[source]
        value: Expression = Call(Function.MAX, (_read(source, *_at("i", "j")), Literal(0.0)))
        if self.rng.random() < 0.5:
            bias = self._array((features,), Role.WEIGHT)
            value = Binary(BinaryOp.ADD, _read(source, *_at("i", "j")), _read(bias, *_at("j")))
        write = Access(self._array((rows, features)), _at("i", "j"))
        return self._add({"i": rows, "j": features}, write, value)

    def join(self, first: Name, second: Name) -> Name:
        rows, features = self.shapes[first]
        at = _at("i", "j")
        value = Binary(BinaryOp.ADD, _read(first, *at), _read(second, *at))
        write = Access(self._array((rows, features)), at)
        return self._add({"i": rows, "j": features}, write, value)

    def convolution(self, source: Name) -> Name:
        rows, depth = self.shapes[source]
        features = self.rng.choice(FEATURES)
        padded = self._array((rows + TAPS - 1, depth))
        trips = {"i": rows + TAPS - 1, "j": depth}
        self._add(trips, Access(padded, _at("i", "j")), Literal(0.0))
        inside = (Affine.iterator("i") + Affine.of(TAPS // 2), Affine.iterator("j"))
        self._add({"i": rows, "j": depth}, Access(padded, inside), _read(source, *_at("i", "j")))
        taps = self._array((TAPS, depth, features), Role.WEIGHT)
        window = (Affine.iterator("i") + Affine.iterator("t"), Affine.iterator("c"))
        value = Binary(BinaryOp.MUL, _read(padded, *window), _read(taps, *_at("t", "c", "o")))
        write = Access(self._array((rows, features)), _at("i", "o"))
        trips = {"i": rows, "o": features, "t": TAPS, "c": depth}
        return self._add(trips, write, value, reduces=True)

    def operation(self, source: Name, room: int) -> Name:
        """Add an operation of at most ``room`` nodes."""
        kinds = [self.dense, self.dense, self.mix_rows, self.pointwise, self.pointwise]
        if room >= CONVOLUTION_NODES:
            kinds.append(self.convolution)
        return self.rng.choice(kinds)(source)

    def run(self, source: Name, nodes: int) -> Name:
        """Add that many nodes, one after another."""
        end = len(self.nests) + nodes
        while len(self.nests) < end:
            source = self.operation(source, end - len(self.nests))
        return source


def _chain(network: _Network) -> None:
    network.run(network.input(64, 64), network.nodes)


def _tree(network: _Network) -> None:
    """Add runs that a product joins two by two, as far as the number of nodes allows."""
    leaves: list[Name] = []
    while network.left > LEAF_NODES + len(leaves):
        source = network.input(network.rng.choice(ROWS), network.rng.choice(FEATURES))
        leaves.append(network.run(source, network.rng.randint(2, LEAF_NODES)))
    while len(leaves) > 1:
        left, right = leaves.pop(0), leaves.pop(0)
        if network.shapes[left][1] != network.shapes[right][0]:
            right = network.mix_rows(right, network.shapes[left][1])
        leaves.append(network.product(left, right))
    network.run(leaves[0], max(0, network.left))


def _series_parallel(network: _Network) -> None:
    source = network.input(64, 64)
    while network.left:
        source = _block(network, source, min(network.left, network.rng.randint(4, 40)))


def _block(network: _Network, source: Name, nodes: int) -> Name:
    """Add a run, or a fork of two blocks and a join; exactly that many nodes."""
    if nodes < LONGEST_BRANCH or network.rng.random() < 0.3:
        return network.run(source, nodes)
    inside = nodes - 5  # two nodes bring each branch to one shape, one adds them
    first = network.rng.randint(1, inside - 1)
    ends: list[Name] = []
    for size in (first, inside - first):
        end = _block(network, source, size)
        ends.append(network.dense(network.mix_rows(end, 64), 64))
    return network.join(*ends)


SHAPES: dict[str, Callable[[_Network], None]] = {
    "chain": _chain,
    "tree": _tree,
    "series_parallel": _series_parallel,
}


def large_graph(shape: str, nodes: int, seed: int = 0) -> Graph:
    """Return a graph of about that many nodes (trees may have up to one join more or less)."""
    if shape == TRANSFORMER:
        return _transformer(nodes)
    network = _Network(Random(f"{shape} {nodes} {seed}"), nodes)
    SHAPES[shape](network)
    read = {access.array for nest in network.nests for access in _inputs(nest)}
    arrays = tuple(
        Array(
            name,
            size,
            network.given.get(name, Role.INTERNAL if name in read else Role.OUTPUT),
        )
        for name, size in network.shapes.items()
    )
    return so.dataflow(Program(f"{shape}{nodes}", arrays, tuple(network.nests)))


def _transformer(nodes: int) -> Graph:
    """Return as many layers as have at most that many nodes, and at least one."""
    layer = json.loads(LAYER.read_text(encoding="utf-8"))
    count = max(1, nodes // len(layer["nodes"]))
    arrays: dict[Name, object] = {}
    nests: list[object] = []
    for number in range(count):
        names = {name: f"{name}_{number}" for name in layer["arrays"]} | {"y": f"x_{number + 1}"}

        def renamed(text: str, names: dict[Name, Name] = names) -> str:
            return re.sub(r"[A-Za-z_]\w*", lambda found: names.get(found[0], found[0]), text)

        for name, array in layer["arrays"].items():
            if names[name] not in arrays or name == "y":
                is_between = name == "y" and number + 1 < count
                arrays[names[name]] = {**array, "role": "internal"} if is_between else array
        for nest in layer["nodes"]:
            body = [renamed(line) for line in nest["body"]]
            nests.append({**nest, "name": f"{nest['name']}_{number}", "body": body})
    name = f"{TRANSFORMER}{len(nests)}"
    text = json.dumps({"schema_version": 1, "name": name, "arrays": arrays, "nodes": nests})
    return so.dataflow(read_graph_json(text, name))


def _inputs(nest: Nest) -> tuple[Access, ...]:
    from streamopt.ir.expression import reads

    return tuple(access for statement in nest.statements for access in reads(statement.value))
