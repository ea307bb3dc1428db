"""Dimensions that are walked in two digits, as two dimensions; and the loops over them as two.

So both sides walk the array by plain iterators, which is what streams and what folds. The same
for ``j // 16`` and ``j % 16``, which are ``j_1`` and ``j_0``. A loop becomes two in its place,
so elements are combined in the order in which they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, permutations

from streamopt.ir.affine import Affine, FloorDiv, Iter
from streamopt.ir.algebra.divisions import recombined
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.rebuilding import accesses, with_accesses, with_parts, with_subscripts
from streamopt.transforms.restructure.loops.joined_loops import number_of
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.mixed_radix import digits, substituted

_JOINED = 2
"""Loops that a node may have beyond the most, until some are joined."""


@dataclass(frozen=True, slots=True)
class SplitLoops(GraphRewrite):
    """Dimensions and loops split where an access has digits.

    Before: ``q[i][j] += x[i][k] * w[k][j]; s[h][i] += q[i][16 * h + k]``
    After:  ``q[i][j_1][j_0] += x[i][k] * w[k][16 * j_1 + j_0]; s[h][i] += q[i][h][k]``

    Two dimensions that all readers walk by the digits of one number become one, and so do the loops
    that write them: pixels that were channels, ``up[k % 2][k // 2]``, are ``up[k]``.

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
        if trial.dimension(array, at, radix) and trial.settled() and _joined(trial, now):
            return trial
    for loop, low in _digit_loops(node):
        trial = now.copy()
        made = trial.loop(name, loop, low) and _bends(trial.nodes[name]) < _bends(node)
        if made and trial.settled() and _joined(trial, now):
            return trial
    return None


def _joined(trial: DigitSplit, before: DigitSplit) -> bool:
    """Join what all readers walk as one; tell whether no node has too many loops then."""
    for array in trial.arrays:
        trial.join(array)
    return all(
        len(node.loops) <= max(trial.most_loops, len(before.nodes[name].loops))
        for name, node in trial.nodes.items()
    )


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
        many = len(node.loops) >= self.most_loops + _JOINED
        if whole or many or low in (1, trips[loop]):
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

    def join(self, array: str) -> None:
        """Make one dimension of two of an internal array, wherever all readers walk it as one."""
        while (found := self._joint(array)) is not None:
            old, (high, low) = self.arrays[array], found
            radix = old.shape[low]
            shape = [radix * e if at == high else e for at, e in enumerate(old.shape)]
            for name in self.users[array]:
                changed = _with_number(self.nodes[name], array, found, radix)
                at = high - (low < high)
                self.nodes[name] = _with_joined_loops(changed, array, at, shape[high])
            self.arrays[array] = replace(old, shape=(*shape[:low], *shape[low + 1 :]))

    def _joint(self, array: str) -> tuple[int, int] | None:
        """Return the dimensions of the high and the low digit of a number."""
        shape, users = self.arrays[array].shape, [self.nodes[name] for name in self.users[array]]
        if not self._is_channel(array) or any(isinstance(node, SequentialNode) for node in users):
            return None
        reads = [a.subscripts for node in users for a in node.reads if a.array == array]
        for high, low in permutations(range(len(shape)), 2):
            if reads and all(_are_digits(read[high], read[low], shape[low]) for read in reads):
                return high, low
        return None

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


def _are_digits(high: Affine, low: Affine, radix: int) -> bool:
    """Return whether two subscripts are the quotient and the remainder of one number.

    Not so the middle digit of three: rows of a tensor that is read flat stay rows.
    """
    return any(
        isinstance(atom, FloorDiv)
        and (factor, atom.divisor) == (1, radix)
        and low == atom.value.mod(radix)
        for atom, factor in high.terms
    )


def _with_number(node: Node, array: str, digits_at: tuple[int, int], radix: int) -> Node:
    high, low = digits_at

    def moved(access: Access) -> Access:
        if access.array != array:
            return access
        subscripts = [*access.subscripts]
        subscripts[high] = recombined(subscripts[high].scaled(radix) + subscripts[low])
        del subscripts[low]
        return Access(array, tuple(subscripts))

    return with_accesses(node, moved)


def _with_joined_loops(node: Node, array: str, at: int, extent: int) -> Node:
    """Return a node with one loop for the digits of a dimension that it writes."""
    if node.write.array != array:
        return node
    hulls = {name: (0, trips) for name, trips in node.trip_counts.items()}
    joined = number_of(node.write.subscripts[at], hulls, extent)
    if joined is None:
        return node
    first, *lower = joined.values
    loops = (
        Loop(first, extent) if loop.name == first else loop
        for loop in node.loops
        if loop.name not in lower
    )
    return with_subscripts(replace(node, loops=tuple(loops)), joined.moved)


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
