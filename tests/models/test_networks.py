"""The published networks: their amounts of work, and their integers bit by bit."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import streamopt as so
from streamopt.frontends.torch_module.reader import read_torch
from streamopt.ir.expression import Cast, Read
from streamopt.ir.program import Nest, Role
from streamopt.transforms.result_copies import without_result_copies
from tests.support.programs.integer_networks import IMAGES, KIND, integers, layers, networks

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = {**IMAGES, "Perceptron": (3072,)}
ARTIFACT_MACS = {
    "ResNet18Small": 555.4e6,
    "Vgg16Strided": 192.9e6,
    "ResNet18": 2173e6,
    "Vgg16": 4725e6,
    "MobileNet": 569e6,
    "Yolo": 5064e6,
}
"""Of the loop nests in CODO's artifact, where the network is HIDA's or ScaleHLS's."""


@pytest.mark.parametrize("name", ARTIFACT_MACS)
def test_multiply_accumulates_are_those_of_the_published_loop_nests(name: str) -> None:
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        getattr(networks, name)()(torch.empty(1, *SHAPES[name]))
    assert counter.get_total_flops() / 2 == pytest.approx(ARTIFACT_MACS[name], rel=0.003)


@pytest.mark.parametrize("name", ["LeNet", "Perceptron"])
def test_integer_features_are_neither_all_alike_nor_all_at_the_ends(name: str) -> None:
    torch.manual_seed(0)
    module = getattr(networks, name)(KIND)
    found: list[torch.Tensor] = []

    def keep(_: torch.nn.Module, given: tuple[torch.Tensor]) -> None:
        found.append(given[0])

    module.scores.register_forward_pre_hook(keep)
    module(integers(1, *SHAPES[name]))
    (features,) = found
    assert features.float().std() > 8
    assert (features == 127).float().mean() < 0.5


class TwoBlocks(torch.nn.Module):
    """The layers of integer networks, once each."""

    def __init__(self) -> None:
        super().__init__()
        shape, kind = layers.Convolution, KIND
        self.first = kind.convolution(shape(3, 4, 3, 2, 1, bias=True))
        self.depthwise = kind.convolution(shape(4, 4, 3, 1, 1, groups=4, relu=False))
        self.join, self.average = kind.joined(), kind.average(9)
        self.full, self.scores = kind.linear(4, 8), kind.scores(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.first(x)
        joined = self.join(self.depthwise(features), features)
        pooled = torch.nn.functional.max_pool2d(joined, 2, 1)
        return self.scores(self.full(self.average(pooled[:, :, :3, :3])))


def is_sum(nest: Nest) -> bool:
    return nest.statements[0].reduction is not None


def test_integers_stay_narrow_and_agree_with_pytorch_in_every_bit(tmp_path: Path) -> None:
    torch.manual_seed(1)
    program = without_result_copies(read_torch(TwoBlocks(), (integers(1, 3, 9, 9),)))
    graph = so.dataflow(program)
    weights = [a for a in graph.arrays if a.role is Role.WEIGHT and len(a.shape) > 1]
    assert {array.element.value for array in weights} == {"int8_t"}
    assert all(a.element.bits <= 32 for a in graph.arrays)
    values = [nest.statements[0].value for nest in program.nests if not is_sum(nest)]
    assert not [one for one in values if isinstance(one, Cast) and isinstance(one.operand, Read)]
    solution = so.solve(graph, level="opt2", dsp=100)
    so.write(program, solution.schedule, tmp_path / "made")
    verdict = so.verify(tmp_path / "made")
    assert verdict.passed
    assert not verdict.unchecked
    assert "of the source's own run" in str(verdict)
