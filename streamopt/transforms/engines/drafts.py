"""A layer for each node of a graph, and maps for its arrays, before layers are joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import (
    SUM,
    Combine,
    Epilogue,
    FeatureMap,
    Layer,
    Parameter,
    WindowAxis,
)
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Cast,
    Expression,
    Index,
    Literal,
    Read,
    moved_leaf,
    rewrite,
    uncast,
    walk,
)
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.engines.operands import (
    NoLayerError,
    array_reads,
    flat_factors,
    loops_of,
    operand_of,
    without_widening,
)
from streamopt.transforms.engines.operations import Windowed, WindowReader, starts_at
from streamopt.transforms.engines.roles import MapLayout, written_loops

FLOAT_MOST = float(2**128 - 2**104)
"""The largest number of the type ``float`` that is finite."""
TERM = "_term"
"""Ends the name of the map that holds the terms of a reduction, if they aren't elements."""


def scalar(operand: str) -> Read:
    """Return the read of an operand of an epilogue."""
    return Read(Access(operand, ()))


def is_aligned(axis: WindowAxis) -> bool:
    """Return whether each position reads the element at the same place."""
    return axis.taps == 1 and axis.step == 1 and axis.before == 0


@dataclass(slots=True)
class Drafts:
    """Layers and maps so far; filled node by node."""

    arrays: dict[str, Array]
    layers: list[Layer] = field(default_factory=list[Layer])
    layouts: dict[str, MapLayout] = field(default_factory=dict[str, MapLayout])

    def add(self, node: Node) -> None:
        """Add the layers of a node.

        Raises
        ------
        NoLayerError
            If it is none.
        """
        if node.reduction is None:
            self._add_pointwise(node)
            return
        self._add_windowed(self._with_plain_terms(node))

    def maps(self) -> tuple[FeatureMap, ...]:
        """Return all maps, in the order of their arrays."""
        found = ((name, self.layouts.get(name)) for name in self.arrays)
        return tuple(one.map_of(self.arrays[name]) for name, one in found if one is not None)

    def _reader(self, node: Node) -> WindowReader:
        return WindowReader(node, self.arrays, self.layouts)

    def _take(self, found: Windowed, result: str) -> None:
        """Note the layouts of a node's source and result."""
        self.layouts.setdefault(found.source, found.source_layout)
        if self.layouts.setdefault(result, found.layout) != found.layout:
            raise NoLayerError(f"{result} is written in two layouts")

    def _add_windowed(self, node: Node) -> None:
        found = self._reader(node).windowed()
        self._take(found, node.write.array)
        result = self.arrays[node.write.array].element
        first = starts_at(node)
        value: Expression = scalar(SUM)
        parameters: dict[str, Parameter] = {}
        if first is not None and found.combine in (Combine.LARGEST, Combine.SMALLEST):
            self._check_neutral(first, found)
        elif first is not None:
            first = Cast(result, self._scalars(node, first, {}, parameters))
            value = Cast(result, Binary(BinaryOp.ADD, value, first))
        epilogue = Epilogue(value, result, (), tuple(parameters.items()))
        self.layers.append(_layer(node, found, result, epilogue))

    def _check_neutral(self, first: Expression, found: Windowed) -> None:
        """Refuse a largest element that begins above the least of its type."""
        inner, element = uncast(first), self.arrays[found.source].element
        bits = element.bits - element.is_signed
        least, most = (-(1 << bits) if element.is_signed else 0), (1 << bits) - 1
        if element.is_float:
            least, most = -FLOAT_MOST, FLOAT_MOST
        if not isinstance(inner, Literal):
            raise NoLayerError("its largest element begins with an expression")
        low = found.combine is Combine.LARGEST
        if inner.value > least if low else inner.value < most:
            raise NoLayerError("its largest element begins with a limit of its own")

    def _add_pointwise(self, node: Node) -> None:
        reads = [a for a in array_reads(node.value) if self._is_read_as_map(node, a)]
        for part in walk(node.value):
            if isinstance(part, Index):
                raise NoLayerError("its value depends on the place")
        if not reads:
            raise NoLayerError("it reads no map")
        bordered = operand_of(node.value, self._element_of)
        if bordered is not None:
            terms = [node.value]
        else:
            terms = [
                Read(access) for access in sorted(reads, key=lambda a: a.array not in self.layouts)
            ]
        windows: list[tuple[Expression, Windowed]] = []
        for term in terms:
            found = self._reader(replace(node, value=term)).windowed()
            self._take(found, node.write.array)
            windows.append((term, found))
        windows.sort(key=lambda one: _is_plain(one[1]))
        if not all(_is_plain(found) for _, found in windows[1:]):
            raise NoLayerError("it reads two maps at other places than it writes")
        self._join_windows(node, windows, is_bordered=bordered is not None)

    def _join_windows(
        self, node: Node, windows: list[tuple[Expression, Windowed]], *, is_bordered: bool
    ) -> None:
        result = self.arrays[node.write.array].element
        element = self.arrays[windows[0][1].source].element
        if is_bordered:
            value: Expression = Cast(result, scalar(SUM))
            self.layers.append(_layer(node, windows[0][1], element, Epilogue(value, result)))
            return
        names = {
            term.access: SUM if place == 0 else found.source
            for place, (term, found) in enumerate(windows)
            if isinstance(term, Read)
        }
        sources = [found.source for _, found in windows]
        if len(set(sources)) < len(sources):
            raise NoLayerError("it reads a map at two places")
        parameters: dict[str, Parameter] = {}
        value = Cast(result, self._scalars(node, node.value, names, parameters))
        maps = tuple((source, source) for source in sources[1:])
        epilogue = Epilogue(value, result, maps, tuple(parameters.items()))
        self.layers.append(_layer(node, windows[0][1], element, epilogue))

    def _scalars(
        self,
        node: Node,
        value: Expression,
        names: dict[Access, str],
        parameters: dict[str, Parameter],
    ) -> Expression:
        """Return an expression over operands; those that are constants of a channel are noted."""

        def leaf(part: Expression) -> Expression:
            if not isinstance(part, Read):
                return part
            if part.access in names:
                return scalar(names[part.access])
            own = self._parameter(node, part.access)
            name = f"{own.array}[{own.offset}:{own.stride}]"
            parameters[name] = own
            return scalar(name)

        return rewrite(value, leaf)

    def _parameter(self, node: Node, access: Access) -> Parameter:
        array = self.arrays[access.array]
        loops = loops_of(node.trip_counts, [access, node.write])
        factors, offset = flat_factors(access, array.shape, loops)
        channel = self.layouts[node.write.array].channel
        owners = written_loops(node.write, loops).owner(channel)
        if not array.is_given or not set(factors) <= set(owners) or len(owners) > 1:
            raise NoLayerError(f"{array.name} is no constant of a channel")
        return Parameter(array.name, array.element, sum(factors.values()), offset)

    def _is_read_as_map(self, node: Node, access: Access) -> bool:
        """Return whether a point-wise node reads a map: an argument has a loop over positions."""
        array = self.arrays[access.array]
        if not array.is_given:
            return True
        written = set(node.write.iterators())
        return array.role is Role.INPUT and written <= set(access.iterators())

    def _element_of(self, array: str) -> ElementType:
        return self.arrays[array].element

    def _is_map(self, access: Access) -> bool:
        return self.arrays[access.array].role is not Role.WEIGHT

    def _with_plain_terms(self, node: Node) -> Node:
        """Return a reduction of elements; layers are added that compute those of other terms."""
        value = without_widening(node.value, self._element_of)
        if operand_of(value, self._element_of) is not None:
            return node
        if isinstance(value, Binary) and value.op is BinaryOp.MUL and self._is_weighted(value):
            left, right = (self._plain(node, side) for side in (value.left, value.right))
            return replace(node, value=Binary(BinaryOp.MUL, left, right))
        return replace(node, value=self._plain(node, value))

    def _is_weighted(self, value: Binary) -> bool:
        """Return whether one factor of a product is an element as it is."""
        sides = (value.left, value.right)
        return any(operand_of(side, self._element_of) is not None for side in sides)

    def _plain(self, node: Node, term: Expression) -> Expression:
        """Return a read of a map that holds an expression of elements at one place of maps."""
        value = without_widening(term, self._element_of)
        if operand_of(value, self._element_of) is not None:
            return term
        found = array_reads(value)
        element = expression_type(value, self._element_of)
        if isinstance(value, Cast):
            element = value.element
        is_one = len({access.subscripts for access in found}) == 1 and all(map(self._is_map, found))
        shapes = {self.arrays[access.array].shape for access in found}
        if not is_one or len(shapes) != 1 or element is None:
            raise NoLayerError("its terms are no elements, nor products of one with a weight")
        (shape,) = shapes
        name = f"{node.write.array}{TERM}{sum(TERM in known for known in self.arrays) or ''}"
        first = self.arrays[found[0].array]
        self.arrays[name] = replace(first, name=name, role=Role.INTERNAL, element=element)
        loops = tuple(Loop(f"d{dimension}", extent) for dimension, extent in enumerate(shape))
        place = tuple(Affine.iterator(loop.name) for loop in loops)
        moved = rewrite(value, moved_leaf(lambda access: Access(access.array, place)))
        pointwise = Node(node.name, loops, Access(name, place), moved, loc=node.loc)
        self._add_pointwise(pointwise)
        return Read(Access(name, found[0].subscripts))


def _is_plain(found: Windowed) -> bool:
    return is_aligned(found.rows) and is_aligned(found.columns)


def _layer(node: Node, found: Windowed, accumulator: ElementType, epilogue: Epilogue) -> Layer:
    return Layer(
        node.name,
        (node.name,),
        found.source,
        node.write.array,
        found.groups,
        found.outputs,
        found.depth,
        found.rows,
        found.columns,
        found.combine,
        accumulator,
        epilogue,
        found.weights,
        found.fill,
    )


def drafted(graph: Graph) -> tuple[Drafts, list[tuple[Node, str]]]:
    """Return the layers of a graph's nodes, and the nodes that are none, each with the reason."""
    drafts = Drafts({array.name: array for array in graph.arrays})
    refused: list[tuple[Node, str]] = []
    for node in graph.nodes:
        try:
            if len(graph.writers(node.write.array)) > 1:
                raise NoLayerError(f"{node.write.array} is written by several nodes")
            drafts.add(node)
        except NoLayerError as error:
            refused.append((node, str(error)))
    return drafts, refused
