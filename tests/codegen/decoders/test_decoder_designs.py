"""Decoders as C++: compiled, and compared bit by bit with the model in integers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.codegen.decoders.packing import packed_tables, packed_words
from streamopt.errors import StreamoptError
from streamopt.ir.decoders.model import Heads
from streamopt.transforms.decoders.drawn import drawn_decoder
from streamopt.transforms.decoders.integers import integer_decoder
from streamopt.verification.decoders.project import given_arrays
from streamopt.verification.decoders.unpacking import unpacked
from tests.support.nightly import in_nightly
from tests.support.programs.language_models import GPT, LLAMA, small_engine

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.decoders.model import DecoderModel

ODD = replace(LLAMA, name="odd", features=66, heads=Heads(3, 1, 20), hidden=70, vocabulary=33)
CASES = [
    (LLAMA, 10, 6, 400),
    (ODD, 9, 12, 900),
    (GPT, 20, 5, 700),
    (GPT, 1, 3, 300),
    (LLAMA, 40, 25, 900),
]


@pytest.mark.parametrize("case", in_nightly(CASES, 1))
def test_every_logit_is_that_of_the_model(case: tuple[DecoderModel, int, int, int]) -> None:
    model, prompt, answers, dsps = case
    solution = small_engine(model, prompt, answers, dsps)
    assert solution.resources.total.dsps <= dsps
    verdict = solution.verify()
    assert verdict.passed, str(verdict)
    assert [output.max_error for output in verdict.outputs] == [0, 0]


@pytest.mark.nightly
def test_a_kernel_that_forgets_a_key_computes_something_else(tmp_path: Path) -> None:
    so.decoder(GPT, prompt=9, answers=4, dsp=300).write(tmp_path / "project")
    kernel = tmp_path / "project" / "small_gpt.cpp"
    text = kernel.read_text()
    wrong = text.replace("position < chunk.start\n", "position + 1 < chunk.start\n")
    assert wrong != text
    kernel.write_text(wrong)
    assert not so.verify(tmp_path / "project").passed


@pytest.mark.nightly
def test_other_words_are_another_model(tmp_path: Path) -> None:
    """A project is compared with the words that it has."""
    so.decoder(LLAMA, prompt=9, answers=4, dsp=400).write(tmp_path / "project")
    words = tmp_path / "project" / "data" / "words_0.bin"
    data = bytearray(words.read_bytes())
    data[-40:] = bytes(40)
    words.write_bytes(data)
    assert not so.verify(tmp_path / "project").is_wrong
    words.write_bytes(bytes(len(data)))
    with pytest.raises(StreamoptError, match="E722"):
        so.verify(tmp_path / "project")


@pytest.mark.parametrize("model", in_nightly([GPT, LLAMA], 1))
def test_words_hold_the_numbers(model: DecoderModel) -> None:
    table = small_engine(model, 8, 1, 500).hardware.table
    integers = integer_decoder(drawn_decoder(model, 2), np.arange(50))
    found = unpacked(given_arrays(integers, table, np.arange(8)), table)
    assert (packed_words(found, table) == packed_words(integers, table)).all()
    assert (packed_tables(found) == packed_tables(integers)).all()
    both = zip((*integers.layers, integers.last), (*found.layers, found.last), strict=True)
    for own, other in both:
        for name, matrix in own.matrices.items():
            assert (other.matrices[name].weights == matrix.weights).all()
            assert (other.matrices[name].offsets == matrix.offsets).all()
            assert other.matrices[name].shift == matrix.shift


def test_the_kernel_has_one_array_of_multipliers() -> None:
    design = small_engine(GPT, 8, 1, 500).emit()
    text = design.text("small_gpt.cpp")
    assert text.count("multiply(word, x, cycle == 0, sums);") == 1
    assert text.count("run_matrix(target, rows") == 1
    assert "port=words_0 offset=slave bundle=gmem_words_0" in text
