"""The dependence graph: nests with paths between them, and loops that carry dependences ([1] V-A).

[1] Zhang et al., An Optimizing Framework on MLIR for Efficient FPGA-based Accelerator Generation,
HPCA 2024.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from streamopt.ir.graph import Node

MOST_NESTS = 30
"""Above it the published code looks for no paths: all nests are one."""


@dataclass(frozen=True, slots=True)
class DependenceGraph:
    """Nests in program order, and pairs (producer, consumer) of them.

    Examples
    --------
    >>> found = DependenceGraph(("S1", "S2", "S3"), (("S1", "S2"), ("S1", "S3")))
    >>> [*found.paths()]
    [('S1', 'S2'), ('S1', 'S3')]
    """

    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yield the data paths from nests without producers to those without consumers.

        They are found depth first, in program order.
        """
        if len(self.names) > MOST_NESTS:
            yield self.names
            return
        consumers = {name: [b for a, b in self.edges if a == name] for name in self.names}
        fed = {consumer for _, consumer in self.edges}
        stack = [(name,) for name in reversed(self.names) if name not in fed]
        while stack:
            path = stack.pop()
            following = sorted(set(consumers[path[-1]]), key=self.names.index)
            if not following:
                yield path
            stack += [(*path, name) for name in reversed(following)]

    def critical_path(self, weights: Mapping[str, int], through: str) -> tuple[str, ...]:
        """Return the heaviest path through a nest, without a list of all paths."""
        if len(self.names) > MOST_NESTS:
            return self.names
        before = self._heaviest(weights, self.names, [(b, a) for a, b in self.edges], through)
        after = self._heaviest(weights, self.names[::-1], self.edges, through)
        return (*reversed(before[1:]), *after)

    def _heaviest(
        self,
        weights: Mapping[str, int],
        order: tuple[str, ...],
        edges: list[tuple[str, str]] | tuple[tuple[str, str], ...],
        start: str,
    ) -> tuple[str, ...]:
        """Return the heaviest path from a nest along edges; ``order`` has their ends first."""
        best: dict[str, tuple[int, tuple[str, ...]]] = {}
        reached: dict[str, list[str]] = {}
        for source, sink in dict.fromkeys(edges):
            reached.setdefault(source, []).append(sink)
        for name in order:
            found = [best[other] for other in reached.get(name, ())]
            weight, rest = max(found, key=lambda pair: pair[0], default=(0, ()))
            best[name] = (weight + weights[name], (name, *rest))
        return best[start][1]


def distance_vectors(node: Node) -> tuple[tuple[int, ...], ...]:
    """Return the distances that a node's reduction has, over its loops, outermost first.

    A loop that the store doesn't use is a reduction dimension: the next iteration of it adds to
    the same element.
    """
    names = tuple(node.trip_counts)
    return tuple(
        tuple(int(name == reduced) for name in names)
        for reduced in node.reduction_loops
        if node.reduction is not None and node.trip_counts[reduced] > 1
    )


def hinted_order(node: Node) -> tuple[str, ...]:
    """Return the loop order with loops that carry a dependence outside of all others.

    They keep their order among each other, and so do the others: an interchange for each that is
    further in than a loop without dependence.
    """
    names = tuple(node.trip_counts)
    carried = {
        name
        for vector in distance_vectors(node)
        for name, distance in zip(names, vector, strict=True)
        if distance
    }
    return (
        *(name for name in names if name in carried),
        *(name for name in names if name not in carried),
    )
