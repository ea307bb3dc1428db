"""Parts of the kernel of a sequential node while its phases are made, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from streamopt.analysis.phase_reads import Guarded
from streamopt.ir.affine import Affine
from streamopt.ir.network import Memory, Place
from streamopt.ir.program import Array, Loop
from streamopt.ir.scheduled import ScheduledNode
from streamopt.ir.stepping.stepped import SteppedNest
from streamopt.rtl.kernel.accesses import PortAccesses
from streamopt.rtl.kernel.kernel import HeldWrite
from streamopt.rtl.kernel.values import ValueList


@dataclass(frozen=True, slots=True, eq=False)
class NestParts:
    """All that the phases of a node share.

    Attributes
    ----------
    memories
        By the name that the node has for them.
    tiles, lanes
        Of all phases.
    """

    node: ScheduledNode
    nest: SteppedNest
    arrays: Mapping[str, Array]
    memories: Mapping[str, Memory]
    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    accesses: PortAccesses
    values: ValueList


@dataclass(frozen=True, slots=True, eq=False)
class PhaseWrite:
    """A write of a phase.

    Attributes
    ----------
    place
        Subscripts, and when.
    rank
        Writes before it that may be to the same element, one after another.
    """

    write: HeldWrite
    place: Guarded
    rank: int


@dataclass(slots=True, eq=False)
class PhaseParts:
    """A phase as it is built.

    Attributes
    ----------
    reads
        Names of values by memory and subscripts, in order.
    late
        Those of them that find what this phase has written.
    writes
        In order.
    """

    turn: int
    reads: dict[tuple[str, tuple[Affine, ...]], list[str]] = field(
        default_factory=dict[tuple[str, tuple[Affine, ...]], list[str]]
    )
    late: set[str] = field(default_factory=set[str])
    writes: list[PhaseWrite] = field(default_factory=list[PhaseWrite])


def word_cycles(memory: Memory) -> int:
    """Return the cycles from an address to the word: none from registers, more from outside."""
    if memory.place is not Place.LOCAL:
        return 2
    return 0 if memory.factors == memory.shape else 1
