"""Functional dataflow: tasks of nodes, fused so that little ones do not wait on their own.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024, sections 6.1 and 6.2.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from streamopt.ir.graph import Graph, Node, SequentialNode


@dataclass(frozen=True, slots=True)
class Task:
    """The unit of dispatch: a node, or several that make a dataflow of their own."""

    nodes: tuple[str, ...]
    """In the graph's order."""
    intensity: int
    """Iterations of all its nodes."""

    @property
    def name(self) -> str:
        """Return the names of its nodes."""
        return " + ".join(self.nodes)


def functional_dataflow(graph: Graph) -> tuple[Task, ...]:
    """Return a task for every node, in the graph's order: Algorithm 1 of [1].

    The nodes of a graph are the loops of one function, so there is one dispatch; nests of nests
    were taken apart when the graph was made.
    """
    return tuple(Task((node.name,), node.iterations) for node in graph.nodes)


def task_of(tasks: tuple[Task, ...]) -> Mapping[str, int]:
    """Return the place of each node's task."""
    return {name: at for at, task in enumerate(tasks) for name in task.nodes}


def fuse_patterns(graph: Graph, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Return the tasks with every element-wise one fused into what it follows: lines 2 to 6.

    Followed is the one task that makes all that it takes from other tasks. Nodes that write
    one array are a task too: one after the other is the only way to run them.
    """
    for node in graph.nodes:
        for before in graph.writers(node.outputs[0]):
            tasks = _joined(graph, tasks, before.name, node.name)
    for node in graph.nodes:
        if _is_elementwise(node):
            makers = {edge.producer for edge in graph.edges if edge.consumer == node.name}
            places = {task_of(tasks)[name] for name in makers}
            if len(places) == 1:
                tasks = _joined(graph, tasks, min(makers), node.name)
    return tasks


def _is_elementwise(node: Node) -> bool:
    return node.reduction is None and not isinstance(node, SequentialNode)


def _joined(graph: Graph, tasks: tuple[Task, ...], one: str, other: str) -> tuple[Task, ...]:
    places = task_of(tasks)
    first, second = sorted((places[one], places[other]))
    return tasks if first == second else _fused(graph, tasks, first, second)


def _fused(graph: Graph, tasks: tuple[Task, ...], first: int, second: int) -> tuple[Task, ...]:
    """Return the tasks with two of them, by place in order, as one at the first's place."""
    order = {node.name: at for at, node in enumerate(graph.nodes)}
    one, other = tasks[first], tasks[second]
    nodes = tuple(sorted((*one.nodes, *other.nodes), key=order.__getitem__))
    both = Task(nodes, one.intensity + other.intensity)
    return (*tasks[:first], both, *tasks[first + 1 : second], *tasks[second + 1 :])


def fuse_least_critical(graph: Graph, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Return the tasks with the least critical neighbours fused: lines 7 to 9 of Algorithm 2.

    Again and again the two tasks on the ends of an array with the least work together become
    one, until that would have more work than the most critical task has. Two between which
    other tasks lie are no neighbours: fused, they would wait for themselves.
    """
    for _ in count():
        limit = max(task.intensity for task in tasks)
        pairs = [
            (tasks[first].intensity + tasks[second].intensity, first, second)
            for first, second in _neighbours(graph, tasks)
        ]
        least = min(pairs, default=None)
        if least is None or least[0] > limit:
            break
        tasks = _fused(graph, tasks, *least[1:])
    return tasks


def _neighbours(graph: Graph, tasks: tuple[Task, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of tasks with an array between them and no way through others."""
    places = task_of(tasks)
    after: dict[int, set[int]] = {at: set() for at in range(len(tasks))}
    for edge in graph.edges:
        one, other = places[edge.producer], places[edge.consumer]
        if one != other:
            after[one].add(other)
    for one, others in after.items():
        for other in sorted(others):
            if not any(_leads_to(after, way, other) for way in others - {other}):
                yield min(one, other), max(one, other)


def _leads_to(after: Mapping[int, set[int]], start: int, end: int) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        for following in after[ahead.pop()] - seen:
            seen.add(following)
            ahead.append(following)
    return end in seen
