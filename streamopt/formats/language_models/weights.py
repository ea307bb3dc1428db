"""Weights of a language model, by the names that Hugging Face gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.formats.language_models.config import config_path
from streamopt.formats.safetensors import read_safetensors
from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.numbers import FloatDecoder, FloatLayer, FloatMatrix, FloatNorm
from streamopt.ir.decoders.steps import Matrix

Floats = NDArray[np.float32]
PREFIXES = ("transformer.", "model.", "")


def read_weights(path: str | Path, model: DecoderModel) -> FloatDecoder | None:
    """Return the weights beside a config.json, from all of its safetensors; None without any.

    Raises
    ------
    FrontendError
        E191 for files that can't be read, E193 for a weight that is missing or has another shape.
    """
    folder = config_path(path).parent
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        return None
    tensors: dict[str, Floats] = {}
    for file in files:
        tensors |= read_safetensors(file)
    return named_weights(tensors, model, str(folder))


def named_weights(
    tensors: Mapping[str, Any], model: DecoderModel, source: str = "weights"
) -> FloatDecoder:
    """Return weights by their names, as a state of a module has them.

    Parameters
    ----------
    source
        Of messages.

    Raises
    ------
    FrontendError
        E193 for a weight that is missing or has another shape.
    """
    own = _Named(tensors, source)
    return _llama(own, model) if model.style.is_gated else _gpt2(own, model)


class _Named:
    """Tensors by name."""

    def __init__(self, tensors: Mapping[str, Any], source: str) -> None:
        self._tensors, self._source = tensors, source

    def known(self, name: str) -> str:
        """Return the name that a tensor has here, maybe with a prefix; empty if there is none."""
        return next((p + name for p in PREFIXES if p + name in self._tensors), "")

    def __call__(self, name: str, *shape: int) -> Floats:
        """Return a tensor; raises FrontendError (E193)."""
        known = self.known(name)
        if not known:
            raise self._wrong(f"there is no weight '{name}'")
        values = np.asarray(self._tensors[known], np.float32)
        if values.shape != shape:
            raise self._wrong(f"weight '{name}' has the shape {values.shape}, and not {shape}")
        return values

    def bias(self, name: str, size: int) -> Floats | None:
        """Return a bias, where there is one."""
        return self(name, size) if self.known(name) else None

    def _wrong(self, message: str) -> FrontendError:
        hint = "are weights and config.json of the same model?"
        return FrontendError(Diagnostic("E193", message, SourceLoc(self._source), hint))


def _gpt2(own: _Named, model: DecoderModel) -> FloatDecoder:
    features, hidden = model.features, model.hidden

    def matrix(name: str, inputs: int, outputs: int) -> FloatMatrix:
        weight = own(f"{name}.weight", inputs, outputs).T.copy()
        return FloatMatrix(weight, own(f"{name}.bias", outputs))

    def norm(name: str) -> FloatNorm:
        return FloatNorm(own(f"{name}.weight", features), own(f"{name}.bias", features))

    layers = tuple(
        FloatLayer(
            (norm(f"h.{at}.ln_1"), norm(f"h.{at}.ln_2")),
            {
                Matrix.INNER: matrix(f"h.{at}.attn.c_attn", features, 3 * features),
                Matrix.OUT: matrix(f"h.{at}.attn.c_proj", features, features),
                Matrix.HIDDEN: matrix(f"h.{at}.mlp.c_fc", features, hidden),
                Matrix.BACK: matrix(f"h.{at}.mlp.c_proj", hidden, features),
            },
        )
        for at in range(model.layers)
    )
    embedding = own("wte.weight", model.vocabulary, features)
    positions = own("wpe.weight", model.positions, features)
    return FloatDecoder(
        model, embedding, positions, layers, norm("ln_f"), _vocabulary(own, model, embedding)
    )


def _vocabulary(own: _Named, model: DecoderModel, embedding: Floats) -> FloatMatrix:
    """Return the matrix of the vocabulary: its own one, or the embedding."""
    if own.known("lm_head.weight"):
        return FloatMatrix(own("lm_head.weight", model.vocabulary, model.features))
    return FloatMatrix(embedding)


def _llama(own: _Named, model: DecoderModel) -> FloatDecoder:
    features, hidden, heads = model.features, model.hidden, model.heads

    def matrix(name: str, outputs: int, inputs: int) -> FloatMatrix:
        return FloatMatrix(
            own(f"{name}.weight", outputs, inputs), own.bias(f"{name}.bias", outputs)
        )

    def layer(at: int) -> FloatLayer:
        before = f"layers.{at}"
        attention, inside = f"{before}.self_attn", f"{before}.mlp"
        sizes = (heads.query_features, heads.key_features, heads.key_features)
        q, k, v = (
            matrix(f"{attention}.{name}_proj", size, features)
            for name, size in zip("qkv", sizes, strict=True)
        )
        names = ("input_layernorm", "post_attention_layernorm")
        first, second = (FloatNorm(own(f"{before}.{name}.weight", features)) for name in names)
        gate, up = (matrix(f"{inside}.{name}_proj", hidden, features) for name in ("gate", "up"))
        pairs = (_in_pairs(q, heads.features), _in_pairs(k, heads.features), v)
        return FloatLayer(
            (first, second),
            {
                Matrix.INNER: _joined(np.concatenate, *pairs),
                Matrix.OUT: matrix(f"{attention}.o_proj", features, heads.query_features),
                Matrix.HIDDEN: _joined(_in_turn, gate, up),
                Matrix.BACK: matrix(f"{inside}.down_proj", features, hidden),
            },
        )

    embedding = own("embed_tokens.weight", model.vocabulary, features)
    norm = FloatNorm(own("norm.weight", features))
    layers = tuple(map(layer, range(model.layers)))
    return FloatDecoder(model, embedding, None, layers, norm, _vocabulary(own, model, embedding))


def _in_pairs(matrix: FloatMatrix, features: int) -> FloatMatrix:
    """Return a matrix whose outputs that are turned together are one beside the other.

    The files have the first ones of all pairs of a head before the second ones; scores don't
    change when queries and keys are put in another order alike.
    """
    order = np.arange(features).reshape(2, features // 2).T.reshape(-1)
    rows = (np.arange(0, len(matrix.weight), features)[:, None] + order).reshape(-1)
    bias = None if matrix.bias is None else matrix.bias[rows]
    return FloatMatrix(matrix.weight[rows], bias)


def _joined(join: Callable[[Sequence[Floats]], Floats], *parts: FloatMatrix) -> FloatMatrix:
    """Return one matrix whose outputs are those of all; a bias that one has not is 0."""
    biases = [np.zeros(len(p.weight), np.float32) if p.bias is None else p.bias for p in parts]
    has_bias = any(part.bias is not None for part in parts)
    return FloatMatrix(join([p.weight for p in parts]), join(biases) if has_bias else None)


def _in_turn(parts: Sequence[Floats]) -> Floats:
    """Return the outputs of matrices, or their biases, in turn: gates and what they gate."""
    return np.stack(parts, 1).reshape(-1, *parts[0].shape[1:])
