"""Frames one after another: when each loop nest may begin its next one.

A frame that is given with ``start`` is a number, which counts; each loop nest counts those that it
has ended. It begins the next one when it has been given, when the nest before it in its process has
ended it, or the process its last one, and when buffers let it: those that it reads hold this frame,
and those that it writes have room, which they have for two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from streamopt.ir.network import Place
from streamopt.rtl.blocks.frame_count import FrameCount
from streamopt.rtl.emission.process import ProcessModule
from streamopt.rtl.emission.structure import NamedBits, StructureModule

BUFFERED = 2
"""Frames in a buffer."""


class FrameOrder:
    """The numbers of frames of all loop nests, in a top module; used once.

    Attributes
    ----------
    count
        Block that counts what is given.
    ports
        Of the numbers of the processes.

    Parameters
    ----------
    follows
        The loop nest after which another one of the same process runs.
    places
        Of memories, by name.
    written
        Loop nests that write off the chip, where their frames end later: see `end_with`.
    """

    def __init__(
        self,
        module: StructureModule,
        processes: Sequence[ProcessModule],
        follows: Mapping[str, str],
        places: Mapping[str, Place],
        written: Collection[str],
        bits: int,
    ) -> None:
        self._module, self._processes, self._follows = module, processes, follows
        self._places = places
        self.count = FrameCount(bits)
        lasts = [p.name for p in processes if p.name not in follows.values()]
        self._ends = {name: module.port("output", f"{name}_frame", bits) for name in lasts}
        """By last loop nest, how many frames of the process have ended."""
        own = [p.name for p in processes if p.name in written or p.name not in lasts]
        self._ended = self._ends | {name: module.wire(f"{name}_computed", bits) for name in own}
        self.ports = tuple(wire.text for wire in self._ends.values())

    def end_with(self, nest: str, counts: Sequence[str]) -> None:
        """Let the frames of a process have ended when its last loop nest and others have.

        Parameters
        ----------
        counts
            Of the others, which are a frame behind at most.
        """
        own = self._ended[nest].text
        all_are = " & ".join(f"{count} == {own}" for count in counts)
        one = f"{self.count.bits}'d1"
        self._module.let(self._ends[nest], f"({all_are}) ? {own} : {own} - {one}")

    def ended(self, nest: str) -> NamedBits:
        """Return how many frames a loop nest has ended."""
        return self._ended[nest]

    def of(self, nest: str) -> NamedBits:
        """Return the number of the frame that the process of a loop nest is in."""
        return self._ends[self._nests(nest)[-1]]

    def join(self, clock: NamedBits, reset: NamedBits, may_begin: Mapping[str, NamedBits]) -> None:
        """Add ``start``, ``ready`` and ``done``, and say of each loop nest when it may begin."""
        module, bits = self._module, self.count.bits
        start, ready = module.port("input", "start"), module.port("output", "ready")
        done, taken = module.port("output", "done"), module.wire("is_taken")
        given = module.wire("given_frames", bits)
        counted = {"clk": clock, "rst": reset, "moves": taken, "count": given}
        module.instance(self.count.name, "given", counted)
        module.let(taken, f"{start.text} & {ready.text}")
        module.let(ready, " & ".join(f"~&({given.text} - {port})" for port in self.ports))
        module.let(done, " & ".join(f"{given.text} == {port}" for port in self.ports))
        for process in self._processes:
            wire, before = may_begin[process.name], self._follows.get(process.name)
            if before:
                module.let(wire, f"{self._ended[before].text} != {self._ended[process.name].text}")
            else:
                module.let(wire, " & ".join(self._conditions(process.name, given, taken)))

    def _conditions(self, nest: str, given: NamedBits, taken: NamedBits) -> Iterator[str]:
        """Yield what the first loop nest of a process waits for."""
        own = self._ended[nest].text
        yield f"({taken.text} | {given.text} != {own})"
        if self.of(nest).text != own:
            yield f"{self.of(nest).text} == {own}"
        mine = self._nests(nest)
        for other in self._sharing(mine, is_write=False):
            yield f"{other.text} != {own}"
        for other in self._sharing(mine, is_write=True):
            yield f"{own} - {other.text} != {self.count.bits}'d{BUFFERED}"

    def _sharing(self, nests: Sequence[str], *, is_write: bool) -> list[NamedBits]:
        """Return the numbers of the processes at the other ends of the buffers of a process.

        Parameters
        ----------
        is_write
            Whether those are wanted that the process writes.
        """
        mine = {
            access.memory
            for process in self._processes
            if process.name in nests
            for access in process.accesses
            if access.is_write == is_write and self._places[access.memory] is Place.PING_PONG
        }
        others = {
            self.of(process.name).text: self.of(process.name)
            for process in self._processes
            if process.name not in nests
            and any(a.is_write != is_write and a.memory in mine for a in process.accesses)
        }
        return [*others.values()]

    def _nests(self, name: str) -> list[str]:
        """Return the loop nests of a nest's process, in order."""
        nests = [name]
        while nests[0] in self._follows:
            nests.insert(0, self._follows[nests[0]])
        after = {before: own for own, before in self._follows.items()}
        while nests[-1] in after:
            nests.append(after[nests[-1]])
        return nests
