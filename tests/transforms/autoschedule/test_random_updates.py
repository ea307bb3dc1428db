"""Orders of random in-place programs compute the same terms, whatever order phases run in."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import StreamoptError
from streamopt.ir.expression import reads
from streamopt.ir.graph import SequentialNode
from streamopt.transforms.autoschedule import steps_of, written_steps
from streamopt.transforms.canonicalize import canonicalize
from tests.support.nightly import in_nightly
from tests.support.programs.c_nests import program_of
from tests.support.random.updates import random_updates
from tests.support.runners.residues import initial, run_node, run_steps

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph

BATCH = 10


def check_orders(graph: Graph, node: SequentialNode, seed: int) -> int:
    """Run all orders of a node; return how many there are."""
    read = {access.array for e in node.expressions for access in reads(e)}
    arrays = {name: graph.array(name) for name in (*read, *node.outputs)}
    expected = initial(arrays, seed)
    run_node(node, expected)
    orders = (*steps_of(node), written_steps(node))
    for steps in orders:
        found = initial(arrays, seed)
        run_steps(steps, found, random.Random(seed))
        assert found == expected, f"{seed}: {steps}"
    return len(orders)


@pytest.mark.parametrize("batch", in_nightly(range(200), 1))
def test_orders_of_random_updates(batch: int, tmp_path: Path) -> None:
    ran = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        text = random_updates(random.Random(seed))
        try:
            graph = canonicalize(program_of(tmp_path, text))
        except StreamoptError:
            continue
        for node in graph.nodes:
            if isinstance(node, SequentialNode):
                ran += check_orders(graph, node, seed)
    assert ran >= BATCH // 2
