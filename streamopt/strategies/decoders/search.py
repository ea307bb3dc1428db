"""The quickest decoder: all shapes in the order of what they take at least, until none can win.

As for engines (`streamopt.strategies.engines.search`): the bound of a shape is a closed form, a
run adds what loops wait for words, and the search ends at the first shape whose bound isn't below
the best run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import product
from time import process_time

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.shape import DecoderShape
from streamopt.ir.decoders.steps import DecoderTable
from streamopt.ir.engines.hardware import BEAT_BYTES, Supply
from streamopt.perf.decoders.cycles import least_cycles, roofline_cycles
from streamopt.perf.decoders.resources import DecoderResources, decoder_fills, decoder_resources
from streamopt.sim.decoders.run import DecoderRun, simulate_decoder
from streamopt.target.channels import MOST_PORTS
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Resources

SHARES = (16, 32, 64)
LANES = (8, 16, 32, 64)
QUERIES = (1, 2, 4)
MOST_POSITIONS, MOST_ROWS, MOST_DEPTH = 16, 256, 256
FIFO_WORDS = 512
"""That can wait: what the blocks of a FIFO have room for anyway."""


@dataclass(frozen=True, slots=True)
class DecoderTask:
    """The tokens that count: a prompt, and the answers to it."""

    prompt: int
    answers: int = 1


@dataclass(frozen=True, slots=True)
class DecoderAnswer:
    """The best decoder, and what is proved of it."""

    hardware: DecoderHardware
    resources: DecoderResources
    run: DecoderRun
    bound_cycles: int
    """No decoder of the space that fits takes less; the run, where the search finished."""
    roofline_cycles: int
    """No hardware with as many products and bytes a cycle takes less."""
    simulated: int
    """Shapes that were simulated: those that fit."""
    shapes: int
    """Shapes that there are."""
    solve_seconds: float
    """Of processor time."""

    @property
    def cycles(self) -> int:
        """Return the simulated cycles until the last answer."""
        return self.run.cycles

    @property
    def gap(self) -> float:
        """Return how far the run may be above the optimum, relative to it."""
        return (self.cycles - self.bound_cycles) / self.cycles


def solve_decoder(
    model: DecoderModel,
    task: DecoderTask,
    target: Target,
    limit: Resources,
    seconds: float | None = None,
) -> DecoderAnswer:
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
    families = [_Family(model, task, target, own) for own in _families(model, task, target)]
    queue = [(family.least_cycles, at) for at, family in enumerate(families)]
    heapify(queue)
    best: tuple[DecoderRun, _Family, DecoderResources] | None = None
    bound, simulated = 0, 0
    while queue:
        bound, at = heappop(queue)
        is_late = seconds is not None and process_time() - started > seconds
        if best is not None and (bound >= best[0].cycles or is_late):
            break
        family = families[at]
        used = family.resources(limit)
        if used.total.over(limit):
            if family.without_most_positions():
                heappush(queue, (family.least_cycles, at))
            continue
        run = simulate_decoder(family.hardware, task.prompt, task.answers)
        simulated += 1
        if best is None or run.cycles < best[0].cycles:
            best = run, family, used
    if best is None:
        raise _nothing_fits(model, task, target, limit)
    run, own, used = best
    bound = min(bound, run.cycles) if queue else run.cycles
    rate = _bytes_per_cycle(target)
    roofline = roofline_cycles(model, task.prompt, task.answers, 2 * limit.dsps, rate)
    spent = process_time() - started
    return DecoderAnswer(
        own.hardware, used, run, bound, roofline, simulated, len(families), spent
    )


class _Family:
    """Shapes that differ in their positions, of which the one with the most is looked at.

    A shape with fewer positions has at least as many blocks, and else the same cycles.
    """

    def __init__(
        self, model: DecoderModel, task: DecoderTask, target: Target, shape: DecoderShape
    ) -> None:
        self._model, self._task, self._target, self._shape = model, task, target, shape
        self._look()

    def _look(self) -> None:
        self.hardware = decoder_hardware(self._model, self._shape, self._target)
        self.least_cycles = least_cycles(self.hardware, self._task.prompt, self._task.answers)

    def resources(self, limit: Resources) -> DecoderResources:
        """Return what the shape takes."""
        return decoder_resources(self.hardware.table, self.hardware.supply, self._target, limit)

    def without_most_positions(self) -> bool:
        """Go on to the shape with a position less; return whether there is one."""
        self._shape = replace(self._shape, positions=self._shape.positions - 1)
        if self._shape.positions:
            self._look()
        return self._shape.positions > 0


def _families(
    model: DecoderModel, task: DecoderTask, target: Target
) -> Iterator[DecoderShape]:
    """Yield the shapes with the most positions."""
    features = model.heads.features
    rows = min(task.prompt, MOST_ROWS, model.positions)
    channels = min(len(_fast_channels(target)), MOST_PORTS - 1)
    for count, share in product(range(1, channels + 1), SHARES):
        word = count * share
        if features % share or word % features:
            continue
        for depth, lanes, queries in product(_divisors(word), LANES, QUERIES):
            outputs = 2 * word // depth
            if outputs % 2 or depth > MOST_DEPTH or queries > rows:
                continue
            most = min(MOST_POSITIONS, rows, word // features)
            drain = _least_drain(model, outputs, depth)
            yield DecoderShape(outputs, depth, most, count, share, drain, lanes, queries, rows)


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _least_drain(model: DecoderModel, outputs: int, depth: int) -> int:
    """Return the fewest results at once with which no block waits until another has left."""
    inputs = min(model.features, model.hidden, model.heads.query_features)
    drain = -(-outputs // -(-inputs // depth))
    return drain + drain % 2


def _fast_channels(target: Target) -> list[str]:
    """Return the channels of the device's fastest kind of memory."""
    kinds: dict[str, list[str]] = {}
    for channel in target.channels:
        kinds.setdefault(channel.name.partition("[")[0], []).append(channel.name)
    return max(kinds.values(), key=lambda own: len(own) * target.channel(own[0]).bytes_per_s)


def _bytes_per_cycle(target: Target) -> float:
    names = _fast_channels(target)
    return sum(target.channel(name).bytes_per_cycle(target.clock_ns) for name in names)


def decoder_hardware(model: DecoderModel, shape: DecoderShape, target: Target) -> DecoderHardware:
    """Return a shape as built for a device: words over channels of its fastest memory.

    Tokens, embeddings and answers are in another memory, where the device has one.
    """
    names = _fast_channels(target)
    own = target.channel(names[0])
    rate = Fraction(own.bytes_per_s) * Fraction(str(target.clock_ns)) / 10**9
    per_word = max(Fraction(1), shape.share_bytes / rate)
    latency = own.latency_cycles(target.clock_ns)
    table = DecoderTable(model, shape)
    # Keys that are read next must have been written: what is read ahead is less than a pass.
    ahead = min(FIFO_WORDS, model.layers * table.layer_words // 2)
    supply = Supply(tuple(names[: shape.channels]), per_word, latency, ahead)
    others = [channel for channel in target.channels if channel.name not in names]
    host = others[0] if others else own
    width = min(BEAT_BYTES, int(host.bytes_per_cycle(target.clock_ns)))
    fills = decoder_fills(table, target)
    return DecoderHardware(table, supply, fills, width, host.latency_cycles(target.clock_ns))


def _nothing_fits(
    model: DecoderModel, task: DecoderTask, target: Target, limit: Resources
) -> InfeasibleError:
    first = next(_families(model, task, target), None)
    over = "channels"
    if first is not None:
        hardware = decoder_hardware(model, replace(first, positions=1), target)
        used = decoder_resources(hardware.table, hardware.supply, target, limit).total
        over = ", ".join(RESOURCE_WORDS[name] for name in used.over(limit))
    message = f"no engine for {model.name} fits: the smallest takes too much of {over}"
    return InfeasibleError(Diagnostic("E528", message, hint="raise the limits, or --fit"))
