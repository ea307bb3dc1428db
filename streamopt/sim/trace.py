"""Results of a simulation: cycles, waits and occupancies."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.text import html_table

__all__ = ["FifoTrace", "PipelineTrace", "ProcessTrace", "Trace"]


@dataclass(frozen=True, slots=True)
class PipelineTrace:
    """When a pipeline ran, and what it waited for.

    Attributes
    ----------
    starts, ends
        First cycle, and first cycle after the last, of each frame that it began and ended.
    empty_cycles, full_cycles
        Cycles in all frames in which it stood still because an input was empty, an output full.
        While both are so, an input counts in a stalling pipeline and an output in a flushable one,
        whose back is not held by its inputs.
    """

    name: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    empty_cycles: int
    full_cycles: int

    @property
    def busy_cycles(self) -> int:
        """Return the cycles, in frames that have ended, in which it did not stand still."""
        spans = sum(end - start for start, end in zip(self.starts, self.ends, strict=False))
        return spans - self.empty_cycles - self.full_cycles


@dataclass(frozen=True, slots=True)
class ProcessTrace:
    """When a process ran.

    Attributes
    ----------
    starts, ends
        First cycle, and first cycle after the last, of each frame that it began and ended.
    buffer_cycles
        Cycles in all frames in which it could have started but for a ping-pong buffer.
    standing_cycles
        Cycles in which it stood still in each of equal spans of the run, where samples were
        asked for.
    fifo_reads, fifo_writes
        Cycles of its first and last read from a FIFO, and of its first and last write to one, in
        all frames; None where it has none.
    """

    name: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    buffer_cycles: int
    pipelines: tuple[PipelineTrace, ...]
    standing_cycles: tuple[int, ...] = ()
    fifo_reads: tuple[int, int] | None = None
    fifo_writes: tuple[int, int] | None = None

    @property
    def empty_cycles(self) -> int:
        """Return the cycles in which it stood still for lack of input."""
        return sum(pipeline.empty_cycles for pipeline in self.pipelines)

    @property
    def full_cycles(self) -> int:
        """Return the cycles in which it stood still for lack of room for its output."""
        return sum(pipeline.full_cycles for pipeline in self.pipelines)


@dataclass(frozen=True, slots=True)
class FifoTrace:
    """Traffic of a FIFO.

    Attributes
    ----------
    tokens
        Elements written to all its streams.
    peak_elems
        Most slots in use in one stream; a slot is in use from the cycle of its write to that of
        its read. With this depth everything would happen in the same cycles.
    depth_elems
        Slots of each stream.
    occupancy_elems
        Most slots in use, of any stream, in each of equal spans of the run, where samples were
        asked for.
    """

    name: str
    tokens: int
    peak_elems: int
    depth_elems: int
    occupancy_elems: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A run to the end.

    Attributes
    ----------
    cycles
        Latency: from the start to the end of the first frame.
    interval_cycles
        Cycles from the end of a frame to that of the next, the mean of the last two such times
        rounded up, with two frames of the only one; None with one frame. Ping-pong buffers on
        paths of different lengths make a long time follow a short one, so that neither alone is
        the interval. A pattern of more than two frames isn't seen: see ``total_cycles``.
    total_cycles
        Cycles to the end of the last frame.
    """

    network: str
    frames: int
    cycles: int
    interval_cycles: int | None
    total_cycles: int
    processes: tuple[ProcessTrace, ...]
    fifos: tuple[FifoTrace, ...]

    def _repr_html_(self) -> str:
        """Show when every process ran and what it waited for, in a notebook."""
        header = ("process", "start", "end", "waits: input", "room", "buffer")
        rows = (
            (
                p.name,
                *(*p.starts[:1], *p.ends[:1]),
                *(p.empty_cycles, p.full_cycles, p.buffer_cycles),
            )
            for p in self.processes
        )
        return html_table(f"{self.network}: {self.cycles:,} cycles", header, rows)

    def process(self, name: str) -> ProcessTrace:
        """Return a process by name."""
        return next(process for process in self.processes if process.name == name)

    def fifo(self, name: str) -> FifoTrace:
        """Return a FIFO by name."""
        return next(fifo for fifo in self.fifos if fifo.name == name)
