"""``config.json`` of a language model: its sizes, and the functions that it is made of.

Known are models like GPT-2 and like LLaMA (Mistral, Qwen2 without a sliding window, ...).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, cast

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason
from streamopt.files import read_text
from streamopt.formats.safetensors import UNREADABLE
from streamopt.ir.decoders.model import Activation, DecoderModel, DecoderStyle, Heads, Normalization

CONFIG: Final = "config.json"
UNSUPPORTED: Final = "E192"
ACTIVATIONS = {
    "gelu": Activation.GELU,
    "gelu_new": Activation.GELU_TANH,
    "gelu_pytorch_tanh": Activation.GELU_TANH,
    "silu": Activation.SILU,
    "swish": Activation.SILU,
    "relu": Activation.RELU,
}
NOT_THERE = (
    *("sliding_window", "rope_scaling", "quantization_config", "num_local_experts"),
    *("scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn"),
)
"""Entries that change what a model computes, in ways that aren't known here."""


def config_path(path: str | Path) -> Path:
    """Return the config.json that a path is, or that a folder has."""
    given = Path(path)
    return given / CONFIG if given.is_dir() else given


def read_config(path: str | Path) -> DecoderModel:
    """Return the sizes of a language model.

    Parameters
    ----------
    path
        Of config.json, or of its folder, whose name is the model's.

    Raises
    ------
    FrontendError
        E191 for a file that can't be read, or has no such numbers; E192 for a kind of model, or a
        function, that isn't known.
    """
    file = config_path(path)
    try:
        read: Any = json.loads(read_text(file))
        if not isinstance(read, dict):
            raise ValueError("it is no JSON object")
        document = cast("dict[str, Any]", read)
    except (OSError, ValueError, RecursionError) as error:
        said = reason(error) if not isinstance(error, RecursionError) else "it is nested too deeply"
        raise _unreadable(f"the file can't be read: {said}", file) from None
    config = _Config(document, file)
    kind = config.text("model_type")
    if kind not in _KINDS:
        hint = f"known types: {', '.join(sorted(_KINDS))}"
        config.refuse(f"models of type '{kind}' are not known", hint)
    for name in NOT_THERE:
        is_off = name == "sliding_window" and document.get("use_sliding_window") is False
        if document.get(name) and not is_off:
            config.refuse(f"'{name}' is {document[name]!r}", "take it out if it has no effect")
    name = file.resolve().parent.name if file.name == CONFIG else file.stem
    return _KINDS[kind](config, name)


def _unreadable(message: str, file: Path) -> FrontendError:
    hint = "give the folder of a model, or its config.json"
    return FrontendError(Diagnostic(UNREADABLE, message, SourceLoc(str(file)), hint))


class _Config:
    """A document with its file, for messages; what it lacks is a FrontendError (E191, E192)."""

    def __init__(self, document: Mapping[str, Any], file: Path) -> None:
        self._document, self._file = document, file

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        raise FrontendError(Diagnostic(UNSUPPORTED, message, SourceLoc(str(self._file)), hint))

    def text(self, name: str) -> str:
        found = self._document.get(name)
        if not isinstance(found, str):
            raise _unreadable(f"'{name}' is {found!r}, and no text", self._file)
        return found

    def whole(self, name: str, usual: int | None = None) -> int:
        found = self._document.get(name)
        found = usual if found is None else found
        if not isinstance(found, int) or isinstance(found, bool) or not 0 < found < 2**31:
            raise _unreadable(f"'{name}' is {found!r}, and no positive whole number", self._file)
        return found

    def number(self, name: str, usual: float) -> float:
        found = self._document.get(name, usual)
        if not isinstance(found, int | float) or isinstance(found, bool) or not found > 0:
            raise _unreadable(f"'{name}' is {found!r}, and no positive number", self._file)
        return float(found)

    def activation(self, name: str, usual: str) -> Activation:
        found = self._document.get(name, usual)
        if found not in ACTIVATIONS:
            self.refuse(
                f"'{name}' is {found!r}, which is not known",
                f"known activations: {', '.join(ACTIVATIONS)}",
            )
        return ACTIVATIONS[str(found)]

    def heads(self, count: int, groups: int, of_head: int) -> Heads:
        if count % groups or of_head % 2:
            self.refuse(
                f"{count} heads of {of_head} features with {groups} of keys don't suit each other",
                "heads have an even number of features, and so many queries a key",
            )
        return Heads(count, groups, of_head)


def _gpt2(config: _Config, name: str) -> DecoderModel:
    features, count = config.whole("n_embd"), config.whole("n_head")
    style = DecoderStyle(
        Normalization.LAYER,
        config.activation("activation_function", "gelu_new"),
        epsilon=config.number("layer_norm_epsilon", 1e-5),
    )
    if features % count:
        config.refuse(f"{features} features are not for {count} heads")
    return DecoderModel(
        name,
        config.whole("n_layer"),
        features,
        config.heads(count, count, features // count),
        config.whole("n_inner", 4 * features),
        config.whole("vocab_size"),
        config.whole("n_positions"),
        style,
    )


def _llama(config: _Config, name: str) -> DecoderModel:
    features, count = config.whole("hidden_size"), config.whole("num_attention_heads")
    style = DecoderStyle(
        Normalization.RMS,
        config.activation("hidden_act", "silu"),
        is_gated=True,
        rotary_base=config.number("rope_theta", 10000.0),
        epsilon=config.number("rms_norm_eps", 1e-6),
    )
    groups = config.whole("num_key_value_heads", count)
    return DecoderModel(
        name,
        config.whole("num_hidden_layers"),
        features,
        config.heads(count, groups, config.whole("head_dim", features // count)),
        config.whole("intermediate_size"),
        config.whole("vocab_size"),
        config.whole("max_position_embeddings"),
        style,
    )


_KINDS: Mapping[str, Callable[[_Config, str], DecoderModel]] = {
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": _llama,
    "qwen2": _llama,
}
