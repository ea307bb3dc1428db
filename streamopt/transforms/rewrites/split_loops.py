"""Dimensions that are walked in two digits, as two dimensions; and the loops over them as two.

So both sides walk the array by plain iterators, which is what streams and what folds. The same
for ``j // 16`` and ``j % 16``, which are ``j_1`` and ``j_0``. A loop becomes two in its place,
so elements are combined in the order in which they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.rebuilding import accesses, with_accesses, with_parts, with_subscripts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.mixed_radix import digits, substituted


@dataclass(frozen=True, slots=True)
class SplitLoops(GraphRewrite):
    """Dimensions and loops split where an access has digits.

    Before: ``q[i][j] += x[i][k] * w[k][j]; s[h][i] += q[i][16 * h + k]``
    After:  ``q[i][j_1][j_0] += x[i][k] * w[k][16 * j_1 + j_0]; s[h][i] += q[i][h][k]``

    A split is made with all that follows from it, or not at all: every internal array whose
    dimension a split loop walks gets the same digits, and so do all loops that walk it. None is
    made that a sequential node, a window or a boundary array read as a channel would have to
    follow. Inputs, weights and outputs keep their shapes.
    """

    most_loops: int = 6
    """Of a node whose loop is split: a node of d loops has d! orders to choose from."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with digits as dimensions and loops."""
        now = DigitSplit.of(graph, self.most_loops)
        changed = True
        while changed:
            changed = False
            for name in now.nodes:
                while (later := _step(now, name)) is not None:
                    now, changed = later, True
        if now.nodes == {node.name: node for node in graph.nodes}:
            return graph
        return with_parts(graph, now.arrays.values(), now.nodes.values())


def _step(now: DigitSplit, name: str) -> DigitSplit | None:
    """Return the graph after the first split that an access of a node asks for and that works."""
    node = now.nodes[name]
    for array, at, radix in _digit_dimensions(now, node):
        trial = now.copy()
        if trial.dimension(array, at, radix) and trial.settled():
            return trial
    for loop, low in _digit_loops(node):
        trial = now.copy()
        made = trial.loop(name, loop, low) and _bends(trial.nodes[name]) < _bends(node)
        if made and trial.settled():
            return trial
    return None


def _digit_dimensions(now: DigitSplit, node: Node) -> Iterator[tuple[str, int, int]]:
    """Yield (array, dimension, radix) of linear subscripts with two digits that both vary."""
    trips = node.trip_counts
    for access in accesses(node):
        for at, subscript in enumerate(access.subscripts):
            if not subscript.is_linear:
                continue
            for radix in sorted({abs(factor) for _, factor in subscript.terms}, reverse=True):
                found = None if radix == 1 else digits(subscript, radix, trips)
                if found is not None and all(digit.terms for digit in found):
                    yield access.array, at, radix


def _digit_loops(node: Node) -> Iterator[tuple[str, int]]:
    """Yield (loop, extent of its low digit) of iterators that are divided."""
    trips = node.trip_counts
    for access in accesses(node):
        for subscript in access.subscripts:
            for atom, _ in subscript.terms:
                if isinstance(atom, Iter):
                    continue
                for inner, factor in atom.value.terms:
                    if not isinstance(inner, Iter) or factor < 1 or atom.divisor % factor:
                        continue
                    low = atom.divisor // factor
                    if 1 < low < trips[inner.name]:
                        yield inner.name, low


def _bends(node: Node) -> int:
    """Return how many divisions and remainders the subscripts of a node have."""
    return sum(
        not isinstance(atom, Iter)
        for access in accesses(node)
        for subscript in access.subscripts
        for atom, _ in subscript.terms
    )


@dataclass(slots=True)
class DigitSplit:
    """A graph in which dimensions or loops were split, and what else has to be split with them."""

    arrays: dict[str, Array]
    nodes: dict[str, Node]
    users: Mapping[str, tuple[str, ...]]
    """Names of the nodes that write or read each array."""
    most_loops: int
    parts: dict[tuple[str, str], tuple[str, str]] = field(
        default_factory=dict[tuple[str, str], tuple[str, str]]
    )
    """High and low digit of each loop that was split, by (node, loop)."""

    @staticmethod
    def of(graph: Graph, most_loops: int) -> DigitSplit:
        """Return a graph without any split."""
        users: dict[str, dict[str, None]] = {array.name: {} for array in graph.arrays}
        for node in graph.nodes:
            for array in (*node.outputs, *node.inputs):
                users[array][node.name] = None
        return DigitSplit(
            {array.name: array for array in graph.arrays},
            {node.name: node for node in graph.nodes},
            {array: tuple(names) for array, names in users.items()},
            most_loops,
        )

    def copy(self) -> DigitSplit:
        """Return the same with nothing left to settle."""
        return DigitSplit(dict(self.arrays), dict(self.nodes), self.users, self.most_loops)

    def loop(self, name: str, loop: str, low: int) -> bool:
        """Split a loop of a node in two, of which the inner one has ``low`` iterations."""
        node = self.nodes[name]
        trips = node.trip_counts
        whole = isinstance(node, SequentialNode) or trips[loop] % low
        if whole or low in (1, trips[loop]) or len(node.loops) >= self.most_loops:
            return False
        high_name, low_name = self._digit_names(node, loop)
        made = {high_name: trips[loop] // low, low_name: low}
        value = Affine(((Iter(high_name), low), (Iter(low_name), 1)))
        loops = [
            Loop(part, extent)
            for old in node.loops
            for part, extent in (made if old.name == loop else {old.name: old.trip_count}).items()
        ]
        order = {part.name: part.trip_count for part in loops}

        def moved(part: Affine) -> Affine:
            if loop not in part.iterators():
                return part
            return substituted(part, {loop: value}, order).ordered(tuple(order))

        changed = replace(node, loops=tuple(loops))
        self.nodes[name] = with_subscripts(changed, moved)
        self.parts[name, loop] = high_name, low_name
        return True

    def dimension(self, array: str, at: int, radix: int) -> bool:
        """Split a dimension of an internal array in two, of which the second has ``radix``."""
        old = self.arrays[array]
        extent = old.shape[at]
        if old.role is not Role.INTERNAL or extent % radix or radix in (1, extent):
            return False
        for name in self.users[array]:
            if not self._has_digits(name, array, at, radix):
                return False
        shape = (*old.shape[:at], extent // radix, radix, *old.shape[at + 1 :])
        self.arrays[array] = replace(old, shape=shape)
        for name in self.users[array]:
            node = self.nodes[name]
            self.nodes[name] = _with_digits(node, array, at, radix)
        return True

    def settled(self) -> bool:
        """Split all dimensions that a split loop walks; tell whether that worked."""
        while (open_one := self._open_dimension()) is not None:
            array, at, radix = open_one
            if not self.dimension(array, at, radix):
                return False
        return True

    def _digit_names(self, node: Node, loop: str) -> tuple[str, str]:
        taken = {*node.trip_counts, *self.arrays}
        candidates = (f"{loop}_" if n == 0 else f"{loop}{n}_" for n in count())
        stem = next(s for s in candidates if not taken & {f"{s}1", f"{s}0"})
        return f"{stem}1", f"{stem}0"

    def _has_digits(self, name: str, array: str, at: int, radix: int) -> bool:
        """Split loops of a node until all its subscripts of a dimension have two digits."""
        while True:
            node = self.nodes[name]
            if isinstance(node, SequentialNode):
                return False
            subscripts = (a.subscripts[at] for a in accesses(node) if a.array == array)
            crooked = [s for s in subscripts if digits(s, radix, node.trip_counts) is None]
            if not crooked:
                return True
            wanted = _digit_loop(crooked[0], radix, node.trip_counts)
            if wanted is None or not self.loop(name, *wanted):
                return False

    def _open_dimension(self) -> tuple[str, int, int] | None:
        """Return (array, dimension, radix) of a channel in which both parts of a loop stand."""
        for (name, _), (high, low) in self.parts.items():
            highs, lows = self._leaves(name, high), self._leaves(name, low)
            for access in accesses(self.nodes[name]):
                if not self._is_channel(access.array):
                    continue
                for at, subscript in enumerate(access.subscripts):
                    factors = {name: abs(by) for name, by in subscript.factors.items()}
                    found = [factors[part] for part in highs if part in factors]
                    if found and any(part in factors for part in lows):
                        return access.array, at, min(found)
        return None

    def _is_channel(self, array: str) -> bool:
        return not self.arrays[array].is_given and len(self.users[array]) > 1

    def _leaves(self, name: str, loop: str) -> tuple[str, ...]:
        parts = self.parts.get((name, loop))
        if parts is None:
            return (loop,)
        return tuple(leaf for part in parts for leaf in self._leaves(name, part))


def _digit_loop(
    subscript: Affine, radix: int, trip_counts: Mapping[str, int]
) -> tuple[str, int] | None:
    """Return (loop, extent of its low digit) whose split brings a subscript nearer to digits."""
    for atom, factor in subscript.terms:
        if isinstance(atom, Iter) and 0 < factor < radix and radix % factor == 0:
            low = radix // factor
            if low < trip_counts[atom.name]:
                return atom.name, low
    return None


def _with_digits(node: Node, array: str, at: int, radix: int) -> Node:
    trips = node.trip_counts

    def moved(access: Access) -> Access:
        if access.array != array:
            return access
        found = digits(access.subscripts[at], radix, trips)
        assert found is not None
        before, after = access.subscripts[:at], access.subscripts[at + 1 :]
        return Access(array, (*before, *found, *after))

    return with_accesses(node, moved)
