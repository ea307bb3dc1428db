"""What every array of a graph should hold, by the reference interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Nest, Program, Statement
from streamopt.verification.reference import execute

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from streamopt.ir.graph import Graph, Node
    from streamopt.verification.reference import Result

__all__ = ["graph_values"]


def graph_values(graph: Graph, inputs: Mapping[str, NDArray[np.float64]]) -> Mapping[str, Result]:
    """Return value and bound of every array after the nodes have run one after another.

    Parameters
    ----------
    inputs
        Of the source program; what the graph has a copy of is given once.

    Raises
    ------
    VerificationError
        As `streamopt.verification.reference.execute`.
    """
    given = dict(inputs)
    given.update({copy: inputs[original] for copy, original in graph.copies if original in inputs})
    nests = tuple(_nest(node) for node in graph.nodes)
    return execute(Program(graph.name, graph.arrays, nests), given)


def _nest(node: Node) -> Nest:
    if isinstance(node, SequentialNode):
        return Nest(
            node.name, node.loops, node.statements, node.loc, True, node.carries, node.reason
        )
    statement = Statement(node.write, node.value, node.reduction, node.start, node.guard, node.loc)
    return Nest(node.name, node.loops, (statement,), node.loc)
