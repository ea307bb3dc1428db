"""Cycles in which an iteration reads and writes memories that it shares with itself."""

from itertools import combinations
from random import Random

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Memory, Operation, Pipeline, Port
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.perf.pipelines.port_cycles import port_cycles
from streamopt.target.device import Target
from tests.support.networks.in_turns import FLOAT, it, local

TARGET = Target.named("u280")
LOOPS = (Loop("i", 8), Loop("j", 8))
BLOCKS, REGISTERS = (1, 1), (16, 16)


def cycles_of(
    ports: tuple[Port, ...], operations: tuple[Operation, ...], *memories: Memory
) -> tuple[int, ...]:
    body = Pipeline("p", LOOPS, (), ports, operations)
    (found,) = port_cycles([body], {memory.name: memory for memory in memories}, 1, TARGET)
    return found


@pytest.mark.parametrize("factors", [BLOCKS, REGISTERS])
def test_what_is_needed_late_is_read_before_an_early_write(factors: tuple[int, int]) -> None:
    """``B[i][j] = A[i][0] * A[i][1] * A[j][i]; A[i][j] = A[0][0] + A[0][0]``."""
    i, j, first = it("i"), it("j"), Affine.of(0)
    ports = (
        Port(AccessMode.READ, "A", (i, first), "v0"),
        Port(AccessMode.READ, "A", (i, Affine.of(1)), "v1"),
        Port(AccessMode.READ, "A", (j, i), "v2"),
        Port(AccessMode.WRITE, "B", (i, j), "t1"),
        Port(AccessMode.READ, "C", (first, first), "v3"),
        Port(AccessMode.WRITE, "A", (i, j), "t2"),
    )
    operations = (
        Operation(Operator.MUL, FLOAT, ("v0", "v1"), "t0"),
        Operation(Operator.MUL, FLOAT, ("t0", "v2"), "t1"),
        Operation(Operator.ADD, FLOAT, ("v3", "v3"), "t2"),
    )
    memories = (local(name, (16, 16), factors) for name in "ABC")
    found = cycles_of(ports, operations, *memories)
    assert max(found[:3]) < found[5]


@pytest.mark.parametrize("seed", range(200))
def test_accesses_of_an_iteration_keep_their_order(seed: int) -> None:
    random = Random(seed)
    values = ["1.0"]
    ports: list[Port] = []
    operations: list[Operation] = []
    for statement in range(random.randrange(2, 5)):
        for read in range(random.randrange(1, 4)):
            values.append(f"v{statement}_{read}")
            ports.append(Port(AccessMode.READ, random.choice("AB"), place(random), values[-1]))
        for operation in range(random.randrange(1, 4)):
            result, operator = (
                f"t{statement}_{operation}",
                random.choice((Operator.ADD, Operator.MUL)),
            )
            operands = random.choice(values), random.choice(values)
            operations.append(Operation(operator, FLOAT, operands, result))
            values.append(result)
        ports.append(Port(AccessMode.WRITE, random.choice("AB"), place(random), values[-1]))
    memories = [local(name, (16, 16), random.choice((BLOCKS, REGISTERS))) for name in "AB"]
    found = cycles_of(tuple(ports), tuple(operations), *memories)
    for (port, cycle), (later, at) in combinations(zip(ports, found, strict=True), 2):
        if later.target == port.target and later.subscripts == port.subscripts:
            if later.mode is AccessMode.WRITE:
                assert cycle < at
            elif port.mode is AccessMode.WRITE:
                assert cycle <= at


def place(random: Random) -> tuple[Affine, Affine]:
    i, j = it("i"), it("j")
    return random.choice(((i, j), (i, j + Affine.of(1)), (j, i), (i, Affine.of(0))))
