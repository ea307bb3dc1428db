"""Orders of sequential nodes, written as texts::

    for k 0 N
    . phase divide: i k+1 N
    . : A[i][k] = A[i][k] / A[k][k]

Loops of a phase are ``name lower end``, parted by commas; ``sum`` before a name makes it a sum.
Dots are loops in order around a line. ``A[i] = x if i > 2`` is a guard by the word ``when``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from re import match
from typing import TYPE_CHECKING

from streamopt.errors import SourceLoc
from streamopt.formats.graph_json.scope import StatementScope, read_affine
from streamopt.formats.graph_json.statements import read_condition, read_statement
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.program import Array, Role
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode, TiledLoop
from streamopt.ir.stepping.steps import Phase, Repeat, StepLoop, Steps, walk_phases
from streamopt.transforms.argument_banks import boundary_partitions
from streamopt.transforms.stepped.nest import stepped_nest
from streamopt.transforms.stepped.transfers import whole_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Affine
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import StepItem


@dataclass(frozen=True, slots=True)
class Ordered:
    """A sequential node of statements in an order, and its arrays."""

    node: SequentialNode
    steps: Steps
    arrays: Mapping[str, Array]


def ordered(name: str, shapes: Mapping[str, tuple[int, ...]], text: str) -> Ordered:
    """Return the node of an order; an array that it writes begins as an argument ``<name>_in``."""
    lines = [line.strip() for line in text.strip().splitlines()]
    written = {found[1] for line in lines if (found := match(r"(?:\. )*: (\w+)\[.* = ", line))}
    arrays = {
        name: Array(name, shape, Role.OUTPUT if name in written else Role.INPUT)
        for name, shape in shapes.items()
    }
    arrays |= {f"{name}_in": Array(f"{name}_in", shapes[name], Role.INPUT) for name in written}
    items = _Reader(arrays, lines).items(0, {})
    steps = Steps(name, items)
    statements = tuple(s for phase, _ in walk_phases(items) for s in phase.statements)
    last = statements[-1]
    outputs = dict.fromkeys(s.target.array for s in statements)
    carries = tuple((array, f"{array}_in") for array in outputs)
    node = SequentialNode(name, (), last.target, last.value, statements=statements, carries=carries)
    return Ordered(node, steps, arrays)


def plan_of(order: Ordered, **lanes: int) -> NodePlan:
    """Return the plan with so many lanes of loops, one of others."""
    names = tuple(loop.name for loop in order.steps.loops)
    unroll = tuple((name, lanes.get(name, 1)) for name in names)
    return NodePlan(order.node.name, names, unroll, steps=order.steps.name)


def scheduled(
    order: Ordered, least_cycles: tuple[tuple[str, int], ...] = (), **lanes: int
) -> ScheduledGraph:
    """Return a graph of the node alone, built with so many lanes and such visits."""
    return as_planned(order, replace(plan_of(order, **lanes), least_cycles=least_cycles))


def as_planned(order: Ordered, plan: NodePlan) -> ScheduledGraph:
    """Return a graph of the node alone, built by a plan."""
    node, arrays = order.node, order.arrays
    graph = Graph(node.name, tuple(arrays.values()), (node,), ())
    nest = stepped_nest(node, order.steps, plan, arrays)
    trips = {loop.name: loop.trip_count for loop in order.steps.loops}
    loops = tuple(TiledLoop(name, trips[name], factor) for name, factor in plan.unroll)
    built = ScheduledNode(node, loops, plan.binding, stepped=nest)
    partitions = boundary_partitions(graph, {}, 256, (), whole_arrays([built]))
    schedule = Schedule(node.name, (plan,), (), most_banks=256)
    return ScheduledGraph(graph, schedule, (built,), (), partitions)


class _Reader:
    def __init__(self, arrays: Mapping[str, Array], lines: list[str]) -> None:
        self.arrays, self.lines = arrays, lines

    def items(self, depth: int, reach: dict[str, StepLoop]) -> tuple[StepItem, ...]:
        found: list[StepItem] = []
        while self.lines:
            dots, line = self.lines[0].count(". "), self.lines[0].replace(". ", "")
            if dots < depth:
                break
            self.lines.pop(0)
            if line.startswith("for "):
                loop = self._loop(line[4:], reach)
                inner = self.items(depth + 1, {**reach, loop.name: loop})
                found.append(Repeat(loop, inner))
            else:
                found.append(self._phase(line, reach))
        return tuple(found)

    def _phase(self, line: str, reach: dict[str, StepLoop]) -> Phase:
        name, _, listed = line.removeprefix("phase ").partition(":")
        loops: list[StepLoop] = []
        sums: list[str] = []
        for text in filter(None, (part.strip() for part in listed.split(","))):
            loop = self._loop(text.removeprefix("sum "), reach)
            reach = {**reach, loop.name: loop}
            loops.append(loop)
            sums += [loop.name] if text.startswith("sum ") else []
        statements: list[Statement] = []
        while self.lines and self.lines[0].replace(". ", "").startswith(": "):
            text = self.lines.pop(0).replace(". ", "")[2:]
            statements.append(self._statement(text, reach))
        return Phase(name, tuple(loops), frozenset(sums), tuple(statements))

    def _loop(self, text: str, reach: dict[str, StepLoop]) -> StepLoop:
        name, low, high = text.split()
        lower = tuple(self._affine(part, reach) for part in low.split("|"))
        upper = tuple(self._affine(part, reach) for part in high.split("|"))
        among = {n: (loop.least, max(loop.least, loop.end - 1)) for n, loop in reach.items()}
        least = max(bound.interval(among)[0] for bound in lower)
        end = min(bound.interval(among)[1] for bound in upper)
        return StepLoop(name, lower, upper, least, end)

    def _scope(self, text: str, reach: dict[str, StepLoop]) -> StatementScope:
        trips = {name: loop.end for name, loop in reach.items()}
        return StatementScope(text, SourceLoc("t"), self.arrays, trips, {}, [], sequential=True)

    def _affine(self, text: str, reach: dict[str, StepLoop]) -> Affine:
        return read_affine(ast.parse(text, mode="eval").body, self._scope(text, reach))

    def _statement(self, text: str, reach: dict[str, StepLoop]) -> Statement:
        text, _, guard = text.partition(" when ")
        scope = self._scope(text, reach)
        found = read_statement(scope)
        problems = [p for p in scope.problems if p.code != "E111"]  # bounds are not boxes
        assert found is not None, problems
        assert not problems
        if guard:
            tree = ast.parse(guard, mode="eval").body
            found = replace(found, guard=read_condition(tree, self._scope(guard, reach)))
        return found


def lu(size: int) -> Ordered:
    """Right-looking LU decomposition."""
    return ordered("lu", {"A": (size, size)}, f"""
        for k 0 {size}
        . phase divide: i k+1 {size}
        . : A[i][k] = A[i][k] / A[k][k]
        . phase update: a k+1 {size}, b k+1 {size}
        . : A[a][b] = A[a][b] - A[a][k] * A[k][b]
    """)  # fmt: skip


def cholesky(size: int) -> Ordered:
    """Right-looking Cholesky decomposition; the lower triangle."""
    return ordered("cholesky", {"A": (size, size)}, f"""
        for k 0 {size}
        . phase root:
        . : A[k][k] = sqrt(A[k][k])
        . phase divide: i k+1 {size}
        . : A[i][k] = A[i][k] / A[k][k]
        . phase update: a k+1 {size}, b k+1 a+1
        . : A[a][b] = A[a][b] - A[a][k] * A[b][k]
    """)  # fmt: skip


def trisolv(size: int) -> Ordered:
    """A triangular system, by columns."""
    return ordered("trisolv", {"x": (size,), "L": (size, size)}, f"""
        for j 0 {size}
        . phase divide:
        . : x[j] = x[j] / L[j][j]
        . phase update: i j+1 {size}
        . : x[i] = x[i] - L[i][j] * x[j]
    """)  # fmt: skip


def jacobi_2d(size: int, steps: int) -> Ordered:
    """Two steps of a stencil, from A to B and back."""
    new = [
        f"{b}[{i}+1][{j}+1] = 0.2 * ({a}[{i}+1][{j}+1] + {a}[{i}+1][{j}] + {a}[{i}+1][{j}+2]"
        f" + {a}[{i}+2][{j}+1] + {a}[{i}][{j}+1])"
        for a, b, i, j in (("A", "B", "i", "j"), ("B", "A", "k", "l"))
    ]
    inner = size - 2
    return ordered("jacobi", {"A": (size, size), "B": (size, size)}, f"""
        for t 0 {steps}
        . phase first: i 0 {inner}, j 0 {inner}
        . : {new[0]}
        . phase second: k 0 {inner}, l 0 {inner}
        . : {new[1]}
    """)  # fmt: skip


def nussinov(size: int) -> Ordered:
    """The core of nussinov: diagonals, each a maximum along k."""
    return ordered("nussinov", {"T": (size, size)}, f"""
        for w 1 {size}
        . phase best: i 0 {size}-w, sum k 0 w
        . : T[i][i+w] = max(T[i][i+w], T[i][i+k] + T[i+k+1][i+w])
    """)  # fmt: skip


def seidel(size: int, steps: int) -> Ordered:
    """A stencil in place, by wavefronts ``w = 4 t + 2 i + j``."""
    around = " + ".join(
        f"A[i+{di}][w-4*t-2*i+{dj}]" for di in range(3) for dj in range(3)
    )  # fmt: skip
    inner = size - 2
    end = 4 * (steps - 1) + 3 * (inner - 1) + 1
    return ordered("seidel", {"A": (size, size)}, f"""
        for w 0 {end}
        . phase points: t 0 {steps}, i 0 {inner}
        . : A[i+1][w-4*t-2*i+1] = ({around}) / 9.0 when w-4*t-2*i >= 0 and w-4*t-2*i < {inner}
    """)  # fmt: skip
