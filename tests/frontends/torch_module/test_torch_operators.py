# Inputs of PyTorch's functions and of NumPy's oracles are untyped here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import copy
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from streamopt.frontends.mlir import TensorLayout
from streamopt.frontends.torch_module import read_torch
from streamopt.ir.program import Role
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.reference.execution import execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.program import Program

sys.path.insert(0, str(Path(__file__).parents[3] / "models"))
ResNet: Any = import_module("modules.resnet").ResNet
STORED = TensorLayout(copies="materialize", padding="fill_and_copy")


class Function(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


def normal(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator)


def with_weights(module: nn.Module) -> nn.Module:
    """Give weights and statistics values that are not the usual start."""
    generator = torch.Generator().manual_seed(1)
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_floating_point():
            tensor.data = torch.rand(tensor.shape, generator=generator) * 0.8 + 0.1
    return module


def check_module(
    module: nn.Module, *inputs: torch.Tensor, layout: TensorLayout | None = None
) -> Program:
    """Compare every result with PyTorch's own; return the program."""
    program = read_torch(module, inputs, layout=layout)
    names = [array.name for array in program.arrays if array.role is Role.INPUT]
    given = dict(zip(names, (x.numpy() for x in inputs), strict=True))
    found = execute(program, {**program.values, **given})
    with torch.no_grad():
        wanted = copy.deepcopy(module).eval()(*inputs)
    for position, result in enumerate(wanted if isinstance(wanted, tuple) else (wanted,)):
        name = "y" if position == 0 else f"y{position}"
        assert found[name].value.shape == tuple(result.shape)
        np.testing.assert_allclose(found[name].value, result.numpy(), rtol=1e-4, atol=1e-5)
    canonicalize(program)
    return program


MODULES: dict[str, tuple[nn.Module, torch.Tensor]] = {
    "linear": (nn.Linear(6, 5), normal(3, 6)),
    "linear_tokens": (nn.Linear(6, 5), normal(2, 3, 6)),
    "conv_stride": (nn.Conv2d(4, 6, 3, stride=2, padding=1), normal(2, 4, 8, 8)),
    "conv_dilation": (nn.Conv2d(4, 6, 3, dilation=2), normal(1, 4, 8, 8)),
    "conv_groups": (nn.Conv2d(4, 6, 3, groups=2, padding=1), normal(1, 4, 8, 8)),
    "conv_depthwise": (nn.Conv2d(4, 4, 3, groups=4, padding=1), normal(1, 4, 8, 8)),
    "conv_line": (nn.Conv1d(4, 6, 3, padding=1, stride=2), normal(1, 4, 9)),
    "batch_norm": (nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)), normal(1, 4, 5, 5)),
    "max_pool": (nn.MaxPool2d(3, 2, 1), normal(1, 4, 8, 8)),
    "average_pool": (nn.AvgPool2d(3, 2, 1), normal(1, 4, 8, 8)),
    "inner_average": (nn.AvgPool2d(3, 2, 1, count_include_pad=False), normal(1, 4, 8, 8)),
    "adaptive_pool": (nn.AdaptiveAvgPool2d(2), normal(1, 4, 8, 8)),
    "uneven_pool": (nn.AdaptiveAvgPool2d((3, 5)), normal(1, 2, 7, 7)),
    "uneven_max_pool": (nn.AdaptiveMaxPool2d((3, 5)), normal(1, 2, 7, 7)),
    "reflected": (nn.Conv2d(2, 3, 3, padding=2, padding_mode="reflect"), normal(1, 2, 5, 6)),
    "repeated_edge": (nn.ReplicationPad2d((1, 2, 2, 1)), normal(1, 2, 5, 6)),
    "transposed_patches": (nn.ConvTranspose2d(4, 3, 2, stride=2), normal(1, 4, 5, 6)),
    "transposed_dcgan": (nn.ConvTranspose2d(4, 3, 4, 2, 1), normal(1, 4, 5, 6)),
    "transposed_groups": (
        nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1, groups=2),
        normal(1, 4, 5, 4),
    ),
    "transposed_line": (nn.ConvTranspose1d(4, 3, 3, 3, dilation=2), normal(1, 4, 5)),
    "gelu_tanh": (nn.GELU("tanh"), normal(3, 6)),
    "softmax": (nn.Softmax(1), normal(3, 6, 2)),
    "log_softmax": (nn.LogSoftmax(-1), normal(3, 6)),
    "layer_norm": (nn.LayerNorm(6), normal(3, 6)),
    "group_norm": (nn.GroupNorm(2, 4), normal(1, 4, 5, 5)),
    "dropout": (nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)), normal(2, 3)),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), normal(2, 5, 8)),
    "residual_net": (ResNet(width=2, classes=5), normal(1, 3, 32, 32)),
}


@pytest.mark.parametrize("name", MODULES)
def test_module(name: str) -> None:
    module, x = MODULES[name]
    check_module(with_weights(module), x)


@pytest.mark.parametrize("name", ["linear_tokens", "conv_groups", "softmax", "encoder"])
def test_module_with_stored_copies(name: str) -> None:
    module, x = MODULES[name]
    check_module(with_weights(module), x, layout=STORED)


@pytest.mark.parametrize(
    "activation",
    [
        nn.ReLU,
        nn.ReLU6,
        nn.GELU,
        nn.SiLU,
        nn.Sigmoid,
        nn.Tanh,
        nn.Hardswish,
        nn.Hardsigmoid,
        nn.LeakyReLU,
        nn.ELU,
        nn.Softplus,
    ],
)
def test_activation_is_one_nest(activation: Callable[[], nn.Module]) -> None:
    program = check_module(activation(), normal(3, 6) * 3)
    assert len(program.nests) == 1


ROWS = torch.tensor([3, 1, 0, 4])
SHUFFLED = torch.tensor([[0, 2, 1, 3, 1]])


def row_added(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, ROWS[:2]] += 1.5
    y[:, ::2] = 2.0
    return y


def resized(mode: str, factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: functional.interpolate(x, scale_factor=factor, mode=mode)


FUNCTIONS: dict[str, tuple[Callable[..., object], tuple[torch.Tensor, ...]]] = {
    "nearest": (resized("nearest", 2), (normal(1, 2, 5, 5),)),
    "nearest_thinned": (resized("nearest", 0.7), (normal(1, 2, 7, 5),)),
    "bilinear": (resized("bilinear", 2), (normal(1, 2, 5, 5),)),
    "rolled": (lambda x: torch.roll(x, (-2, 1), (1, 2)), (normal(1, 4, 5, 2),)),
    "rolled_flat": (lambda x: torch.roll(x, 3), (normal(4, 5),)),
    "rows": (lambda x: x[:, ROWS], (normal(2, 5, 3),)),
    "places": (lambda x: x[:, ROWS, ROWS.flip(0)], (normal(2, 5, 5),)),
    "gathered": (lambda x: torch.gather(x, 1, SHUFFLED), (normal(1, 5),)),
    "scattered": (lambda x: x.scatter_add(1, SHUFFLED, 2 * x), (normal(1, 5),)),
    "rows_written": (row_added, (normal(2, 5, 3),)),
    "unfolded": (lambda x: functional.unfold(x, 2), (normal(1, 2, 4, 4),)),
    "sums_so_far": (lambda x: x.cumsum(1), (normal(2, 7),)),
    "products_so_far": (lambda x: x.cumprod(1), (normal(2, 7),)),
    "best": (lambda x: (x.max(1).values, x.argmin(0), x.argmax()), (normal(3, 5),)),
    "best_of": (lambda x: tuple(x.topk(2, 1)), (normal(3, 5),)),
    "sorted": (lambda x: tuple(x.sort(1)), (normal(3, 5),)),
    "least_integer": (lambda x: x.amin(1), (torch.tensor([[3, 2], [5, 9]]),)),
    "truths": (lambda x: ((x > 0).all(1).float(), (x > 1).any().float()), (normal(3, 2),)),
    "remainders": (lambda x: (x.fmod(0.7), x.remainder(-0.7)), (normal(3, 5),)),
    "arcs": (lambda x: ((x / 9).asin() + (x / 9).acos().square(), x.atan()), (normal(3, 5),)),
    "number_beside": (lambda x, y: torch.lerp(x, y, 0.3), (normal(3, 5), normal(5))),
    "rounded_steps": (
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.05, 3, -128, 127),
        (normal(3, 5),),
    ),
    "rounded_channels": (
        lambda x: torch.fake_quantize_per_channel_affine(
            x, torch.tensor([0.1, 0.05, 0.02]), torch.tensor([0, 1, -2]).int(), 0, -128, 127
        ),
        (normal(3, 5),),
    ),
    "quantized": (
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 7),
        (normal(4, 5),),
    ),
    "distances": (lambda x, y: torch.cdist(x, y), (normal(4, 3), normal(5, 3))),
    "products": (lambda x, y: x @ y, (normal(2, 3, 4, 5), normal(2, 3, 5, 2))),
    "einsum": (
        lambda x, y: torch.einsum("bij,bkj->bik", x, y),
        (normal(2, 3, 4), normal(2, 5, 4)),
    ),
    "attention": (
        functional.scaled_dot_product_attention,
        (normal(1, 2, 5, 4), normal(1, 2, 6, 4), normal(1, 2, 6, 4)),
    ),
    "causal": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        (normal(1, 2, 5, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 4)),
    ),
    "moves": (
        lambda x: x.view(2, 3, 4).transpose(1, 2).reshape(8, 3)[1:7:2].flip(1),
        (normal(6, 4),),
    ),
    "cat": (lambda x, y: torch.cat([x, y * 2], 1), (normal(2, 3), normal(2, 4))),
    "gate": (lambda x: x.chunk(2, -1)[0] * torch.sigmoid(x.chunk(2, -1)[1]), (normal(2, 6),)),
    "reductions": (
        lambda x: (x.mean(1), x.sum((0, 2)), x.amax(2), x.amin(0), x.prod(1), x.var(1)),
        (normal(2, 3, 4),),
    ),
    "pad": (lambda x: functional.pad(x, (1, 2, 0, 1), value=3.0), (normal(2, 3),)),
    "where": (lambda x: torch.where(x > 0, x, x * 2).clamp(-0.5, 0.5), (normal(5, 5),)),
    "whole_numbers": (lambda x: (x * 3 + 1) // 2 % 5, (torch.arange(6),)),
    "results": (lambda x, y: (x + y, x * y, x), (normal(3, 6), normal(3, 6))),
    "masked": (
        lambda x: x.masked_fill(torch.ones(5, 5).triu(1).bool(), float("-inf")).softmax(-1),
        (normal(5, 5),),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    function, inputs = FUNCTIONS[name]
    check_module(Function(function), *inputs)


def test_names_come_from_the_module() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, 4, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(4)

        def forward(self, image: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.bn1(self.conv1(image)))

    program = read_torch(with_weights(Block()), (normal(1, 3, 6, 6),))
    assert program.name == "block"
    assert [nest.name for nest in program.nests] == ["conv1_pad", "conv1", "bn1_relu"]
    assert [loop.name for loop in program.nests[1].loops] == ["o", "h", "w", "c", "kh", "kw"]
    roles = {array.name: array.role for array in program.arrays}
    assert roles["image"] is Role.INPUT
    assert roles["conv1_weight"] is roles["bn1_scale"] is roles["bn1_shift"] is Role.WEIGHT
    assert program.values["conv1_weight"].shape == (4, 3, 3, 3)
    assert all(nest.loc is not None and nest.loc.line for nest in program.nests)


def test_training_mode_is_left_alone() -> None:
    module = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    module[0].eval()
    read_torch(module, (normal(2, 3),))
    assert module.training
    assert not module[0].training
    assert module[1].training


def test_stored_copies_are_nests() -> None:
    views = read_torch(nn.Linear(6, 5), (normal(1, 3, 6),))
    stored = read_torch(nn.Linear(6, 5), (normal(1, 3, 6),), layout=STORED)
    assert len(views.nests) == 2
    assert len(stored.nests) == 4
    source = read_torch(
        nn.Linear(6, 5),
        (normal(3, 6),),
        layout=TensorLayout(copies="materialize", copy_order="source"),
    )
    assert list(source.nests[0].trip_counts.values()) == [5, 6]
