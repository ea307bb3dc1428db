from __future__ import annotations

import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper

from streamopt.errors import FrontendError
from streamopt.frontends.onnx_model import reader
from streamopt.frontends.onnx_model.reader import read_onnx
from tests.support.programs.onnx_models import ints, make_model, node, read, values
from tests.support.runners.elements import run

if TYPE_CHECKING:
    from streamopt.errors import Diagnostic

X = {"x": values(2, 3)}
CEILED = {"kernel_shape": [2], "strides": [2], "ceil_mode": 1, "count_include_pad": 1}


def problems(model: onnx.ModelProto, folder: Path, **options: Any) -> tuple[Diagnostic, ...]:
    with pytest.raises(FrontendError) as caught:
        read(model, folder, **options)
    return caught.value.diagnostics


def test_all_unsupported_nodes_at_once(tmp_path: Path) -> None:
    nodes = [
        node("Unique", "x", "a", name="where"),
        node("Det", "x", "c", name="det"),
        node("Relu", "a", "d"),
        node("MaxUnpool", "w i", "e", name="pool", kernel_shape=[2, 2]),
        node("Add", "x d", "y"),
    ]
    inputs = {"x": values(3, 3), "w": values(1, 2, 3, 3), "i": np.zeros((1, 2, 3, 3), np.int64)}
    found = problems(make_model(nodes, inputs, {}, "y c e"), tmp_path)
    assert [p.code for p in found] == ["E176", "E172", "E176"]
    assert [p.loc.path for p in found if p.loc] == [
        "node 'where' (Unique)", "node 'det' (Det)", "node 'pool' (MaxUnpool)",
    ]  # fmt: skip


def test_gather_by_data_names_the_way_out(tmp_path: Path) -> None:
    nodes = [node("Gather", "table i", "y")]
    model = make_model(nodes, {"i": ints(1, 2)}, {"table": values(5, 4)})
    (problem,) = problems(model, tmp_path)
    assert problem.code == "E176"
    assert "(i)" in problem.message
    assert "embedded vectors" in problem.hint


def test_dynamic_dimensions_are_named_and_bound(tmp_path: Path) -> None:
    inputs = {"x": (np.float32, ["batch", 3]), "z": (np.float32, [None, 3])}
    model = make_model([node("Add", "x z", "y")], inputs)
    found = problems(model, tmp_path)
    assert [p.code for p in found] == ["E173", "E173"]
    assert "dimension 0 (batch)" in found[0].message
    assert "'x': [1, 3]" in found[0].hint
    program = read(model, tmp_path, shapes={"x": [2, 3], "z": (1, 3)}, name="sum-1")
    assert program.name == "sum-1"
    assert [array.shape for array in program.arrays] == [(2, 3), (1, 3), (2, 3)]
    wrong = problems(model, tmp_path, shapes={"x": [2, 4], "z": [0, 3], "xx": [1]})
    assert [p.code for p in wrong] == ["E173"] * 3


def test_shapes_that_depend_on_data(tmp_path: Path) -> None:
    model = make_model([node("Reshape", "x s", "y")], {**X, "s": ints(3, 2)})
    (problem,) = problems(model, tmp_path)
    assert problem.code == "E173"
    assert "the new shape (s)" in problem.message


@pytest.mark.parametrize(
    ("nodes", "opset", "word"),
    [
        ([node("BatchNormalization", "x v v v v", "y m n", training_mode=1)], 17, "training"),
        ([node("QuantizeLinear", "x s", "y", output_dtype=22)], 23, "type"),
        ([node("AveragePool", "q", "y", **CEILED)], 17, "ceil_mode"),
        ([node("MaxPool", "q", "y i", kernel_shape=[2])], 17, "first output"),
        ([node("Cast", "x", "y", to=16)], 17, "cast"),
        ([node("Resize", "x - s2", "y", antialias=1)], 18, "antialias"),
        ([node("Identity", "h", "y")], 17, "complex64"),
    ],
)
def test_refusals(nodes: list[onnx.NodeProto], opset: int, word: str, tmp_path: Path) -> None:
    inputs = {"x": values(2, 3), "q": values(1, 1, 5), "h": np.zeros(3, np.complex64)}
    used = {name for each in nodes for name in each.input}
    constants = {"v": values(3), "s": np.array(0.5, np.float32), "s2": np.ones(2, np.float32)}
    model = make_model(
        nodes, {n: a for n, a in inputs.items() if n in used}, constants, opset=opset
    )
    found = problems(model, tmp_path)
    assert {p.code for p in found} == {"E172"}
    assert word in " ".join(f"{p.message} {p.hint}" for p in found)


def test_axes_far_outside_end_no_process(tmp_path: Path) -> None:
    nodes = [node("LayerNormalization", "x v", "y", axis=2**31)]
    model = make_model([node("LayerNormalization", "x v", "y")], X, {"v": values(3)})
    model.graph.node[0].CopyFrom(nodes[0])
    assert [p.code for p in problems(model, tmp_path)] == ["E174"]


def test_invalid_models(tmp_path: Path) -> None:
    bad = make_model([node("Relu", "x", "y")], X)
    bad.graph.node[0].op_type = "NoSuchOperator"
    assert problems(bad, tmp_path)[0].code == "E174"
    mismatched = make_model([node("MatMul", "x w", "y")], X, {"w": values(5, 5)})
    assert problems(mismatched, tmp_path)[0].code == "E174"
    unordered = make_model([node("Relu", "a", "y"), node("Relu", "x", "a")], X)
    assert problems(unordered, tmp_path)[0].code == "E174"
    for content in (b"", b"not a model", b"\x08\x08"):
        path = tmp_path / "bad.onnx"
        path.write_bytes(content)
        with pytest.raises(FrontendError) as caught:
            read_onnx(path)
        assert caught.value.diagnostics[0].code == "E174"
    for path in (tmp_path, tmp_path / "missing.onnx"):
        with pytest.raises(FrontendError, match="E174"):
            read_onnx(path)


def test_external_data(tmp_path: Path) -> None:
    model = make_model([node("Add", "x w", "y")], X, {"w": values(2, 3, seed=1)})
    options = {"save_as_external_data": True, "location": "m.data", "size_threshold": 0}
    cast("Any", onnx).save_model(model, tmp_path / "m.onnx", **options)
    program = read_onnx(tmp_path / "m.onnx")
    np.testing.assert_allclose(run(program, X)["y"], X["x"] + values(2, 3, seed=1), rtol=1e-6)
    (tmp_path / "m.data").unlink()
    with pytest.raises(FrontendError, match="E174 its external data"):
        read_onnx(tmp_path / "m.onnx")


def test_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        return None

    monkeypatch.setattr(reader, "find_spec", missing)
    with pytest.raises(FrontendError, match=r"E171.*\n.*\[onnx\]"):
        read_onnx(tmp_path / "m.onnx")


def test_huge_constants_are_not_computed(tmp_path: Path) -> None:
    constants = {"s": ints(2**20, 2**20), "r": ints(2**15, 2**15)}
    nodes = [node("ConstantOfShape", "s", "c"), node("Tile", "x r", "t"), node("Add", "t t", "y")]
    program = read(make_model(nodes, X, constants), tmp_path)
    assert program.array("y").shape == (2**16, 3 * 2**15)
    assert not program.values


def seed_model() -> bytes:
    nodes = [
        node("Conv", "x w b", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Shape", "p", "s"),
        node("Reshape", "p shape", "f"),
        node("Gemm", "f v", "y"),
    ]
    weights = {"w": values(2, 1, 3, 3), "b": values(2), "shape": ints(1, -1), "v": values(8, 3)}
    return make_model(nodes, {"x": values(1, 1, 4, 4)}, weights).SerializeToString()


def outcome(path: Path) -> tuple[list[str], int]:
    try:
        return [], len(read_onnx(path).nests)
    except FrontendError as error:
        return [problem.code for problem in error.diagnostics], 0


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_broken_files_never_give_a_traceback(data: st.DataObject, tmp_path: Path) -> None:
    content = bytearray(seed_model())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    for _ in range(data.draw(st.integers(0, 4))):
        if content:
            place = data.draw(st.integers(0, len(content) - 1))
            content[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "fuzz.onnx"
    path.write_bytes(bytes(content))
    codes, nests = outcome(path)
    assert nests or codes
    assert all(code.startswith("E17") for code in codes)


HUGE: dict[str, tuple[list[onnx.NodeProto], dict[str, Any]]] = {
    "range": ([node("Range", "a b c", "r")], {"a": 0, "b": 2**34, "c": 1}),
    "expand": ([node("Expand", "v s", "r")], {"v": [1], "s": [2**34]}),
    "shape": (
        [node("ConstantOfShape", "s", "f"), node("Cast", "f", "r", to=7)],
        {"s": [2**34]},
    ),
}


@pytest.mark.parametrize("name", HUGE)
def test_sizes_are_checked_before_values_are_followed(name: str, tmp_path: Path) -> None:
    nodes, constants = HUGE[name]
    nodes = [*nodes, node("Cast", "r", "f32", to=1), node("Add", "x f32", "y")]
    given = {key: np.array(value, dtype=np.int64) for key, value in constants.items()}
    model = make_model(nodes, {"x": values(4)}, given)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (now * resource.getpagesize() + 2**31, limits[1]))
    try:
        (problem,) = problems(model, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert problem.code in ("E172", "E174")
    assert "bad_alloc" not in problem.message


def test_functions_that_multiply_are_refused(tmp_path: Path) -> None:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = make_model([node("Relu", "x", "y")], X)
    model.graph.node[0].CopyFrom(helper.make_node("f0", ["x"], ["y"], domain="own"))
    model.opset_import.append(opsets[1])
    for at in range(40):
        calls = [helper.make_node(f"f{at + 1}", [a], [b], domain="own") for a, b in ("at", "tb")]
        model.functions.append(helper.make_function("own", f"f{at}", ["a"], ["b"], calls, opsets))
    relu = [node("Relu", "a", "b")]
    model.functions.append(helper.make_function("own", "f40", ["a"], ["b"], relu, opsets))
    (problem,) = problems(model, tmp_path)
    assert problem.code == "E175"
    model.functions[40].node[0].CopyFrom(helper.make_node("f0", ["a"], ["b"], domain="own"))
    (problem,) = problems(model, tmp_path)
    assert "circle" in problem.message
