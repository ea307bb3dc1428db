"""Networks of one pipeline, written as short texts."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType
from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Memory,
    Network,
    Operation,
    Pipeline,
    Place,
    Port,
    Process,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.perf.pipelines.timings import TimedPipeline, timed_pipelines
from streamopt.published.expressions import read_guard, read_subscript
from streamopt.target.device import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TARGET = Target.named("u280", clock_ns=3.33)
"""Where the published designs were measured."""

_PORT = re.compile(r"(read|write) (\w+)((?:\[[^]]*\])*) (\S+)(?: if (.*))?")


def port(text: str, iterators: Sequence[str]) -> Port:
    """Return the port of ``read A[i + 1] value if k == 0``."""
    found = _PORT.fullmatch(text)
    assert found is not None, text
    mode, target, subscripts, value, guard = found.groups()
    places = re.findall(r"\[([^]]*)\]", subscripts)
    return Port(
        AccessMode(mode),
        target,
        tuple(read_subscript(place, iterators) for place in places),
        value,
        None if guard is None else read_guard(guard, iterators),
    )


def operation(text: str, element: ElementType = ElementType.FLOAT) -> Operation:
    """Return the operation of ``result = operator operands``."""
    result, right = text.split(" = ")
    operator, *operands = right.split()
    return Operation(Operator(operator), element, tuple(operands), result)


def pipeline(
    tiles: Mapping[str, int],
    lanes: Mapping[str, int],
    ports: Sequence[str],
    operations: Sequence[str] = (),
    element: ElementType = ElementType.FLOAT,
    *,
    reassociates: bool = True,
) -> Pipeline:
    """Return a pipeline named ``p``; the tool may reassociate its sums, as in published ones."""
    return Pipeline(
        "p",
        tuple(Loop(*item) for item in tiles.items()),
        tuple(Loop(*item) for item in lanes.items()),
        tuple(port(text, [*tiles, *lanes]) for text in ports),
        tuple(operation(text, element) for text in operations),
        reassociates=reassociates,
    )


def memory(
    name: str,
    place: Place,
    shape: tuple[int, ...],
    factors: tuple[int, ...] | None = None,
    *,
    tool_splits: bool = False,
) -> Memory:
    """Return a memory of floats, unpartitioned if nothing else is said."""
    factors = factors or (1,) * len(shape)
    return Memory(name, place, ElementType.FLOAT, shape, factors, tool_splits=tool_splits)


def timed(one: Pipeline, *memories: Memory, shared: str = "") -> TimedPipeline:
    """Return how a pipeline runs among memories; what they don't name is a FIFO.

    ``shared`` is a memory that another process reads too.
    """
    names = {m.name for m in memories}
    streams = {p.target: p for p in one.ports if p.target not in names}
    fifos = tuple(
        Fifo(name, ElementType.FLOAT, (4,) * len(p.subscripts), 2) for name, p in streams.items()
    )
    processes = [Process("p", (one,))]
    if shared:
        other = Port(AccessMode.READ, shared, one.ports[0].subscripts, "other")
        processes.append(Process("other", (Pipeline("other", one.tiles, (), (other,), ()),)))
    network = Network("n", tuple(processes), memories, fifos)
    return timed_pipelines(network, TARGET)["p"]


def product(order: str, trips: Mapping[str, int], lanes: Mapping[str, int]) -> TimedPipeline:
    """Return how ``C[i][j] += A[i][k] * B[k][j]`` runs, all arrays split like the lanes."""
    tiles = {name: trips[name] for name in order}
    unrolled = {f"{name}l": lanes[name] for name in order}
    at = {name: f"{name} * {lanes[name]} + {name}l" for name in order}
    last = trips["k"] * lanes["k"] - 1
    one = pipeline(
        tiles,
        unrolled,
        [
            f"read A[{at['i']}][{at['k']}] a",
            f"read B[{at['k']}][{at['j']}] b",
            f"write C[{at['i']}][{at['j']}] 0.0 if {at['k']} == 0",
            f"read C[{at['i']}][{at['j']}] c",
            f"write C[{at['i']}][{at['j']}] s",
            f"read C[{at['i']}][{at['j']}] d if {at['k']} == {last}",
            f"write out[il][jl] d if {at['k']} == {last}",
        ],
        ["m = mul a b", "s = add c m"],
    )

    def split(name: str, place: Place, *along: str) -> Memory:
        shape = tuple(prod((trips[loop], lanes[loop])) for loop in along)
        return memory(name, place, shape, tuple(lanes[loop] for loop in along))

    return timed(
        one,
        split("A", Place.ARGUMENT, "i", "k"),
        split("B", Place.ARGUMENT, "k", "j"),
        split("C", Place.LOCAL, "i", "j"),
    )
