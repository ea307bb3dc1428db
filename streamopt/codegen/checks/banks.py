"""Whether each access knows its bank: arrays of several banks have indices that are static.

An index is static along a dimension of n banks if it is a constant modulo n once lanes are
unrolled: tile iterators are multiplied by multiples of n. Where it is not, the tool gives every
access a port of every bank, and a multiplexer (AMD UG1399, "Array Partitioning"; 7 and 37 cycles
an iteration instead of 4 and 16 in ``results/rtl_accuracy``).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from streamopt.codegen.checks.facts import (
    CppVariable,
    Finding,
    FunctionFacts,
    Severity,
    is_pipelined,
    nested,
)
from streamopt.codegen.checks.indices import Banks, CppAccess, IndexScope, accesses
from streamopt.codegen.tree import For, Item, Pragma
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS

PORTS = 2
"""Of a bank in block RAM."""

_PARTITION = re.compile(
    r"array_(?:partition|reshape) variable=(\w+) "
    r"(?:type=cyclic factor=(\d+)|type=complete) dim=(\d+)"
)


@dataclass(frozen=True, slots=True)
class CppPartition:
    """A partition as the pragma says it; ``factor`` is None for a bank for each element."""

    array: str
    dimension: int
    factor: int | None


def partition_of(item: Item) -> CppPartition | None:
    """Return the partition that an item asks for."""
    found = _PARTITION.fullmatch(item.text) if isinstance(item, Pragma) else None
    if found is None:
        return None
    return CppPartition(found[1], int(found[3]), int(found[2]) if found[2] else None)


def port_findings(region: FunctionFacts) -> Iterator[Finding]:
    """Yield E622 for arguments in more banks than designs of one SLR have."""
    known = _banks(region)
    for argument in region.parameters:
        banks = prod(known.get(argument.name, ()))
        if banks > MOST_ARGUMENT_BANKS:
            message = f"argument {argument.name} is split into {banks} banks, each a memory port"
            message += f" of the top function, where opt6 makes at most {MOST_ARGUMENT_BANKS}"
            yield Finding("E622", message, region.name, Severity.WARNING)


def bank_findings(
    region: FunctionFacts, functions: Mapping[str, FunctionFacts]
) -> Iterator[Finding]:
    """Yield E621 for accesses whose bank is not known beforehand, E623 for too few ports."""
    outer = _banks(region)
    for call in region.calls:
        callee = functions.get(call.function)
        if callee is None:
            continue
        pairs = zip(callee.parameters, call.arguments, strict=False)
        handed = {parameter.name: outer[name] for parameter, name in pairs if name in outer}
        yield from _misses(callee, {**handed, **_banks(callee)})


def _banks(function: FunctionFacts) -> dict[str, Banks]:
    """Return the banks of the arrays that a function splits, and the streams of its groups."""
    variables = {found.name: found for found in function.variables}
    banks = {v.name: v.extents for v in variables.values() if v.is_stream and v.extents}
    for item in nested(function.body):
        split = partition_of(item)
        if split is not None and split.array in variables:
            before = banks.get(split.array)
            banks[split.array] = _split(variables[split.array], split, before)
    return banks


def _split(array: CppVariable, split: CppPartition, before: Banks | None) -> Banks:
    known = before or (1,) * len(array.extents)
    return tuple(
        (split.factor or extent) if split.dimension in (0, at) else banks
        for at, (extent, banks) in enumerate(zip(array.extents, known, strict=True), start=1)
    )


def _misses(function: FunctionFacts, banks: Mapping[str, Banks]) -> Iterator[Finding]:
    """Yield what is wrong with the accesses of each pipelined loop of a process."""
    memories = {v.name: v.extents for v in function.variables if v.is_memory and not v.mark}
    known = {**{name: (1,) * len(extents) for name, extents in memories.items()}, **banks}
    for loop, outer in _pipelines(function.body, IndexScope({}, {}, {})):
        found = [a for a in accesses(loop.body, outer) if a.array in known]
        moving = {
            access.place: (access.array, at)
            for access in found
            if (at := access.moving_dimension(known[access.array])) is not None
        }
        for place, (array, at) in moving.items():
            message = f"{place} may be in any of {known[array][at]} banks"
            message += f" along dimension {at + 1}"
            yield Finding("E621", message, function.name, Severity.WARNING)
        unknown = {array for array, _ in moving.values()}
        for array in dict.fromkeys(a.array for a in found if a.array in memories):
            if array in unknown or prod(known[array]) == prod(memories[array]):
                continue  # registers have no ports
            used = [access for access in found if access.array == array]
            count = _fullest(used, known[array], memories[array])
            ports = PORTS * _interval(loop)
            if count > ports:
                message = f"an iteration of loop {loop.iterator} has {count} accesses of one bank"
                message += f" of {array}, and {ports} ports in the interval that it asks for"
                yield Finding("E623", message, function.name, Severity.WARNING)


def _fullest(found: Sequence[CppAccess], banks: Banks, extents: Sequence[int]) -> int:
    """Return the most elements of a bank that the accesses of an iteration read and write.

    Where each element along a dimension has a bank of its own, lanes beyond its ends have none.
    """
    places = {
        (access.is_write, access.moved_by(banks), element)
        for access in found
        for element in access.elements()
        if all(
            0 <= at < extent or count < extent
            for at, count, extent in zip(element, banks, extents, strict=False)
        )
    }
    loads = Counter(
        tuple(at % count for at, count in zip(element, banks, strict=False))
        for _, _, element in places
    )
    return max(loads.values(), default=0)


def _interval(loop: For) -> int:
    asked = (re.match(r"pipeline II=(\d+)", i.text) for i in loop.body if isinstance(i, Pragma))
    return max((int(found[1]) for found in asked if found), default=1)


def _pipelines(items: Sequence[Item], scope: IndexScope) -> Iterator[tuple[For, IndexScope]]:
    """Yield the pipelined loops, each with the scope of its body."""
    for item in items:
        if isinstance(item, For):
            inner = scope.inside(item)
            if is_pipelined(item):
                yield item, inner
            else:
                yield from _pipelines(item.body, inner)
