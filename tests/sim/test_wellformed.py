"""Networks that can't be simulated are refused in the user's names."""

from __future__ import annotations

from typing import Any

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Literal, Read
from streamopt.ir.network import Network, Process
from streamopt.sim import simulate
from tests.support.networks.by_hand import fifo, network, process, read, timing, write

GOOD = network(process("a", {"i": 4}, write("f")), process("b", {"i": 4}, read("f")), fifo("f", 4))
TIMINGS = {"a": timing(1, 3), "b": timing(1, 3), "c": timing(1, 3)}
DATA = Compare(CompareOp.GT, Read(Access("A", (Affine.iterator("i"),))), Literal(0))
U = Affine.iterator("u")


@pytest.mark.parametrize(
    ("code", "said", "found", "options"),
    [
        ("E801", "for b", GOOD, {"timings": {"a": timing(1, 3)}}),
        ("E801", "interval 0", GOOD, {"timings": {"a": timing(0, 3), "b": timing(1, 3)}}),
        ("E802", "0 frames", GOOD, {"frames": 0}),
        ("E803", "g, which is no FIFO", GOOD, {"depths": {"g": 3}}),
        ("E803", "FIFO f has depth 0", GOOD, {"depths": {"f": 0}}),
        ("E804", "no process reads FIFO f", network(GOOD.processes[0], *GOOD.fifos), {}),
        (
            "E804",
            "b and c read FIFO f",
            network(*GOOD.processes, process("c", {"i": 4}, read("f")), *GOOD.fifos),
            {},
        ),
        (
            "E805",
            "b reads f where data decide",
            network(GOOD.processes[0], process("b", {"i": 4}, read("f", DATA)), *GOOD.fifos),
            {},
        ),
        (
            "E806",
            "b reads stream f[u], which leaves its 2 streams",
            network(
                process("a", {"i": 4}, write("f", None, U), lanes={"u": 2}),
                process("b", {"i": 4}, read("f", None, U), lanes={"u": 3}),
                fifo("f", 4, 2),
            ),
            {},
        ),
        (
            "E806",
            "b reads stream f[i]",
            network(
                process("a", {"i": 4}, write("f", None, U), lanes={"u": 2}),
                process("b", {"i": 4}, read("f", None, Affine.iterator("i"))),
                fifo("f", 4, 2),
            ),
            {},
        ),
        (
            "E807",
            "b reads f 3 times in an iteration, and starts one every 1 cycles",
            network(
                GOOD.processes[0], process("b", {"i": 4}, read("f"), lanes={"u": 3}), *GOOD.fifos
            ),
            {},
        ),
        ("E808", "process p has no pipeline", Network("net", (Process("p", ()),), (), ()), {}),
    ],
)
def test_refused(code: str, said: str, found: Network, options: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"timings": TIMINGS, **options}
    with pytest.raises(SimulationError, match=code) as raised:
        simulate(found, **arguments)
    assert said in str(raised.value)
    assert all(problem.hint for problem in raised.value.diagnostics)


def test_problems_are_told_together() -> None:
    with pytest.raises(SimulationError) as raised:
        simulate(GOOD, {}, frames=0, depths={"f": 0})
    codes = sorted(problem.code for problem in raised.value.diagnostics)
    assert codes == ["E801", "E801", "E802", "E803"]
