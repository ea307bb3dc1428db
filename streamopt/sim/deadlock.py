"""A standstill: who waits for whom, and where in their loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SimulationError
from streamopt.sim.waits import WaitKind

if TYPE_CHECKING:
    from streamopt.sim.trace import FifoTrace, ProcessTrace


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that a process waits for in vain."""

    process: str
    pipeline: str
    """Where it is; empty before a frame."""
    kind: WaitKind
    channel: str
    """The first of the alike streams with its subscripts, for instance ``E[0][3]``, or a buffer."""
    peer: str
    """The process that would have to act."""
    frame: int
    """Counted from 0."""
    iteration: tuple[tuple[str, int], ...] = ()
    """Value of each tile iterator, outermost first; none before a frame."""

    def __str__(self) -> str:
        """Return a sentence."""
        if self.kind is WaitKind.BUFFER:
            return (
                f"{self.process} can't start frame {self.frame}: {self.peer} holds {self.channel}"
            )
        at = ", ".join(f"{name} = {value}" for name, value in self.iteration)
        does, state = ("read", "empty") if self.kind is WaitKind.EMPTY else ("write", "full")
        where = f" at {at}" if at else ""
        return (
            f"{self.pipeline}{where} can't {does} {self.channel}, which is {state}: "
            f"waits for {self.peer}"
        )


@dataclass(frozen=True, slots=True)
class Deadlock:
    """A run that came to a standstill, and everything known up to then."""

    network: str
    frames: int
    cycles: int
    """Cycles until the last thing happened."""
    waits: tuple[Wait, ...]
    """Everything that any process waits for."""
    ring: tuple[Wait, ...]
    """Waits of processes each of which waits for the next, and the last for the first; empty where
    somebody waits for a process that has ended, or that starts no more frames."""
    processes: tuple[ProcessTrace, ...]
    fifos: tuple[FifoTrace, ...]


class DeadlockError(SimulationError):
    """A design comes to a standstill (E810); ``deadlock`` tells where."""

    def __init__(self, deadlock: Deadlock) -> None:
        self.deadlock = deadlock
        told = "; ".join(map(str, deadlock.ring or deadlock.waits))
        super().__init__(
            Diagnostic(
                "E810",
                f"{deadlock.network} stands still after {deadlock.cycles} cycles: {told}",
                hint=_hint(deadlock),
            )
        )


def find_ring(waits: tuple[Wait, ...]) -> tuple[Wait, ...]:
    """Return waits of processes each of which waits for the next, in a ring, if there is one."""
    by_process: dict[str, list[Wait]] = {}
    for wait in waits:
        by_process.setdefault(wait.process, []).append(wait)
    cleared: set[str] = set()
    for start in by_process:
        ring = _ring_from(start, by_process, cleared)
        if ring:
            return ring
    return ()


def _ring_from(
    start: str, by_process: Mapping[str, list[Wait]], cleared: set[str]
) -> tuple[Wait, ...]:
    """Search depth first; ``cleared`` gathers processes from which no ring is reached."""
    path: list[Wait] = []
    left = [list(by_process.get(start, ()))]
    on_path = [start]
    while left:
        if not left[-1]:
            left.pop()
            cleared.add(on_path.pop())
            if path:
                path.pop()
            continue
        wait = left[-1].pop(0)
        if wait.peer in on_path:
            return (*path[on_path.index(wait.peer) :], wait)
        if wait.peer not in cleared:
            path.append(wait)
            on_path.append(wait.peer)
            left.append(list(by_process.get(wait.peer, ())))
    return ()


def _hint(deadlock: Deadlock) -> str:
    full = [wait.channel.split("[")[0] for wait in deadlock.ring if wait.kind is WaitKind.FULL]
    if full:
        return f"make {' or '.join(dict.fromkeys(full))} deeper"
    return "let each consumer read what its producers write, in the same order and number"
