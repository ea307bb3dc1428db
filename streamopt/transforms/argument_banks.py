"""How arrays at the boundary are split: a bank for each element of an iteration, or fewer.

Every bank of an argument is a memory port of the top function, with some 40 pins. The most banks
of one argument in a published report are 625 (9,024 DSPs), and 256 in those of one SLR. A limit
makes several lanes share a bank, in turns: both of its ports, in each cycle of the initiation
interval. Then no bank is chosen by an index that moves: factors divide what tile loops move by.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import gcd, prod
from operator import le, mul
from types import MappingProxyType

from streamopt.ir.affine import Affine
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Role
from streamopt.ir.scheduled import ArrayPartition
from streamopt.ir.stepping.stepped import Transfer
from streamopt.transforms.partitions import (
    PORTS,
    Factors,
    Use,
    cyclic_factors,
    fullest_bank,
    moves_by,
    touched_elems,
    writes_of,
)
from streamopt.transforms.stepped.transfers import outside_factors

Loads = tuple[int, ...]
"""Of each use: the most elements of a bank that an iteration touches."""


@dataclass(frozen=True, slots=True)
class _Split:
    """Factors of the first dimensions, with what the fullest bank holds of each use."""

    factors: tuple[int, ...]
    loads: Loads

    @property
    def banks(self) -> int:
        return prod(self.factors)


def boundary_partitions(
    graph: Graph,
    factors: Mapping[str, Factors],
    most_banks: int | None = None,
    tables: Collection[str] = (),
    copied: Mapping[str, Sequence[Transfer]] = MappingProxyType({}),
) -> tuple[ArrayPartition, ...]:
    """Return the partitions of the boundary arrays that some node touches.

    Parameters
    ----------
    most_banks
        Of an argument; None for one for each element that an iteration touches.
    tables
        Arrays that are no arguments: these have no limit.
    copied
        Copies of arrays into sequential nodes and out of them. They take the banks that others
        need, if there are others.
    """
    found: list[ArrayPartition] = []
    for array in graph.arrays:
        uses = writes_of(graph, array.name, factors)
        touched = any(array.name in (*node.inputs, *node.outputs) for node in graph.nodes)
        if array.is_given:
            uses += [
                (access, node, factors[node.name])
                for node in graph.nodes
                if not isinstance(node, SequentialNode)
                for access in node.reads_of(array.name)
            ]
        if touched and array.role is not Role.INTERNAL:
            most = None if array.name in tables else most_banks
            if not uses and array.name in copied:
                factors_of = outside_factors(copied[array.name], most)[: len(array.shape)]
                found.append(ArrayPartition(array.name, factors_of))
                continue
            found.append(ArrayPartition(array.name, _factors(array, uses, most)))
    return tuple(found)


def in_words(graph: Graph, array: str) -> bool:
    """Return whether the elements that an iteration reads of an array may be one word.

    So they are where one node reads it at one place, by plain iterators: then all banks are at
    one address in each cycle.
    """
    readers = [node for node in graph.nodes if array in node.inputs]
    if len(readers) != 1 or isinstance(readers[0], SequentialNode):
        return False
    places = {access.subscripts for access in readers[0].reads_of(array)}
    if len(places) != 1:
        return False
    (place,) = places
    names = [subscript.as_iterator() for subscript in place if subscript.terms]
    return None not in names and len(set(names)) == len(names)


def argument_load(array: Array, node: Node, factors: Factors, most_banks: int | None = None) -> int:
    """Return the most elements of a bank that one iteration touches, of an argument of one node."""
    accesses = [*node.reads_of(array.name)]
    if node.write.array == array.name:
        accesses.append(node.write)
    uses = [(access, node, factors) for access in dict.fromkeys(accesses)]
    return bank_load(uses, _factors(array, uses, most_banks))


def bank_load(uses: Sequence[Use], banks: Sequence[int]) -> int:
    """Return the most elements of a bank that uses touch at once.

    Uses that differ by constants, ``A[i]`` and ``A[i + 1]`` of some lanes, have elements in common.
    """
    alike: dict[object, list[Use]] = {}
    for use in uses:
        key = use[1].name, tuple(subscript.terms for subscript in use[0].subscripts)
        alike.setdefault(key, []).append(use)
    return sum(_load_of_alike(own, banks) for own in alike.values())


def _load_of_alike(uses: Sequence[Use], banks: Sequence[int]) -> int:
    """Return the most elements of a bank that uses of one form touch, or a little more.

    Of the box around all of them, if that is fewer than of each by itself.
    """
    apart = sum(prod(map(_load, use[0].subscripts, repeat(use), banks)) for use in uses)
    if len(uses) == 1:
        return apart
    access, node, factors = uses[0]
    around = 1
    for at, (subscript, count) in enumerate(zip(access.subscripts, banks, strict=True)):
        starts = tuple(sorted({use[0].subscripts[at].constant for use in uses}))
        if len(starts) == 1:
            around *= _load(subscript, uses[0], count)
        else:
            around *= fullest_bank(subscript, node, factors, count, starts)
    return min(apart, around)


def _factors(array: Array, uses: Sequence[Use], most_banks: int | None) -> tuple[int, ...]:
    found = cyclic_factors(array.shape, uses, _banks)
    return found if most_banks is None else static_factors(found, uses, most_banks)


def static_factors(
    wanted: tuple[int, ...], uses: Sequence[Use], most_banks: int
) -> tuple[int, ...]:
    """Return factors of so few banks, none above those wanted, that fill the fullest bank least."""
    kept: list[_Split] = [_Split((), (1,) * len(uses))]
    for at, most in enumerate(wanted):
        choices = [*_choices(at, min(most, most_banks), uses)]
        longer = (
            _Split((*split.factors, banks), tuple(map(mul, split.loads, loads)))
            for split in kept
            for banks, loads in choices
            if split.banks * banks <= most_banks
        )
        kept = _undominated(longer)
    return min(kept, key=lambda split: (_most_at_once(split.loads, uses), split.banks)).factors


def _choices(at: int, most: int, uses: Sequence[Use]) -> Iterator[tuple[int, Loads]]:
    """Yield the banks along a dimension that each lane knows beforehand, with what they hold."""
    least: Loads | None = None
    is_linear = all(access.subscripts[at].is_linear for access, _, _ in uses)
    round_elems = gcd(*(step for use in uses for step in _steps(at, use)))  # 0 if none moves
    for banks in range(1, most + 1 if is_linear else 2):
        if round_elems % banks == 0:
            loads = tuple(_load(use[0].subscripts[at], use, banks) for use in uses)
            if loads != least:
                least = loads
                yield banks, loads


def _steps(at: int, use: Use) -> Iterator[int]:
    """Yield what tile loops move a subscript by."""
    access, node, factors = use
    trips = node.built_trip_counts
    for name, by in access.subscripts[at].factors.items():
        if trips[name] > factors[name]:
            yield by * factors[name]


def _undominated(splits: Iterable[_Split]) -> list[_Split]:
    """Return the splits than which no other has as few banks and no fuller ones."""
    kept: list[_Split] = []
    for split in sorted(splits, key=lambda split: (split.banks, sum(split.loads))):
        # the last one is the emptiest where there is one use
        others = kept if len(split.loads) > 1 else kept[-1:]
        if not any(all(map(le, other.loads, split.loads)) for other in others):
            kept.append(split)
    return kept


def _most_at_once(loads: Loads, uses: Sequence[Use]) -> int:
    """Return the most elements of a bank that the iteration of one node touches."""
    by_node: Counter[str] = Counter()
    for load, (_, node, _) in zip(loads, uses, strict=True):
        by_node[node.name] += load
    return max(by_node.values(), default=1)


def _load(subscript: Affine, use: Use, banks: int) -> int:
    _, node, factors = use
    return fullest_bank(subscript, node, factors, banks)


def _banks(subscript: Affine, node: Node, factors: Factors) -> int:
    """Return the banks of an argument along one dimension: one for each element touched at once.

    A window whose lanes overlap, ``A[4 * i + lane + k]`` with all k at once, moves by less than
    it touches: it takes as many banks as it moves by, if their ports suffice.
    """
    count = touched_elems(subscript, node, factors)
    if moves_by(subscript, node, factors, count):
        return count
    trips, moved = node.built_trip_counts, subscript.factors.items()
    steps = [by * factors[name] for name, by in moved if trips[name] > factors[name]]
    reach = 1 + sum(abs(by) * (factors[name] - 1) for name, by in moved)
    banks = gcd(*steps)
    return banks if subscript.is_linear and min(count, reach) <= PORTS * banks else count
