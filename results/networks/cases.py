"""The networks by name: a module, the shapes of its inputs, and how often it runs for a result."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from streamopt.frontends.torch_module.reader import read_torch
from streamopt.transforms.result_copies import without_result_copies

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.program import Program

__all__ = ["BITS", "NETWORKS", "Network", "Work", "program_of", "work_of"]

sys.path.insert(0, str(Path(__file__).parents[2] / "models"))

nets: Any = import_module("modules.networks")
layers: Any = import_module("modules.layers")
gpt2: Any = import_module("modules.gpt2")

BITS = {"int4": 4, "int8": 8, "half": 16, "float": 32}
"""Of a weight; activations of ``int4`` rows have 8."""
LAYERS = 24
"""Of GPT-2 medium; its embedding and its scores of words are not counted."""
HEADS, WIDTH = 16, 64
SEED = 0


@dataclass(frozen=True, slots=True)
class Network:
    """A network, or a layer that runs several times."""

    make: Callable[..., torch.nn.Module]
    shapes: tuple[tuple[int, ...], ...]
    times: int = 1
    """How often it runs, with other weights, for one result."""
    integers: bool = True
    """Whether there is one of integers."""


@dataclass(frozen=True, slots=True)
class Work:
    """The least work for a result."""

    macs: int
    weights: int
    context: int
    """Elements of keys and values that a token reads."""


def _prompt(tokens: int, times: int = LAYERS) -> Network:
    return Network(gpt2.Gpt2Block, ((1, tokens, HEADS * WIDTH),), times, integers=False)


def _step(before: int, times: int = LAYERS) -> Network:
    context = (HEADS, before, WIDTH)
    return Network(gpt2.Gpt2Step, ((1, HEADS * WIDTH), context, context), times, integers=False)


SMALL, LARGE = ((1, 3, 32, 32),), ((1, 3, 224, 224),)
NETWORKS = {
    "lenet": Network(nets.LeNet, ((1, 1, 28, 28),)),
    "resnet18_32": Network(nets.ResNet18Small, SMALL),
    "resnet18_224": Network(nets.ResNet18, LARGE),
    "vgg16_32": Network(nets.Vgg16Strided, SMALL),
    "vgg16_32_pooled": Network(nets.Vgg16Pooled, SMALL),
    "vgg16_224": Network(nets.Vgg16, LARGE),
    "mobilenet_32": Network(partial(nets.MobileNet, pixels=32), SMALL),
    "mobilenet_224": Network(nets.MobileNet, LARGE),
    "zfnet_224": Network(nets.ZfNet, LARGE),
    "yolo_1280x384": Network(nets.Yolo, ((1, 3, 1280, 384),)),
    "mlp": Network(nets.Perceptron, ((1, 3072),)),
    **{f"gpt2_layer_{tokens}": _prompt(tokens, 1) for tokens in (32, 64, 128)},
    "gpt2_step": _step(1, 1),
    **{f"gpt2_medium_{tokens}": _prompt(tokens) for tokens in (32, 64, 128)},
    **{f"gpt2_medium_{tokens}_step": _step(tokens) for tokens in (32, 64, 128)},
}
"""A step of ``gpt2_medium_<n>`` has n tokens before it, the fewest of the published runs."""


@cache
def work_of(name: str) -> Work:
    """Return multiply-accumulates and weights, counted on shapes alone."""
    network = NETWORKS[name]
    with torch.device("meta"):
        module = network.make()
        inputs = [torch.empty(shape) for shape in network.shapes]
        with FlopCounterMode(display=False) as counter:
            module(*inputs)
    weights = sum(parameter.numel() for parameter in module.parameters())
    context = sum(given.numel() for given in inputs[1:])
    times = network.times
    return Work(times * counter.get_total_flops() // 2, times * weights, times * context)


def program_of(name: str, element: str) -> Program:
    """Return the program of a network with random weights; of one layer where it has several.

    Raises
    ------
    LookupError
        If there is none in this arithmetic.
    """
    network = NETWORKS[name]
    torch.manual_seed(SEED)
    if element == "float":
        given = tuple(torch.randn(shape) for shape in network.shapes)
    elif element == "int8" and network.integers:
        given = tuple(torch.randint(-128, 128, s, dtype=torch.int8) for s in network.shapes)
    else:
        raise LookupError(f"no module of {element} weights yet")
    kind = layers.REALS if element == "float" else layers.INTEGERS
    module = network.make(kind) if network.integers else network.make()
    return without_result_copies(read_torch(module, given, name=name))
