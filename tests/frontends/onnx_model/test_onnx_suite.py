"""Cases that ONNX tests its own back ends with: nodes of many kinds, with inputs and results."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import numpy_helper

from streamopt.errors import FrontendError
from streamopt.frontends.onnx_model.reader import read_onnx
from streamopt.ir.program import Role
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.reference.execution import execute

if TYPE_CHECKING:
    from collections.abc import Mapping

QUICK = """
acos asin atan and_bcast3v1d argmax_keepdims_example_select_last_index argmin_no_keepdims_example
attention_3d_gqa attention_4d_causal attention_4d_with_past_and_present convinteger_without_padding
bitshift_right_int32_shift_ge_width bitwise_not_3d bitwise_xor_i32_2d center_crop_pad_crop
compress_0 cumprod_1d_exclusive dequantizelinear_axis dropout_default_mask
gru_bidirectional gru_seq_length hardmax_axis_1 isinf isnan_float16 l2normalization_axis_1
layer_normalization_3d_axis1_epsilon linear_attention_linear
lrn lstm_with_peepholes lstm_batchwise matmulinteger mod_mixed_sign_float32
mod_mixed_sign_int32 onehot_with_axis qlinearconv qlinearmatmul_3D_int8_float32 quantizelinear_axis
resize_upsample_sizes_nearest_axes_3_2
reversesequence_time rnn_seq_length rotary_embedding_interleaved scan9_sum scatter_with_axis
shrink_soft simple_rnn_defaults spacetodepth_crd_mode_example swiglu_alpha
affine_grid_2d top_k_smallest upsample_nearest wrap_pad
"""

FIXED = ("quantize", "dequantize", "qlinear", "onehot", "upsample", "resize")
"""Cases all of whose inputs but the first are constants."""


@cache
def cases() -> Mapping[str, Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case.name: case for case in cast("Any", collect_testcases(None))}


def with_constants(model: onnx.ModelProto, given: Mapping[str, Any]) -> onnx.ModelProto:
    """Return a model of which some inputs are constants."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    made.ir_version = max(made.ir_version, 8)
    kept = [value for value in made.graph.input if value.name not in given]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    made.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(array), name) for name, array in given.items()
    )
    return made


def check_case(name: str) -> None:
    """Compare a case with its results; integers that aren't its first input are constants."""
    case = cases()[f"test_{name}"]
    inputs, outputs = case.data_sets[0]
    names = [value.name for value in case.model.graph.input]
    fixed = {
        n: array
        for at, (n, array) in enumerate(zip(names, inputs, strict=True))
        if at and (np.asarray(array).dtype.kind in "iub" or name.startswith(FIXED))
    }
    program = read_onnx(Path(f"{name}.onnx"), model=with_constants(case.model, fixed))
    given = [np.asarray(a) for n, a in zip(names, inputs, strict=True) if n not in fixed]
    arrays = [array.name for array in program.arrays if array.role is Role.INPUT]
    found = execute(program, {**program.values, **dict(zip(arrays, given, strict=True))})
    results = {a.name: found[a.name].value for a in program.arrays if a.role is Role.OUTPUT}
    wanted = [value.name for value in case.model.graph.output]
    if len(wanted) == 1:
        results = dict(zip(wanted, results.values(), strict=True))
    is_half = any(np.asarray(each).dtype == np.float16 for each in outputs)
    for result, array in zip(wanted, outputs, strict=True):
        assert results[result].shape == np.shape(array)
        np.testing.assert_allclose(
            results[result], np.asarray(array, float), rtol=1e-2 if is_half else 1e-4, atol=1e-5
        )


@pytest.mark.parametrize("name", QUICK.split())
def test_cases(name: str) -> None:
    check_case(name)


OLD = """
operator/test_operator_add_size1_right_broadcast operator/test_operator_chunk
operator/test_operator_clip operator/test_operator_convtranspose operator/test_operator_pad
converted/test_BatchNorm2d_eval converted/test_PReLU_2d_multiparam
"""
DATA = Path(onnx.__file__).parent / "backend/test/data"


@pytest.mark.parametrize(
    "name",
    [
        *OLD.split(),
        *(
            pytest.param(f"{kind}/{path.name}", marks=pytest.mark.nightly)
            for kind in ("operator", "converted")
            for path in sorted((DATA / f"pytorch-{kind}").iterdir())
            if "Embedding" not in path.name
        ),
    ],
)
def test_models_of_opset_6(name: str) -> None:
    """PyTorch exported them years ago, with the results that it computed."""
    folder = DATA / f"pytorch-{name}"
    program = read_onnx(folder / "model.onnx")

    def tensors(kind: str) -> list[np.ndarray[Any, Any]]:
        paths = sorted((folder / "test_data_set_0").glob(f"{kind}_*.pb"))
        return [numpy_helper.to_array(cast("Any", onnx).load_tensor(path)) for path in paths]

    names = {role: [a.name for a in program.arrays if a.role is role] for role in Role}
    given = dict(zip(names[Role.INPUT], tensors("input"), strict=True))
    found = execute(program, {**program.values, **given})
    for result, wanted in zip(names[Role.OUTPUT], tensors("output"), strict=True):
        np.testing.assert_allclose(found[result].value, wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("path", sorted((DATA / "light").glob("*.onnx")), ids=lambda p: p.stem)
def test_whole_networks(path: Path) -> None:
    assert len(canonicalize(read_onnx(path)).nodes) >= 30


@pytest.mark.nightly
def test_most_cases() -> None:
    read = 0
    for name in cases():
        try:
            check_case(name.removeprefix("test_"))
        except (AssertionError, AttributeError, FrontendError, KeyError, TypeError, ValueError):
            continue
        read += 1
    assert read >= 900
