"""Weights beside graph.json: what is written comes back, and bad files are told apart."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import FrontendError
from streamopt.formats.weights import arrays_bytes
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Read
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement

if TYPE_CHECKING:
    from pathlib import Path

I = Affine.iterator("i")  # noqa: E741
VALUES = {"w": np.arange(4, dtype=np.float32) / 3}


def scaled(values: dict[str, np.ndarray] | None = None) -> Program:
    product = Binary(BinaryOp.MUL, Read(Access("x", (I,))), Read(Access("w", (I,))))
    return Program(
        "scaled",
        (
            Array("x", (4,), Role.INPUT),
            Array("w", (4,), Role.WEIGHT),
            Array("y", (4,), Role.OUTPUT),
        ),
        (Nest("scale", (Loop("i", 4),), (Statement(Access("y", (I,)), product),)),),
        VALUES if values is None else values,
    )


def test_values_come_back_bit_by_bit(tmp_path: Path) -> None:
    assert so.save(scaled(), tmp_path / "s.json") == (tmp_path / "s.json", tmp_path / "s.npz")
    found = so.load(tmp_path / "s.json").values
    assert list(found) == ["w"]
    np.testing.assert_array_equal(found["w"], VALUES["w"])
    assert found["w"].dtype == np.float32


def test_the_same_values_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        so.save(scaled(), tmp_path / name / "s.json")
    assert (tmp_path / "a/s.npz").read_bytes() == (tmp_path / "b/s.npz").read_bytes()


@pytest.mark.parametrize("name", ["file", "allow_pickle"])
def test_arrays_may_be_named_like_parameters_of_numpy(name: str) -> None:
    assert np.load(BytesIO(arrays_bytes({name: VALUES["w"]})))[name].tobytes() == (
        VALUES["w"].tobytes()
    )


def test_a_program_without_values_is_one_file(tmp_path: Path) -> None:
    assert so.save(scaled({}), tmp_path / "s.json") == (tmp_path / "s.json",)
    assert so.load(tmp_path / "s.json").values == {}


def test_a_design_is_verified_with_the_weights_that_came_along(tmp_path: Path) -> None:
    program = scaled()
    solution = so.solve(so.dataflow(program), level="opt1")
    so.write(program, solution.schedule, tmp_path / "made")
    so.verify(tmp_path / "made").raise_if_failed()
    given = np.fromfile(tmp_path / "made" / "data" / "w.bin", dtype=np.float32)
    np.testing.assert_array_equal(given, VALUES["w"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"w": np.zeros(3, np.float32)}, "the values of 'w' are float32 (3,), not (4,)"),
        (
            {"x": np.zeros(4, np.float32)},
            "there are values of 'x', which has role input, not weight",
        ),
        ({"v": np.zeros(4, np.float32)}, "there are values of 'v', which is no array"),
        ({"w": np.array([None] * 4)}, "the file of weights is not in NumPy's format: "),
    ],
)
def test_values_that_do_not_fit(
    values: dict[str, np.ndarray], message: str, tmp_path: Path
) -> None:
    so.save(scaled(), tmp_path / "s.json")
    np.savez(tmp_path / "s.npz", **values)  # type: ignore[arg-type]
    with pytest.raises(FrontendError) as caught:
        so.load(tmp_path / "s.json")
    (problem,) = caught.value.diagnostics
    assert problem.code == "E115"
    assert problem.message.startswith(message)


@pytest.mark.parametrize("content", [b"", b"not a file of weights", b"PK\x03\x04broken"])
def test_files_that_are_no_weights(content: bytes, tmp_path: Path) -> None:
    so.save(scaled(), tmp_path / "s.json")
    (tmp_path / "s.npz").write_bytes(content)
    with pytest.raises(FrontendError, match=r"s\.npz: E115 "):
        so.load(tmp_path / "s.json")


def test_missing_weights(tmp_path: Path) -> None:
    so.save(scaled(), tmp_path / "s.json")
    (tmp_path / "s.npz").unlink()
    with pytest.raises(
        FrontendError, match=r"E115 the file of weights can't be read: No such file"
    ):
        so.load(tmp_path / "s.json")


def test_a_path_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    so.save(scaled(), tmp_path / "s.json")
    text = (tmp_path / "s.json").read_text().replace('"s.npz"', '"../s.npz"')
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(FrontendError, match=r"weights: E104 "):
        so.load(tmp_path / "s.json")


def sampled() -> Program:
    x = np.arange(4, dtype=np.float32)
    return replace(scaled(), sample={"x": x, "y": x * VALUES["w"]})


def test_a_sample_comes_back_and_designs_are_compared_with_it(tmp_path: Path) -> None:
    so.save(sampled(), tmp_path / "s.json")
    program = so.load(tmp_path / "s.json")
    assert sorted(program.sample) == ["x", "y"]
    so.write(program, so.solve(so.dataflow(program), level="opt1").schedule, tmp_path / "made")
    verdict = so.verify(tmp_path / "made")
    verdict.raise_if_failed()
    assert [output.name for output in verdict.outputs] == ["y", "y of the source's own run"]


def test_a_design_that_is_not_what_the_source_computed_fails(tmp_path: Path) -> None:
    program = sampled()
    wrong = replace(program, sample={**program.sample, "y": program.sample["y"] + 0.01})
    so.write(wrong, so.solve(so.dataflow(wrong), level="opt1").schedule, tmp_path / "made")
    first, second = so.verify(tmp_path / "made").outputs
    assert first.wrong == 0
    assert second.wrong == 4


def forged(shape: str, content: bytes) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + content


@pytest.mark.parametrize("shape", ["(33554432,)", f"({2**60},)", f"({2**62}, 4)"])
def test_nothing_is_unpacked_before_its_header_is_compared(shape: str, tmp_path: Path) -> None:
    so.save(scaled(), tmp_path / "s.json")
    with ZipFile(tmp_path / "s.npz", "w", ZIP_DEFLATED) as packed:
        packed.writestr("w.npy", forged(shape, bytes(2**26)))
    tracemalloc.start()
    try:
        with pytest.raises(
            FrontendError, match=r"E115 the values of 'w' are float32 .*, not \(4,\)"
        ):
            so.load(tmp_path / "s.json")
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("size", "how"), [(15, "shorter"), (2**20, "longer")])
def test_weights_of_another_size_than_their_header_says(
    size: int, how: str, tmp_path: Path
) -> None:
    so.save(scaled(), tmp_path / "s.json")
    with ZipFile(tmp_path / "s.npz", "w", ZIP_DEFLATED) as packed:
        packed.writestr("w.npy", forged("(4,)", bytes(size)))
    with pytest.raises(FrontendError, match=rf"E115 .*'w' is {how} than its header says"):
        so.load(tmp_path / "s.json")
