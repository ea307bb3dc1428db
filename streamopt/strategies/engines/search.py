"""The quickest engine: all shapes in the order of what they take at least, until none can win.

The bound of a shape is the closed form of its loops, and its words at the rate of the channels;
a run adds the waiting for weights to it. Before its turn comes a shape has the bound of its
products alone, so layers are cut into tiles for few shapes. Shapes are simulated in the order of
their bounds, and the search ends at the first whose bound isn't below the best run: that run is the
least of all shapes, and its cycles are proved. Shapes that don't fit the limits are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import ceil
from time import process_time

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.engines import EngineEvaluation, built_engine, simulated_engine
from streamopt.ir.engines.hardware import BEAT_BYTES, Supply
from streamopt.ir.engines.layers import LayerGraph
from streamopt.ir.engines.shape import EngineShape
from streamopt.perf.engines.cycles import EngineCycles, engine_cycles, roofline_cycles, word_bytes
from streamopt.perf.engines.resources import fill_cycles, longest_epilogue_cycles
from streamopt.strategies.engines.answer import EngineAnswer
from streamopt.strategies.engines.space import USUAL, EngineSpace, shapes, supply_of
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Resources
from streamopt.transforms.engines.forms import forms_of


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
    space: EngineSpace = field(default=USUAL)


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
    shapes = len(waiting)
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
        hardware, resources = built_engine(
            graph,
            candidate.shape,
            candidate.cycles,
            candidate.supply,
            limits.target,
            limits.resources,
        )
        over = resources.total.over(limits.resources)
        if over:
            tightest = tightest or ", ".join(RESOURCE_WORDS[name] for name in over)
            continue
        found = simulated_engine(hardware, resources)
        tried += 1
        if best is None or _order(found) < _order(best):
            best = found
    else:
        bound = best.run.cycles if best is not None else 0
    if best is None:
        message = f"no engine for {graph.name} fits: the quickest takes too much of {tightest}"
        raise InfeasibleError(Diagnostic("E528", message, hint="raise the limits, or --fit"))
    return EngineAnswer(
        best,
        min(bound, best.run.cycles),
        _roofline(graph, best.hardware.supply, limits),
        tried,
        shapes,
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
        self._products = graph.products
        self._epilogue_cycles = longest_epilogue_cycles(forms, limits.target)
        self._inputs = sum(graph.map(name).size_elems for name in graph.inputs)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield each shape with its products alone."""
        limits = self._limits
        space = limits.space
        for shape in shapes(
            space, limits.resources.dsps, packed=limits.packed, lut_products=limits.lut_products
        ):
            of_word = word_bytes(self._graph, shape)
            supply = supply_of(of_word, limits.target, limits.channels, space.fifo_words)
            products = ceil(self._products / shape.products)
            yield _Candidate(self._outside_cycles(supply) + products, shape, supply)

    def with_layers(self, candidate: _Candidate) -> _Candidate:
        """Return a candidate with all of its layers counted."""
        fill = fill_cycles(candidate.shape, self._epilogue_cycles, self._limits.target)
        cycles = engine_cycles(self._graph, candidate.shape, fill)
        supply = candidate.supply
        least = cycles.least(supply.cycles_per_word, self._outside_cycles(supply))
        return replace(candidate, least_cycles=least, cycles=cycles)

    def _outside_cycles(self, supply: Supply) -> int:
        return 2 * supply.latency_cycles + ceil(self._inputs / BEAT_BYTES)


def _roofline(graph: LayerGraph, supply: Supply, limits: EngineLimits) -> int:
    """Return the least cycles of any engine of as many products a cycle and as many channels."""
    rate = Fraction(BEAT_BYTES * len(supply.channels)) / supply.cycles_per_word
    factor = 2 if limits.packed else 1
    products = limits.resources.dsps * factor + limits.lut_products
    return roofline_cycles(graph, products, float(rate))
