"""The kernel of a pipeline: every value with its lanes and its cycle, every access with its place.

Made once from a scheduled node; what prints it makes no more decisions. An iteration is ``ii``
cycles behind the one before; a stage is a cycle of an iteration. Streams are read in stage 1,
addresses of memories outside are there in stage 0 and their words in stage 2, local memories answer
in the stage that asks, and all that leaves does so in the last stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias, TypeVar

from streamopt.ir.network import Memory, TurnItem, TurnLoop, Turns
from streamopt.ir.program import Loop
from streamopt.rtl.kernel.conditions import ALWAYS, TileCondition
from streamopt.rtl.kernel.lane_places import HeldPlace
from streamopt.rtl.kernel.places import BankPlace, StreamPlace
from streamopt.rtl.kernel.sharing import SharedStart, TreeStep
from streamopt.rtl.kernel.subscripts import TileSum
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import NumberFormat
from streamopt.rtl.operators.product_pair import ProductPairLeaf

T = TypeVar("T")
LaneConditions: TypeAlias = tuple[TileCondition, ...]
"""When something happens: one condition for all lanes, or one for each, in row-major order."""
STREAM_STAGE = 1
"""In which streams are read."""
TURN = "turn"
"""Counter of the pipelines that take turns."""
FETCH_STAGE = 2
"""In which the word of an address of stage 0 is there: a memory has two registers."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number."""

    number: float


@dataclass(frozen=True, slots=True)
class Received:
    """A token of each stream of a FIFO."""

    fifo: str
    place: StreamPlace
    when: TileCondition


@dataclass(frozen=True, slots=True)
class Fetched:
    """Elements of a memory outside of the process."""

    memory: str
    place: BankPlace
    ports: int = 0
    """That its parts take in turn, a cycle after those before; 0 for one each."""


@dataclass(frozen=True, slots=True)
class Held:
    """Elements of a memory of a sequential node, or of one outside, one for each lane."""

    memory: str
    places: tuple[HeldPlace, ...]
    wait: int
    """Cycles from the address to the word: none from a register."""
    turn: int = 0
    """Whose it is, among pipelines that take turns."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """Elements of a local memory, or the values that are written there in the same cycle."""

    memory: str
    place: BankPlace
    new: str = ""
    """That value; empty where it is always the word."""
    when: TileCondition = ALWAYS
    """Iterations that write it."""

    @property
    def is_forwarded(self) -> bool:
        """Return whether it is always what is written, so that nothing reads the memory."""
        return bool(self.new) and self.when == ALWAYS


@dataclass(frozen=True, slots=True)
class Begun:
    """A partial value; in the first iterations of each element the start of the sum."""

    partial: str
    start: str
    first: TileCondition

    @property
    def operands(self) -> tuple[str, str]:
        """Return the names of the two."""
        return self.partial, self.start


@dataclass(frozen=True, slots=True)
class Holds:
    """Whether conditions on the loops hold."""

    whens: LaneConditions


@dataclass(frozen=True, slots=True)
class CountedIndex:
    """A sum over the loops, with a constant, in each lane."""

    sums: tuple[tuple[TileSum, int], ...]


@dataclass(frozen=True, slots=True)
class Masked:
    """A value in the lanes in which something is to be done, and another one in those that idle."""

    operand: str
    idle: str
    whens: LaneConditions

    @property
    def operands(self) -> tuple[str, str]:
        """Return the names of the two."""
        return self.operand, self.idle


@dataclass(frozen=True, slots=True)
class Computed:
    """An operator in every lane."""

    leaf: OperatorBlock
    operands: tuple[str, ...]
    starts: tuple[SharedStart, ...] = ()
    """By lane, where lanes share operators; none where each has its own."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Products of lanes that have a factor in common, two from one operator."""

    leaf: ProductPairLeaf
    common: str
    own: str
    """Names of the factors."""
    pairs: tuple[tuple[int, ...], ...]
    """Copies that come from one operation: two, or the last of an odd number."""
    starts: tuple[SharedStart, ...] = ()
    """By pair, where pairs share operators; none where each has its own."""

    def by_pair(self, common: Sequence[T], own: Sequence[T], none: T) -> list[tuple[T, T, T]]:
        """Return the factors that each operation takes, from those of all copies."""
        return [
            (common[pair[0]], own[pair[0]], own[pair[1]] if len(pair) > 1 else none)
            for pair in self.pairs
        ]


@dataclass(frozen=True, slots=True)
class LanesCombined:
    """A balanced tree of operators over some of the lanes of a value."""

    leaf: OperatorBlock
    operand: str
    over: tuple[str, ...]
    steps: tuple[TreeStep, ...] = ()
    """Where lanes share operators; none where each tree has its own."""

    def levels(self, trips: Mapping[str, int]) -> int:
        """Return the cycles from terms to a result where each tree has operators of its own."""
        terms = prod(trips[name] for name in self.over)
        return self.leaf.levels * (terms - 1).bit_length()


Source: TypeAlias = (
    Constant
    | Received
    | Fetched
    | Held
    | Recalled
    | Begun
    | Holds
    | CountedIndex
    | Masked
    | Computed
    | Paired
    | LanesCombined
)


def lateness(stages: Sequence[int]) -> tuple[int, ...]:
    """Return stages counted from the first; none where all are the same.

    Examples
    --------
    >>> lateness([4, 6, 5]), lateness([4, 4])
    ((0, 2, 1), ())
    """
    first = min(stages)
    return tuple(stage - first for stage in stages) if max(stages) > first else ()


@dataclass(frozen=True, slots=True)
class KernelValue:
    """A value of an iteration."""

    name: str
    form: NumberFormat
    lanes: tuple[str, ...]
    """Lanes that have one of their own."""
    stage: int
    """First cycle of an iteration in which it is there."""
    source: Source
    late: tuple[int, ...] = ()
    """By lane, the cycles after the first one; none where all lanes are there at once."""

    def ready(self, at: int) -> int:
        """Return the stage in which it is there in a lane."""
        return self.stage + self.late[at] if self.late else self.stage

    @property
    def last(self) -> int:
        """Return the stage in which it is there in all lanes."""
        return self.stage + max(self.late, default=0)


@dataclass(frozen=True, slots=True)
class LocalWrite:
    """A write to a local memory, in a stage."""

    memory: str
    place: BankPlace
    value: str
    stage: int
    whens: LaneConditions
    late: tuple[int, ...] = ()
    """As of a value."""


@dataclass(frozen=True, slots=True)
class Send:
    """A write to a FIFO or to a memory outside, in the last stage."""

    target: str
    place: StreamPlace | BankPlace
    value: str
    whens: LaneConditions


@dataclass(frozen=True, slots=True)
class HeldWrite:
    """A write to a memory of a sequential node, or to one outside, by the lanes that do."""

    memory: str
    places: tuple[HeldPlace, ...]
    """By the iterations of `lanes`; where several are one place, one of them writes at most."""
    lanes: tuple[str, ...]
    value: str
    stage: int
    whens: LaneConditions
    truth: str = ""
    """Name of a truth value that has to hold as well; empty for none."""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class BuiltTurns:
    """Pipelines that take turns, with visits as long as the kernel needs them.

    Attributes
    ----------
    port_cycles
        By pipeline; see `streamopt.ir.network.PipelineTiming`.
    together
        Values of pipelines that use the same operators in the same stage, the one with most lanes
        first: pairs (whose turn it is, name).
    """

    turns: Turns
    port_cycles: tuple[tuple[str, tuple[int, ...]], ...]
    together: tuple[tuple[tuple[int, str], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Kernel:
    """A pipeline as it is built, or several that take turns."""

    name: str
    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    ii: int
    depth_cycles: int
    values: tuple[KernelValue, ...]
    """Each behind those that it needs, but for partial values, which are the iteration's before."""
    stores: tuple[LocalWrite, ...]
    sends: tuple[Send | HeldWrite, ...]
    memories: tuple[Memory, ...]
    """Local ones."""
    built: BuiltTurns | None = None
    """Of several pipelines; `tiles` say how far counters go, and the first one whose turn it is."""

    def value(self, name: str) -> KernelValue:
        """Return the value of that name."""
        return next(value for value in self.values if value.name == name)

    @property
    def writes(self) -> tuple[HeldWrite, ...]:
        """Return the writes by lanes."""
        return tuple(send for send in self.sends if isinstance(send, HeldWrite))

    @property
    def most_slots(self) -> int:
        """Return more iterations than it has, with bubbles."""
        if self.built is None:
            return prod(tile.trip_count for tile in self.tiles)
        return sum(map(_most_slots, self.built.turns.items))

    def lane_counts(self, value: KernelValue) -> tuple[int, ...]:
        """Return the trip counts of a value's lanes."""
        trips = {loop.name: loop.trip_count for loop in self.lanes}
        return tuple(trips[name] for name in value.lanes)

    def keeps_words(self, memory: Memory) -> bool:
        """Return whether all accesses to a local memory are of whole words, at one place."""
        reads = [v.source for v in self.values if isinstance(v.source, Recalled)]
        writes = [store for store in self.stores if store.memory == memory.name]
        whole = all(
            store.place.is_word
            and len(store.whens) == 1
            and {*map(store.place.bank, filter(None, store.place.offsets))}
            == {*range(memory.banks)}
            for store in writes
        )
        if any(store.late for store in writes):
            return False
        places = (source.place for source in reads if source.memory == memory.name)
        return len(writes) == 1 and whole and all(place.is_word for place in places)


def _most_slots(item: TurnItem) -> int:
    if isinstance(item, TurnLoop):
        return item.loop.trip_count * sum(map(_most_slots, item.items)) + 1
    slots = 1
    for loop in reversed(item.loops):
        slots = loop.trip_count * slots + 1
    return max(slots, item.least_cycles, item.last_cycles)


def copy_positions(lanes: Sequence[str], own: Sequence[str], trips: Mapping[str, int]) -> list[int]:
    """Return which copy of a value with lanes of its own each iteration of some lanes takes."""
    found: list[int] = []
    for point in product(*(range(trips[lane]) for lane in lanes)):
        at = dict(zip(lanes, point, strict=True))
        place = 0
        for lane in own:
            place = place * trips[lane] + at[lane]
        found.append(place)
    return found


def pairs_of_copies(
    lanes: Sequence[str], paired: str, trips: Mapping[str, int]
) -> tuple[tuple[int, ...], ...]:
    """Return which copies of a value are pairs: neighbours along one of its lanes.

    Examples
    --------
    >>> pairs_of_copies(("i", "j"), "i", {"i": 3, "j": 2})
    ((0, 2), (1, 3), (4,), (5,))
    """
    inside = prod(trips[lane] for lane in lanes[lanes.index(paired) + 1 :])
    found: dict[tuple[int, int, int], list[int]] = {}
    for at in range(prod(trips[lane] for lane in lanes)):
        rest, inner = divmod(at, inside)
        outer, place = divmod(rest, trips[paired])
        found.setdefault((outer, place // 2, inner), []).append(at)
    return tuple(map(tuple, found.values()))
