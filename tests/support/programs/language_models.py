"""Small language models: one like GPT-2, and one like LLaMA with shared keys."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import streamopt as so
from streamopt.ir.decoders.model import (
    Activation,
    DecoderModel,
    DecoderStyle,
    Heads,
    Normalization,
)

sys.path.insert(0, str(Path(__file__).parents[3] / "models"))
modules: Any = import_module("modules.language_models")

GPT = DecoderModel("small_gpt", 2, 64, Heads(4, 4, 16), 128, 100, 64)
LLAMA = DecoderModel(
    "small_llama",
    2,
    64,
    Heads(4, 2, 16),
    100,
    101,
    64,
    DecoderStyle(Normalization.RMS, Activation.SILU, True, 10000.0, 1e-6),
)


@cache
def small_engine(model: DecoderModel, prompt: int, answers: int, dsps: int) -> so.DecoderSolution:
    """Return the best engine of a model, which tests share."""
    return so.decoder(model, prompt=prompt, answers=answers, dsp=dsps)


def torch_gpt(seed: int = 0) -> Any:
    """Return `GPT` in PyTorch."""
    torch.manual_seed(seed)
    return modules.Gpt2(2, 64, 4, 128, 100, 64)


def torch_llama(seed: int = 0) -> Any:
    """Return `LLAMA` in PyTorch."""
    torch.manual_seed(seed)
    return modules.Llama(2, 64, (4, 2), 100, 101)


def state_of(module: Any) -> dict[str, Any]:
    """Return the weights of a module in NumPy, by name."""
    return {name: value.detach().numpy() for name, value in module.state_dict().items()}
