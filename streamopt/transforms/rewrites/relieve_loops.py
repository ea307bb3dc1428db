"""Sequential nests in an order of iterations in which the innermost loop carries nothing.

So iterations of the innermost loop overlap: a wavefront, or loops that are interchanged. Every
step is checked against all dependences of the nest, so each element is computed as it was.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from streamopt.errors import LegalityError, StreamoptError
from streamopt.ir.expression import Index, Read, walk
from streamopt.ir.graph import SequentialNode
from streamopt.ir.loop_steps import Interchange, Skew
from streamopt.ir.program import Nest, Program, Role
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph
    from streamopt.ir.loop_steps import LoopStep
    from streamopt.ir.program import Array, Statement
    from streamopt.transforms.scheduling import TimedProgram


@dataclass(frozen=True, slots=True)
class RelieveLoops(GraphRewrite):
    """Sequential nests relieved, where one legal step does that.

    Before: ``for i, j: A[i][j] = A[i][j - 1] + A[i - 1][j + 1]              # j waits for j - 1``
    After:  ``for w, i: A[i][w - 2*i] = ... if 0 <= w - 2*i < 62            # w = 2 * i + j``

    Nests of which no statement waits for its own iteration before stay, and so do those of several
    statements that would need different steps.

    Attributes
    ----------
    factors
        Of skews that are tried, those of fewer iterations first.
    """

    factors: tuple[tuple[int, int], ...] = ((1, 1), (2, 1), (1, 2))

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with relieved nests."""
        nodes = tuple(
            _relieved(node, _arrays(graph, node), self.factors)
            if isinstance(node, SequentialNode)
            else node
            for node in graph.nodes
        )
        return graph if nodes == graph.nodes else replace(graph, nodes=nodes)


def _arrays(graph: Graph, node: SequentialNode) -> tuple[Array, ...]:
    """Return the arrays that a node touches, as arguments of a program of this node alone."""
    roles = dict.fromkeys(node.inputs, Role.INPUT) | dict.fromkeys(node.outputs, Role.OUTPUT)
    return tuple(replace(a, role=roles[a.name]) for a in graph.arrays if a.name in roles)


@cache
def _relieved(
    node: SequentialNode, arrays: tuple[Array, ...], factors: tuple[tuple[int, int], ...]
) -> SequentialNode:
    from streamopt.transforms.restructure import restructure
    from streamopt.transforms.scheduling import generated, lifted, timed_program
    from streamopt.transforms.scheduling.times import carried_inside

    nest = Nest(node.name, node.loops, node.statements, sequential=True, carries=node.carries)
    before = timed_program(lifted(Program(node.name, arrays, (nest,))))
    for name in sorted(carried_inside(before)):
        for after in _changed(before, name, factors):
            if not carried_inside(after):
                with suppress(StreamoptError):  # no nest of a graph has the loops of such times
                    found = _same_node(node, restructure(generated(after).source))
                    if found is not None:
                        return found
    return node


def _changed(
    program: TimedProgram, name: str, factors: tuple[tuple[int, int], ...]
) -> Iterator[TimedProgram]:
    """Yield the program after each legal interchange or skew of a statement's inner loop."""
    from streamopt.transforms.scheduling import transformed

    *outer, inner = (loop.name for loop in program.statement(name).loops)
    steps: list[LoopStep] = [Interchange(name, loop, inner) for loop in reversed(outer)]
    for loop in outer[-1:]:
        names = (f"{loop}_w", f"{inner}_w")
        steps += [Skew(name, (loop, inner), pair, names) for pair in factors]
    for step in steps:
        with suppress(LegalityError):
            yield transformed(program, step)


def _same_node(node: SequentialNode, program: Program) -> SequentialNode | None:
    """Return the node with the loops of a program that computes the same; None if it has others.

    Such a program has one sequential nest, and before it what that nest begins with. Loops in which
    some statements run at every second iteration would need divisions that the nest hasn't.
    """
    copied = {nest.statements[0].target.array for nest in program.nests if not nest.sequential}
    own = [nest for nest in program.nests if nest.sequential]
    if len(own) != 1 or len(program.nests) != 1 + len(node.carries):
        return None
    (nest,) = own
    carries = dict(nest.carries)
    if carries.keys() != dict(node.carries).keys() or {*carries.values()} != copied:
        return None
    if _divides(nest.statements) and not _divides(node.statements):
        return None
    last = nest.statements[-1]
    found = replace(
        node,
        loops=nest.loops,
        write=last.target,
        value=last.value,
        statements=nest.statements,
    )
    is_same = (found.inputs, found.outputs) == (node.inputs, node.outputs)
    return found if is_same else None


def _divides(statements: tuple[Statement, ...]) -> bool:
    """Return whether a subscript or condition has a quotient or remainder."""
    parts = [part for own in statements for e in own.expressions for part in walk(e)]
    values = [part.value for part in parts if isinstance(part, Index)]
    for access in [*(own.target for own in statements),
                   *(part.access for part in parts if isinstance(part, Read))]:  # fmt: skip
        values += access.subscripts
    return not all(value.is_linear for value in values)
