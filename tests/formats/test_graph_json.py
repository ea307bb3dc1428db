"""Reading and writing graph.json where nothing is wrong."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streamopt.errors import FrontendError, SourceLoc
from streamopt.formats.graph_json import load_graph_json, read_graph_json, write_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Read
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, ElementType, Loop, Nest, Program, Role, Statement

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = sorted((ROOT / "graphs").glob("*/*.json"))
SCHEMA = ROOT / "streamopt" / "formats" / "data" / "graph.schema.json"

GEMM = """{
  "schema_version": 1,
  "name": "gemm",
  "description": "one product",
  "arrays": {
    "A": {"shape": [4, 6], "role": "input"},
    "B": {"shape": [6, 5], "role": "weight", "type": "double"},
    "E": {"shape": [4, 5], "role": "output"}
  },
  "nodes": [
    {"name": "gemm1", "loops": {"i": 4, "j": 5, "k": 6},
     "body": ["E[i][j] += A[i][k] * B[k][j]"]}
  ]
}
"""


def bare(program: Program) -> Program:
    """The program without its source locations."""
    nests = tuple(
        replace(nest, loc=None, statements=tuple(replace(s, loc=None) for s in nest.statements))
        for nest in program.nests
    )
    return replace(program, nests=nests)


def chain(*nodes: tuple[str, str]) -> str:
    """A graph whose nodes (name, body) work on vectors x (input), a, b and y (output)."""
    arrays: dict[str, object] = {name: {"shape": [8], "role": "internal"} for name in "ab"}
    arrays |= {"x": {"shape": [8], "role": "input"}, "y": {"shape": [8], "role": "output"}}
    listed = [{"name": name, "loops": {"i": 8}, "body": [body]} for name, body in nodes]
    return json.dumps({"schema_version": 1, "name": "n", "arrays": arrays, "nodes": listed})


def test_read_gives_the_program() -> None:
    i, j, k = (Affine.iterator(name) for name in "ijk")
    value = Binary(BinaryOp.MUL, Read(Access("A", (i, k))), Read(Access("B", (k, j))))
    statement = Statement(
        Access("E", (i, j)), value, Reduction.ADD, loc=SourceLoc("g.json", "nodes[0].body[0]")
    )
    loops = (Loop("i", 4), Loop("j", 5), Loop("k", 6))
    assert read_graph_json(GEMM, "g.json") == Program(
        "gemm",
        (
            Array("A", (4, 6), Role.INPUT),
            Array("B", (6, 5), Role.WEIGHT, ElementType.DOUBLE),
            Array("E", (4, 5), Role.OUTPUT),
        ),
        (Nest("gemm1", loops, (statement,), SourceLoc("g.json", "nodes[0]")),),
    )


def test_write_gives_the_text() -> None:
    assert write_graph_json(read_graph_json(GEMM, "g.json"), "one product") == GEMM


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_round_trip_of_all_graphs(path: Path) -> None:
    program = load_graph_json(path)
    assert bare(read_graph_json(write_graph_json(program), "again")) == bare(program)


def test_nodes_may_stand_in_any_order() -> None:
    text = chain(("last", "y[i] = b[i]"), ("middle", "b[i] = a[i]"), ("first", "a[i] = x[i]"))
    assert [n.name for n in read_graph_json(text, "f").nests] == ["first", "middle", "last"]


def test_listed_order_is_kept_where_it_is_an_execution_order() -> None:
    text = chain(("two", "b[i] = x[i]"), ("one", "a[i] = x[i]"), ("sum", "y[i] = a[i] + b[i]"))
    assert [n.name for n in read_graph_json(text, "f").nests] == ["two", "one", "sum"]


def test_readers_go_behind_all_writers_and_writers_keep_their_order() -> None:
    text = chain(("zero", "a[i] = 0"), ("use", "y[i] = a[i]"), ("copy", "a[i] = x[i]"))
    assert [n.name for n in read_graph_json(text, "f").nests] == ["zero", "copy", "use"]


def test_a_circle_is_left_for_canonicalization() -> None:
    text = chain(("one", "a[i] = b[i]"), ("two", "b[i] = a[i]"))
    assert [n.name for n in read_graph_json(text, "f").nests] == ["one", "two"]


def test_temporaries_are_inlined_and_may_be_redefined() -> None:
    document = json.loads(chain(("n", "y[i] = 0")))
    document["nodes"][0]["body"] = ["t = x[i] - 1", "t = t * t", "y[i] = exp(t)"]
    text = write_graph_json(read_graph_json(json.dumps(document), "f"))
    assert '"body": ["y[i] = exp((x[i] - 1) * (x[i] - 1))"]' in text


def test_scalars_have_no_subscripts() -> None:
    document = json.loads(chain(("dot", "s += x[i]"), ("use", "y[i] = x[i] / s")))
    document["arrays"]["s"] = {"shape": [], "role": "internal"}
    program = read_graph_json(json.dumps(document), "f")
    assert program.nests[0].statements[0].target == Access("s", ())
    assert bare(read_graph_json(write_graph_json(program), "f")) == bare(program)


def test_load_names_the_file_and_takes_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "gemm.json"
    path.write_text(GEMM, encoding="utf-8-sig")
    loc = load_graph_json(path).nests[0].loc
    assert loc is not None
    assert loc.file == str(path)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"[1, 2"])
def test_load_of_other_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(FrontendError, match=r"bad\.json.*E101"):
        load_graph_json(path)


def test_load_of_no_file(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="E101 the file can't be read: No such file"):
        load_graph_json(tmp_path / "none.json")
    with pytest.raises(FrontendError, match="E101 the file can't be read"):
        load_graph_json(tmp_path)


def test_load_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamopt.formats.graph_json.reader.MAX_CHARACTERS", 10)
    path = tmp_path / "large.json"
    path.write_text(GEMM)
    with pytest.raises(FrontendError, match=r"E101 .*the file is larger than 10 bytes"):
        load_graph_json(path)


def test_published_schema_is_that_of_the_models() -> None:
    document: Any = importlib.import_module("streamopt.formats.graph_json.document")
    assert SCHEMA.read_text() == document.schema_text(), "write schema_text() to the file"


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_graphs_satisfy_the_schema(path: Path) -> None:
    jsonschema: Any = importlib.import_module("jsonschema")
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA.read_text()))


def test_import_does_not_load_pydantic() -> None:
    code = "import streamopt.formats.graph_json, sys; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
