"""A prediction held against a report of synthesis, figure by figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from streamopt.ir.text import html_table
from streamopt.synthesis.matching import FoundLoop, function_modules, matched_loops
from streamopt.synthesis.report import ReportedModule, SynthesisReport
from streamopt.target.resources import RESOURCE_NAMES, Resources

II, DEPTH, TRIPS = "II", "depth_cycles", "trip_count"
LATENCY, CLOCK = "latency_cycles", "clock_ns"
REST = "rest"
"""Channels between processes, and the control of the top function."""


class Outcome(StrEnum):
    """Relation of a reported figure to the expected one."""

    MET = "met"
    DIFFERS = "differs"
    MISSED = "missed"
    """Slower than expected, or more than a limit: the design is not the one that was promised."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ExpectedLoop:
    """A pipeline as predicted."""

    name: str
    """Of the pipeline in the network, or of the function that moves words."""
    iterations: int
    ii: int
    depth_cycles: int | None = None
    """None where nobody predicts it."""


@dataclass(frozen=True, slots=True)
class ExpectedFunction:
    """A process as predicted, under the name of its function in the emitted code."""

    name: str
    loops: tuple[ExpectedLoop, ...]
    used: Resources | None
    """None of a process whose resources are counted elsewhere."""


@dataclass(frozen=True, slots=True)
class ExpectedDesign:
    """A design as predicted."""

    top: str
    functions: tuple[ExpectedFunction, ...]
    used: Resources
    latency_cycles: int
    """Simulated."""
    clock_ns: float
    limits: Mapping[str, int]
    """By resource: the most that the design was to take."""


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """One figure: of a pipeline, a process or the whole design."""

    part: str
    """Name of the process, or of the pipeline where its process has several."""
    figure: str
    """``II``, ``depth_cycles``, ``trip_count``, ``latency_cycles``, ``clock_ns``, or a resource."""
    expected: float | None
    reported: float | None
    """None where the report doesn't tell."""
    outcome: Outcome
    note: str = ""


@dataclass(frozen=True, slots=True)
class SynthesisCheck:
    """A report of synthesis against the prediction of its design."""

    name: str
    release: str
    figures: tuple[CheckedFigure, ...]
    """Of every pipeline and process, and of the whole."""
    remarks: tuple[str, ...] = ()
    """Facts on the report that bear on all figures: another part, another clock."""
    simulated_cycles: tuple[int, int | None] = (0, None)
    """As predicted, and with II and depth of the report; None where some loop isn't reported."""

    @property
    def missed(self) -> tuple[CheckedFigure, ...]:
        """Return the figures that are worse than promised."""
        return tuple(each for each in self.figures if each.outcome is Outcome.MISSED)

    @property
    def passed(self) -> bool:
        """Return whether no interval, loop, limit or clock is missed."""
        return not self.missed

    def records(self) -> list[dict[str, Any]]:
        """Return one flat row a figure: ``pandas.DataFrame(found.records())``."""
        return [asdict(figure) for figure in self.figures]

    def __str__(self) -> str:
        """Return the verdict in a line."""
        known = [each for each in self.figures if each.reported is not None]
        equal = sum(each.outcome is Outcome.MET for each in known)
        verdict = f"{len(self.missed)} missed" if self.missed else "passed"
        tool = f"Vitis HLS {self.release}".strip()
        return f"{verdict}: {equal} of {len(known)} figures of {tool} are as expected"

    def _repr_html_(self) -> str:
        """Show the figures in a notebook."""
        header = ("part", "figure", "expected", "reported", "outcome", "note")
        rows = (
            tuple("" if cell is None else cell for cell in row.values()) for row in self.records()
        )
        return html_table(f"{self.name}: {self}", header, rows)


def checked_design(expected: ExpectedDesign, report: SynthesisReport) -> tuple[CheckedFigure, ...]:
    """Return every figure of a design, held against a report."""
    names = [function.name for function in expected.functions]
    found: list[CheckedFigure] = []
    for function in expected.functions:
        modules = function_modules(report, function.name, names)
        loops = _found_loops(function, report, names)
        for loop, leaf in zip(function.loops, loops, strict=True):
            part = loop.name if len(function.loops) > 1 else function.name
            found += _loop_figures(part, loop, leaf, is_reported=modules is not None)
        if function.used is not None:
            own = None if modules is None else modules.own
            found += _amounts(function.name, function.used, own)
    return (*found, *_whole(expected, report, found))


def reported_timings(
    expected: ExpectedDesign, report: SynthesisReport
) -> dict[str, tuple[int, int]] | None:
    """Return II and depth as reported, by pipeline; None if some loop isn't reported with both."""
    names = [function.name for function in expected.functions]
    found: dict[str, tuple[int, int]] = {}
    for function in expected.functions:
        for loop, leaf in zip(function.loops, _found_loops(function, report, names), strict=True):
            if loop.iterations == 1 or loop.depth_cycles is None:
                continue
            if leaf is None or leaf.loop.ii is None or leaf.loop.depth_cycles is None:
                return None
            if leaf.loop.trip_count != loop.iterations:
                return None
            found[loop.name] = (leaf.loop.ii, max(1, leaf.loop.depth_cycles))
    return found


def _found_loops(
    function: ExpectedFunction, report: SynthesisReport, names: Sequence[str]
) -> tuple[FoundLoop | None, ...]:
    """Return the reported loop of each pipeline; a pipeline of one iteration is no loop."""
    modules = function_modules(report, function.name, names)
    nothing: tuple[FoundLoop | None, ...] = tuple(None for _ in function.loops)
    if modules is None:
        return nothing
    counts = [loop.iterations for loop in function.loops if loop.iterations > 1]
    found = iter(matched_loops(modules.loops, counts))
    return tuple(next(found) if loop.iterations > 1 else None for loop in function.loops)


def _loop_figures(
    part: str, expected: ExpectedLoop, leaf: FoundLoop | None, *, is_reported: bool
) -> Iterator[CheckedFigure]:
    if expected.iterations == 1:  # straight-line code, which has no II
        return
    depth = expected.depth_cycles
    if leaf is None:
        note = "no loop of the report is certain to be this one" if is_reported else "not reported"
        for figure, value in ((II, expected.ii), (DEPTH, depth), (TRIPS, expected.iterations)):
            if value is not None:
                yield CheckedFigure(part, figure, value, None, Outcome.UNKNOWN, note)
        return
    yield _interval(part, expected.ii, leaf)
    if depth is not None:
        yield _figure(part, DEPTH, depth, leaf.loop.depth_cycles)
    yield _trips(part, expected.iterations, leaf)


def _interval(part: str, expected: int, leaf: FoundLoop) -> CheckedFigure:
    reported = leaf.loop.ii
    if reported is None:
        return CheckedFigure(part, II, expected, None, Outcome.MISSED, "it is not pipelined")
    if reported > expected:
        return CheckedFigure(part, II, expected, reported, Outcome.MISSED)
    return _figure(part, II, expected, reported)


def _trips(part: str, expected: int, leaf: FoundLoop) -> CheckedFigure:
    reported = leaf.loop.trip_count
    if reported is None or reported == expected:
        return _figure(part, TRIPS, expected, reported)
    note = "the loop is another one"
    if leaf.iterations == expected:
        note = f"not flattened: the pipeline fills {leaf.starts} times"
    elif expected % max(1, reported) == 0:
        note = f"not flattened: the pipeline fills {expected // max(1, reported)} times"
    return CheckedFigure(part, TRIPS, expected, reported, Outcome.MISSED, note)


def _amounts(
    part: str, expected: Resources, module: ReportedModule | None
) -> Iterator[CheckedFigure]:
    for name in RESOURCE_NAMES:
        reported = None if module is None else getattr(module, name)
        yield _figure(part, name, getattr(expected, name), reported)


def _figure(
    part: str, figure: str, expected: float, reported: float | None, note: str = ""
) -> CheckedFigure:
    if reported is None:
        return CheckedFigure(part, figure, expected, None, Outcome.UNKNOWN, note or "not reported")
    outcome = Outcome.MET if reported == expected else Outcome.DIFFERS
    return CheckedFigure(part, figure, expected, reported, outcome, note)


def _whole(
    expected: ExpectedDesign, report: SynthesisReport, parts: Sequence[CheckedFigure]
) -> Iterator[CheckedFigure]:
    """Yield the figures of the whole design, if it is reported."""
    module = report.module(expected.top)
    if module is None:
        return
    for name in RESOURCE_NAMES:
        amounts = [each for each in parts if each.figure == name]
        total, own = getattr(module, name), sum(each.expected or 0 for each in amounts)
        if total is not None and all(each.reported is not None for each in amounts):
            rest = total - sum(each.reported or 0 for each in amounts)
            yield _figure(REST, name, getattr(expected.used, name) - own, rest)
    for name in RESOURCE_NAMES:
        total, limit = getattr(module, name), expected.limits.get(name)
        found = _figure(expected.top, name, getattr(expected.used, name), total)
        if total is not None and limit is not None and total > limit:
            note = f"more than the limit of {limit}"
            found = CheckedFigure(expected.top, name, found.expected, total, Outcome.MISSED, note)
        yield found
    note = "csynth estimates the latency of a dataflow region; co-simulation tells it"
    yield _figure(expected.top, LATENCY, expected.latency_cycles, module.latency_cycles, note)
    yield _clock(expected, module.clock_ns)


def _clock(expected: ExpectedDesign, reported: float | None) -> CheckedFigure:
    most = expected.clock_ns
    if reported is None:
        return CheckedFigure(expected.top, CLOCK, most, None, Outcome.UNKNOWN, "not reported")
    outcome = Outcome.MISSED if reported > most else Outcome.MET
    return CheckedFigure(expected.top, CLOCK, most, reported, outcome, "the period, at most")
