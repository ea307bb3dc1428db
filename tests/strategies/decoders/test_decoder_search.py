"""The best decoder: no other shape that fits is quicker, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.ir.decoders.model import Heads
from streamopt.ir.decoders.shape import DecoderShape
from streamopt.perf.decoders.resources import decoder_resources
from streamopt.sim.decoders.run import simulate_decoder
from streamopt.strategies.decoders.platform import decoder_hardware, decoder_platform
from streamopt.target.device import find_device
from streamopt.target.resources import Fit
from tests.support.nightly import in_nightly
from tests.support.programs.language_models import GPT, LLAMA, small_engine


@pytest.mark.parametrize("task", in_nightly([(1, 16), (16, 1), (16, 8)], 1))
def test_no_shape_that_fits_is_quicker(task: tuple[int, int]) -> None:
    prompt, answers = task
    limit = so.Budget(built_dsp=500, lut=150_000, bram18=400, uram=100)
    best = so.decoder(LLAMA, prompt=prompt, answers=answers, budget=limit)
    assert best.cycles == best.bound_cycles
    assert best.roofline_cycles <= best.cycles
    own = best.hardware.table.shape
    platform, random = decoder_platform(find_device()), Random(prompt)
    tried = 0
    for _ in range(600):
        channels, share = random.randint(1, 31), 16
        word = channels * share
        depth = random.choice([n for n in range(1, word + 1) if word % n == 0])
        shape = DecoderShape(
            2 * word // depth,
            depth,
            random.randint(1, min(prompt, channels)),
            channels,
            share,
            2,
            random.choice((8, 16, 32, 64)),
            random.choice((1, min(2, prompt), min(4, prompt))),
            own.rows,
        )
        drain = _least_drain(shape) * random.choice((1, 2, 4))
        shape = replace(shape, drain=min(drain, shape.outputs))
        hardware = decoder_hardware(LLAMA, shape, platform)
        used = decoder_resources(
            hardware.table, hardware.supply, platform.costs, platform.target.memories, PART
        )
        if used.total.over(PART) or shape.outputs % 2:
            continue
        tried += 1
        assert simulate_decoder(hardware, prompt, answers).cycles >= best.cycles
    assert tried > 20


PART = replace(find_device().budget(Fit.DEVICE), dsps=500, bram18=400, uram=100, luts=150_000)


def _least_drain(shape: DecoderShape) -> int:
    drain = -(-shape.outputs // -(-LLAMA.features // shape.depth))
    return drain + drain % 2


@pytest.mark.nightly
def test_more_dsps_are_never_slower() -> None:
    runs = [so.decoder(GPT, prompt=24, answers=4, dsp=dsps).cycles for dsps in (300, 600)]
    assert runs == sorted(runs, reverse=True)


@pytest.mark.parametrize(
    ("prompt", "answers", "dsps", "code"),
    [(60, 6, 500, "E194"), (0, 1, 500, "E194"), (8, 1, 3, "E528")],
)
def test_what_can_not_be_is_refused(prompt: int, answers: int, dsps: int, code: str) -> None:
    with pytest.raises(StreamoptError, match=code):
        so.decoder(GPT, prompt=prompt, answers=answers, dsp=dsps)


def test_heads_that_no_word_holds_are_refused() -> None:
    model = replace(GPT, features=66, heads=Heads(11, 11, 6))
    with pytest.raises(StreamoptError, match=r"E528.*keys of 6 features"):
        so.decoder(model, prompt=8, answers=1)


def test_channels_hold_weights_keys_and_values() -> None:
    within, beyond = (replace(GPT, positions=2**exponent) for exponent in (20, 30))
    found = so.decoder(within, prompt=8, answers=1, dsp=500)
    size = found.target.channel("HBM[0]").size_bytes
    assert 2**20 < found.hardware.table.channel_bytes <= size
    with pytest.raises(StreamoptError, match=r"E528.*keys and values take [\d,]+ bytes of each"):
        so.decoder(beyond, prompt=8, answers=1, dsp=500)


def test_fewer_layers_keep_the_shape() -> None:
    found = small_engine(GPT, 8, 1, 500)
    one = found.reduced(layers=1)
    assert one.hardware.table.shape == found.hardware.table.shape
    assert one.simulate(8).cycles < found.simulate(8).cycles
    with pytest.raises(StreamoptError, match="E194"):
        found.reduced(layers=3)
