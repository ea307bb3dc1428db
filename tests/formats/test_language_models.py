"""Language models in the files of Hugging Face: sizes, weights, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.errors import FrontendError
from streamopt.formats.language_models.config import read_config
from streamopt.formats.language_models.weights import named_weights, read_weights
from streamopt.ir.decoders.model import Activation, Normalization
from streamopt.ir.decoders.steps import Matrix
from tests.support.programs.language_models import GPT, LLAMA, state_of, torch_gpt, torch_llama

if TYPE_CHECKING:
    from pathlib import Path

GPT2 = {
    "model_type": "gpt2",
    "n_embd": 64,
    "n_head": 4,
    "n_layer": 2,
    "n_inner": 128,
    "n_positions": 64,
    "vocab_size": 100,
}
LLAMA_CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 100,
    "max_position_embeddings": 64,
    "vocab_size": 101,
}


def written(folder: Path, config: dict[str, Any], state: dict[str, Any] | None = None) -> Path:
    (folder / "config.json").write_text(json.dumps(config))
    if state is not None:
        (folder / "model.safetensors").write_bytes(tensors(state))
    return folder


def tensors(state: dict[str, Any], kind: str = "F32") -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, value in state.items():
        own = value.astype("<f4").tobytes()
        if kind == "BF16":
            own = (value.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        offsets = [len(data), len(data) + len(own)]
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": offsets}
        data += own
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_sizes_are_read(tmp_path: Path) -> None:
    gpt = read_config(written(tmp_path, GPT2))
    assert (gpt.layers, gpt.features, gpt.hidden, gpt.heads) == (2, 64, 128, GPT.heads)
    assert gpt.style.activation is Activation.GELU_TANH
    assert gpt.name == tmp_path.name
    llama = read_config(written(tmp_path, LLAMA_CONFIG) / "config.json")
    assert (llama.heads, llama.hidden, llama.style) == (LLAMA.heads, 100, LLAMA.style)
    assert llama.style.normalization is Normalization.RMS


@pytest.mark.parametrize("kind", ["gpt", "llama"])
def test_weights_of_files_are_those_of_the_module(tmp_path: Path, kind: str) -> None:
    config, module = (GPT2, torch_gpt()) if kind == "gpt" else (LLAMA_CONFIG, torch_llama())
    state = state_of(module)
    prefixed = {f"transformer.{name}": value for name, value in state.items()}
    folder = written(tmp_path, config, prefixed if kind == "gpt" else state)
    model = read_config(folder)
    found = read_weights(folder, model)
    assert found is not None
    wanted = named_weights(state, model)
    assert (found.embedding == wanted.embedding).all()
    for own, other in zip(found.layers, wanted.layers, strict=True):
        for matrix in Matrix:
            if matrix is not Matrix.VOCABULARY:
                assert (own.matrices[matrix].weight == other.matrices[matrix].weight).all()


def test_short_floats_are_read(tmp_path: Path) -> None:
    state = state_of(torch_gpt())
    folder = written(tmp_path, GPT2)
    (folder / "model.safetensors").write_bytes(tensors(state, "BF16"))
    found = read_weights(folder, read_config(folder))
    assert found is not None
    assert np.allclose(found.embedding, state["wte.weight"], rtol=2**-7, atol=0)


def test_a_folder_without_weights_has_none(tmp_path: Path) -> None:
    assert read_weights(written(tmp_path, GPT2), GPT) is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"model_type": "mamba"}, "E192"),
        ({"model_type": 3}, "E191"),
        ({"n_embd": "wide"}, "E191"),
        ({"n_layer": -2}, "E191"),
        ({"n_head": 5}, "E192"),
        ({"activation_function": "mish"}, "E192"),
        ({"scale_attn_by_inverse_layer_idx": True}, "E192"),
    ],
)
def test_other_models_are_refused(tmp_path: Path, change: dict[str, Any], code: str) -> None:
    with pytest.raises(FrontendError, match=code):
        read_config(written(tmp_path, GPT2 | change))


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\xff" * 20, b"\x05" + bytes(7) + b"[1,2]", b"version git"),
        bytes([0, 0, 1, *bytes(5)]) + b"[" * 2**16,
    ],
    ids=["empty", "size", "list", "pointer", "nested"],
)
def test_broken_tensors_are_refused(tmp_path: Path, data: bytes) -> None:
    folder = written(tmp_path, GPT2)
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(FrontendError, match="E191"):
        read_weights(folder, GPT)


def test_missing_and_other_weights_are_refused() -> None:
    state = state_of(torch_gpt())
    with pytest.raises(FrontendError, match=r"E193.*h\.1\.mlp\.c_fc\.bias"):
        named_weights({k: v for k, v in state.items() if k != "h.1.mlp.c_fc.bias"}, GPT)
    with pytest.raises(FrontendError, match="E193"):
        named_weights(state | {"wte.weight": np.zeros((3, 64))}, GPT)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[" * 2**16], ids=["empty", "list", "open", "nested"]
)
def test_no_config_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(FrontendError, match="E191"):
        read_config(tmp_path)
    with pytest.raises(FrontendError, match="E191"):
        read_config(tmp_path / "nothing.json")
