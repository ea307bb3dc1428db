"""Decisions beyond a level: the choices of opt6, ports, and decisions that are fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.analysis.value_ranges import narrow_product
from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.boundary_ports import boundary_of_form
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, walk
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator, Reduction
from streamopt.options import option_group
from streamopt.perf.paper.dsp import accumulates_products
from streamopt.space.level import BindingChoice
from streamopt.transforms.rewrites import (
    AFTER_MOVERS,
    COLUMNS,
    INPUTS,
    PREFILL,
    REWRITES,
    TIME,
    WINDOWS,
    changed_by,
    rewritten,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.ports import PortPlan
    from streamopt.ir.schedule import Binding
    from streamopt.space.fixed import Fixed
    from streamopt.strategies.problem import Problem
    from streamopt.target.device import Target

PARTIAL_TILES = "partial_tiles"
"""Unroll factors that don't divide their trip counts, in `Space.without`."""

_TOOL: Binding = ()
ADDERS_IN_FABRIC: Binding = ((Operator.ADD, Implementation.FABRIC),)
_SOME_IN_FABRIC: tuple[Binding, ...] = tuple(
    tuple(
        (Operator.ADD, Implementation.FABRIC if in_fabric else Implementation.FULLDSP)
        for in_fabric in pattern
    )
    for pattern in ((1, *(0,) * 7), (1, 0, 0, 0), (1, 0))
)
"""An eighth of the adders, a quarter, and half of them: where all lanes take a few DSPs too
many."""
_FEW_ADDERS = 4
_MULTIPLIERS = (Implementation.FULLDSP, Implementation.MEDDSP, Implementation.FABRIC)
"""With fewer DSPs than the tool takes unasked, those with more of them first."""
_FULLDSP: Binding = ((Operator.MUL, Implementation.FULLDSP),)
_LUTS = frozenset({*ADDERS_IN_FABRIC, (Operator.MUL, Implementation.FABRIC)})
_DSPS: Binding = ((Operator.ADD, Implementation.FULLDSP),)

_OPERATIONS = {Operator.ADD: {BinaryOp.ADD, BinaryOp.SUB}, Operator.MUL: {BinaryOp.MUL}}
_REDUCTIONS = {Operator.ADD: Reduction.ADD, Operator.MUL: Reduction.MUL}

_SPLIT = ("split_arrays", "split_loops")
_FOLDED = ("fold_copies", "fold_pointwise", "private_arguments")
_KEPT = ("fold_copies", "private_arguments")
_VARIANTS = (
    ("fold_padding", *_SPLIT, *_FOLDED, WINDOWS),
    ("fold_padding", *_SPLIT, *_KEPT, WINDOWS),
    ("fold_borders", *_SPLIT, *_KEPT, WINDOWS),
    ("fold_padding", *_SPLIT, *_FOLDED),
    ("fold_padding", *_SPLIT, *_KEPT),
    ("fold_padding", *_FOLDED),
    ("fold_borders", *_SPLIT, *_FOLDED),
    ("fold_padding", *_KEPT),
    ("private_arguments",),
    (),
)
"""Sequences of rewrites that are tried, the most promising first: (O1)."""

_DECIDED = (name for name in REWRITES if any(name in form for form in _VARIANTS))
TRIED = (*_DECIDED, *AFTER_MOVERS, TIME)
"""Rewrites that opt6 decides on."""


@option_group()
@dataclass(frozen=True, slots=True)
class Space:
    """Decisions that are open beyond those of the level.

    Attributes
    ----------
    tiling_limit
        Least trip count of a tile loop. Where not given it is 16, that of most published runs; at
        opt6 it is 1, which leaves the limits of the hardware alone.
    without
        At opt6, names of rewrites that are left out; ``partial_tiles`` for unroll factors that
        divide their trip counts.
    binding
        At opt6, what operators may be built from; ``free`` where not given.
    most_banks
        At opt6, of an argument; 256 where not given. Lanes beyond share banks.
    ports
        How arrays cross the boundary, from `streamopt.plan_ports`.
    fixed
        What steps on the loops have decided already, from `streamopt.schedule`.

    Raises
    ------
    InfeasibleError
        If there is nothing of a name to leave out (E406).
    """

    tiling_limit: int | None = None
    without: frozenset[str] = frozenset()
    binding: BindingChoice | None = None
    ports: tuple[PortPlan, ...] = ()
    fixed: Fixed | None = None
    most_banks: int | None = None

    def __post_init__(self) -> None:
        """Refuse names that opt6 doesn't know."""
        unknown = sorted(self.without - {*TRIED, PARTIAL_TILES})
        if unknown:
            message = f"opt6 has no '{unknown[0]}' to leave out"
            hint = f"choose of {', '.join((*TRIED, PARTIAL_TILES))}"
            raise InfeasibleError(Diagnostic("E406", message, hint=hint))

    @property
    def partial_tiles(self) -> int:
        """Return how many vectors of factors allow those that divide no trip counts (T2), (T3)."""
        from streamopt.space.tiles import MOST_CHOICES

        return 0 if PARTIAL_TILES in self.without else MOST_CHOICES


def gains_from_partial_tiles(graph: Graph, tiling_limit: int) -> bool:
    """Return whether partial tiles give a loop another unroll factor."""
    from streamopt.space.tiles import MOST_CHOICES, Coupling, tile_classes

    whole, partial = (
        tile_classes(graph, tiling_limit, tiles=True, coupling=Coupling.PLAIN, partial_tiles=most)
        for most in (0, MOST_CHOICES)
    )
    return whole != partial


def variants(
    graph: Graph,
    without: frozenset[str] = frozenset(),
    *,
    shares_arguments: bool = False,
    streams_inputs: bool = False,
) -> Iterator[tuple[tuple[str, ...], Graph]]:
    """Yield the different variants of a graph, with the rewrites that make them.

    Parameters
    ----------
    without
        Rewrites that are left out.
    shares_arguments
        Whether all variants come without private arguments, too: what one process takes from
        outside, for all that read it, has no ports that these would share.
    streams_inputs
        Whether those with windows come first with windows on inputs that ports bring, too: these
        have banks where a memory has too few ports, but a nest runs on until the last rows.
    """
    seen: list[Graph] = []
    for names in _with_shared(_VARIANTS) if shares_arguments else _VARIANTS:
        kept, variant = changed_by(graph, [name for name in names if name not in without])
        if variant not in seen:
            seen.append(variant)
            if streams_inputs and WINDOWS in names and not without & {WINDOWS, INPUTS}:
                yield (*kept, INPUTS), variant
            yield kept, variant


def with_boundary(
    problem: Problem, names: tuple[str, ...], form: Graph, on: Target, within_cycles: int = 0
) -> tuple[Problem, tuple[str, ...]]:
    """Return the problem of a form with its ports, and the rewrites that changed something.

    Parameters
    ----------
    within_cycles
        See `boundary_of_form`.
    """
    outside, ports = boundary_of_form(form, problem.ports, on, within_cycles)
    kept, outside = changed_by(outside, [name for name in AFTER_MOVERS if name in names])
    names = (*(name for name in names if name not in AFTER_MOVERS), *kept)
    return replace(problem, graph=outside, ports=ports), names


def prefilled_first(
    tried: Iterable[tuple[tuple[str, ...], Graph]], without: frozenset[str], on: Target
) -> Iterator[tuple[tuple[str, ...], Graph]]:
    """Yield variants; those with windows first with rows that come before the nest, then without.

    The former come with all columns as streams, and with some in buffers where these have no lanes.

    No order of loops streams to some of the former; our own Verilog has no nest for such rows.
    """
    can_prefill = not on.is_open and PREFILL not in without
    for names, graph in tried:
        if can_prefill and WINDOWS in names:
            yield (*names, PREFILL), graph
            if COLUMNS not in without and rewritten(graph, (COLUMNS,)) != graph:
                yield (*names, COLUMNS, PREFILL), graph
        yield names, graph


def bindings(
    binding: BindingChoice | None, graph: Graph, on: Target
) -> Mapping[str, tuple[Binding, ...]]:
    """Return by node what its operators may be built from.

    Our own are built in one way, but for two products of narrow integers in one DSP.
    """
    if on.is_open:
        is_free = binding in (None, BindingChoice.FREE)
        pairs = {node.name: (*_narrow_products(graph, node, on),) for node in graph.nodes}
        return {name: (_TOOL, *ways) for name, ways in pairs.items() if ways and is_free}
    match binding:
        case BindingChoice.TOOL:
            return {}
        case BindingChoice.DSP:
            return {
                node.name: (_TOOL,)
                if accumulates_products(node)
                else tuple(way for way in _choices(graph, node, on) if _LUTS.issuperset(way))[:2]
                for node in graph.nodes
            }
        case BindingChoice.FREE | None:
            return {node.name: _choices(graph, node, on) for node in graph.nodes}


def sharing_dsps(ways: Mapping[str, tuple[Binding, ...]]) -> Mapping[str, tuple[Binding, ...]]:
    """Return bindings with products in DSPs, two to one or not; none where no two may share one."""
    every = (parts for own in ways.values() for way in own for _, parts in way)
    if Implementation.PACKED not in every:
        return {}
    in_luts = (Operator.MUL, Implementation.FABRIC)
    return {name: tuple(way for way in own if in_luts not in way) for name, own in ways.items()}


def counted(binding: BindingChoice | None, graph: Graph) -> Mapping[str, Binding]:
    """Return by node the binding by which DSPs are counted, where it isn't the node's own."""
    if binding is not BindingChoice.DSP:
        return {}
    return {node.name: _DSPS for node in graph.nodes if accumulates_products(node)}


def _with_shared(tried: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    for names in tried:
        yield names
        yield tuple(name for name in names if name != "private_arguments")


def _choices(graph: Graph, node: Node, on: Target) -> tuple[Binding, ...]:
    """Return the bindings that make a difference to a node, those with more DSPs first.

    Of a multiply-accumulate these are 5, 4, 3, 2, 1 and 0 DSPs; other pairs of implementations have
    as many with more LUTs.
    """
    if not graph.array(node.write.array).element.is_float:
        return (_TOOL, *_narrow_products(graph, node, on))
    added, multiplied = (_computed_in(graph, node, of) for of in (Operator.ADD, Operator.MUL))
    fewer: list[Binding] = [
        ((Operator.MUL, name),)
        for name in _MULTIPLIERS
        if multiplied and all(on.builds(Operator.MUL, element, name) for element in multiplied)
    ]
    if not added:
        return (_TOOL, *fewer)
    some = _SOME_IN_FABRIC if isinstance(node, SequentialNode) else ()
    some = tuple(way for way in some if len(way) <= _adders(node))
    return (
        _TOOL,
        *(way for way in fewer if way == _FULLDSP),
        *some,
        ADDERS_IN_FABRIC,
        *((*ADDERS_IN_FABRIC, *way) for way in fewer),
    )


def _narrow_products(graph: Graph, node: Node, on: Target) -> Iterator[Binding]:
    """Yield the bindings of a product of narrow integers: two to a DSP, or none of any."""
    found = narrow_product(node, graph.element_of)
    if found is None:
        return
    for name in (Implementation.PACKED, Implementation.FABRIC):
        if on.builds(Operator.MUL, found.element, name):
            yield ((Operator.MUL, name),)


def _adders(node: Node) -> int:
    """Return the additions and subtractions of a node, and at least a few: it may have sums."""
    parts = (part for expression in node.expressions for part in walk(expression))
    found = sum(isinstance(p, Binary) and p.op in _OPERATIONS[Operator.ADD] for p in parts)
    return max(_FEW_ADDERS, found)


def _computed_in(graph: Graph, node: Node, operator: Operator) -> set[ElementType]:
    """Return the floating-point types in which a node adds (or subtracts), or multiplies.

    They needn't be those of its arrays: C multiplies a ``float`` by a literal as doubles.
    """

    def element_of(name: str) -> ElementType:
        return graph.array(name).element

    sums = [(node.reduction, node.write)]
    if isinstance(node, SequentialNode):
        sums = [(own.reduction, own.target) for own in node.statements]
    found = {element_of(own.array) for kind, own in sums if kind is _REDUCTIONS[operator]}
    for part in (part for expression in node.expressions for part in walk(expression)):
        if isinstance(part, Binary) and part.op in _OPERATIONS[operator]:
            found.add(expression_type(part, element_of) or ElementType.DOUBLE)
    return {element for element in found if element.is_float}
