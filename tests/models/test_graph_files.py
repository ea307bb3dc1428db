"""The files in graphs/: rebuilt from models/, with the published amounts of work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from streamopt.formats.graph_json import load_graph_json
from streamopt.ir.expression import Binary, BinaryOp
from streamopt.ir.operators import Reduction
from streamopt.transforms.canonicalize import canonicalize

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "graphs"

PUBLISHED_MACS = {
    "polybench/gemm": 10_560_000,
    "polybench/2mm": 14_706_000,
    "polybench/3mm": 22_800_000,
    "polybench/atax": 319_800,
    "polybench/bicg": 319_800,
    "polybench/gesummv": 125_000,
    "polybench/mvt": 320_000,
    "synthetic/7mm_balanced": 1_835_008,
    "synthetic/7mm_unbalanced": 2_654_208,
    "synthetic/7mm_tree_balanced": 1_835_008,
    "synthetic/7mm_tree_unbalanced": 2_523_136,
    "transformers/feed_forward": 33_554_432,
    "transformers/multi_head_attention": 5_242_880,
    "mlps/autoencoder": 15_466_496,
    "mlps/residual_mlp": 7_360_512,
    "cnns/dwsconv_block": 1_705_984,
    "cnns/residual_block": 14_450_688,
}


def builder(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the builder with the package of this checkout."""
    return subprocess.run(
        [sys.executable, str(ROOT / "models" / "build_graphs.py"), *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_files_are_what_the_builder_writes() -> None:
    result = builder("--check")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_the_files_are_the_measured_programs() -> None:
    found = {str(path.relative_to(GRAPHS).with_suffix("")) for path in GRAPHS.glob("*/*.json")}
    assert found == set(PUBLISHED_MACS)


@pytest.mark.parametrize("name", PUBLISHED_MACS)
def test_multiply_accumulates(name: str) -> None:
    graph = canonicalize(load_graph_json(GRAPHS / f"{name}.json"))
    macs = sum(
        node.iterations
        for node in graph.nodes
        if node.reduction is Reduction.ADD
        and isinstance(node.value, Binary)
        and node.value.op is BinaryOp.MUL
    )
    assert macs == PUBLISHED_MACS[name]


@pytest.mark.parametrize("name", PUBLISHED_MACS)
def test_files_describe_themselves(name: str) -> None:
    document = json.loads((GRAPHS / f"{name}.json").read_text())
    assert document["name"] == name.split("/")[1]
    assert document["description"]
    assert "\n" not in document["description"]


def test_readme_lists_all_programs() -> None:
    text = (ROOT / "models" / "README.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (\w+) \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    listed = {f"{suite}/{name}": (int(nodes), int(macs)) for suite, name, nodes, macs in rows}
    assert listed == {
        name: (len(load_graph_json(GRAPHS / f"{name}.json").nests), macs)
        for name, macs in PUBLISHED_MACS.items()
    }
