"""Unroll factors by intensity and connections: section 6.5 and Algorithm 4 of [1].

`largest_within` is the sweep over the maximum parallel factor that users of HIDA do by hand
(section 7.3 and figure 10).

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node
from streamopt.strategies.hida.connections import Connection, connections
from streamopt.strategies.hida.partition import accesses_of, node_partition, widest
from streamopt.strategies.hida.quality import FactorChoice, choices
from streamopt.strategies.hida.tasks import Task
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class Awareness:
    """The facts that parallelization respects; without both it is what Table 5 calls naive."""

    intensity: bool
    """Whether lanes are in proportion to work; else every node may have them all."""
    connections: bool
    """Whether factors agree with those of the nodes on the other side of arrays."""


BOTH = Awareness(intensity=True, connections=True)


def parallel_factors(
    graph: Graph, tasks: Sequence[Task], most: int, awareness: Awareness = BOTH
) -> dict[str, int]:
    """Return the most lanes of every node: step (3).

    In proportion to the work of its task, and in a task to that of its nodes; rounded up, so
    that none is slower than the most critical one for lack of lanes that it may have.

    Parameters
    ----------
    most
        Maximum parallel factor: lanes of the most critical node.
    """
    if not awareness.intensity:
        return {node.name: most for node in graph.nodes}
    work = {node.name: node.iterations for node in graph.nodes}
    critical = max(task.intensity for task in tasks)
    found: dict[str, int] = {}
    for task in tasks:
        share = -(-most * task.intensity // critical)
        largest = max(work[name] for name in task.nodes)
        found.update({name: -(-share * work[name] // largest) for name in task.nodes})
    return found


class Parallelizer:
    """A graph's nodes in the order of their connections, with all factors that each may have."""

    def __init__(self, graph: Graph, target: Target, awareness: Awareness = BOTH) -> None:
        self._graph = graph
        self._is_aware = awareness.connections
        self._connections: dict[str, list[Connection]] = {n.name: [] for n in graph.nodes}
        for connection in connections(graph):
            self._connections[connection.source].append(connection)
            self._connections[connection.target].append(connection)
        self._choices = {node.name: choices(graph, node, target) for node in graph.nodes}
        self._touched = {node.name: _touched(node) for node in graph.nodes}
        self.order = tuple(sorted(graph.nodes, key=self._criticality))

    def _criticality(self, node: Node) -> tuple[int, int]:
        """Return the key of step (2): most connections first, then most work."""
        return -len(self._connections[node.name]), -node.iterations

    def parallelize(self, most_lanes: Mapping[str, int]) -> dict[str, FactorChoice]:
        """Return the factors of every node: step (4), node after node."""
        found: dict[str, FactorChoice] = {}
        for node in self.order:
            found[node.name] = self._chosen(node, most_lanes[node.name], found)
        return found

    def heard(self, node: str) -> tuple[str, ...]:
        """Return the nodes with which a node's factors agree: its neighbours that came first."""
        places = {each.name: at for at, each in enumerate(self.order)}
        others = dict.fromkeys(connection.other(node) for connection in self._connections[node])
        return tuple(n for n in others if self._is_aware and places[n] < places[node])

    def _chosen(self, node: Node, most: int, found: Mapping[str, FactorChoice]) -> FactorChoice:
        """Return the fastest valid choice, then the cheapest, then that of the fewest banks.

        There always is one: factors of 1 agree with all whole numbers and with parts of one.
        """
        known = self._known(node.name, found)
        constraints = [link.constraints(node.name, there.factors) for link, there in known]
        best: list[FactorChoice] = []
        for choice in self._choices[node.name]:
            if best and _worth(choice) != _worth(best[0]):
                break
            if choice.lanes <= most and all(_agree(choice.factors, c) for c in constraints):
                best.append(choice)
        if len(best) == 1:
            return best[0]
        asked = self._asked(node, known)
        return min(best, key=lambda choice: self._preference(node, choice, asked))

    def _known(
        self, node: str, found: Mapping[str, FactorChoice]
    ) -> list[tuple[Connection, FactorChoice]]:
        """Return the connections of a node with what was chosen on the other side of each."""
        return [
            (connection, found[connection.other(node)])
            for connection in self._connections[node]
            if self._is_aware and connection.other(node) in found
        ]

    def _asked(
        self, node: Node, known: Sequence[tuple[Connection, FactorChoice]]
    ) -> dict[str, list[tuple[int, ...]]]:
        """Return the partitions of the node's arrays that the other sides need."""
        asked: dict[str, list[tuple[int, ...]]] = {}
        for connection, choice in known:
            there = self._graph.node(connection.other(node.name))
            accesses = self._touched[there.name][connection.array]
            banks = node_partition(accesses, _by_loop(there, choice.factors))
            asked.setdefault(connection.array, []).append(banks)
        return asked

    def _preference(
        self, node: Node, choice: FactorChoice, asked: Mapping[str, list[tuple[int, ...]]]
    ) -> tuple[int, list[int], tuple[int, ...]]:
        """Return the key among equals: banks, even factors, and inner loops before outer ones."""
        factors, banks = _by_loop(node, choice.factors), 0
        for array, accesses in self._touched[node.name].items():
            shape = self._graph.array(array).shape
            own = node_partition(accesses, factors)
            for other in asked.get(array, ()):
                own = widest(own, other, shape)
            banks += prod(own)
        return banks, sorted(choice.factors, reverse=True), choice.factors


def _touched(node: Node) -> dict[str, tuple[Access, ...]]:
    """Return how a node touches each of its arrays."""
    return {array: accesses_of(node, array) for array in (*node.inputs, *node.outputs)}


def _worth(choice: FactorChoice) -> tuple[int, int]:
    return choice.latency_cycles, choice.dsps


def _by_loop(node: Node, factors: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(node.trip_counts, factors, strict=True))


def _agree(factors: tuple[int, ...], constraint: tuple[Fraction | None, ...]) -> bool:
    """Return whether of each factor and its constraint one divides the other: lines 13 to 16."""
    return all(
        asked is None or asked % factor == 0 or factor % asked == 0
        for factor, asked in zip(factors, constraint, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Parallelization:
    """The factors of all nodes at one maximum parallel factor."""

    most: int
    """The maximum parallel factor: lanes of the most critical node."""
    most_lanes: Mapping[str, int]
    """Parallel factor of every node."""
    choices: Mapping[str, FactorChoice]

    @property
    def dsps(self) -> int:
        """Return the DSPs of all operators, by the strategy's count."""
        return sum(choice.dsps for choice in self.choices.values())


def largest_within(
    graph: Graph, tasks: Sequence[Task], parallelizer: Parallelizer, dsp_limit: int
) -> Parallelization:
    """Return the design of the largest maximum parallel factor that keeps the limit.

    Doubled until one does not, then halved between; more lanes than iterations are no more.

    Raises
    ------
    StrategyError
        E532 if the design of no lanes takes more.
    """

    def at(most: int) -> Parallelization:
        lanes = parallel_factors(graph, tasks, most)
        return Parallelization(most, lanes, parallelizer.parallelize(lanes))

    best = at(1)
    if best.dsps > dsp_limit:
        message = f"{graph.name} takes {best.dsps} DSPs without any lanes, of {dsp_limit}"
        raise StrategyError(Diagnostic("E532", message, hint=f"give at least {best.dsps} DSPs"))
    end = max(node.iterations for node in graph.nodes)
    over = 2 * end
    while best.most < end and over > end:
        wider = at(min(end, 2 * best.most))
        if wider.dsps > dsp_limit:
            over = wider.most
        else:
            best = wider
    while best.most < end and over - best.most > 1:
        middle = at((best.most + over) // 2)
        if middle.dsps > dsp_limit:
            over = middle.most
        else:
            best = middle
    return best
