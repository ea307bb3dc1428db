from __future__ import annotations

from streamopt.ir.network import Network, Pipeline, Place, Process, Turn, Turns
from streamopt.perf.pipelines.timings import dissolved, without_single_trips
from tests.support.networks.one_pipeline import memory, pipeline, timed

SOFTMAX_PORTS = [
    "read s[hl][il][jl] v",
    "write R[h * 8 + hl][i * 2 + il] 0.0 if j * 2 + jl == 0",
    "read R[h * 8 + hl][i * 2 + il] c",
    "write R[h * 8 + hl][i * 2 + il] w",
    "read R[h * 8 + hl][i * 2 + il] d if j * 2 + jl == 63",
    "write t[hl][il] d if j * 2 + jl == 63",
]


def softmax_sum() -> Pipeline:
    return pipeline(
        {"i": 32, "j": 32, "h": 1}, {"il": 2, "jl": 2, "hl": 8}, SOFTMAX_PORTS, ["w = add c v"]
    )


def test_softmax_of_attention() -> None:
    one = without_single_trips(softmax_sum())
    assert one.iterations == 32
    assert one.copies == 32 * 32
    assert timed(one, memory("R", Place.LOCAL, (8, 64), (8, 2))).timing.ii == 32


def test_product_of_attention() -> None:
    """Each bank of the keys has eight elements of an iteration to give."""
    one = pipeline(
        {"i": 32, "j": 32, "k": 8, "h": 1},
        {"il": 2, "jl": 2, "kl": 2, "hl": 8},
        [
            "read Q[h * 8 + hl][i * 2 + il][k * 2 + kl] q",
            "read K[h * 8 + hl][k * 2 + kl][j * 2 + jl] x",
            "write S[h * 8 + hl][i * 2 + il][j * 2 + jl] 0.0 if k * 2 + kl == 0",
            "read S[h * 8 + hl][i * 2 + il][j * 2 + jl] c",
            "write S[h * 8 + hl][i * 2 + il][j * 2 + jl] s",
            "write out[hl][il][jl] s if k * 2 + kl == 15",
        ],
        ["m = mul q x", "s = add c m"],
    )
    built = without_single_trips(one)
    memories = (
        memory("Q", Place.PING_PONG, (8, 64, 16), (8, 2, 2)),
        memory("K", Place.PING_PONG, (8, 16, 64), (8, 2, 2)),
        memory("S", Place.LOCAL, (8, 64, 64), (8, 2, 2)),
    )
    found = timed(built, *memories)
    assert (one.iterations, built.iterations, found.timing.ii) == (8192, 1024, 4)


def test_other_loops_stay() -> None:
    unguarded = pipeline({"i": 4, "j": 8, "k": 1}, {}, ["read s v", "write t v"])
    assert without_single_trips(unguarded) is unguarded
    outer = pipeline({"k": 1, "i": 4, "j": 8}, {}, ["read s v if j == 0"])
    assert without_single_trips(outer) is outer
    alone = pipeline({"i": 4, "k": 1}, {}, ["read s v if i == 0"])
    assert without_single_trips(alone) is alone


def test_networks_are_dissolved_as_wholes() -> None:
    network = Network("n", (Process("p", (softmax_sum(),)),), (), ())
    (one,) = dissolved(network).pipelines
    assert [loop.name for loop in one.tiles] == ["i"]
    assert [loop.name for loop in one.lanes] == ["j", "h", "il", "jl", "hl"]


def test_pipelines_that_take_turns_have_no_loop_to_dissolve() -> None:
    one = softmax_sum()
    network = Network("n", (Process("p", (one,), (Turns("a", (Turn(one.name, ()),)),)),), (), ())
    assert dissolved(network) == network
