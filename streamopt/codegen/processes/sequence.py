"""A sequential node as guarded statements in one nest, on local copies of the arrays it updates.

What it begins with is copied in, what it hands over is copied out at the end: both sides of a
ping-pong buffer see an array only as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.carried_distance import carried_distance
from streamopt.analysis.operations import read_guards
from streamopt.codegen.expressions import ExpressionText, check_dividends
from streamopt.codegen.layout import extents_text
from streamopt.codegen.processes.counters import CountedLoop, DigitCounters
from streamopt.codegen.tree import CppStatement, For, If, Pragma, element_loops, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.expression import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.codegen.layout import CppProcess
    from streamopt.codegen.names import Names
    from streamopt.codegen.tree import Item
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.operators import Operator
    from streamopt.ir.program import Array, Loop, Statement


class SequenceWriter:
    """Builds the items of one sequential node; used once.

    ``function`` names the functions of bound operators, as for `ExpressionText`.
    """

    def __init__(
        self,
        node: SequentialNode,
        target_ii: int,
        process: CppProcess,
        scope: Names,
        function: Callable[[Operator, ElementType], str | None],
    ) -> None:
        self.node = node
        self.target_ii = target_ii
        self.process = process
        self.names = scope.inner()
        self.state = {name: self._taken(f"{name}_state", scope) for name in node.outputs}
        self.iterator = {loop.name: self.names.unique(loop.name) for loop in node.loops}
        loops = [CountedLoop(t, t, "", p.trip_count, 1) for p, t in self._named_loops()]
        self.counters = DigitCounters(loops, lambda wanted: self._taken(wanted, scope))
        self.expression = ExpressionText(
            lambda name: process.arrays[name].element, self._place, self._index, function
        )

    def items(self) -> tuple[Item, ...]:
        """Return local arrays, copies in, the nest, copies out."""
        arrays = self.process.arrays
        declared = [_declared(arrays[name], text) for name, text in self.state.items()]
        brought = [
            self._copy(arrays[name], self.process.reads[self.node.name, source].element, text)
            for name, source in self.node.carries
            for text in (_in(self.state[name]),)
        ]
        body: list[Item] = [item for update in self.node.statements for item in self._item(update)]
        body += self.counters.steps
        if self.node.loops:
            body = [pipelined(self.target_ii), *self._distances(), *body]
        for loop in reversed(self.node.loops):
            body = [For(self.iterator[loop.name], loop.trip_count, tuple(body))]
        handed = [
            self._copy(port.array, _in(self.state[port.array.name]), port.element)
            for port in self.process.writes
        ]
        return (*declared, *self.counters.declared, *brought, *body, *handed)

    def _distances(self) -> Iterator[Item]:
        """Yield how far apart an array's writes and reads are, which the tool can't always see."""
        loops = tuple(self.node.trip_counts.items())
        places = dict.fromkeys(
            (access, guards.get(access))
            for update in self.node.statements
            for guards in (read_guards(update),)
            for expression in update.expressions
            for access in reads(expression)
        )
        for name, text in self.state.items():
            found = [
                carried_distance(
                    update.target.subscripts, access.subscripts, loops, update.guard, guard
                )
                for update in self.node.statements
                if update.target.array == name
                for access, guard in places
                if access.array == name
            ]
            known = [distance for distance in found if distance is not None]
            how = f"RAW distance={min(known)} true" if known else "RAW false"
            if found and min(known, default=2) > 1:
                yield Pragma(f"dependence variable={text} type=inter direction={how}")

    def _named_loops(self) -> Iterator[tuple[Loop, str]]:
        """Yield the loops with the C++ names of their iterators."""
        return ((loop, self.iterator[loop.name]) for loop in self.node.loops)

    def _taken(self, wanted: str, scope: Names) -> str:
        name = self.names.unique(wanted)
        scope.take(name)
        return name

    def _copy(
        self, array: Array, source: Callable[[str], str], target: Callable[[str], str]
    ) -> Item:
        """Return a copy between two places, each of which makes an element of subscripts."""
        return element_loops(
            array.shape, self.names.unique, lambda place: f"{target(place)} = {source(place)};"
        )

    def _item(self, update: Statement) -> Iterator[Item]:
        element = self.process.arrays[update.target.array].element
        value = self.expression.text(update.value, element)
        statement = CppStatement(f"{self._place(update.target)} = {value};")
        if update.guard is None:
            yield statement
        else:
            yield If(self.expression.condition(update.guard), (statement,))

    def _place(self, access: Access) -> str:
        place = "".join(f"[{self._index(s)}]" for s in access.subscripts) or "[0]"
        state = self.state.get(access.array)
        if state is not None:
            return f"{state}{place}"
        return self.process.reads[self.node.name, access.array].element(place)

    def _index(self, value: Affine) -> str:
        check_dividends(value, self.node)
        names = {n: Affine.iterator(t) for n, t in self.iterator.items()}
        return str(self.counters.counted(value.substitute(names)))


def _declared(array: Array, name: str) -> CppStatement:
    """Return a local array; a register begins as zero: compilers can't tell that it is set."""
    start = " = {}" if array.size_elems == 1 else ""
    return CppStatement(f"{array.element} {name}{extents_text(array.shape)}{start};")


def _in(name: str) -> Callable[[str], str]:
    """Return the function from subscripts to an element of a local array."""
    return lambda subscripts: f"{name}{subscripts}"
