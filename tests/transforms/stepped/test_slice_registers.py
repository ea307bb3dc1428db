"""Slices are registers only as long as an array has few."""

from itertools import product
from math import prod

import pytest

from streamopt.transforms.stepped.copies import MOST_SLICE_REGISTERS
from streamopt.transforms.stepped.nest import stepped_nest
from tests.support.steps import Ordered, ordered, plan_of

PARTS = ("0 k", "k k+1", "k+1 500")


def shortest_paths(parts: tuple[str, ...]) -> Ordered:
    """Return Floyd-Warshall in pieces: rows and columns ahead of k, at k, and behind it."""
    pieces = "".join(
        f"""
    . phase p{at}: i{at} {rows}, j{at} {columns}
    . : A[i{at}][j{at}] = min(A[i{at}][j{at}], A[i{at}][k] + A[k][j{at}])"""
        for at, (rows, columns) in enumerate(product(parts, repeat=2))
    )
    return ordered("paths", {"A": (500, 500)}, f"for k 0 500{pieces}")


@pytest.mark.parametrize(("parts", "are_registers"), [(PARTS[::2], True), (PARTS, False)])
def test_many_slices_are_memories(parts: tuple[str, ...], are_registers: bool) -> None:
    order = shortest_paths(parts)
    lanes = {loop: 32 for loop in order.steps.laned if loop != "k"}
    nest = stepped_nest(order.node, order.steps, plan_of(order, **lanes), order.arrays)
    slices = [m for m in nest.memories if len(m.shape) == 1 and prod(m.shape) > 1]
    assert slices
    registers = sum(prod(m.shape) for m in slices if m.factors == m.shape)
    assert (registers > 0) is are_registers
    assert registers <= MOST_SLICE_REGISTERS
