"""Rules of the vendor's tool for dataflow regions, loops, partitions and names.

AMD UG1399, Canonical Dataflow: a region is variables and calls of functions, data goes forward
from one function to a later one, and every channel has one writer and one reader. A channel that
is an array and passes by other functions (UG1448, HLS 200-989) keeps frames from overlapping.
A pipelined loop is flattened into the loops around it where the nest is perfect (only the innermost
loop has a body); loops below it are unrolled completely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.checks.banks import partition_of
from streamopt.codegen.checks.facts import (
    CppCall,
    CppVariable,
    Finding,
    FunctionFacts,
    Severity,
    is_pipelined,
    nested,
    variable,
)
from streamopt.codegen.names import is_reserved
from streamopt.codegen.tree import Comment, CppStatement, Directive, For, If, Item, Pragma

if TYPE_CHECKING:
    from streamopt.codegen.checks.banks import CppPartition

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


def loop_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E613 for nests that are not perfect, E615 for loops without an iteration."""
    for item in nested(function.body):
        if isinstance(item, For) and item.trip_count < 1:
            message = f"loop {item.iterator} runs {item.trip_count} times"
            yield Finding("E615", message, function.name)
    yield from _imperfect(function.body, function.name)


def _imperfect(items: Sequence[Item], function: str) -> Iterator[Finding]:
    for loop in (item for item in items if isinstance(item, For)):
        if is_pipelined(loop):
            yield from _rolled(loop, function)
        elif any(isinstance(item, For) and is_pipelined(item) for item in nested(loop.body)):
            others = [i for i in loop.body if not isinstance(i, Comment | Pragma)]
            if len(others) != 1 or not isinstance(others[0], For):
                message = f"loop {loop.iterator} has more than the pipelined loop inside it"
                yield Finding("E613", message, function)
            yield from _imperfect(loop.body, function)


def _rolled(pipelined: For, function: str) -> Iterator[Finding]:
    for item in nested(pipelined.body):
        if isinstance(item, For) and Pragma("unroll") not in item.body:
            message = f"loop {item.iterator} below pipelined loop {pipelined.iterator} is not"
            yield Finding("E613", f"{message} unrolled", function)


def partition_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E614 for partitions of what isn't there or isn't so large."""
    known = {found.name: found for found in function.variables if not found.is_stream}
    seen: set[tuple[str, int]] = set()
    for item in nested(function.body):
        split = partition_of(item)
        if split is None:
            continue
        problem = _misfit(known.get(split.array), split)
        if (split.array, split.dimension) in seen:
            problem = f"dimension {split.dimension} is partitioned twice"
        seen.add((split.array, split.dimension))
        if problem:
            yield Finding("E614", f"partition of {split.array}: {problem}", function.name)


def _misfit(array: CppVariable | None, split: CppPartition) -> str:
    if array is None:
        return "there is no array of that name"
    if not (0 if split.factor is None else 1) <= split.dimension <= len(array.extents):
        return f"there is no dimension {split.dimension}"
    extent = array.extents[split.dimension - 1]
    if split.factor is not None and not 1 < split.factor <= extent:
        return f"factor {split.factor} for an extent of {extent}"
    return ""


_UNSEEN = (
    (r"stream\b.*\bdepth=", "a depth of its own", "write it as hls::stream<T, DEPTH>"),
    (r"stream\b.*\btype=unsync\b", "a buffer without handshake", "leave it out"),
    (r"stable\b", "a value that never changes", "leave it out"),
    (r"occurrence\b", "a region that runs less often", "leave it out"),
    (r"unroll\b.*\bskip_exit_check\b", "a trip count that divides", "leave the option out"),
)


def promise_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E625 for pragmas that change what hardware computes, but not what C++ does.

    AMD UG1399, "HLS Pragmas": the tool takes them as given, and C simulation ignores them.
    """
    pragmas = [item.text for item in nested(function.body) if isinstance(item, Pragma)]
    for text in pragmas:
        for form, promise, remedy in _UNSEEN:
            if re.match(form, text, re.IGNORECASE):
                message = f"pragma '{text}' gives the tool {promise}, which no simulation sees"
                yield Finding("E625", f"{message}: {remedy}", function.name)


def name_findings(functions: Sequence[FunctionFacts]) -> Iterator[Finding]:
    """Yield E617 for names that are taken already in their scope, E618 for reserved words."""
    known: set[str] = set()
    for function in functions:
        if function.name in known:
            yield Finding("E617", f"function {function.name} is defined twice")
        if is_reserved(function.name):
            yield Finding("E618", f"function {function.name} has a reserved name")
        known.add(function.name)
    for function in functions:
        names = [parameter.name for parameter in function.parameters]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield Finding("E617", f"parameter {name} is declared twice", function.name)
        for name in filter(is_reserved, names):
            yield Finding("E618", f"parameter {name} has a reserved name", function.name)
        yield from _declared(function.body, frozenset(names), function.name)


def _declared(items: Sequence[Item], outer: frozenset[str], function: str) -> Iterator[Finding]:
    """Yield what is wrong with the names of one scope and those inside it."""
    known = set(outer)
    for item in items:
        if isinstance(item, For):
            yield from _taken(item.iterator, known, function)
            yield from _declared(item.body, frozenset({*known, item.iterator}), function)
        elif isinstance(item, If):
            yield from _declared(item.body, frozenset(known), function)
        elif isinstance(item, CppStatement):
            found = variable(item.text)
            if found is not None:
                yield from _taken(found.name, known, function)
                known.add(found.name)


def _taken(name: str, known: set[str], function: str) -> Iterator[Finding]:
    if name in known:
        yield Finding("E617", f"{name} is declared again where it is known", function)
    if is_reserved(name):
        yield Finding("E618", f"{name} is a reserved name", function)
