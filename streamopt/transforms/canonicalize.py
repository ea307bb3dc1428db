"""From a program to its dataflow graph: one producer and one consumer for every channel.

Before::

    for i, j, k: E[i][j] += A[i][k] * B[k][j]        # matmul1
    for i, j:    F[i][j] = relu(E[i][j])             # relu
    for i, j:    G[i][j] = F[i][j] + E[i][j]         # add

After::

    matmul1 --E__relu--> relu --F--> add
    matmul1 --E__add---------------> add

An array that several nests read has one channel for each of them; an array that several nests
write (a border of zeros, then the inside) has one for each pair, and later nests overwrite. A
node whose value is a reduction holds its partial values itself and sends only the final ones, so
the writes and reads of a channel agree in number: Cond. 1 of [1] section 3.3.2 by construction.
Inputs and weights have no channels: all nodes may read them.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Nest, Program, dependences, topological_order
from streamopt.transforms.legality import OUTSIDE, array_problems, nest_problems, order_problems
from streamopt.transforms.rebuilding import channels


def canonicalize(program: Program) -> Graph:
    """Return the dataflow graph of a program.

    Nests may stand in any order that leaves no doubt about what they read; nodes come in
    topological order, and in the program's order where that is one.

    Raises
    ------
    LegalityError
        With all problems:

        - E201 a nest reads an array between two nests that write it;
        - E202 nests wait for each other in a circle;
        - E203 a nest reads the array that it writes, other than as a reduction;
        - E204 a reduction into an array that another nest writes too;
        - E205 an internal or output array is never written;
        - E206 an internal array is never read;
        - E207 an element is read but never written;
        - E208 an assignment writes an element more than once;
        - E209 iterations of different parallel loops reduce into the same element;
        - E210 a nest doesn't have exactly one statement;
        - E211 a nest writes an input or weight;
        - E212 an access is too large for the checks of E207 to E209;
        - E213 an assignment with a guard outside a sequential nest;
        - E214 a subscript outside its array where its guard holds;
        - E215 an operation of integers on other numbers.
    """
    order = _checked_order(program)
    nests = tuple(program.nests[position] for position in order)
    nodes = tuple(map(_node, nests))
    edges = channels(program.arrays, nodes)
    return Graph(program.name, program.arrays, nodes, edges, values=program.values)


def _checked_order(program: Program) -> tuple[int, ...]:
    """Return the order of the nests, or raise all problems."""
    malformed = [
        Diagnostic(
            "E210",
            f"node '{nest.name}' has {len(nest.statements)} statements; a node has exactly one",
            nest.loc,
            "give each statement a nest of its own, or make the node sequential",
        )
        for nest in program.nests
        if len(nest.statements) != 1 and not (nest.sequential and nest.statements)
    ]
    if malformed:
        raise LegalityError(*malformed)
    waits = dependences(program.nests)
    order = topological_order(len(program.nests), waits)
    problems = [*order_problems(program, waits, order), *nest_problems(program)]
    if all(problem.code != OUTSIDE for problem in problems):  # whose elements have no mark
        problems += array_problems(program)
    if problems:
        raise LegalityError(*problems)
    return order


def _node(nest: Nest) -> Node:
    last = nest.statements[-1]
    loc = last.loc or nest.loc
    if nest.sequential:
        return SequentialNode(
            nest.name,
            nest.loops,
            last.target,
            last.value,
            loc=loc,
            statements=nest.statements,
            carries=nest.carries,
            reason=nest.reason,
        )
    return Node(
        nest.name,
        nest.loops,
        last.target,
        last.value,
        last.reduction,
        last.start,
        last.guard,
        loc,
    )
