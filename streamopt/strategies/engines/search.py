"""The quickest engine: all shapes in the order of what they take at least, until none can win.

The bound of a shape is the closed form of its loops, and its words at the rate of the channels;
a run adds the waiting for weights to it. Before its turn comes a shape has the bound of its
products alone, so layers are cut into tiles for few shapes. Shapes are simulated in the order of
their bounds, and the search ends at the first whose bound isn't below the best run: that run is the
least of all shapes, and its cycles are proved. A shape that doesn't fit the limits is left out, and
the one with a product less in each sum comes in: it is no quicker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import ceil
from time import process_time

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.engines import EngineEvaluation, built_engine, simulated_engine
from streamopt.ir.engines.hardware import BEAT_BYTES, EngineHardware, Supply
from streamopt.ir.engines.layers import LayerGraph
from streamopt.ir.engines.shape import EngineShape
from streamopt.perf.engines.cycles import EngineCycles, engine_cycles, roofline_cycles, word_bytes
from streamopt.perf.engines.epilogues import epilogue_cost
from streamopt.perf.engines.operators import adder_cost, float_adder, product_cost
from streamopt.perf.engines.resources import EngineResources, fill_cycles, longest_epilogue_cycles
from streamopt.strategies.engines.answer import EngineAnswer
from streamopt.strategies.engines.space import (
    FLOATS,
    USUAL,
    EngineSpace,
    Multipliers,
    shapes,
    supply_of,
)
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Resources
from streamopt.transforms.engines.forms import forms_of

FIFO_STEP = 8
"""A FIFO of weights that doesn't fit is tried again with so many times fewer words."""
LEAST_FIFO_WORDS = 8


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """The most that an engine may take."""

    target: Target
    resources: Resources
    """Of the part of the device, or less; DSPs are for products and epilogues together."""
    packed: bool = False
    lut_products: int = 0
    """Multipliers that may be built from LUTs."""
    channels: int | None = None
    """Of weights, at most; None for as many as bring a word a cycle."""
    space: EngineSpace | None = None
    """None for the usual one of the elements."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A shape with what it takes at least."""

    least_cycles: int
    shape: EngineShape
    supply: Supply
    cycles: EngineCycles | None = None
    """Of all layers; None while only products are counted."""

    @property
    def order(self) -> tuple[int, int, int]:
        """Return the place among candidates: least cycles first, then few banks."""
        return self.least_cycles, self.shape.banks, self.shape.drain


def solve_engine(
    graph: LayerGraph, limits: EngineLimits, seconds: float | None = None
) -> EngineAnswer[EngineEvaluation]:
    """Return the engine that runs a network in the fewest cycles.

    Parameters
    ----------
    seconds
        Of processor time, after which the best so far is returned with its bound; None for no
        limit.

    Raises
    ------
    InfeasibleError
        E528 if no shape fits the limits.
    """
    started = process_time()
    space = _ShapeSpace(graph, limits)
    waiting = [(one.order, number, one) for number, one in enumerate(space.candidates())]
    heapify(waiting)
    known = {one.shape for _, _, one in waiting}
    best: EngineEvaluation | None = None
    bound, tried, tightest = 0, 0, ""
    while waiting:
        _, number, candidate = heappop(waiting)
        bound = candidate.least_cycles
        is_late = seconds is not None and process_time() - started > seconds
        if best is not None and (bound >= best.run.cycles or is_late):
            break
        if candidate.cycles is None:
            closer = space.with_layers(candidate)
            heappush(waiting, (closer.order, number, closer))
            continue
        hardware, resources = space.built(candidate, candidate.cycles)
        over = resources.total.over(limits.resources)
        if over:
            tightest = tightest or ", ".join(RESOURCE_WORDS[name] for name in over)
            narrower = space.narrower(candidate)
            if narrower is not None and narrower.shape not in known:
                heappush(waiting, (narrower.order, len(known), narrower))
                known.add(narrower.shape)
            continue
        found = simulated_engine(hardware, resources)
        tried += 1
        if best is None or _order(found) < _order(best):
            best = found
    else:
        bound = best.run.cycles if best is not None else 0
    if best is None:
        most = tightest or RESOURCE_WORDS["dsps"]
        message = f"no engine for {graph.name} fits: the quickest takes too much of {most}"
        raise InfeasibleError(Diagnostic("E528", message, hint="raise the limits, or --fit"))
    return EngineAnswer(
        best,
        min(bound, best.run.cycles),
        space.roofline_cycles(best.hardware.supply),
        tried,
        len(known),
        process_time() - started,
    )


def _order(one: EngineEvaluation) -> tuple[int, int]:
    return one.run.cycles, one.resources.total.luts


class _ShapeSpace:
    """The shapes of a search, with what each takes at least."""

    def __init__(self, graph: LayerGraph, limits: EngineLimits) -> None:
        """Count what is the same in every shape."""
        forms, _ = forms_of(graph)
        self._graph, self._limits = graph, limits
        self._space = limits.space or (FLOATS if graph.is_float else USUAL)
        self._multipliers = _multipliers(graph, limits)
        self._products = graph.products
        self._epilogue_cycles = longest_epilogue_cycles(forms, limits.target)
        inputs = [graph.map(name) for name in graph.inputs]
        self._input_bytes = sum(one.size_elems * one.element.storage_bits // 8 for one in inputs)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield the shapes with the most products of a sum, with their products alone."""
        yield from map(self._candidate, shapes(self._space, self._multipliers))

    def narrower(self, candidate: _Candidate) -> _Candidate | None:
        """Return the shape with a product less in each sum; None if there is none."""
        shape = self._multipliers.shape(candidate.shape, candidate.shape.depth - 1)
        return None if shape is None else self._candidate(shape)

    def _candidate(self, shape: EngineShape) -> _Candidate:
        limits = self._limits
        of_word = word_bytes(self._graph, shape)
        supply = supply_of(of_word, limits.target, limits.channels, self._space.fifo_words)
        products = ceil(self._products / shape.products)
        return _Candidate(self._outside_cycles(supply) + products, shape, supply)

    def with_layers(self, candidate: _Candidate) -> _Candidate:
        """Return a candidate with all of its layers counted."""
        fill = fill_cycles(candidate.shape, self._epilogue_cycles, self._limits.target)
        cycles = engine_cycles(self._graph, candidate.shape, fill)
        supply = candidate.supply
        least = cycles.least(supply.cycles_per_word, self._outside_cycles(supply))
        return replace(candidate, least_cycles=least, cycles=cycles)

    def built(
        self, candidate: _Candidate, cycles: EngineCycles
    ) -> tuple[EngineHardware, EngineResources]:
        """Return a shape as an engine, and what it takes, with the longest FIFO that fits."""
        limits, words = self._limits, candidate.supply.fifo_words
        while True:
            supply = replace(candidate.supply, fifo_words=words)
            found = built_engine(
                *(self._graph, candidate.shape, cycles, supply, limits.target, limits.resources)
            )
            words //= FIFO_STEP
            if words < LEAST_FIFO_WORDS or not found[1].total.over(limits.resources):
                return found

    def roofline_cycles(self, supply: Supply) -> int:
        """Return the least cycles with as many products a cycle, and as many channels."""
        target = self._limits.target
        rates = (target.channel(name).bytes_per_cycle(target.clock_ns) for name in supply.channels)
        rate = sum(min(BEAT_BYTES, rate) for rate in rates)
        products = self._multipliers.most(0) + self._limits.lut_products
        return roofline_cycles(self._graph, products, rate)

    def _outside_cycles(self, supply: Supply) -> int:
        return 2 * supply.latency_cycles + ceil(self._input_bytes / BEAT_BYTES)


def _multipliers(graph: LayerGraph, limits: EngineLimits) -> Multipliers:
    """Return the multipliers that a network's shapes may have."""
    target = limits.target
    forms, _ = forms_of(graph)
    dsps = sum(epilogue_cost(form, target).resources.dsps for form in forms)
    own = Multipliers(limits.resources.dsps, limits.packed, limits.lut_products, 1, dsps)
    if not graph.is_float:
        return own
    adder, adder_dsps = float_adder(target), adder_cost(target).dsps
    each = max(1, product_cost(target, is_float=True).dsps + adder_dsps)
    dsps += (adder.cycles - 1) * adder_dsps
    return replace(own, dsps_each=each, epilogue_dsps=dsps, adder=adder)
