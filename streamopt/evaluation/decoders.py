"""A decoder as built: its hardware, its resources, and its run over a task."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.perf.decoders.resources import DecoderResources
from streamopt.sim.decoders.run import DecoderRun, simulate_decoder


@dataclass(frozen=True, slots=True)
class DecoderTask:
    """The tokens that count: a prompt, and the answers to it."""

    prompt: int
    answers: int = 1


@dataclass(frozen=True, slots=True)
class DecoderEvaluation:
    """A decoder with what it takes, and how it runs."""

    hardware: DecoderHardware
    resources: DecoderResources
    run: DecoderRun


def simulated_decoder(
    hardware: DecoderHardware, resources: DecoderResources, task: DecoderTask
) -> DecoderEvaluation:
    """Return a decoder with its run over a task."""
    run = simulate_decoder(hardware, task.prompt, task.answers)
    return DecoderEvaluation(hardware, resources, run)
