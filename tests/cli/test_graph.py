"""``streamopt graph``: sources in, graph.json out, and everything that can be wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from tests.support.commands import TOP, run

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = TOP / "models" / "kernels" / "polybench"

SOLVER = """
void forward(float L[8][8], float b[8], float x[8])
{
    for (int i = 0; i < 8; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
}
"""
MODULE = """
import torch

class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.relu(self.fc(x))
"""


def test_c_becomes_the_graph_of_the_measured_program(tmp_path: Path) -> None:
    done = run(tmp_path, "graph", KERNELS / "3mm.c", "--name", "3mm")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "3mm: 3 nodes, 2 channels; 4 inputs, 1 output",
        "wrote 3mm.json",
    ]
    graph = TOP / "graphs" / "polybench" / "3mm.json"
    assert str(so.load(tmp_path / "3mm.json")) == str(so.load(graph))
    assert ":18:" in json.loads((tmp_path / "3mm.json").read_text())["nodes"][0]["place"]


def test_what_cannot_stream_says_why_and_still_becomes_a_design(tmp_path: Path) -> None:
    (tmp_path / "forward.c").write_text(SOLVER)
    done = run(tmp_path, "graph", "forward.c")
    assert (done.returncode, done.stderr) == (0, "")
    assert "is sequential: x[j] is read where an earlier iteration wrote x[i]" in done.stdout
    assert run(tmp_path, "solve", "forward.json", "-o", "made", "-q").returncode == 0
    done = run(tmp_path, "verify", "made")
    assert (done.returncode, done.stderr) == (0, "")
    assert "passed" in done.stdout


def test_solve_takes_a_source_too(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", KERNELS / "gesummv.c", "--level", "opt2", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["proof"] == "optimal"


def test_json_lists_files_and_sequential_nodes(tmp_path: Path) -> None:
    (tmp_path / "forward.c").write_text(SOLVER)
    done = run(tmp_path, "graph", "forward.c", "--json", "-o", "graph.json")
    row = json.loads(done.stdout)
    assert row["files"] == ["graph.json"]
    assert list(row["sequential"].values()) == [
        "x[j] is read where an earlier iteration wrote x[i]"
    ]


def test_a_module_brings_its_weights(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    pytest.importorskip("torch_mlir", reason="needs the extra torch")
    (tmp_path / "model.py").write_text(MODULE)
    done = run(tmp_path, "graph", "model.py:Twice", "--inputs", "2x4", "-o", "twice.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("wrote twice.json and twice.npz\n")
    program = so.load(tmp_path / "twice.json")
    assert {name: value.shape for name, value in program.values.items()} == {
        "fc_weight": (3, 4),
        "fc_bias": (3,),
    }
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    weight, bias = (torch.from_numpy(program.values[name]) for name in ("fc_weight", "fc_bias"))
    expected = torch.relu(torch.nn.functional.linear(torch.from_numpy(x), weight, bias))
    found = so.interpret(program, {"x": x})["y"]
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
    assert run(tmp_path, "solve", "twice.json", "-o", "made", "-q").returncode == 0
    done = run(tmp_path, "verify", "made")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pass y of the source's own run: 6 elements" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.c",), "error: none.c: E131 "),
        (("none.onnx",), "error: none.onnx: E17"),
        (("none.mlir",), "error: none.mlir: E151 "),
        (("none.json",), "error: none.json: E101 "),
        (("none.py:Net",), "error: none.py: E164 "),
        (("kernel.c", "--param", "n"), "error: E117 --param n doesn't say what has which value\n"),
        (("kernel.c", "-D", "3=4"), "error: E117 -D 3=4 doesn't say"),
        (("kernel.c", "--shape", "x=axb"), "error: E117 --shape x=axb doesn't say"),
    ],
)
def test_bad_sources_and_options(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = run(tmp_path, "graph", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(message), done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_all_problems_of_a_file_at_once_with_places(tmp_path: Path) -> None:
    text = "void f(float A[5000], int B[4]) {\n  A[B[0]] = 1;\n  while (1) A[0] = 2;\n}\n"
    (tmp_path / "bad.c").write_text(text)
    done = run(tmp_path, "graph", "bad.c")
    assert done.returncode == 2
    places = [line.split(" ")[1] for line in done.stderr.splitlines() if "error:" in line]
    assert places == ["bad.c:2:5:", "bad.c:3:3:"]
    assert [path.name for path in tmp_path.iterdir()] == ["bad.c"]
