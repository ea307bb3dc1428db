"""Statement distribution: loops split around statements that don't wait for each other in a circle.

Before::

    for i, j:
        s[j] = s[j] + r[i] * A[i][j]
        q[i] = q[i] + A[i][j] * p[j]

After::

    for i, j: s[j] = s[j] + r[i] * A[i][j]
    for i, j: q[i] = q[i] + A[i][j] * p[j]

Legal as every dependence by memory goes from an earlier group to a later one ([1]); statements on
a circle stay together.

[1] Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001, chapter 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from streamopt.analysis.dependence import memory_dependences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.analysis.instances import Instance

__all__ = ["distributed"]


def distributed(statements: Sequence[Instance]) -> tuple[tuple[int, ...], ...]:
    """Return groups of statements in an order that keeps all dependences.

    A group stands as early as its first statement does in the program.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(statements)))
    graph.add_edges_from(memory_dependences(statements))
    condensed = nx.condensation(graph)
    members = {at: tuple(sorted(data["members"])) for at, data in condensed.nodes(data=True)}

    def first(at: int) -> int:
        return members[at][0]

    order = nx.lexicographical_topological_sort(condensed, key=first)
    return tuple(members[at] for at in order)
