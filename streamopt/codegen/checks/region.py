"""The dataflow region: one producer and one consumer for everything between processes.

AMD UG1399, Canonical Dataflow: a region is variables and calls of functions, data goes forward
from one function to a later one, and every channel has one writer and one reader. A channel that
is an array and passes by other functions (UG1448, HLS 200-989) keeps frames from overlapping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.checks.finding import Finding, Severity
from streamopt.codegen.tree import Comment, CppStatement, Directive, Pragma

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.codegen.checks.facts import CppCall, CppVariable, FunctionFacts

__all__ = ["is_region", "region_findings"]

PORTS_OF_AN_ARGUMENT = 2
"""Processes that can share an array argument: a port of its banks for each."""


@dataclass(frozen=True, slots=True)
class _RegionUses:
    """Positions of the calls that write and read one variable of the region."""

    writers: tuple[int, ...]
    readers: tuple[int, ...]


def is_region(function: FunctionFacts) -> bool:
    """Return whether a function is a dataflow region."""
    return Pragma("dataflow") in function.body


def region_findings(
    region: FunctionFacts, functions: Mapping[str, FunctionFacts]
) -> Iterator[Finding]:
    """Yield what the vendor's dataflow checker would say of a region.

    E611 producers and consumers, E612 order, E616 arrays that bypass processes, E619 calls and
    statements that don't fit.
    """
    calls = [call for call in region.calls if call.function in functions]
    yield from _misfits(region, functions)
    uses = {v.name: _uses(v, calls, functions) for v in region.variables}
    inner = [v for v in region.variables if v not in region.parameters]
    for channel in inner:
        yield from _channel(channel, uses[channel.name], region.name)
    for argument in region.parameters:
        yield from _argument(argument, uses[argument.name], region.name)
    yield from _bypasses(inner, uses, calls, region.name)


def _uses(
    found: CppVariable, calls: Sequence[CppCall], functions: Mapping[str, FunctionFacts]
) -> _RegionUses:
    writers: list[int] = []
    readers: list[int] = []
    for at, call in enumerate(calls):
        callee = functions[call.function]
        for parameter, argument in zip(callee.parameters, call.arguments, strict=False):
            if argument == found.name:
                writers += [at] * (parameter.name in callee.writes)
                readers += [at] * (parameter.name in callee.reads)
    return _RegionUses(tuple(writers), tuple(readers))


def _channel(channel: CppVariable, uses: _RegionUses, region: str) -> Iterator[Finding]:
    kind = "stream" if channel.is_stream else "array"
    for what, found in (("producer", uses.writers), ("consumer", uses.readers)):
        if len(found) != 1:
            message = f"{kind} {channel.name} has {len(found)} {what}s"
            yield Finding("E611", message, region)
    if uses.writers and uses.readers and min(uses.readers) <= min(uses.writers):
        message = f"{kind} {channel.name} is read by a process before one writes it"
        yield Finding("E612", message, region)


def _argument(argument: CppVariable, uses: _RegionUses, region: str) -> Iterator[Finding]:
    name, users = argument.name, {*uses.writers, *uses.readers}
    if not users:
        yield Finding("E611", f"argument {name} is used by no process", region)
    if uses.writers and len(users) > 1:
        message = f"argument {name} is written by a process and used by another"
        yield Finding("E616", message, region)
    if argument.is_stream and len(users) > 1:
        yield Finding("E611", f"stream {name} is used by {len(users)} processes", region)
    elif argument.is_memory and not uses.writers and len(users) > PORTS_OF_AN_ARGUMENT:
        message = f"argument {name} is read by {len(users)} processes, which share its ports"
        yield Finding("E611", message, region, Severity.WARNING)


def _bypasses(
    channels: Sequence[CppVariable],
    uses: Mapping[str, _RegionUses],
    calls: Sequence[CppCall],
    region: str,
) -> Iterator[Finding]:
    """Yield arrays that skip processes on a longer way to the same consumer."""
    joined: dict[int, set[int]] = {at: set() for at in range(len(calls))}
    for found in (uses[channel.name] for channel in channels):
        for writer in found.writers:
            joined[writer].update(reader for reader in found.readers if reader > writer)
    for channel in channels:
        found = uses[channel.name]
        if channel.is_stream or not (found.writers and found.readers):
            continue
        passed = _longest(joined, min(found.writers), max(found.readers)) - 1
        if passed > 0:
            message = f"array {channel.name} passes by {passed} stages of processes"
            yield Finding("E616", message, region, Severity.WARNING)


def _longest(joined: Mapping[int, set[int]], start: int, end: int) -> int:
    """Return the channels on the longest way between two calls; calls are in topological order."""
    longest = {start: 0}
    for at in range(start, end):
        for to in joined[at] if at in longest else ():
            longest[to] = max(longest.get(to, 0), longest[at] + 1)
    return longest.get(end, 0)


def _misfits(region: FunctionFacts, functions: Mapping[str, FunctionFacts]) -> Iterator[Finding]:
    """Yield E619 for calls that don't fit their functions, and for what is no call."""
    known = {found.name: found for found in region.variables}
    for call in region.calls:
        callee = functions.get(call.function)
        if callee is None:
            continue
        if len(call.arguments) != len(callee.parameters):
            message = f"{call.function} takes {len(callee.parameters)} arguments"
            yield Finding("E619", f"{message}, gets {len(call.arguments)}", region.name)
            continue
        for parameter, name in zip(callee.parameters, call.arguments, strict=True):
            given = known.get(name)
            if given is None or not _fits(given, parameter):
                message = f"{call.function} takes {parameter.type} {parameter.name}"
                message += "".join(f"[{extent}]" for extent in parameter.extents)
                yield Finding("E619", f"{message}, gets {name}", region.name)
    for item in region.body:
        if not isinstance(item, Comment | Directive | Pragma | CppStatement):
            yield Finding("E619", "a dataflow region has a loop or condition", region.name)


def _fits(given: CppVariable, parameter: CppVariable) -> bool:
    types = given.type.removeprefix("const "), parameter.type.removeprefix("const ")
    return types[0] == types[1] and given.extents == parameter.extents
