"""Nodes as operations on maps: products with weights, and windows of one channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import Combine, WeightView, WindowAxis
from streamopt.ir.expression import Binary, BinaryOp, Expression, Literal, uncast
from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Role
from streamopt.transforms.engines.operands import (
    Loops,
    NoLayerError,
    WindowOperand,
    array_reads,
    check_border,
    flat_factors,
    loops_of,
    operand_of,
    without_widening,
)
from streamopt.transforms.engines.roles import (
    MapLayout,
    WrittenLoops,
    axis_of,
    channel_of,
    layout_of,
    written_loops,
)

COMBINED = {
    Reduction.ADD: Combine.SUM,
    Reduction.MAX: Combine.LARGEST,
    Reduction.MIN: Combine.SMALLEST,
}


Linear: TypeAlias = tuple[dict[str, int], int]
"""Factors by loop, and a constant."""


@dataclass(frozen=True, slots=True)
class Windowed:
    """A node that combines elements of one map, before its result is known as a map."""

    source: str
    source_layout: MapLayout
    layout: MapLayout
    """Of the result."""
    groups: int
    outputs: int
    depth: int
    rows: WindowAxis
    columns: WindowAxis
    combine: Combine
    weights: WeightView | None
    fill: float


@dataclass(frozen=True, slots=True)
class WindowReader:
    """A node with its arrays and the layouts that are known before it."""

    node: Node
    arrays: dict[str, Array]
    layouts: dict[str, MapLayout]

    def windowed(self) -> Windowed:
        """Return a node that combines elements of a map.

        Raises
        ------
        NoLayerError
            If it is none.
        """
        node = self.node
        if isinstance(node, SequentialNode):
            raise NoLayerError("its iterations run one after another")
        if node.guard is not None:
            raise NoLayerError("its terms have a condition")
        ways = self._ways()
        found: list[Windowed] = []
        reasons: list[NoLayerError] = []
        for weight, operand in ways:
            try:
                found.append(self._with_factors(weight, operand))
            except NoLayerError as error:
                reasons.append(error)
        if not found:
            raise reasons[0]
        return max(found, key=lambda one: one.outputs > 1)

    def _with_factors(self, weight: WindowOperand | None, operand: WindowOperand) -> Windowed:
        node = self.node
        accesses = [operand.access, node.write, *([] if weight is None else [weight.access])]
        loops = loops_of(node.trip_counts, accesses)
        check_border(operand, loops, self.arrays[operand.access.array].shape)
        return self._with_roles(weight, operand, loops, written_loops(node.write, loops))

    def _ways(self) -> list[tuple[WindowOperand | None, WindowOperand]]:
        """Return weight and element of a term: two ways where both factors are arguments.

        Without a weight a term is an element alone.
        """
        value = without_widening(self.node.value, self._element_of)
        operand = operand_of(value, self._element_of)
        if operand is not None:
            return [(None, operand)]
        if isinstance(value, Binary) and value.op is BinaryOp.MUL:
            left, right = (operand_of(side, self._element_of) for side in (value.left, value.right))
            if left is not None and right is not None and self.node.reduction is Reduction.ADD:
                pairs = ((left, right), (right, left))
                found = [(w, e) for w, e in pairs if self._is_weight(w) and self._is_map(e)]
                if found:
                    return list(found)
        raise NoLayerError("its terms are no products of an element and a weight")

    def _element_of(self, array: str) -> ElementType:
        return self.arrays[array].element

    def _is_weight(self, operand: WindowOperand) -> bool:
        return self.arrays[operand.access.array].is_given and operand.fill is None

    def _is_map(self, operand: WindowOperand) -> bool:
        return self.arrays[operand.access.array].role is not Role.WEIGHT

    def _with_roles(
        self,
        weight: WindowOperand | None,
        operand: WindowOperand,
        loops: Loops,
        written: WrittenLoops,
    ) -> Windowed:
        array = self.arrays[operand.access.array]
        subscripts: list[Linear] = [loops.linear(s) for s in operand.access.subscripts]
        taken = {loop for factors, _ in subscripts for loop in factors}
        flat: Linear = ({}, 0)
        if weight is not None:
            flat = flat_factors(weight.access, self.arrays[weight.access.array].shape, loops)
        outputs = [loop for loop in written.dimension if loop not in taken]
        grouped = [loop for loop in written.dimension if loop in taken and loop in flat[0]]
        if (weight is None and outputs) or len(outputs) > 1 or len(grouped) > 1:
            raise NoLayerError("it repeats an element, or has several loops over channels")
        layout = self._layout(array, subscripts, written, None if weight is None else grouped)
        none: Linear = ({}, 0)
        channel = none if layout.channel is None else subscripts[layout.channel]
        depth, group = self._depth(channel, written, loops)
        if weight is not None and group is not None and group not in grouped:
            raise NoLayerError("its weights don't depend on the group")
        rows, columns = (
            axis_of(*(none if d is None else subscripts[d]), written, loops.trip_counts)
            for d in layout.spatial
        )
        self._check_result(written, outputs, group, [rows[1], columns[1]])
        view = None
        if weight is not None:
            names = (group, (outputs or [None])[0], depth, rows[2], columns[2])
            view = self._view(weight, flat, names)
        counts = {**loops.trip_counts, None: 1}
        return Windowed(
            array.name,
            layout,
            self._result_layout(written, outputs or ([group] if group else [])),
            counts[group],
            counts[(outputs or [None])[0]],
            counts[depth],
            rows[0],
            columns[0],
            self._combine(weight is not None),
            view,
            operand.fill or 0,
        )

    def _layout(
        self,
        array: Array,
        subscripts: list[Linear],
        written: WrittenLoops,
        grouped: list[str] | None,
    ) -> MapLayout:
        """Return the layout of the source; that of an input is told by the loops.

        Parameters
        ----------
        grouped
            Loops over groups; None without weights.
        """
        known = self.layouts.get(array.name)
        if known is not None:
            return known
        factors = [one for one, _ in subscripts]
        if grouped is None:
            return layout_of(array, _first(factors, written))
        return layout_of(array, channel_of(factors, {*grouped, *written.reduced}))

    def _view(
        self, weight: WindowOperand, flat: Linear, names: tuple[str | None, ...]
    ) -> WeightView:
        """Return where weights are, for the loops over group, output, depth, row and column."""
        factors, offset = flat
        if not set(factors) <= {name for name in names if name is not None}:
            raise NoLayerError("its weights depend on the position")
        group, output, depth, row, column = (
            0 if name is None else factors.get(name, 0) for name in names
        )
        array = self.arrays[weight.access.array]
        return WeightView(array.name, array.element, (group, output, depth, row, column), offset)

    def _combine(self, is_weighted: bool) -> Combine:
        if is_weighted:
            return Combine.PRODUCTS
        reduction = self.node.reduction
        if reduction is None:
            return Combine.COPY
        if reduction not in COMBINED:
            raise NoLayerError("it multiplies elements")
        return COMBINED[reduction]

    def _depth(
        self, channel: tuple[dict[str, int], int], written: WrittenLoops, loops: Loops
    ) -> tuple[str | None, str | None]:
        """Return the loops over the depth and over groups in the subscript of channels."""
        factors, constant = channel
        depths = [loop for loop in factors if loop not in written.dimension]
        groups = [loop for loop in factors if loop in written.dimension]
        if constant or len(depths) > 1 or len(groups) > 1:
            raise NoLayerError("its channels are no groups of neighbours")
        depth, group = (depths or [None])[0], (groups or [None])[0]
        size = 1 if depth is None else loops.trip_counts[depth]
        if (depth and factors[depth] != 1) or (group and factors[group] != size):
            raise NoLayerError("its channels are no groups of neighbours")
        return depth, group

    def _check_result(
        self,
        written: WrittenLoops,
        outputs: list[str],
        group: str | None,
        positions: list[str | None],
    ) -> None:
        known = {*outputs, *([group] if group else []), *(p for p in positions if p)}
        if known != set(written.dimension):
            raise NoLayerError("a loop over its result is neither a channel nor a position")
        order = [written.dimension[p] for p in positions if p]
        if order != sorted(set(order)):
            raise NoLayerError("it exchanges rows and columns")

    def _result_layout(self, written: WrittenLoops, channels: list[str]) -> MapLayout:
        array = self.arrays[self.node.write.array]
        dimension = written.dimension[channels[0]] if channels else None
        return layout_of(array, dimension)


def _first(subscripts: list[dict[str, int]], written: WrittenLoops) -> int | None:
    """Return the channels of an input that no weight tells of: the first of three dimensions."""
    plain = [d for d, f in enumerate(subscripts) if f and all(n in written.dimension for n in f)]
    several = [d for d, factors in enumerate(subscripts) if factors]
    return plain[0] if plain and len(several) != 2 else None


def starts_at(node: Node) -> Expression | None:
    """Return the first value of a reduction; None where it is that of the operator.

    Raises
    ------
    NoLayerError
        If it isn't neutral and can't be added afterwards.
    """
    start = node.start
    if start is None or node.reduction is None:
        return None
    inner = uncast(start)
    if node.reduction is Reduction.ADD:
        is_zero = isinstance(inner, Literal) and inner.value == 0
        return None if is_zero else start
    if array_reads(start):
        raise NoLayerError("its largest element begins with one of an array")
    return start
