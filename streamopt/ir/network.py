"""A network: the hardware of a design as loops, accesses and operations, ready to be timed.

It is what the rules of `streamopt.perf` judge, what `streamopt.sim` runs, and what both a
scheduled graph and a published design are lowered to. A process runs its pipelines one after
another; a pipeline is one flattened nest of tile loops around fully unrolled lanes. Names of
memories and FIFOs are unique in the network, names of values in a pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.ports import RamBlock
from streamopt.ir.text import affine_text, expression_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.errors import SourceLoc
    from streamopt.ir.affine import Affine
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Condition
    from streamopt.ir.operators import BinaryOp, CompareOp, LogicOp, Operator
    from streamopt.ir.program import Loop
    from streamopt.ir.stepping.steps import StepLoop


class Place(StrEnum):
    """The use of a memory."""

    ARGUMENT = "argument"
    """Crosses the design's boundary; there from the start unless a process writes it."""
    OFF_CHIP = "off_chip"
    """Outside, behind a port that one process moves it through."""
    PING_PONG = "ping_pong"
    """Two banks between one process and the next, which starts when the first has ended."""
    LOCAL = "local"
    """Inside one process."""
    ROM = "rom"
    """A table of values that are known, in each process that reads it."""
    RESIDENT = "resident"
    """Filled before the first frame, and read by one process or more."""


class AccessMode(StrEnum):
    """Direction of an access."""

    READ = "read"
    WRITE = "write"


class Implementation(StrEnum):
    """The parts that an operator is built from, as ``bind_op`` of Vitis HLS names them."""

    FABRIC = "fabric"
    """LUTs alone."""
    MEDDSP = "meddsp"
    FULLDSP = "fulldsp"
    MAXDSP = "maxdsp"
    PACKED = "packed"
    """Two products of narrow integers that share a factor, in one DSP: no name of the tool's."""


BLOCK_NAMES = {RamBlock.BRAM: "block RAM", RamBlock.URAM: "UltraRAM", RamBlock.LUTRAM: "LUTs"}


@dataclass(frozen=True, slots=True)
class Memory:
    """An array in memory."""

    name: str
    place: Place
    element: ElementType
    shape: tuple[int, ...]
    factors: tuple[int, ...]
    """Cyclic partition factor of each dimension; all 1 where the source has no pragma."""
    channels: tuple[str, ...] = ()
    """Channels that hold equal parts of an array off the chip, each behind its port; "" where that
    isn't said. None for streams, and for others."""
    chosen: tuple[int, ...] = ()
    """Dimensions whose banks are all read at one place, so that multiplexers choose a value."""
    tool_splits: bool = False
    """Whether the vendor's tool splits it as lanes need: so does Vitis HLS with arrays inside the
    published designs that have no pragma, and with those of the paper's levels."""
    block: RamBlock | None = None
    """That the source binds it to; else the tool chooses."""
    in_words: tuple[int, ...] = ()
    """Dimensions whose banks are parts of one word, as every iteration touches all of them
    (``array_reshape`` of Vitis HLS)."""

    def __str__(self) -> str:
        """Return one line: place, shape, type and partition factors."""
        extents = "".join(f"[{extent}]" for extent in self.shape)
        factors = f", factors {' x '.join(map(str, self.factors))}" if self.is_partitioned else ""
        channels = f", behind {', '.join(self.channels)}" if any(self.channels) else ""
        chosen = "".join(f", chosen along {at + 1}" for at in self.chosen)
        bound = f", in {BLOCK_NAMES[self.block]}" if self.block else ""
        words = "".join(f", in words along {at + 1}" for at in self.in_words)
        told = f"{factors}{words}{chosen}{channels}{bound}"
        return f"{self.place} {self.name}{extents}: {self.element}{told}"

    @property
    def is_partitioned(self) -> bool:
        """Return whether the source splits it."""
        return any(factor > 1 for factor in self.factors)

    @property
    def banks(self) -> int:
        """Return the parts that it is split into."""
        return prod(self.factors)

    @property
    def parts_of_word(self) -> int:
        """Return the banks that are parts of one word."""
        return prod(self.factors[at] for at in self.in_words)


LEAST_DEPTH_ELEMS = 2
"""Of a FIFO: Vitis HLS' default. One slot would halve the rate, as it is free the cycle after."""


@dataclass(frozen=True, slots=True)
class Fifo:
    """A group of streams, one for each lane."""

    name: str
    element: ElementType
    lanes: tuple[int, ...]
    """Streams along each dimension; empty for one stream."""
    depth_elems: int
    """Elements that each stream holds; at least 1."""
    block: RamBlock | None = None
    """As for a memory."""

    def __str__(self) -> str:
        """Return one line: streams along each dimension, type and depth."""
        lanes = "".join(f"[{count}]" for count in self.lanes)
        bound = f", in {BLOCK_NAMES[self.block]}" if self.block else ""
        return f"fifo {self.name}{lanes}: {self.element}, {self.depth_elems} deep{bound}"


@dataclass(frozen=True, slots=True)
class Port:
    """One access in the body of a pipeline."""

    mode: AccessMode
    target: str
    """A memory, with the subscripts of its element; or a FIFO, with those of the stream."""
    subscripts: tuple[Affine, ...]
    """Over tile iterators and lane iterators, one for each dimension."""
    value: str
    """Name of the value that it brings or takes."""
    guard: Condition | None = None
    """Affine condition under which it happens; None for always."""

    def __str__(self) -> str:
        """Return ``value = A[i]`` of a read and ``A[i] = value`` of a write."""
        place = self.target + "".join(f"[{affine_text(index)}]" for index in self.subscripts)
        sides = (self.value, place) if self.mode is AccessMode.READ else (place, self.value)
        guard = "" if self.guard is None else f" if {expression_text(self.guard)}"
        return f"{' = '.join(sides)}{guard}"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The result of an operation, exactly: what its operator and its width leave open."""

    symbol: BinaryOp | CompareOp | LogicOp | None
    """Which operation on bits, which comparison or connective."""
    operands: tuple[ElementType, ...]
    """Types that they are converted to."""
    element: ElementType
    """In which the program computes it, however wide the operator is built."""


@dataclass(frozen=True, slots=True)
class Operation:
    """``result = operator(operands)`` in every lane, in ``element`` arithmetic."""

    operator: Operator
    element: ElementType
    operands: tuple[str, ...]
    """Names of values; what no access or operation of the pipeline makes is a constant."""
    result: str
    implementation: Implementation | None = None
    """Its resources where the design asks for them; None for the tool's choice."""
    over: tuple[str, ...] = ()
    """Lanes whose values of its one operand it combines to one, in a balanced tree of operators;
    empty for one operator in every lane."""
    meaning: Meaning | None = field(default=None, compare=False, repr=False)
    """None where all is in ``element``, and in designs that others made."""

    def __str__(self) -> str:
        """Return ``t0 = mul<float>(v0, v1)``, with its lanes and what it is built from, if said."""
        over = f" over {', '.join(self.over)}" if self.over else ""
        built = "" if self.implementation is None else f" in {self.implementation}"
        operands = ", ".join(self.operands)
        return f"{self.result} = {self.operator}<{self.element}>({operands}){over}{built}"


@dataclass(frozen=True, slots=True)
class PartialTile:
    """A tile loop whose last iteration has work for the first of its lanes only."""

    # tile, lane: the loops' iterators
    tile: str
    lane: str
    last_tile: int
    """Value of the tile iterator in the last iteration."""
    last_lanes: int
    """Lanes that do something then; the others do nothing at all."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A flattened nest of tile loops, outermost first, whose body is pipelined."""

    name: str
    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    """Fully unrolled loops of the body."""
    # ports, operations: in program order
    ports: tuple[Port, ...]
    operations: tuple[Operation, ...]
    loc: SourceLoc | None = None
    partial_tiles: tuple[PartialTile, ...] = ()
    """Where unroll factors don't divide trip counts. Every lane does something in the first
    iteration, and at the last index of a loop, so what lanes ask for at most is the same."""
    target_ii: int = 1
    """Initiation interval that the design asks for."""
    reassociates: bool = False
    """Whether the tool may add floats in another order than the source (``config_compile
    -unsafe_math_optimizations``), and so balances the chains of its sums."""
    counts_digits: bool = False
    """Whether quotients and remainders of indices are counted along the tile loops, not divided."""

    @property
    def iterations(self) -> int:
        """Return the trip count of the flattened loop."""
        return prod(loop.trip_count for loop in self.tiles)

    @property
    def copies(self) -> int:
        """Return the copies of the body that work in parallel."""
        return prod(loop.trip_count for loop in self.lanes)

    def walked(self, target: str) -> set[str]:
        """Return the loops and lanes that move in a target."""
        places = (port.subscripts for port in self.ports if port.target == target)
        return {name for place in places for subscript in place for name in subscript.iterators()}

    def moved_lanes(self, target: str) -> tuple[Loop, ...]:
        """Return the lanes that have elements of their own of a target; others take the same."""
        used = self.walked(target)
        return tuple(loop for loop in self.lanes if loop.name in used)

    def moved_elems(self, target: str) -> int:
        """Return the elements of a target that an iteration touches by each port."""
        return prod(loop.trip_count for loop in self.moved_lanes(target))

    def is_again(self, target: str) -> bool:
        """Return whether it touches a target as a whole several times."""
        return not {t.name for t in self.tiles if t.trip_count > 1} <= self.walked(target)

    def __str__(self) -> str:
        """Return one line: tile loops, lanes, accesses, then operations."""
        lanes = f"lanes {', '.join(map(str, self.lanes))}" if self.lanes else ""
        tiles = self.partial_tiles
        partial = (f"{p.lane} to {p.last_lanes} at {p.tile} {p.last_tile}" for p in tiles)
        target = f"ii {self.target_ii}" if self.target_ii != 1 else ""
        steps = (", ".join(map(str, some)) for some in (self.ports, self.operations))
        parts = (", ".join(map(str, self.tiles)), lanes, ", ".join(partial), target, *steps)
        return f"{self.name}: {'; '.join(part for part in parts if part)}"


@dataclass(frozen=True, slots=True)
class Turn:
    """One of the pipelines that take turns.

    Attributes
    ----------
    loops
        Its tile loops, outermost first, with bounds over the loops around. Those of a visit have no
        order among their iterations.
    least_cycles, last_cycles
        From the start of a visit to that of the next one, of any pipeline, at least; the latter in
        the last iteration of the innermost loop around, too.
    like
        Earlier pipeline of these whose operators it uses; empty if it has its own.
    window_bits
        Of registers that keep what it fetched for later iterations; 0 where it uses another's.
    """

    pipeline: str
    loops: tuple[StepLoop, ...]
    least_cycles: int = 1
    like: str = ""
    last_cycles: int = 1
    window_bits: int = 0


@dataclass(frozen=True, slots=True)
class TurnLoop:
    """A loop around pipelines that take turns; its iterations run in order."""

    loop: StepLoop
    items: tuple[TurnItem, ...]


TurnItem: TypeAlias = TurnLoop | Turn


@dataclass(frozen=True, slots=True)
class Turns:
    """Pipelines of one process that take turns as one flattened pipeline of one interval.

    An iteration starts every ``ii`` cycles; a visit to a pipeline whose iterations are over before
    its ``least_cycles`` are waits for these. Subscripts and guards of its pipelines are over the
    iterators of the loops around, too.
    """

    name: str
    items: tuple[TurnItem, ...]
    ii: int = 1

    @property
    def pipelines(self) -> tuple[str, ...]:
        """Return the names of its pipelines, in order."""
        return tuple(turn.pipeline for turn in turns_among(self.items))


def turns_among(items: tuple[TurnItem, ...]) -> Iterator[Turn]:
    """Yield the pipelines that take turns, in order."""
    for item in items:
        if isinstance(item, Turn):
            yield item
        else:
            yield from turns_among(item.items)


@dataclass(frozen=True, slots=True)
class Process:
    """One function of the dataflow region; its pipelines run one after another."""

    name: str
    pipelines: tuple[Pipeline, ...]
    turns: tuple[Turns, ...] = ()
    """Those of its pipelines that take turns instead; they stand together in ``pipelines``."""

    @property
    def targets(self) -> frozenset[str]:
        """Return the memories and FIFOs that it touches."""
        return frozenset(port.target for p in self.pipelines for port in p.ports)


@dataclass(frozen=True, slots=True)
class Network:
    """Processes, each behind those that write its inputs; what joins them; how often all run."""

    name: str
    processes: tuple[Process, ...]
    memories: tuple[Memory, ...]
    fifos: tuple[Fifo, ...]
    passes: int = 1

    def __str__(self) -> str:
        """Return a line for each memory, FIFO, process and pipeline."""
        lines = [f"network {self.name}", *map(str, (*self.memories, *self.fifos))]
        for process in self.processes:
            lines += [f"process {process.name}", *(f"  {each}" for each in process.pipelines)]
        return "\n".join(lines)

    @property
    def pipelines(self) -> tuple[Pipeline, ...]:
        """Return the pipelines of all processes; their names are unique."""
        return tuple(pipeline for process in self.processes for pipeline in process.pipelines)

    def with_pipelines(self, change: Callable[[Pipeline], Pipeline]) -> Network:
        """Return the network with each of its pipelines changed."""
        processes = (replace(p, pipelines=tuple(map(change, p.pipelines))) for p in self.processes)
        return replace(self, processes=tuple(processes))


@dataclass(frozen=True, slots=True)
class PipelineTiming:
    """How a pipeline runs."""

    # between the starts of two iterations, and of one (Vitis' "iteration latency"), at least 1
    ii: int
    depth_cycles: int
    port_cycles: tuple[int, ...] = ()
    """By port, of pipelines that take turns: the cycle of an iteration in which a read takes its
    element, or the first in which a read would find what a write brings. Empty if not known."""
    answer_cycles: int = 0
    """From its end to the answer of memory off the chip that it writes, if a frame waits for it."""
    word_cycles: int = 1
    """In which an iteration's part of a stream from outside comes, from the start on."""
