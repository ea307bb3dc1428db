"""A layer for each node of a graph, and maps for its arrays, before layers are joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import (
    SUM,
    Axis,
    Combine,
    Epilogue,
    FeatureMap,
    Layer,
    Parameter,
)
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Expression,
    Index,
    Literal,
    Read,
    rewrite,
    uncast,
    walk,
)
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array, Role
from streamopt.transforms.engines.operands import (
    NoLayerError,
    array_reads,
    flat_factors,
    loops_of,
    operand_of,
)
from streamopt.transforms.engines.operations import NodeReader, Windowed, starts_at
from streamopt.transforms.engines.roles import Layout, written_loops

TERM = "_term"
"""Ends the name of the map that holds the terms of a reduction, if they aren't elements."""


def scalar(operand: str) -> Read:
    """Return the read of an operand of an epilogue."""
    return Read(Access(operand, ()))


def is_aligned(axis: Axis) -> bool:
    """Return whether each position reads the element at the same place."""
    return axis.taps == 1 and axis.step == 1 and axis.before == 0


@dataclass(slots=True)
class Drafts:
    """Layers and maps so far; filled node by node."""

    arrays: dict[str, Array]
    layers: list[Layer] = field(default_factory=list[Layer])
    layouts: dict[str, Layout] = field(default_factory=dict[str, Layout])

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
        terms, reduction = self._split(node)
        if terms is not None:
            self._add_pointwise(terms)
        self._add_windowed(reduction)

    def maps(self) -> tuple[FeatureMap, ...]:
        """Return all maps, in the order of their arrays."""
        found = ((name, self.layouts.get(name)) for name in self.arrays)
        return tuple(one.map_of(self.arrays[name]) for name, one in found if one is not None)

    def _reader(self, node: Node) -> NodeReader:
        return NodeReader(node, self.arrays, self.layouts)

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
        if not isinstance(inner, Literal):
            raise NoLayerError("its largest element begins with an expression")
        low = found.combine is Combine.LARGEST
        if inner.value > least if low else inner.value < most:
            raise NoLayerError("its largest element begins with a limit of its own")

    def _add_pointwise(self, node: Node) -> None:
        reads = [a for a in array_reads(node.value) if self._is_map(a)]
        for part in walk(node.value):
            if isinstance(part, Index):
                raise NoLayerError("its value depends on the place")
        if not reads:
            raise NoLayerError("it reads no map")
        bordered = operand_of(node.value)
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
        if array.role is not Role.WEIGHT or not set(factors) <= set(owners) or len(owners) > 1:
            raise NoLayerError(f"{array.name} is no constant of a channel")
        return Parameter(array.name, array.element, sum(factors.values()), offset)

    def _is_map(self, access: Access) -> bool:
        return self.arrays[access.array].role is not Role.WEIGHT

    def _split(self, node: Node) -> tuple[Node | None, Node]:
        """Return a node that computes the terms of a reduction, and one that combines them."""
        value = uncast(node.value)
        if operand_of(value) is not None:
            return None, node
        if _is_product(value):
            return None, node
        first = next((access for access in array_reads(value) if self._is_map(access)), None)
        if first is None:
            raise NoLayerError("it reads no map")
        name = f"{node.write.array}{TERM}"
        element = expression_type(value, lambda array: self.arrays[array].element)
        if element is None or not isinstance(value, Cast | Call | Binary):
            raise NoLayerError("its terms have no type")
        self.arrays[name] = replace(
            self.arrays[first.array], name=name, role=Role.INTERNAL, element=element
        )
        write = Access(name, first.subscripts)
        terms = replace(node, write=write, value=value, reduction=None, start=None)
        return terms, replace(node, value=Read(write))


def _is_product(value: Expression) -> bool:
    """Return whether an expression is the product of two elements."""
    if not isinstance(value, Binary) or value.op is not BinaryOp.MUL:
        return False
    return None not in (operand_of(value.left), operand_of(value.right))


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
