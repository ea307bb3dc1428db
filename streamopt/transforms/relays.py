"""Relays: copies of arrays that pass from one super logic region (SLR) to the next.

Before, with ``first`` in SLR0 and ``second`` in SLR2::

    first --b--> second

After::

    first --b--> relay_b_slr1 --b_slr1--> relay_b_slr2 --b_slr2--> second

A relay reads and writes in every cycle, so that no stream is held up, and its registers and FIFO
stand between the pipelines on both sides: of all that a design does, only its small handshake
crosses the boundary, as the pipelined streams of [1] do. Readers of one region share a relay.

[1] Guo et al., AutoBridge: Coupling Coarse-Grained Floorplanning and Pipelining for High-Frequency
HLS Design on Multi-Die FPGAs, FPGA 2021.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from streamopt.errors import Diagnostic
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array, Role
from streamopt.ir.schedule import Schedule
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import reading, with_parts
from streamopt.transforms.rewrites.balance_paths import array_copy


class Relays:
    """A graph with relays between the regions of its nodes.

    Parameters
    ----------
    graph
        As planned, but for relays.
    slrs
        Region by node; others than the graph's don't count.

    Attributes
    ----------
    slrs
        Region by node, those of relays among them.
    """

    def __init__(self, graph: Graph, slrs: Mapping[str, int]) -> None:
        self._graph = graph
        self._nodes = {node.name: node for node in graph.nodes}
        self._relays: dict[str, list[Node]] = {node.name: [] for node in graph.nodes}
        self._arrays = list(graph.arrays)
        self._names = FreeNames([*self._nodes, *(array.name for array in graph.arrays)])
        self.slrs = {name: slrs[name] for name in self._nodes if name in slrs}
        for array in graph.arrays:
            writers = graph.writers(array.name)
            if len(writers) == 1 and writers[0].name in self.slrs:
                self._pass_on(array, writers[0].name)

    @property
    def graph(self) -> Graph:
        """Return the graph with relays, each behind the node whose array it passes on."""
        if not any(self._relays.values()):
            return self._graph
        nodes = [n for name, node in self._nodes.items() for n in (node, *self._relays[name])]
        return with_parts(self._graph, self._arrays, nodes)

    def _pass_on(self, array: Array, writer: str) -> None:
        edges = [e for e in self._graph.edges if e.array == array.name and e.producer == writer]
        readers = {e.consumer: self.slrs[e.consumer] for e in edges if e.consumer in self.slrs}
        home = self.slrs[writer]
        highest, lowest = max((home, *readers.values())), min((home, *readers.values()))
        for path in (range(home + 1, highest + 1), range(home - 1, lowest - 1, -1)):
            source = array.name
            for slr in path:
                target = self._names.fresh(f"{array.name}_slr{slr}")
                relay = self._names.fresh(f"relay_{target}")
                self._arrays.append(replace(array, name=target, role=Role.INTERNAL))
                self._relays[writer].append(array_copy(relay, array, source, target))
                self.slrs[relay], source = slr, target
                for reader in (name for name, at in readers.items() if at == slr):
                    self._nodes[reader] = reading(self._nodes[reader], array.name, target)


def place_problems(graph: Graph, schedule: Schedule) -> Iterator[Diagnostic]:
    """Yield why nodes can't be in the regions that a schedule says.

    Parameters
    ----------
    graph
        With relays.
    """
    if not schedule.slrs:
        return
    slrs, names = dict(schedule.slrs), [node.name for node in graph.nodes]
    for name in dict.fromkeys([*names, *slrs]):
        if (name in slrs) != (name in names):
            what = "no region" if name in names else "a region, and there is no such node"
            hint = "solve again, or take the regions out"
            yield Diagnostic("E336", f"node '{name}' has {what}", hint=hint)
    for array in graph.arrays:
        touching = [n for n in graph.nodes if array.name in n.outputs and n.name in slrs]
        if len({slrs[node.name] for node in touching}) > 1:
            message = f"the nodes that write {array.name} are one process in several regions"
            yield Diagnostic("E336", message, hint="give them the same region")
    for edge in graph.edges:
        ends = [slrs.get(name) for name in (edge.producer, edge.consumer)]
        if None not in ends and abs((ends[0] or 0) - (ends[1] or 0)) > 1:
            message = f"channel '{edge.channel}' crosses more than one boundary of regions"
            yield Diagnostic("E336", message, hint="solve again, or take the regions out")
