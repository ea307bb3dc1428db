"""Networks of one pipeline that multiplies and adds, for tests of what hardware takes."""

from __future__ import annotations

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Operation,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
    Process,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop

FLOAT = ElementType.FLOAT


def tiled(tile: str, lane: str, factor: int) -> Affine:
    """Return ``factor * tile + lane``."""
    return Affine.iterator(tile).scaled(factor) + Affine.iterator(lane)


def matrix_product(
    tiles: dict[str, int],
    lanes: dict[str, int],
    element: ElementType = FLOAT,
    *,
    is_tree: bool = False,
) -> Pipeline:
    """Return ``C[i][j] += A[i][k] * B[k][j]`` with tile loops in the order given.

    Parameters
    ----------
    is_tree
        Whether the source combines an iteration's terms in a tree, as ours does. Otherwise it is a
        chain that the tool may reassociate, as in published designs.
    """
    i, j, k = (tiled(name, f"{name}u", lanes[name]) for name in "ijk")
    ports = (
        Port(AccessMode.READ, "A", (i, k), "a"),
        Port(AccessMode.READ, "B", (k, j), "b"),
        Port(AccessMode.READ, "C", (i, j), "old"),
        Port(AccessMode.WRITE, "C", (i, j), "new"),
    )
    operations = (
        Operation(Operator.MUL, element, ("a", "b"), "product"),
        Operation(Operator.ADD, element, ("old", "product"), "new"),
    )
    if is_tree:
        terms = Operation(Operator.ADD, element, ("product",), "terms", over=("ku",))
        added = Operation(Operator.ADD, element, ("old", "terms"), "new")
        operations = (operations[0], terms, added)
    return Pipeline(
        "mac",
        tuple(Loop(name, trip) for name, trip in tiles.items()),
        tuple(Loop(f"{name}u", factor) for name, factor in lanes.items()),
        ports,
        operations,
        reassociates=not is_tree,
    )


def network_of(pipeline: Pipeline, lanes: dict[str, int], extents: dict[str, int]) -> Network:
    """Return the network of a matrix product whose arrays are split as its lanes are."""
    element = pipeline.operations[0].element
    memories = tuple(
        Memory(
            name,
            Place.LOCAL if name == "C" else Place.ARGUMENT,
            element,
            tuple(extents[loop] for loop in loops),
            tuple(lanes[loop] for loop in loops),
        )
        for name, loops in (("A", "ik"), ("B", "kj"), ("C", "ij"))
    )
    return Network("product", (Process("mac", (pipeline,)),), memories, ())


def timing(ii: int = 1) -> PipelineTiming:
    """Return a timing of some depth."""
    return PipelineTiming(ii, 30)
