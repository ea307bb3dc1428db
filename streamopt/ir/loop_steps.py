"""Steps of the scheduling language, as plain data: what a user or a search does to loops.

Each names the statement whose loops it changes. See `streamopt.transforms.scheduling` for what
they do and when they are legal.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Interchange:
    """Two loops of a nest change places."""

    node: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Split:
    """A loop becomes two, the inner one with ``factor`` iterations."""

    node: str
    loop: str
    factor: int
    names: tuple[str, str]
    """Of the outer and the inner loop."""


@dataclass(frozen=True, slots=True)
class Tile:
    """Nested loops are split, and their inner parts go inside of all outer ones."""

    node: str
    loops: tuple[str, ...]
    factors: tuple[int, ...]
    names: tuple[str, ...]
    """Of all outer loops, then of all inner ones."""


@dataclass(frozen=True, slots=True)
class Skew:
    """Two nested loops ``i, j`` become ``f i + g j`` and a second one, of determinant 1."""

    node: str
    loops: tuple[str, str]
    factors: tuple[int, int]
    """``f`` and ``g``."""
    names: tuple[str, str]
    """Of the two new loops."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Every iteration of a loop happens ``amount`` iterations later."""

    node: str
    loop: str
    amount: int


@dataclass(frozen=True, slots=True)
class After:
    """A statement runs right behind another in the body of one of its loops."""

    node: str
    other: str
    loop: str = ""
    """Of the other statement; empty for behind its whole nest."""


@dataclass(frozen=True, slots=True)
class Fuse:
    """A statement joins the loops of another down to one of them; the text order stays."""

    node: str
    other: str
    loop: str


@dataclass(frozen=True, slots=True)
class PipelineLoop:
    """Iterations of a loop overlap; the loops inside are unrolled."""

    node: str
    loop: str
    ii: int | None = None
    """The initiation interval that is asked for; None for the least there is."""


@dataclass(frozen=True, slots=True)
class Unroll:
    """Several iterations of a loop work in parallel; factor 0 stands for all."""

    node: str
    loop: str
    factor: int


class PartitionKind(StrEnum):
    """How the elements of an array are dealt out to memories."""

    CYCLIC = "cyclic"
    BLOCK = "block"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Partition:
    """An array lies in several memories along one dimension, counted from 1."""

    array: str
    kind: PartitionKind
    factor: int
    dimension: int


LoopStep: TypeAlias = Interchange | Split | Tile | Skew | Shift | After | Fuse
"""Steps that change when iterations run, so that dependences must allow them."""

Step: TypeAlias = LoopStep | PipelineLoop | Unroll | Partition
