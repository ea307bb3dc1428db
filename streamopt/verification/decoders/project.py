"""Projects of decoders: the words that they are given, and the answers that are right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.codegen.decoders.design import SETTING, decoder_arrays
from streamopt.codegen.decoders.packing import packed_tables, packed_words
from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.decoders.model import (
    Activation,
    DecoderModel,
    DecoderStyle,
    Heads,
    Normalization,
)
from streamopt.ir.decoders.numbers import IntegerDecoder
from streamopt.ir.decoders.shape import DecoderShape
from streamopt.ir.decoders.steps import DecoderTable
from streamopt.verification.compare import DesignVerdict
from streamopt.verification.decoders.interpreter import answers_of
from streamopt.verification.decoders.unpacking import unpacked
from streamopt.verification.manifest import Manifest
from streamopt.verification.reference.execution import Result
from streamopt.verification.vectors.golden import Golden
from streamopt.verification.verify import verify_project

Arrays = Mapping[str, NDArray[Any]]


def given_arrays(decoder: IntegerDecoder, table: DecoderTable, prompt: NDArray[Any]) -> Arrays:
    """Return the inputs of a design: words of each channel, tables, and a prompt."""
    size = table.shape.share_bytes
    words = packed_words(decoder, table)
    shares = {
        f"words_{at}": words[:, at * size : (at + 1) * size].reshape(-1)
        for at in range(table.shape.channels)
    }
    return {**shares, "tables": packed_tables(decoder), "prompt": prompt.astype(np.int32)}


def golden_answers(arrays: Arrays, table: DecoderTable, answers: int) -> Golden:
    """Return test data: the answers of the model that the words are of, in every bit."""
    found = answers_of(unpacked(arrays, table), arrays["prompt"], answers)
    outputs = {"tokens": found.tokens, "logits": found.logits}
    exact = {
        name: Result(values.astype(np.float64), np.zeros(values.shape))
        for name, values in outputs.items()
    }
    return Golden({name: values.astype(np.float64) for name, values in arrays.items()}, exact, 0)


def verify_decoder(
    directory: Path, manifest: Manifest, *, compiler: str = "g++"
) -> DesignVerdict | None:
    """Compile and run a project of a decoder, and compare its answers with its words' model.

    None for a project of something else.

    Raises
    ------
    VerificationError
        E722 for settings or data that aren't as they were written, and as `verify_project`.
    """
    if SETTING not in manifest.settings:
        return None
    try:
        setting = manifest.settings[SETTING]
        table = DecoderTable(_model(setting["model"]), DecoderShape(**setting["shape"]))
        answers = int(setting["answers"])
        prompt = (directory / "data" / "prompt.bin").stat().st_size // 4
        program = decoder_arrays(table, prompt, answers)
        arrays = {
            array.name: np.fromfile(directory / "data" / f"{array.name}.bin", array.element.dtype)
            for array in program.arrays
            if array.is_given
        }
        if any(arrays[name].size != program.array(name).size_elems for name in arrays):
            raise ValueError("a file has another size")
        golden = golden_answers(arrays, table, answers)
    except (OSError, KeyError, TypeError, ValueError) as error:
        message = f"the decoder in {directory} is not as streamopt writes it: {error}"
        raise VerificationError(Diagnostic("E722", message, hint="write it again")) from None
    return verify_project(directory, program, compiler=compiler, golden=golden)


def _model(entry: Mapping[str, Any]) -> DecoderModel:
    """Return a model from its entries in a manifest."""
    own, style = dict(entry), dict(entry["style"])
    style["normalization"] = Normalization(style["normalization"])
    style["activation"] = Activation(style["activation"])
    own["heads"], own["style"] = Heads(**own["heads"]), DecoderStyle(**style)
    return DecoderModel(**own)
