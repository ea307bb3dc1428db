"""Sequential nodes of random in-place programs, built in one of their orders with random lanes."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import StreamoptError
from streamopt.ir.expression import reads
from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Role
from streamopt.perf.turns.lengths import with_lengths
from streamopt.target.device import DEVICE, find_device
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.lower import lower
from tests.support.programs.c_nests import program_of
from tests.support.random.updates import random_updates
from tests.support.steps import Ordered, as_planned, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamopt.ir.scheduled import ScheduledGraph

ON = find_device(DEVICE, None)
LANES = (1, 1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class BuiltUpdate:
    """A node of a program, alone, and its hardware."""

    order: Ordered
    lanes: dict[str, int]
    design: ScheduledGraph


def built_updates(seed: int, folder: Path) -> Iterator[BuiltUpdate]:
    """Yield the sequential nodes of the program of a seed; none if it is refused."""
    rng = random.Random(seed)
    try:
        graph = canonicalize(program_of(folder, random_updates(rng)))
    except StreamoptError:
        return
    for node in graph.nodes:
        if not isinstance(node, SequentialNode):
            continue
        read = {access.array for expression in node.expressions for access in reads(expression)}
        sources = [source for _, source in node.carries]
        arrays = {
            name: replace(
                graph.array(name), role=Role.OUTPUT if name in node.outputs else Role.INPUT
            )
            for name in dict.fromkeys((*sources, *sorted(read), *node.outputs))
        }
        order = Ordered(node, rng.choice(steps_of(node, arrays)), arrays)
        lanes = {name: rng.choice(LANES) for name in order.steps.laned}
        plan = plan_of(order, **lanes)
        network = lower(as_planned(order, plan))
        plan = with_lengths(plan, network.processes[0], network, ON)
        yield BuiltUpdate(order, lanes, as_planned(order, plan))
