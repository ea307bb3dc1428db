"""The kernels of table III of [1] as bands, and what it published of them.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so
from streamopt import dsl
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Read
from streamopt.strategies.scalehls.band import Band, node_band

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

PUBLISHED = Path(__file__).parents[3] / "results" / "published" / "scalehls_kernels.csv"
EDGE = so.device("xc7z020")


@dataclass(frozen=True)
class PublishedKernel:
    size: int
    perm_map: tuple[int, ...]
    tile_sizes: tuple[int, ...]
    ii: int
    factors: dict[str, tuple[int, ...]]


def published(kernel: str) -> PublishedKernel:
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        (row,) = (row for row in csv.DictReader(file) if row["kernel"] == kernel)
    factors = (part.split(":") for part in row["partition_factors"].split(";"))
    return PublishedKernel(
        int(row["problem_size"]),
        _numbers(row["perm_map"]),
        _numbers(row["tile_sizes"]),
        int(row["ii"]),
        {array: _numbers(text) for array, text in factors},
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def gemm(size: int = 4096) -> Band:
    """C = beta C + alpha A B, whose scaling of C the published nest has inside."""
    p = dsl.program("gemm")
    i, j, k = p.iterators(i=size, j=size, k=size)
    a, b, c = (p.input(name, size, size) for name in "ABC")
    p.output("scaled", (i, j), 1.2 * c[i, j])
    p.output("out", (i, j), dsl.sum(k, 1.5 * a[i, k] * b[k, j]))
    graph = so.dataflow(p.build())
    scale, product = graph.nodes
    merged = replace(product, start=scale.value, write=replace(product.write, array="C"))
    return _band(replace(graph, nodes=(merged,)))


def bicg(size: int = 4096) -> Band:
    p = dsl.program("bicg")
    i, j = p.iterators(i=size, j=size)
    a, pp, r = p.input("A", size, size), p.input("p", size), p.input("r", size)
    p.output("q", (i,), dsl.sum(j, a[i, j] * pp[j]))
    p.output("s", (j,), dsl.sum(i, r[i] * a[i, j]))
    return _band(so.dataflow(p.build()))


def gesummv(size: int = 4096) -> Band:
    p = dsl.program("gesummv")
    i, j = p.iterators(i=size, j=size)
    a, b, x = p.input("A", size, size), p.input("B", size, size), p.input("x", size)
    p.output("tmp", (i,), dsl.sum(j, a[i, j] * x[j]))
    p.output("y", (i,), dsl.sum(j, b[i, j] * x[j]))
    return _band(so.dataflow(p.build()))


def syrk(size: int = 4096) -> Band:
    p = dsl.program("syrk")
    i, j, k = p.iterators(i=size, j=size, k=size)
    a = p.input("A", size, size)
    p.output("C", (i, j), dsl.sum(k, 1.5 * a[i, k] * a[j, k]))
    return _band(so.dataflow(p.build()))


def syr2k(size: int = 4096) -> Band:
    p = dsl.program("syr2k")
    i, j, k = p.iterators(i=size, j=size, k=size)
    a, b = p.input("A", size, size), p.input("B", size, size)
    terms = a[j, k] * 1.5 * b[i, k] + b[j, k] * 1.5 * a[i, k]
    p.output("C", (i, j), dsl.sum(k, terms))
    return _band(so.dataflow(p.build()))


def trmm(size: int = 4096) -> Band:
    """B += A^T B in place; without the scaling of B after the last addition."""
    p = dsl.program("trmm")
    i, j, k = p.iterators(i=size, j=size, k=size)
    a, b = p.input("A", size, size), p.input("B", size, size)
    p.output("out", (i, j), dsl.sum(k, a[k, i] * b[k, j]))
    graph = so.dataflow(p.build())
    (node,) = graph.nodes
    place = replace(node.write, array="B")
    return _band(replace(graph, nodes=(replace(node, start=Read(place), write=place),)))


def _band(graph: Graph) -> Band:
    """Return the one nest that the source had, its loops in the order of the first output."""
    first = graph.nodes[0]
    nodes = [replace(node, loops=first.loops) for node in graph.nodes]
    return node_band(nodes, lambda _: ElementType.FLOAT)
