"""Every convolution and pool of the published networks streams through line buffers of 8 bits."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import streamopt as so
from streamopt.frontends.torch_module.reader import read_torch
from streamopt.ir.schedule import ChannelKind
from streamopt.space.assemble import assemble
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.transforms.result_copies import without_result_copies
from streamopt.transforms.rewrites import rewritten
from tests.support.nightly import in_nightly
from tests.support.programs.integer_networks import IMAGES, KIND, integers, layers, networks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Edge, Graph

REWRITES = ("fold_padding", "fold_copies", "fold_pointwise", "private_arguments", "stream_windows")
RESNET_LINES_BYTES = 0.5 * 2**20
"""Of ResNet-18 for 224 x 224 pixels, each row once."""


class Small(torch.nn.Module):
    """A window of each kind: strides, a shortcut, depthwise, no border, and both pools."""

    def __init__(self) -> None:
        super().__init__()
        shape, kind = layers.Convolution, KIND
        self.stem = kind.convolution(shape(3, 4, 5, 1, 2))
        self.pools = torch.nn.Sequential(torch.nn.MaxPool2d(2), torch.nn.MaxPool2d(3, 2, 1))
        self.main = torch.nn.Sequential(
            kind.convolution(shape(4, 4, 3, 2, 1)), kind.convolution(shape(4, 4, 3, 1, 1, groups=4))
        )
        self.beside, self.join = kind.convolution(shape(4, 4, 1, 2, relu=False)), kind.joined()
        self.last = kind.convolution(shape(4, 6, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.pools(self.stem(x))
        return self.last(self.join(self.main(features), self.beside(features)))


def graph_of(module: Any, *shape: int) -> Graph:
    torch.manual_seed(0)
    program = without_result_copies(read_torch(module, (integers(1, *shape),)))
    return rewritten(so.dataflow(program), REWRITES)


def moved(graph: Graph) -> Iterator[Edge]:
    """Yield the channels of which a node reads elements around a place that moves."""
    for edge in graph.edges:
        node = graph.node(edge.consumer)
        for access in node.reads_of(edge.array):
            loops = [
                [n for n in s.iterators() if node.trip_counts[n] > 1] for s in access.subscripts
            ]
            if any(len(names) > 1 for names in loops):
                yield edge
                break


def check_streams(graph: Graph) -> int:
    """Refuse whole frames between nodes, and return the bytes of all rows that are kept."""
    through = [*moved(graph)]
    assert through
    costs = as_built_costs(graph, so.device("u280"))
    options = SpaceOptions(LEVELS[LevelName.OPT6], dsp_limit=10**6, tiling_limit=1, costs=costs)
    space = decision_space(graph, options)
    orders = {
        node.name: min(space.orders[node.name], key=lambda o: ["hwcoijk".find(n[0]) for n in o])
        for node in graph.nodes
    }
    schedule = assemble(graph, orders, {n.name: [1] * len(n.trip_counts) for n in graph.nodes})
    total = 0
    for edge in through:
        array, node = graph.array(edge.array), graph.node(edge.consumer)
        window = node.window(edge.array)
        assert window is not None, f"{node.name} waits for all of {array}"
        assert array.element.bits == 8, f"{node.name} keeps rows of {array}"
        assert schedule.channel(edge.channel).kind is ChannelKind.FIFO, str(edge)
        total += window.rows * array.size_elems // array.shape[window.dimension]
    return total


def test_windows_of_each_kind_stream() -> None:
    check_streams(graph_of(Small(), 3, 48, 48))


@pytest.mark.parametrize("name", in_nightly(IMAGES, 1))
def test_published_networks_stream(name: str) -> None:
    kept = check_streams(graph_of(getattr(networks, name)(KIND), *IMAGES[name]))
    assert name != "ResNet18" or kept < RESNET_LINES_BYTES
