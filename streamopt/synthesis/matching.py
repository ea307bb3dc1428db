"""The pipelines of a design among the loops of a report.

Every process is a function of its own name, so its module is known. A pipelined loop stays in that
module, or is outlined as ``<process>_Pipeline_<loop>``; a flattened one has the names of all its
levels, ``VITIS_LOOP_31_1_VITIS_LOOP_32_2`` with the lines of the source. So the pipelines of a
process, which run in the order of the source, are its loops by line.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from streamopt.synthesis.report import ReportedLoop, ReportedModule, SynthesisReport

_LINE = re.compile(r"VITIS_LOOP_(\d+)_")
_CLONE = re.compile(r"_?(?:\d+|r|s)")
"""Endings of a function that the tool has renamed."""


@dataclass(frozen=True, slots=True)
class FoundLoop:
    """A loop that has no loop inside, and how often it starts."""

    loop: ReportedLoop
    starts: int | None = 1
    """Product of the trip counts around it: 1 where the whole nest was flattened; None where one
    isn't known."""

    @property
    def iterations(self) -> int | None:
        """Return the iterations of the whole nest."""
        return _product(self.loop.trip_count, self.starts)


@dataclass(frozen=True, slots=True)
class FunctionModules:
    """The module of a function, and those that were outlined from it."""

    own: ReportedModule | None
    outlined: tuple[ReportedModule, ...]

    @property
    def loops(self) -> tuple[FoundLoop, ...]:
        """Return the innermost loops in the order of the source; pipelined ones if there are any.

        A loop that stays around outlined ones has no loop inside either, and isn't pipelined.
        """
        modules = (*((self.own,) if self.own is not None else ()), *self.outlined)
        found = [leaf for module in modules for leaf in _leaves(module.loops, 1)]
        pipelined = [leaf for leaf in found if leaf.loop.ii is not None]
        kept = pipelined if self.outlined or len(pipelined) == len(found) else found
        lines = [_LINE.search(leaf.loop.name) for leaf in kept]
        if all(lines):
            kept = sorted(kept, key=lambda leaf: int(_LINE.findall(leaf.loop.name)[0]))
        return tuple(kept)


def function_modules(
    report: SynthesisReport, name: str, others: Collection[str]
) -> FunctionModules | None:
    """Return the modules of a function; None where it isn't reported.

    Parameters
    ----------
    others
        The functions of the design, whose modules are never taken for clones.
    """
    outlined = tuple(m for m in report.modules if m.name.startswith(f"{name}_Pipeline_"))
    own = report.module(name)
    if own is None:
        clones = [
            module
            for module in report.modules
            if module.name not in others
            and module.name.startswith(name)
            and _CLONE.fullmatch(module.name[len(name) :])
        ]
        own = clones[0] if len(clones) == 1 else None
    return FunctionModules(own, outlined) if own is not None or outlined else None


def matched_loops(
    found: Sequence[FoundLoop], iterations: Sequence[int]
) -> tuple[FoundLoop | None, ...]:
    """Return the loop of each pipeline, whose iterations are given in the order of the source.

    Where there are more or fewer loops than pipelines, those with equal iterations belong together
    if they are the only ones.
    """
    if len(found) == len(iterations):
        return tuple(found)
    return tuple(
        same[0]
        if len(same := [leaf for leaf in found if leaf.iterations == count]) == 1
        and list(iterations).count(count) == 1
        else None
        for count in iterations
    )


def _leaves(loops: Sequence[ReportedLoop], starts: int | None) -> Iterator[FoundLoop]:
    for loop in loops:
        if loop.loops and loop.ii is None:
            yield from _leaves(loop.loops, _product(starts, loop.trip_count))
        else:
            yield FoundLoop(loop, starts)


def _product(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other
