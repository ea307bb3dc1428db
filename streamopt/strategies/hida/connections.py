"""Connections: how the loops of two nodes meet in the subscripts of the array between them.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024, section 6.5.1, step (1), and Table 4.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.graph import Edge, Graph

Places = tuple[int | None, ...]
Scales = tuple[Fraction | None, ...]


@dataclass(frozen=True, slots=True)
class Connection:
    """Two nodes and the array between them; None where a loop meets none of the other side."""

    source: str
    target: str
    array: str
    source_to_target: Places
    """Permutation map: for every loop of the target, the place of the source's loop."""
    target_to_source: Places
    """The same for every loop of the source."""
    source_scales: Scales
    """Scaling map: for every loop of the source, its stride in the array over that of the target's
    loop."""
    target_scales: Scales
    """The same for every loop of the target."""

    def other(self, node: str) -> str:
        """Return the node on the other side."""
        return self.source if node == self.target else self.target

    def constraints(self, node: str, factors: tuple[int, ...]) -> Scales:
        """Return a connection's constraints on a node's factors: lines 4 to 8 of Algorithm 4.

        Parameters
        ----------
        factors
            Unroll factors of the other node, in the program order of its loops.
        """
        if node == self.target:
            scales, places = self.source_scales, self.source_to_target
        else:
            scales, places = self.target_scales, self.target_to_source
        return tuple(
            None if at is None or (scale := scales[at]) is None else factors[at] * scale
            for at in places
        )


def connections(graph: Graph) -> tuple[Connection, ...]:
    """Return the connections of a graph, one for each channel."""
    return tuple(_connection(graph, edge) for edge in graph.edges)


def _connection(graph: Graph, edge: Edge) -> Connection:
    source = tuple(loop.name for loop in graph.node(edge.producer).loops)
    target = tuple(loop.name for loop in graph.node(edge.consumer).loops)
    met = {} if edge.is_whole else dict(_meetings(edge))
    back = {other: (loop, 1 / ratio) for loop, (other, ratio) in met.items()}
    return Connection(
        source=edge.producer,
        target=edge.consumer,
        array=edge.array,
        source_to_target=_places(target, back, source),
        target_to_source=_places(source, met, target),
        source_scales=tuple(met[name][1] if name in met else None for name in source),
        target_scales=tuple(back[name][1] if name in back else None for name in target),
    )


def _meetings(edge: Edge) -> Iterator[tuple[str, tuple[str, Fraction]]]:
    """Yield loops of the producer with those of the consumer in the same dimension.

    With the ratio of their strides; only where each is the one iterator of its subscript.
    """
    for access in edge.reads[:1]:
        for written, read in zip(edge.write.subscripts, access.subscripts, strict=True):
            there, here = _stride(written), _stride(read)
            if there is not None and here is not None:
                yield there[0], (here[0], Fraction(there[1], here[1]))


def _stride(subscript: Affine) -> tuple[str, int] | None:
    match subscript.terms:
        case ((Iter(name), coefficient),):
            return name, abs(coefficient)
        case _:
            return None


def _places(
    loops: tuple[str, ...], met: Mapping[str, tuple[str, Fraction]], others: tuple[str, ...]
) -> Places:
    return tuple(others.index(met[name][0]) if name in met else None for name in loops)
