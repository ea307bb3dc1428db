"""Resources of one node or channel, by the rules of `streamopt.perf`, without the rest of a design.

The node is lowered alone, between memories that are split as they would be; what else touches
these stands there as empty pipelines. So the numbers are those of the whole network.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from streamopt.ir.affine import Affine
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.network import AccessMode, Fifo, Memory, Network, Pipeline, Place, Port, Process
from streamopt.ir.ports import PortPlan
from streamopt.ir.program import Loop
from streamopt.ir.schedule import ChannelKind, NodePlan, Schedule
from streamopt.ir.scheduled import ArrayPartition, Channel, ScheduledGraph, ScheduledNode, TiledLoop
from streamopt.perf.pipelines.ports import port_counts
from streamopt.perf.pipelines.timings import timed_pipeline
from streamopt.perf.resources.memory_blocks import (
    fifo_storage,
    memories_as_built,
    memory_storage,
    network_storage,
)
from streamopt.perf.resources.network import (
    Built,
    fifo_resources,
    memory_resources,
    pipeline_resources,
)
from streamopt.strategies.resources.surroundings import (
    Bank,
    Neighbour,
    Option,
    at_boundary,
    order_signature,
)
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.apply import stream_lanes
from streamopt.transforms.lower import lower


class LocalCosts:
    """Costs of nodes and channels of one graph on a target; each is worked out once.

    Parameters
    ----------
    tables
        Ports of arrays that no process shares. What they take is left out: nodes of one process
        have one together.
    """

    def __init__(self, graph: Graph, target: Target, tables: tuple[PortPlan, ...] = ()) -> None:
        self._tables = tables
        self._graph = graph
        self._target = target
        self._nodes: dict[object, Resources] = {}

    def node(self, plan: NodePlan, options: Sequence[Option]) -> Resources:
        """Return the resources of the pipelines and local memories of a node.

        Parameters
        ----------
        options
            Every neighbour with its banks; None for a FIFO.
        """
        alike = order_signature(self._graph.node(plan.node), plan)
        around = tuple((beside.array, beside.channel, bank) for beside, bank in options)
        key = (plan.node, plan.unroll, alike, around)
        if key not in self._nodes:
            self._nodes[key] = self._lowered(plan, options)
        return self._nodes[key]

    def buffer(self, beside: Neighbour, bank: Bank, own: Sequence[int]) -> Resources:
        """Return the resources of a ping-pong buffer, whose consumer touches ``own`` elements."""
        array = self._graph.array(beside.array)
        factors = tuple(map(max, own, bank.others)) if max(bank.factors, default=1) < 2 else ()
        memory = Memory(
            beside.array,
            Place.PING_PONG,
            array.element,
            array.shape or (1,),
            factors or bank.factors or (1,),
        )
        return memory_resources(memory_storage(memory, self._target.memories), ping_pong=True)

    def fifo(self, edge: Edge, lanes: tuple[int, ...], depth_elems: int) -> Resources:
        """Return the resources of the FIFOs of a channel at a depth."""
        element = self._graph.array(edge.array).element
        fifo = Fifo(edge.channel, element, lanes, depth_elems)
        return fifo_resources(fifo_storage(fifo, self._target.memories))

    def _lowered(self, plan: NodePlan, options: Sequence[Option]) -> Resources:
        node, factors = self._graph.node(plan.node), plan.factors
        loops = tuple(TiledLoop(n, node.trip_counts[n], factors[n]) for n in plan.order)
        scheduled = ScheduledGraph(
            graph=self._graph,
            schedule=Schedule(self._graph.name, (plan,), (), ports=self._tables),
            nodes=(ScheduledNode(node, loops),),
            channels=tuple(
                _channel(node, beside, bank, factors) for beside, bank in options if beside.edges
            ),
            partitions=tuple(
                ArrayPartition(beside.array, bank.factors)
                for beside, bank in options
                if bank is not None and not beside.edges
            ),
        )
        alone = lower(scheduled)
        own = alone.processes[0].pipelines
        whole = replace(alone, processes=tuple(self._processes(node, own, options)))
        return self._total(whole, own)

    def _total(self, network: Network, own: Sequence[Pipeline]) -> Resources:
        storages = network_storage(network, self._target.memories)
        built = Built(memories_as_built(network), storages)
        memories = {memory.name: memory for memory in network.memories}
        ports = port_counts(network)
        used = Resources()
        for pipeline in own:
            timing = timed_pipeline(pipeline, memories, ports, self._target).timing
            used += pipeline_resources(pipeline, timing, built, self._target)
        for memory in network.memories:
            if memory.place is Place.LOCAL:
                used += memory_resources(storages[memory.name], ping_pong=False)
        return used

    def _processes(
        self, node: Node, own: tuple[Pipeline, ...], options: Sequence[Option]
    ) -> Iterator[Process]:
        """Yield the node's process, and those of the other users of what it touches."""
        channels = {edge.channel for beside, _ in options for edge in beside.edges[:1]}
        together, apart = list(own), list[Pipeline]()
        for beside, bank in options:
            if bank is not None and beside.channel is not None:
                apart.append(_user(beside.channel, bank.others))
            elif not beside.edges:
                named = beside.array in channels
                name = f"{beside.array}.argument" if named else beside.array
                for other, _ in beside.others:
                    if at_boundary(self._graph, other, beside.array):
                        same = other.outputs[0] == node.outputs[0]
                        (together if same else apart).append(_user(name, ()))
        yield Process(node.name, tuple(together))
        for number, user in enumerate(apart):
            yield Process(f"{node.name}.{number}", (user,))


def _user(memory: str, elements: Sequence[int]) -> Pipeline:
    """Return a pipeline that touches so many elements of a memory along each dimension."""
    lanes = tuple(Loop(f"d{at}", count) for at, count in enumerate(elements))
    place = tuple(Affine.iterator(lane.name) for lane in lanes) or (Affine(),)
    return Pipeline("other", (), lanes, (Port(AccessMode.READ, memory, place, "value"),), ())


def _channel(node: Node, beside: Neighbour, bank: Bank | None, factors: dict[str, int]) -> Channel:
    edge = beside.edges[0]
    if bank is not None:
        return Channel(edge, ChannelKind.PING_PONG, bank.factors, 0)
    lanes = stream_lanes(edge.reads[0] if edge.consumer == node.name else edge.write, factors)
    return Channel(edge, ChannelKind.FIFO, lanes, 1)
