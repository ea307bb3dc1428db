"""A small design with a FIFO and a ping-pong buffer, and its report."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.strategies.solution import Solution

__all__ = ["report", "small_graph", "solved"]


@cache
def small_graph() -> Graph:
    """Return a graph whose last node reads its input transposed, which can't stream."""
    p = so.dsl.program("small")
    i, j, k = p.iterators(i=8, j=8, k=4)
    a, b = p.input("A", 8, 4), p.input("B", 4, 8)
    c = p.compute("C", (i, j), so.dsl.sum(k, a[i, k] * b[k, j]))
    d = p.compute("D", (i, j), c[i, j] * 2.0)
    p.output("Y", (i, j), d[i, j] - d[j, i])
    return so.dataflow(p.build())


@cache
def solved() -> Solution:
    return so.solve(small_graph(), dsp=40, space=so.Space(tiling_limit=2))


@cache
def report() -> so.Report:
    return so.report_solution(
        solved(), front=so.pareto(small_graph(), dsp=40, space=so.Space(tiling_limit=2))
    )
