"""A design of which several frames were simulated."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from streamopt.evaluation.frames import FrameRun
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.strategies.opt6.frames.built_nodes import Amounts
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.opt5_start import MEMORIES
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.refinement.frame_buffers import CLOSE
from streamopt.target.resources import Resources
from streamopt.transforms.apply import planned_graph


@dataclass(frozen=True, slots=True)
class SteadyDesign:
    """A design that was simulated for several frames."""

    design: SimulatedDesign
    """Its cycles are those between frames in the model."""
    cycles: int
    """Between frames, simulated."""
    variant: GraphVariant
    built: Amounts
    """DSPs and LUTs of nodes, with the channels to them."""
    # deep, frames: its schedule with FIFOs that limit nothing, and the frames of it
    deep: Schedule
    frames: FrameRun

    @property
    def rank(self) -> tuple[float, int]:
        """Return the key to minimize: the excess over limits, then cycles (O14)."""
        return max(1.0, self.design.excess), self.cycles

    def is_no_worse(self, cycles: int) -> bool:
        """Return whether it is within the limits, and its frames are as close, or nearly."""
        return self.design.is_within and self.cycles <= (1 + CLOSE) * cycles

    @property
    def is_close(self) -> bool:
        """Return whether frames follow each other as closely as the model says."""
        return self.cycles <= (1 + CLOSE) * self.design.chosen.cycles


def late_nodes(tried: SteadyDesign) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield nodes that run longer than their rows say, with their unroll factors.

    A buffer may ask for a longer initiation interval where its banks don't fit both of its sides.
    """
    graph = tried.variant.graph
    for plan in _late_plans(tried, graph):
        yield plan.node, tuple(plan.factors[loop] for loop in graph.node(plan.node).trip_counts)


def lacks_memory(design: SimulatedDesign, limits: Resources) -> bool:
    """Return whether memories are short, or weights are read again that have none."""
    is_over = not MEMORIES.isdisjoint(design.used.over(limits))
    return is_over or any(port.again for port in design.built.ports)


def late_weights(tried: SteadyDesign) -> Iterator[tuple[str, frozenset[str], int]]:
    """Yield nodes whose weights come later than the model says, from off the chip.

    With the loops that move in the weights, and the most lanes of these that a channel brings as
    soon as the node takes them. Weights that are read once a frame are as many with fewer lanes, so
    that they are not looked at where others that are read again come too late, too.
    """
    graph, schedule = tried.variant.graph, tried.design.chosen.schedule
    planned, timed = planned_graph(graph, schedule), tried.design.evaluation.timed
    again = {port.array for port in schedule.ports if port.again}
    late = {plan.node for plan in _late_plans(tried, planned)}
    movers = [(mover, reader) for mover, reader in _moved(graph, planned) if mover in late]
    twice = [each for each in movers if again.intersection(planned.node(each[0]).inputs)]
    for mover, reader in twice or movers:
        arrays = planned.node(mover).inputs
        reads = (read for name in arrays for read in graph.node(reader).reads_of(name))
        loops = frozenset(name for read in reads for name in read.iterators())
        lanes = prod(schedule.node(reader).factors[loop] for loop in loops)
        taken, brought = (timed[name].timing.ii for name in (reader, mover))
        yield reader, loops, max(1, lanes * taken // brought)


def _moved(graph: Graph, planned: Graph) -> list[tuple[str, str]]:
    """Return movers that only the planned graph has, each with the node that it brings words to."""
    own = {node.name for node in graph.nodes}
    edges = ((edge.producer, edge.consumer) for edge in planned.edges)
    return sorted((mover, reader) for mover, reader in edges if mover not in own and reader in own)


def _late_plans(tried: SteadyDesign, graph: Graph) -> Iterator[NodePlan]:
    """Yield the plans of nodes of a graph that run longer than the model says."""
    design = tried.design
    longest = (1 + CLOSE) * design.chosen.cycles
    nodes = {n.name: n for n in graph.nodes if not isinstance(n, SequentialNode)}
    for plan in design.chosen.schedule.nodes:
        timed = design.evaluation.timed.get(plan.node)
        if timed is not None and plan.node in nodes:
            trips = nodes[plan.node].trip_counts.items()
            iterations = prod(-(-trip // plan.factors[loop]) for loop, trip in trips)
            if timed.timing.ii * iterations > longest:
                yield plan
