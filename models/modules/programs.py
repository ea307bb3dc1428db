"""The measured networks and chains of products, as programs made from their modules.

They are laid out as Stream-HLS was measured on them: transposes and merging reshapes are nests
of their own, and padding is a nest of zeros and one that copies the inside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from modules.cnns import DepthwiseSeparableBlock, ResidualBlock
from modules.mlps import Autoencoder, ResidualMlp
from modules.products import ProductChain, ProductTree
from modules.transformers import FeedForward, MultiHeadAttention

from streamopt.frontends.mlir.linalg.usage import TensorLayout
from streamopt.frontends.torch_module.reader import read_torch

if TYPE_CHECKING:
    from streamopt.ir.program import Nest, Program

__all__ = ["MODULES", "Listed", "program_of"]

LAYOUT = TensorLayout(copies="materialize", padding="fill_and_copy")
ROWS_FIRST = replace(LAYOUT, copy_order="source")
CONTEXT = (("transpose_4", "jik"),)
"""The copy of the heads' results walks them as they are computed: head by head."""
BALANCED, UNBALANCED = (64,) * 9, (64, 32, 64, 64, 128, 128, 64, 32, 16)


@dataclass(frozen=True, slots=True)
class Listed:
    """A module with the shapes of its inputs, and where its graph belongs.

    Attributes
    ----------
    orders
        Pairs (nest, loops from the outermost in) where the measured program has another order.
    """

    suite: str
    name: str
    module: type[torch.nn.Module]
    shapes: tuple[tuple[int, ...], ...]
    layout: TensorLayout = LAYOUT
    orders: tuple[tuple[str, str], ...] = ()

    @property
    def description(self) -> str:
        """Return the first line of the module's documentation."""
        return (self.module.__doc__ or "").splitlines()[0].removesuffix(".")


def _chain(name: str, module: type[torch.nn.Module], sizes: tuple[int, ...]) -> Listed:
    return Listed("synthetic", f"7mm_{name}", module, tuple(pairwise(sizes)))


MODULES = (
    Listed("transformers", "feed_forward", FeedForward, ((1, 512, 128),)),
    Listed(
        "transformers", "multi_head_attention", MultiHeadAttention, ((1, 64, 128),), orders=CONTEXT
    ),
    Listed("mlps", "autoencoder", Autoencoder, ((32, 784),), ROWS_FIRST),
    Listed("mlps", "residual_mlp", ResidualMlp, ((8, 1024),), ROWS_FIRST),
    Listed("cnns", "dwsconv_block", DepthwiseSeparableBlock, ((1, 8, 112, 112),)),
    Listed("cnns", "residual_block", ResidualBlock, ((1, 16, 56, 56),)),
    _chain("balanced", ProductChain, BALANCED),
    _chain("unbalanced", ProductChain, UNBALANCED),
    _chain("tree_balanced", ProductTree, BALANCED),
    _chain("tree_unbalanced", ProductTree, UNBALANCED),
)


def program_of(listed: Listed, module: torch.nn.Module | None = None) -> Program:
    """Return the program of a module, by default a fresh one with random weights."""
    inputs = tuple(torch.zeros(shape) for shape in listed.shapes)
    made = listed.module() if module is None else module
    program = read_torch(made, inputs, name=listed.name, layout=listed.layout)
    orders = dict(listed.orders)
    nests = tuple(_ordered(nest, orders.get(nest.name, "")) for nest in program.nests)
    return replace(program, name=listed.name, nests=nests)


def _ordered(nest: Nest, order: str) -> Nest:
    """Return a nest with its loops in another order; each name is one letter."""
    if not order:
        return nest
    loops = {loop.name: loop for loop in nest.loops}
    return replace(nest, loops=tuple(loops[name] for name in order))
