"""The decision space of one problem: everything that is known before a solver is chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations

from streamopt.analysis.access_order import access_order, completes_rows, taken_order
from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.schedule import Binding
from streamopt.perf.costs import PUBLISHED, CostModel, OpenPlans, Setting
from streamopt.space.fixed import NOTHING_FIXED, Fixed, fixed_classes, fixed_orders
from streamopt.space.level import Level
from streamopt.space.tiles import Coupling, TileClass, tile_classes

LoopOrder = tuple[str, ...]
"""Loops of one node, outermost first."""


@dataclass(frozen=True, slots=True)
class DecisionSpace:
    """Choices and limits of one problem."""

    graph: Graph
    level: Level
    dsp_limit: int
    classes: tuple[TileClass, ...]
    """Tile classes; the unroll factor of a class is one decision."""
    orders: Mapping[str, tuple[LoopOrder, ...]]
    """Loop orders that each node may take."""
    least_dsps: Mapping[str, int]
    """DSPs of each node without unrolling, in its cheapest loop order."""
    streamable: frozenset[str]
    """Channels that at least one pair of loop orders makes a FIFO."""
    costs: CostModel
    bindings: Mapping[str, tuple[Binding, ...]]
    target_iis: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    """By node, the initiation intervals that it may ask for; others ask for none."""
    horizon_cycles: int | None = None
    """Latency beyond which no schedule is of interest, so that nodes that take longer need no row;
    None for all."""
    lut_limit: int | None = None
    """On the LUTs of rows as the costs count them; None for none."""

    @property
    def limits(self) -> tuple[int, ...]:
        """Return the limits on the DSPs of rows and, if there is one, on their LUTs."""
        return (self.dsp_limit,) if self.lut_limit is None else (self.dsp_limit, self.lut_limit)

    def class_of(self) -> dict[tuple[str, str], int]:
        """Return the index of the tile class of every (node, loop)."""
        return {key: index for index, group in enumerate(self.classes) for key in group.members}


@dataclass(frozen=True, slots=True)
class SpaceOptions:
    """How a decision space is made of a graph."""

    level: Level
    dsp_limit: int
    """DSPs as the costs count them."""
    tiling_limit: int = 16
    """Least trip count of a tile loop, for loops longer than it."""
    partial_tiles: int = 0
    """Vectors of unroll factors of all nodes, beyond which those that don't divide trip counts are
    left out; 0 for none of these."""
    fixed: Fixed = NOTHING_FIXED
    """Decisions that are made already."""
    costs: CostModel = PUBLISHED
    """Cost model of a node; by default as published."""
    bindings: Mapping[str, tuple[Binding, ...]] = field(
        default_factory=dict[str, "tuple[Binding, ...]"]
    )
    """By node, the choices for its operators; others are as the tool builds them."""
    # horizon_cycles, lut_limit: see `DecisionSpace`
    horizon_cycles: int | None = None
    lut_limit: int | None = None
    most_of_node: tuple[int, ...] = ()
    """Of one node: its DSPs and its LUTs as the costs count them; empty for no limits."""


def decision_space(graph: Graph, options: SpaceOptions) -> DecisionSpace:
    """Return the decision space of a graph.

    Raises
    ------
    InfeasibleError
        If the DSPs don't suffice for one lane of every node (E401), a limit is not positive
        (E402), or what is fixed can't be (E408, E409).
    """
    level, fixed = options.level, options.fixed
    _check_limits(options.dsp_limit, options.tiling_limit)
    least_dsps = _least_dsps(graph, options)
    orders = {node.name: _orders(node, permutes=level.permutes) for node in graph.nodes}
    orders = fixed_orders(graph, orders, fixed)
    classes = tile_classes(
        graph,
        options.tiling_limit,
        tiles=level.tiles,
        coupling=Coupling.PLAIN if level.is_as_built else Coupling.PUBLISHED,
        partial_tiles=options.partial_tiles,
    )
    return DecisionSpace(
        graph=graph,
        level=level,
        dsp_limit=options.dsp_limit,
        classes=fixed_classes(graph, classes, fixed),
        orders=orders,
        least_dsps=least_dsps,
        costs=options.costs,
        bindings=options.bindings,
        target_iis={name: (ii,) for name, ii in fixed.target_iis.items()},
        horizon_cycles=options.horizon_cycles,
        lut_limit=options.lut_limit,
        streamable=frozenset(
            edge.channel for edge in graph.edges if _may_stream(graph, edge, orders)
        ),
    )


def _check_limits(dsp_limit: int, tiling_limit: int) -> None:
    if dsp_limit < 1 or tiling_limit < 1:
        name, value = ("--dsp", dsp_limit) if dsp_limit < 1 else ("--tiling-limit", tiling_limit)
        raise InfeasibleError(
            Diagnostic("E402", f"{name} is {value}", hint="give a whole number of at least 1")
        )


def _least_dsps(graph: Graph, options: SpaceOptions) -> dict[str, int]:
    """Return the DSPs of one lane of each node; raises InfeasibleError E401 for too many."""
    ins, outs = graph.in_edges(), graph.out_edges()

    def least_of(node: Node) -> int:
        setting = Setting.of(graph, node, ins[node.name], outs[node.name])
        choices = options.bindings.get(node.name, ((),))
        if isinstance(node, SequentialNode):
            wanted = OpenPlans(bindings=choices, only_least_dsps=True)
            plans = options.costs.plans(graph, node, wanted)
            return min(int(options.costs.plan_cost(graph, node, p).dsps) for p in plans)
        return min(options.costs.least_dsps(node, replace(setting, binding=b)) for b in choices)

    each = {node.name: least_of(node) for node in graph.nodes}
    least = sum(each.values())
    if least <= options.dsp_limit:
        return each
    costly = ", ".join(f"{name} {dsps}" for name, dsps in each.items() if dsps)
    message = (
        f"{graph.name} needs at least {least} DSPs with no unrolling ({costly}), "
        f"but the limit is {options.dsp_limit}"
    )
    hint = f"give --dsp {least} or more"
    raise InfeasibleError(Diagnostic("E401", message, hint=hint))


def _orders(node: Node, *, permutes: bool) -> tuple[LoopOrder, ...]:
    """Return the loop orders of a node; windows that no order fills are in other forms."""
    names = tuple(loop.name for loop in node.loops)
    fixed = isinstance(node, SequentialNode) or not permutes
    if fixed:
        return (names,)
    every = permutations(names)
    if not node.windows:
        return tuple(every)
    return tuple(o for o in every if all(completes_rows(node, w, o) for w in node.windows))


def read_stream_order(graph: Graph, edge: Edge, order: LoopOrder) -> tuple[int, ...] | None:
    """Return the dimension order in which the consumer walks the array; None if it can't stream.

    It can't where it reads the array in several ways, or by a subscript that is not a plain
    iterator over the whole dimension, and notes no other way to take it (`Node.takes`).
    """
    if edge.is_whole or len(edge.reads) != 1:
        return None
    node, shape = graph.node(edge.consumer), graph.array(edge.array).shape
    return taken_order(node, edge.reads[0], order, shape)


def write_stream_order(graph: Graph, edge: Edge, order: LoopOrder) -> tuple[int, ...] | None:
    """Return the dimension order in which the producer walks the array; None if it can't stream.

    It can't where the array has several writers, or a subscript is not a plain iterator over
    the whole dimension.
    """
    if edge.is_whole or len(graph.writers(edge.array)) != 1:
        return None
    trip_counts = graph.node(edge.producer).trip_counts
    return access_order(edge.write, order, trip_counts, graph.array(edge.array).shape)


def _may_stream(graph: Graph, edge: Edge, orders: Mapping[str, tuple[LoopOrder, ...]]) -> bool:
    """Return whether some pair of the allowed orders agrees."""
    writes = {write_stream_order(graph, edge, order) for order in orders[edge.producer]}
    reads = {read_stream_order(graph, edge, order) for order in orders[edge.consumer]}
    return bool((writes & reads) - {None})
