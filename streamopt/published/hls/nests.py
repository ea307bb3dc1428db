"""Loop nests outside of pipelines: which loops are one pipeline, and which run one by one.

A perfect nest is a pipeline, as Vitis HLS flattens it: of the loops around the one that has
``#pragma HLS pipeline``, or else around the innermost that isn't unrolled. The nests in a loop that
is no such nest run once for each of its iterations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import LimitError
from streamopt.ir.affine import Affine
from streamopt.ir.network import Pipeline
from streamopt.ir.program import Loop
from streamopt.published.hls.accesses import Binding
from streamopt.published.hls.counters import counted_digits
from streamopt.published.hls.declarations import Declarations
from streamopt.published.hls.directives import Store, directive, named
from streamopt.published.hls.loops import (
    Counted,
    block,
    counted,
    in_lanes,
    loops_under,
    nested,
    placed,
)

_MOST_PIPELINES = 4096
_MOST_TRIPS = 2**26
_MOST_ITERATIONS = 2**36
_MOST_COPIES = 2**16
_MOST_PORTS = 2**13


class NestTile(NamedTuple):
    """A loop around a nest, and its iterator's value in the source."""

    loop: Loop
    place: Affine
    iterator: str


class HlsContext(NamedTuple):
    """Where items stand."""

    bindings: dict[str, Binding]
    into: list[Pipeline] | None
    """The pipelines of the process that they belong to; None where each item is a process."""
    prefix: str
    """Of the names of what is declared there."""

    def inside(self, bindings: dict[str, Binding]) -> HlsContext:
        """Return the context of a block, which has its own names."""
        return self._replace(bindings=bindings)


class NestReader(ABC):
    """Reads loop nests into pipelines; a subclass reads the items of a loop around nests.

    Parameters
    ----------
    reassociates
        Whether the tool may reorder sums of floats: ``config_compile -unsafe_math_optimizations``.

    Attributes
    ----------
    runs
        Loops around what is read whose iterations are read one by one.
    """

    def __init__(self, declarations: Declarations, *, reassociates: bool) -> None:
        self.declarations = declarations
        self.reading = declarations.reading
        self._reassociates = reassociates
        self._names: set[str] = set()
        self.runs = 0

    @abstractmethod
    def items(self, items: Sequence[ast.Node], context: HlsContext) -> None:
        """Read items that don't stand in a pipeline."""

    def nest(self, loop: ast.For, tiles: Sequence[NestTile], context: HlsContext) -> None:
        """Read a loop: as one pipeline with those around it, or its iterations one by one."""
        self.reading.spend(loop)
        trips = counted(loop, lambda node: self.declarations.constant(node, context.bindings))
        if not self._is_plain(loop, trips):
            return
        assert trips is not None
        items = block(loop.stmt)
        factor = self._unrolled(items, trips, context)
        name = trips.iterator
        while name in {tile.loop.name for tile in tiles}:
            name += "_"
        place = placed(trips, Affine.iterator(name).scaled(factor))
        around = [*tiles, NestTile(Loop(name, -(-trips.trips // factor)), place, trips.iterator)]
        if factor > 1:
            items = in_lanes(loop, items, factor, trips)
        inside = context.inside({**context.bindings, **{t.iterator: t.place for t in around}})
        if self._is_body(items):
            wanted = f"{context.prefix}{name}"
            owner = context.prefix.removesuffix(".")
            wanted = owner if owner and owner not in self._names else wanted
            self.pipeline(wanted, items, [tile.loop for tile in around], inside)
            return
        rest = [item for item in items if not isinstance(item, ast.Pragma | ast.Decl)]
        if len(rest) == 1 and isinstance(rest[0], ast.For) and self._has_numbers_only(items):
            reader = self.declarations.body(inside.bindings, [tile.loop for tile in around])
            for item in items:
                if isinstance(item, ast.Decl) and item.init is not None:
                    inside.bindings[str(item.name)] = reader.value(item.init)
            self.nest(rest[0], around, inside)
            return
        self._one_by_one(around, items, context)

    def _is_plain(self, loop: ast.For, trips: Counted | None) -> bool:
        """Return whether a loop has iterations that are known and don't overlap as a region's."""
        if trips is None:
            hint = "loops have constant bounds; conditions may say which iterations do something"
            self.reading.report("E136", "the bounds of this loop are not constant", loop, hint)
            return False
        if named(block(loop.stmt), "dataflow") is not None:
            message = "the iterations of this loop overlap as those of a dataflow region"
            self.reading.report("E149", message, loop, "regions whose processes run once are read")
            return False
        return trips.trips > 0

    def _unrolled(self, items: Sequence[ast.Node], trips: Counted, context: HlsContext) -> int:
        """Return the unroll factor of a loop outside of a pipeline."""
        said = named(items, "unroll", context.bindings)
        if said is None or loops_under(items):
            return 1  # copies of whole nests run one after another here
        return min(said.number("factor") or trips.trips, trips.trips)

    def _is_body(self, items: Sequence[ast.Node]) -> bool:
        """Return whether items are the body of a pipeline: all loops in it are unrolled."""
        inner = nested(items)
        unrolled = (named(block(loop.stmt), "unroll") for loop in inner)
        whole = all(said is not None and "factor" not in said.options for said in unrolled)
        return whole or named(items, "pipeline") is not None

    def _has_numbers_only(self, items: Sequence[ast.Node]) -> bool:
        """Return whether all that items declare are whole numbers known from the iterators."""
        known = self.reading.file.declarations
        return all(
            item.init is not None and item in known and known[item].type.is_integer
            for item in items
            if isinstance(item, ast.Decl)
        )

    def _one_by_one(
        self, around: Sequence[NestTile], items: Sequence[ast.Node], context: HlsContext
    ) -> None:
        """Read what runs once for each iteration of loops around it."""
        points: list[dict[str, int]] = [{}]
        for tile in around:
            if len(points) * tile.loop.trip_count > _MOST_PIPELINES:
                message = f"more than {_MOST_PIPELINES} runs of loops in a nest that is not perfect"
                hint = "make the nest perfect, with conditions in the innermost loop"
                self.reading.report("E149", message, items[0], hint)
                return
            points = [{**p, tile.loop.name: n} for p in points for n in range(tile.loop.trip_count)]
        self.runs += 1
        for point in points:
            here = {tile.iterator: Affine.of(tile.place.evaluate(point)) for tile in around}
            self.items(items, context.inside({**context.bindings, **here}))
        self.runs -= 1

    def pipeline(
        self, wanted: str, items: Sequence[ast.Node], tiles: Sequence[Loop], context: HlsContext
    ) -> None:
        """Read a body into the pipelines of its process."""
        name, number = wanted, 1
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add(name)
        if len(self._names) > _MOST_PIPELINES:
            message = f"the design has more than {_MOST_PIPELINES} loop nests"
            raise LimitError(message, self.reading.file.loc(items[0]))
        said = named(items, "pipeline", context.bindings)
        target_ii = (said.number("ii") if said is not None else None) or 1
        known = counted_digits(items, tiles, context.bindings)
        if known is None:
            hint = "count digits: a constant by loop, and one comparison for each of them"
            self.reading.report("E136", "how this body counts is not known", items[0], hint)
            return
        items, digits = known
        reader = self.declarations.body({**context.bindings, **digits}, tiles)
        found = reader.pipeline(name, items, target_ii, reassociates=self._reassociates)
        found = replace(found, counts_digits=bool(digits))
        sizes = (
            (max((tile.trip_count for tile in tiles), default=1), _MOST_TRIPS, "trips of a loop"),
            (found.iterations, _MOST_ITERATIONS, "iterations"),
            (found.copies, _MOST_COPIES, "lanes"),
            (len(found.ports), _MOST_PORTS, "accesses"),
        )
        for size, most, what in sizes:
            if size > most:
                message = f"{name} has {size} {what}, and more than {most} are not simulated"
                raise LimitError(message, found.loc)
        if found.ports:
            assert context.into is not None
            context.into.append(found)

    def apply(self, item: ast.Node, bindings: Mapping[str, Binding]) -> None:
        """Take what a pragma says of an array or stream."""
        said = directive(item, bindings)
        if said is not None:
            found = bindings.get(said.variable.partition("[")[0])
            if isinstance(found, Store):
                found.apply(said)
