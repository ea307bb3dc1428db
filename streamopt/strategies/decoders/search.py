"""The quickest decoder: all shapes in the order of what they take at least, until none can win.

As for engines (`streamopt.strategies.engines.search`): the bound of a shape is a closed form, a
run adds what loops wait for words, and the search ends at the first shape whose bound isn't below
the best run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import product
from time import process_time

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.decoders import DecoderEvaluation, DecoderTask, simulated_decoder
from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.shape import PAIR_BYTES, DecoderShape
from streamopt.ir.decoders.steps import DecoderTable
from streamopt.perf.decoders.cycles import least_cycles, quickly_least_cycles, roofline_cycles
from streamopt.perf.decoders.resources import DecoderResources, decoder_resources, logic_resources
from streamopt.strategies.decoders.platform import (
    DecoderPlatform,
    decoder_hardware,
    decoder_platform,
)
from streamopt.strategies.engines.answer import EngineAnswer
from streamopt.target.channels import MOST_PORTS
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Resources

SHARES = (16, 32, 64)
LEAST_SHARE = 4
"""Bytes of the narrowest port; of heads whose features are in none of `SHARES`."""
LANES = (8, 16, 32, 64)
QUERIES = (1, 2, 4)
DRAINS = (1, 2, 4)
"""Times the least with which no block waits until another has left."""
MOST_POSITIONS, MOST_ROWS, MOST_DEPTH = 16, 256, 256


def solve_decoder(
    model: DecoderModel,
    task: DecoderTask,
    target: Target,
    limit: Resources,
    seconds: float | None = None,
) -> EngineAnswer[DecoderEvaluation]:
    """Return the decoder that gives the answers in the fewest cycles.

    Parameters
    ----------
    limit
        Resources of the part of the device, or less.
    seconds
        Of processor time, after which the best so far is returned with its bound; None for no
        limit.

    Raises
    ------
    InfeasibleError
        E528 if no shape fits the limits.
    """
    started = process_time()
    platform = decoder_platform(target)
    families = [
        _Family(model, task, platform, shape)
        for widest in _families(model, task, platform)
        if (shape := _of_most_positions(model, widest, platform, limit)) is not None
    ]
    queue = [(family.least_cycles, at) for at, family in enumerate(families)]
    heapify(queue)
    best: DecoderEvaluation | None = None
    bound, simulated = 0, 0
    while queue:
        bound, at = heappop(queue)
        is_late = seconds is not None and process_time() - started > seconds
        if best is not None and (bound >= best.run.cycles or is_late):
            break
        family = families[at]
        if family.is_refined():
            heappush(queue, (family.least_cycles, at))
            continue
        used = family.resources(limit)
        if used.total.over(limit):
            if family.without_most_positions():
                heappush(queue, (family.least_cycles, at))
            continue
        found = simulated_decoder(family.hardware, used, task)
        simulated += 1
        if best is None or found.run.cycles < best.run.cycles:
            best = found
    else:
        bound = best.run.cycles if best is not None else 0
    if best is None:
        raise _nothing_fits(model, task, platform, limit)
    bound = min(bound, best.run.cycles)
    roofline = roofline_cycles(
        model, task.prompt, task.answers, 2 * limit.dsps, platform.bytes_per_cycle
    )
    spent = process_time() - started
    return EngineAnswer(best, bound, roofline, simulated, len(families), spent)


class _Family:
    """Shapes that differ in their positions, of which the one with the most is looked at.

    A shape with fewer positions has at least as many blocks, and else the same cycles.
    """

    def __init__(
        self, model: DecoderModel, task: DecoderTask, platform: DecoderPlatform, shape: DecoderShape
    ) -> None:
        self._model, self._task, self._platform, self._shape = model, task, platform, shape
        self._look()

    def _look(self) -> None:
        self.hardware = decoder_hardware(self._model, self._shape, self._platform)
        task = self._task
        self.least_cycles = quickly_least_cycles(self.hardware, task.prompt, task.answers)
        self._is_quick = True

    def is_refined(self) -> bool:
        """Compute the bound in whole, if it was estimated; return whether it was."""
        was, self._is_quick = self._is_quick, False
        if was:
            self.least_cycles = least_cycles(self.hardware, self._task.prompt, self._task.answers)
        return was

    def resources(self, limit: Resources) -> DecoderResources:
        """Return the resources of the shape."""
        costs, blocks = self._platform.costs, self._platform.target.memories
        return decoder_resources(self.hardware.table, self.hardware.supply, costs, blocks, limit)

    def without_most_positions(self) -> bool:
        """Go on to the shape with a position less; return whether there is one."""
        self._shape = replace(self._shape, positions=self._shape.positions - 1)
        if self._shape.positions:
            self._look()
        return self._shape.positions > 0


def _families(
    model: DecoderModel, task: DecoderTask, platform: DecoderPlatform
) -> Iterator[DecoderShape]:
    """Yield the shapes of the space, with the most positions: (G1) to (G4)."""
    features = model.heads.features
    rows = min(task.prompt, MOST_ROWS, model.positions)
    channels = min(len(platform.channels), MOST_PORTS - 1)
    for count, share in product(range(1, channels + 1), _shares(features)):
        word = count * share
        if word % features or word % PAIR_BYTES:
            continue
        for depth, lanes, queries in product(_divisors(word), LANES, QUERIES):
            outputs = 2 * word // depth
            if outputs % 2 or depth > MOST_DEPTH or queries > rows:
                continue
            most = min(MOST_POSITIONS, rows, word // features)
            least = _least_drain(model, outputs, depth)
            for drain in {min(times * least, outputs) for times in DRAINS}:
                yield DecoderShape(outputs, depth, most, count, share, drain, lanes, queries, rows)


def _shares(features: int) -> list[int]:
    """Return the bytes of a word that a channel may have: whole parts of a key."""
    usual = [share for share in SHARES if features % share == 0]
    whole = features & -features
    return usual or [whole] * (whole >= LEAST_SHARE)


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _least_drain(model: DecoderModel, outputs: int, depth: int) -> int:
    """Return the fewest results at once with which no block waits until another has left."""
    inputs = min(model.features, model.hidden, model.heads.query_features)
    drain = -(-outputs // -(-inputs // depth))
    return drain + drain % 2


def _of_most_positions(
    model: DecoderModel, widest: DecoderShape, platform: DecoderPlatform, limit: Resources
) -> DecoderShape | None:
    """Return the shape of the most positions whose logic fits; None if there is none.

    Nor is there one if its channels don't hold the model.
    """
    if not platform.has_room(DecoderTable(model, widest)):
        return None

    def fits(positions: int) -> bool:
        table = DecoderTable(model, replace(widest, positions=positions))
        return not logic_resources(table, platform.costs).over(limit)

    most = bisect_left(range(1, widest.positions + 1), True, key=lambda n: not fits(n))
    return replace(widest, positions=most) if most else None


def _nothing_fits(
    model: DecoderModel, task: DecoderTask, platform: DecoderPlatform, limit: Resources
) -> InfeasibleError:
    first = next(_families(model, task, platform), None)
    if first is None:
        features, channels = model.heads.features, len(platform.channels)
        message = f"no engine for {model.name} fits: no word of {channels} channels holds keys of "
        hint = f"heads have a multiple of {LEAST_SHARE} features; more channels hold more"
        return InfeasibleError(Diagnostic("E528", f"{message}{features} features", hint=hint))
    tables = [DecoderTable(model, shape) for shape in _families(model, task, platform)]
    if not any(map(platform.has_room, tables)):
        least = min(table.channel_bytes for table in tables)
        message = f"no engine for {model.name} fits: weights, keys and values take "
        message += f"{least:,} bytes of each channel, which holds {platform.channel_bytes:,}"
        hint = "a context of fewer positions is smaller; --device for one with more memory"
        return InfeasibleError(Diagnostic("E528", message, hint=hint))
    smallest = _Family(model, task, platform, replace(first, positions=1))
    names = smallest.resources(limit).total.over(limit)
    over = ", ".join(RESOURCE_WORDS[name] for name in names)
    message = f"no engine for {model.name} fits: the smallest takes too much of {over}"
    return InfeasibleError(Diagnostic("E528", message, hint="raise the limits, or --fit"))
