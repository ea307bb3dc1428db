"""Legal dataflow: stages that hand on to the next one only ([1] V-A).

A data path that passes a stage by is illegal for the vendor's tool that [1] was made for. Either
the stages that it passes by become one, or a copy is inserted into each of them.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Path: TypeAlias = tuple[str, str]
"""Producer and consumer of an array."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A node that takes what a path carries and hands it on, in one level."""

    path: Path
    level: int


@dataclass(frozen=True, slots=True)
class Dataflow:
    """Stages that work on different frames at the same time."""

    stages: tuple[tuple[tuple[str, ...], ...], ...]
    """Levels of each stage: procedures of one level run at the same time, levels of a stage one
    after another."""
    copies: tuple[Copy, ...] = ()

    def interval(self, latency: Mapping[str, int], copying: Mapping[Path, int]) -> int:
        """Return the time between two frames: that of the longest stage.

        Parameters
        ----------
        latency, copying
            Time of each procedure, and of a copy on each path that has one.
        """
        level, found = 0, [0]
        for stage in self.stages:
            total = 0
            for procedures in stage:
                times = [latency[name] for name in procedures]
                times += [copying[copy.path] for copy in self.copies if copy.level == level]
                total += max(times)
                level += 1
            found.append(total)
        return max(found)


def levels_of(procedures: Sequence[str], paths: Iterable[Path]) -> tuple[tuple[str, ...], ...]:
    """Return procedures by level, each as late as its consumers let it.

    Parameters
    ----------
    procedures
        In topological order.
    """
    consumers: dict[str, list[str]] = {name: [] for name in procedures}
    for producer, consumer in paths:
        consumers[producer].append(consumer)
    height: dict[str, int] = {}
    for name in reversed(procedures):
        height[name] = 1 + max((height[consumer] for consumer in consumers[name]), default=0)
    top = max(height.values(), default=0)
    return tuple(
        tuple(name for name in procedures if height[name] == at) for at in range(top, 0, -1)
    )


def without_copies(procedures: Sequence[str], paths: Sequence[Path]) -> Dataflow:
    """Return the dataflow whose stages are joined where a path would pass one by."""
    levels = levels_of(procedures, paths)
    level = _level(levels)
    joined = {
        at for producer, consumer in paths for at in range(level[producer] + 2, level[consumer] + 1)
    }
    stages: list[tuple[tuple[str, ...], ...]] = []
    for at, procedures_here in enumerate(levels):
        if at in joined:
            stages[-1] = (*stages[-1], procedures_here)
        else:
            stages.append((procedures_here,))
    return Dataflow(tuple(stages))


def with_copies(procedures: Sequence[str], paths: Sequence[Path]) -> Dataflow:
    """Return the dataflow with a copy in each stage that a path would pass by."""
    levels = levels_of(procedures, paths)
    level = _level(levels)
    copies = tuple(
        Copy((producer, consumer), at)
        for producer, consumer in dict.fromkeys(paths)
        for at in range(level[producer] + 1, level[consumer])
    )
    return Dataflow(tuple((procedures_here,) for procedures_here in levels), copies)


def merged_stages(dataflow: Dataflow, granularity: int) -> Dataflow:
    """Return the dataflow with every ``granularity`` adjacent stages as one."""
    starts = [*range(0, len(dataflow.stages), granularity), len(dataflow.stages)]
    stages = tuple(
        tuple(level for stage in dataflow.stages[first:last] for level in stage)
        for first, last in pairwise(starts)
    )
    return Dataflow(stages, dataflow.copies)


def _level(levels: Sequence[Sequence[str]]) -> dict[str, int]:
    return {name: at for at, names in enumerate(levels) for name in names}
