"""What level opt6 may decide beyond loop orders and unroll factors, each of it to be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.expression import Binary, BinaryOp, walk
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Implementation, Operator
from streamopt.ir.program import Reduction
from streamopt.perf.paper.dsp import accumulates_products
from streamopt.pipeline.beyond.binding_choice import BindingChoice
from streamopt.transforms.rewrites import REWRITES, changed_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.schedule import Binding

__all__ = ["ALL", "PARTIAL_TILES", "TRIED", "Freedom"]

PARTIAL_TILES = "partial_tiles"
"""What `Freedom.without` calls unroll factors that don't divide their trip counts."""

_TOOL: Binding = ()
_FABRIC: Binding = ((Operator.ADD, Implementation.FABRIC),)
_NO_DSPS: Binding = (*_FABRIC, (Operator.MUL, Implementation.FABRIC))
_DSPS: Binding = ((Operator.ADD, Implementation.FULLDSP),)

_SPLIT = ("split_arrays", "split_loops")
_FOLDED = ("fold_copies", "fold_pointwise", "private_arguments")
_KEPT = ("fold_copies", "private_arguments")
_FORMS = (
    ("fold_padding", *_SPLIT, *_FOLDED, "stream_windows"),
    ("fold_padding", *_SPLIT, *_KEPT, "stream_windows"),
    ("fold_borders", *_SPLIT, *_KEPT, "stream_windows"),
    ("fold_padding", *_SPLIT, *_FOLDED),
    ("fold_padding", *_SPLIT, *_KEPT),
    ("fold_padding", *_FOLDED),
    ("fold_borders", *_SPLIT, *_FOLDED),
    ("fold_padding", *_KEPT),
    ("private_arguments",),
    (),
)
"""Sequences of rewrites that are tried, the most promising first: (O1)."""

_FIRST = "relieve_loops"
"""Comes before the others; where it changes something, `_PLAIN` are tried without it too."""
_PLAIN = _FORMS[-2:]

_Tried: TypeAlias = "tuple[tuple[str, ...], Graph, tuple[str, ...]]"
"""Rewrites that were made, what they gave, and those that come next."""

TRIED = (_FIRST, *(name for name in REWRITES if any(name in form for form in _FORMS)))
"""Rewrites that opt6 decides on."""


@dataclass(frozen=True, slots=True)
class Freedom:
    """The dimensions of opt6.

    Attributes
    ----------
    without
        Names of rewrites that are left out; ``partial_tiles`` for unroll factors that divide
        their trip counts.
    tiling_limit
        Least trip count of a tile loop: 1 for no limit but those of the hardware.

    Raises
    ------
    InfeasibleError
        If there is nothing of a name to leave out (E406).
    """

    without: frozenset[str] = frozenset()
    binding: BindingChoice = BindingChoice.FREE
    tiling_limit: int = 1

    def __post_init__(self) -> None:
        unknown = sorted(self.without - {*TRIED, PARTIAL_TILES})
        if unknown:
            message = f"opt6 has no '{unknown[0]}' to leave out"
            hint = f"choose of {', '.join((*TRIED, PARTIAL_TILES))}"
            raise InfeasibleError(Diagnostic("E406", message, hint=hint))

    @property
    def partial_tiles(self) -> bool:
        """Return whether unroll factors need not divide trip counts (T2)."""
        return PARTIAL_TILES not in self.without

    def narrowest_first(self, graph: Graph) -> tuple[Freedom, ...]:
        """Return the freedoms that a form is searched with: that of whole tiles, and this one.

        This one alone where it gives no loop another factor. Whole tiles are searched soon, and
        what they give prunes the rows of partial ones. Where the closed form misses stalls, they
        may also be faster when simulated.
        """
        from streamopt.space.tiles import Coupling, tile_classes

        whole, partial = (
            tile_classes(
                graph, self.tiling_limit, tiles=True, coupling=Coupling.PLAIN, partial=partial
            )
            for partial in (False, self.partial_tiles)
        )
        if whole == partial:
            return (self,)
        return replace(self, without=self.without | {PARTIAL_TILES}), self

    def forms(
        self, graph: Graph, *, shares_arguments: bool = False
    ) -> Iterator[tuple[tuple[str, ...], Graph]]:
        """Yield the different forms of a graph, with the rewrites that make them.

        Parameters
        ----------
        shares_arguments
            Whether all forms come without private arguments, too: what one process takes from
            outside, for all that read it, has no ports that these would share.
        """
        first, relieved = changed_by(graph, [_FIRST] if _FIRST not in self.without else [])
        tried = [(first, relieved, names) for names in _FORMS]
        if first:
            tried += [((), graph, names) for names in _PLAIN]
        seen: list[Graph] = []
        for before, start, names in _with_shared(tried) if shares_arguments else tried:
            kept, form = changed_by(start, [name for name in names if name not in self.without])
            if form not in seen:
                seen.append(form)
                yield (*before, *kept), form

    def bindings(self, graph: Graph) -> Mapping[str, tuple[Binding, ...]]:
        """Return by node what its operators may be built from."""
        match self.binding:
            case BindingChoice.TOOL:
                return {}
            case BindingChoice.FREE:
                return {node.name: _choices(graph, node) for node in graph.nodes}
            case BindingChoice.DSP:
                return {
                    node.name: _choices(graph, node)[: 1 if accumulates_products(node) else 2]
                    for node in graph.nodes
                }

    def counted(self, graph: Graph) -> Mapping[str, Binding]:
        """Return by node the binding by which DSPs are counted, where it isn't the node's own."""
        if self.binding is not BindingChoice.DSP:
            return {}
        return {node.name: _DSPS for node in graph.nodes if accumulates_products(node)}


def _with_shared(tried: Sequence[_Tried]) -> Iterator[_Tried]:
    for before, start, names in tried:
        yield before, start, names
        yield before, start, tuple(name for name in names if name != "private_arguments")


def _choices(graph: Graph, node: Node) -> tuple[Binding, ...]:
    """Return the bindings that make a difference to a node, those with more DSPs first."""
    if isinstance(node, SequentialNode) or not graph.array(node.write.array).element.is_float:
        return (_TOOL,)
    operators = {part.op for part in walk(node.value) if isinstance(part, Binary)}
    adds = bool(operators & {BinaryOp.ADD, BinaryOp.SUB}) or node.reduction is Reduction.ADD
    multiplies = BinaryOp.MUL in operators or node.reduction is Reduction.MUL
    return (_TOOL, *(_FABRIC,) * adds, *(_NO_DSPS,) * multiplies)


ALL = Freedom()
