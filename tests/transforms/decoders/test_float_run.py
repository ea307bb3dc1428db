"""Language models in floats are those of PyTorch, and their integers are near them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from streamopt.formats.language_models.weights import named_weights
from streamopt.ir.decoders.steps import Matrix
from streamopt.transforms.decoders.drawn import drawn_decoder
from streamopt.transforms.decoders.float_run import Ranges, float_logits
from streamopt.transforms.decoders.integers import integer_decoder
from streamopt.verification.decoders.interpreter import answers_of
from tests.support.programs.language_models import GPT, LLAMA, state_of, torch_gpt, torch_llama

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.decoders.model import DecoderModel

BOTH = [(GPT, torch_gpt), (LLAMA, torch_llama)]


@pytest.mark.parametrize(("model", "module"), BOTH)
def test_logits_are_those_of_pytorch(model: DecoderModel, module: Callable[[], Any]) -> None:
    reference = module()
    tokens = np.random.default_rng(0).integers(0, model.vocabulary, 23)
    with torch.no_grad():
        wanted = reference(torch.as_tensor(tokens)).numpy()
    found = float_logits(named_weights(state_of(reference), model), tokens, Ranges())
    assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()


@pytest.mark.parametrize("model", [GPT, LLAMA])
def test_integers_are_near_floats(model: DecoderModel) -> None:
    """Weights of 4 bits alone are off by a tenth; a calibration by other tokens does."""
    floats = drawn_decoder(model, 3)
    random = np.random.default_rng(1)
    integers = integer_decoder(floats, random.integers(0, model.vocabulary, 64))
    prompt = random.integers(0, model.vocabulary, 30)
    found = answers_of(integers, prompt, 5)
    whole = np.concatenate([prompt, found.tokens[:-1]])
    wanted = float_logits(floats, whole, Ranges())[-5:]
    rest = found.logits * integers.logit_scale - wanted
    assert np.sqrt(np.square(rest).mean() / np.square(wanted).mean()) < 0.25


def test_with_weights_that_are_integers_only_activations_are_rounded() -> None:
    floats = drawn_decoder(GPT, 3)
    for layer in floats.layers:
        for matrix in layer.matrices.values():
            scale = np.abs(matrix.weight).max(1, keepdims=True) / 7
            matrix.weight[:] = np.rint(matrix.weight / scale) * scale
    weight = floats.vocabulary.weight
    scale = np.abs(weight).max(1, keepdims=True) / 7
    weight[:] = np.rint(weight / scale) * scale
    random = np.random.default_rng(1)
    tokens = random.integers(0, GPT.vocabulary, 64)
    integers = integer_decoder(floats, tokens)
    found = answers_of(integers, tokens[:30], 1)
    wanted = float_logits(floats, tokens[:30], Ranges())[-1]
    rest = found.logits[0] * integers.logit_scale - wanted
    assert np.sqrt(np.square(rest).mean() / np.square(wanted).mean()) < 0.02


def test_answers_behind_a_prompt_are_those_of_a_longer_prompt() -> None:
    """Keys and values that are kept are those that would be computed again."""
    integers = integer_decoder(drawn_decoder(LLAMA, 5), np.arange(60))
    found = answers_of(integers, np.arange(10), 6)
    again = answers_of(integers, np.concatenate([np.arange(10), found.tokens[:4]]), 2)
    assert (again.logits == found.logits[4:]).all()


def test_weights_have_four_bits() -> None:
    integers = integer_decoder(drawn_decoder(GPT, 0), np.arange(20))
    weights = integers.layers[1].matrices[Matrix.HIDDEN].weights
    assert set(np.unique(weights)) == set(range(-7, 8))
