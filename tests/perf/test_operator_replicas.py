from __future__ import annotations

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Operation, Pipeline, Port
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.perf.resources.operators import operator_replicas

FLOAT = ElementType.FLOAT


def row_scaling(*operations: Operation) -> Pipeline:
    """Return a pipeline that reads ``x[i]`` and ``y[i][j]`` in 4 x 8 lanes."""
    i, j = Affine.iterator("i"), Affine.iterator("j")
    ports = (
        Port(AccessMode.READ, "x", (i,), "x"),
        Port(AccessMode.READ, "y", (i, j), "y"),
        Port(AccessMode.WRITE, "z", (i, j), "z"),
    )
    return Pipeline("p", (Loop("t", 10),), (Loop("i", 4), Loop("j", 8)), ports, operations)


def counts(pipeline: Pipeline) -> list[tuple[Operator, int]]:
    return [(found.operation.operator, found.count) for found in operator_replicas(pipeline)]


def test_lanes_that_an_operand_does_not_see_share_one_operator() -> None:
    pipeline = row_scaling(
        Operation(Operator.EXP, FLOAT, ("x",), "e"),
        Operation(Operator.MUL, FLOAT, ("e", "y"), "z"),
    )
    assert counts(pipeline) == [(Operator.EXP, 4), (Operator.MUL, 32)]


def test_constants_cost_nothing() -> None:
    pipeline = row_scaling(
        Operation(Operator.MUL, FLOAT, ("2.0", "3.0"), "c"),
        Operation(Operator.MUL, FLOAT, ("c", "y"), "z"),
    )
    assert counts(pipeline) == [(Operator.MUL, 32)]


def test_copies_are_wires() -> None:
    assert counts(row_scaling(Operation(Operator.COPY, FLOAT, ("y",), "z"))) == []


def test_division_by_a_constant_is_a_multiplication() -> None:
    pipeline = row_scaling(
        Operation(Operator.DIV, FLOAT, ("y", "8.0"), "s"),
        Operation(Operator.DIV, FLOAT, ("1.0", "s"), "r"),
        Operation(Operator.DIV, FLOAT, ("r", "x"), "z"),
    )
    assert counts(pipeline) == [
        (Operator.MUL, 32),
        (Operator.RECIPROCAL, 32),
        (Operator.DIV, 32),
    ]
