"""The critical path by process: whose work determines the end of a run, and what kind of work."""

from dataclasses import dataclass

from streamopt.sim import Trace


@dataclass(frozen=True, slots=True)
class PathShare:
    """The part of a critical path that one process holds."""

    process: str
    cycles: int
    """All its cycles of the path."""
    steady_cycles: int
    """Those in which its iterations follow one another; in the others an iteration goes through the
    stages of its pipeline, or a handover takes place."""


def path_shares(trace: Trace) -> tuple[PathShare, ...]:
    """Return the shares of a sampled trace's critical path, the largest first."""
    found: dict[str, PathShare] = {}
    for segment in trace.critical_path:
        own = found.get(segment.process, PathShare(segment.process, 0, 0))
        cycles, steady = own.cycles + segment.cycles, own.steady_cycles + segment.steady_cycles
        found[segment.process] = PathShare(segment.process, cycles, steady)
    return tuple(sorted(found.values(), key=lambda share: -share.cycles))
