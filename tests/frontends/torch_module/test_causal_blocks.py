"""Blocks that hide later tokens behind -inf or the lowest number: read, solved and verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

import torch

import streamopt as so
from tests.support.programs.causal_blocks import BLOCKS, SHAPES, TOKENS, WIDTH

if TYPE_CHECKING:
    from pathlib import Path

QUICK = "scaled_dot_product"
SLOW = [pytest.param(name, marks=pytest.mark.nightly) for name in BLOCKS if name != QUICK]


@pytest.mark.parametrize("name", [QUICK, *SLOW])
def test_block_is_read_again_solved_and_verified(name: str, tmp_path: Path) -> None:
    module = BLOCKS[name]().eval()
    shapes = SHAPES.get(name, [(1, TOKENS, WIDTH)])
    so.save(so.load(module, [torch.randn(shape) for shape in shapes]), tmp_path / "graph.json")
    program = so.load(tmp_path / "graph.json")
    schedule = so.solve(so.dataflow(program), dsp=100, time_limit=5).schedule
    so.write(program, schedule, tmp_path / "p")
    assert so.verify(tmp_path / "p").passed
