"""The oracle against numbers worked out by hand, and against even more literal walks."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SolverError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan
from streamopt.space.level import LEVELS, PAPER_LEVELS, LevelName
from streamopt.strategies.oracle.exhaustive import OracleResult, exhaustive
from streamopt.strategies.oracle.loop_walk_evaluator import Oracle
from streamopt.transforms.apply import apply
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Edge, Graph, Node
from tests.support.programs.small_graphs import graph_of


def ones_of(graph: Graph) -> dict[str, dict[str, int]]:
    return {node.name: dict.fromkeys(node.trip_counts, 1) for node in graph.nodes}


def best(graph: Graph, level: LevelName, dsp: int = 999, tiling_limit: int = 1) -> OracleResult:
    return exhaustive(graph, level=LEVELS[level], dsp_limit=dsp, tiling_limit=tiling_limit)


PRODUCT = graph_of(
    {"A": [2, 4], "B": [4, 3]},
    {"C": [2, 3]},
    [({"i": 2, "j": 3, "k": 4}, "C[i][j] += A[i][k] * B[k][j]")],
)
CHAIN = graph_of(
    {"A": [2, 4], "B": [4, 3], "D": [3, 2]},
    {"T": [2, 3], "U": [2, 2], "V": [2, 2]},
    [
        ({"i": 2, "j": 3, "k": 4}, "T[i][j] += A[i][k] * B[k][j]"),
        ({"i": 2, "l": 2, "j": 3}, "U[i][l] += T[i][j] * D[j][l]"),
        ({"l": 2, "i": 2}, "V[i][l] = relu(U[i][l])"),
    ],
)
ONES = ones_of(CHAIN)


@pytest.mark.parametrize(
    ("level", "dsp", "tiling_limit", "order", "factors", "expected"),
    [
        # II 4 with k innermost: 4 * (24 - 1)
        (LevelName.OPT1, 999, 1, "ijk", (1, 1, 1), (92, 5, 1)),
        # any order with k outside: 24 - 1; the first such order is i, k, j
        (LevelName.OPT2, 999, 1, "ikj", (1, 1, 1), (23, 5, 6)),
        # one lane needs 5 DSPs: 6 lanes leave 4 iterations; (1, 3, 2) is the first such tiling
        (LevelName.OPT3, 34, 1, "ijk", (1, 3, 2), (4 * 3, 30, 12)),
        (LevelName.OPT5, 34, 1, "ikj", (1, 3, 2), (3, 30, 72)),
        # 8 lanes: only 2 x 1 x 4
        (LevelName.OPT5, 44, 1, "ikj", (2, 1, 4), (2, 40, 72)),
        # loops of 2 are not unrolled, loops of 3 leave 2 only if not unrolled, k takes 2
        (LevelName.OPT5, 999, 2, "ikj", (1, 1, 2), (11, 10, 12)),
        # no order was better than others with k outside: opt4 may take any of these
        (LevelName.OPT4, 34, 1, "ikj", (1, 3, 2), (3, 30, 48)),
        # everything at once
        (LevelName.OPT5, 120, 1, "ijk", (2, 3, 4), (0, 120, 72)),
    ],
)
def test_one_product(
    level: LevelName,
    dsp: int,
    tiling_limit: int,
    order: str,
    factors: tuple[int, ...],
    expected: tuple[int, int, int],
) -> None:
    found = best(PRODUCT, level, dsp, tiling_limit)
    assert found.schedule is not None
    (plan,) = found.schedule.nodes
    assert plan == NodePlan("n0", tuple(order), tuple(zip("ijk", factors, strict=True)))
    assert (found.latency_cycles, found.dsps, found.points) == expected


def test_equal_latencies_take_the_fewest_dsps() -> None:
    """The copy has no DSPs and leaves 4 of 12 iterations; more lanes of n0 would gain nothing."""
    graph = graph_of(
        {"A": [4], "B": [4], "S": [12]},
        {"C": [4], "R": [12]},
        [
            ({"i": 4}, "C[i] = 2.0 * A[i] + 3.0 * B[i]"),
            ({"i": 12}, "R[i] = relu(S[i])"),
        ],
    )
    found = best(graph, LevelName.OPT5, dsp=32, tiling_limit=4)
    assert (found.latency_cycles, found.dsps) == (3, 8)
    assert found.schedule is not None
    assert found.schedule.node("n1").factors == {"i": 3}


def test_chain_in_program_order_by_hand() -> None:
    """Table 3 with II 4 in both products; the last node walks U by columns, so U is a buffer."""
    orders = {node.name: tuple(node.trip_counts) for node in CHAIN.nodes}
    assert Oracle(CHAIN).times(orders, ONES) == {
        "n0": (0, 4 * 3, 4 * 23),
        # starts at fw; T's last read is (1, 0, 2) of 2 x 2 x 3: 8; its epilogue 4 * (11 - 8)
        "n1": (12, 12 + 4 * 2, 92 + 4 * 3),
        "n2": (104, 104, 104 + 3),
    }
    found = best(CHAIN, LevelName.OPT1)
    assert (found.latency_cycles, found.dsps, found.points) == (107, 10, 1)
    assert found.schedule is not None
    assert found.schedule.channels == (
        ChannelPlan("T", ChannelKind.FIFO, 6),
        ChannelPlan("U", ChannelKind.PING_PONG, 0),
    )


def test_chain_with_other_orders_by_hand() -> None:
    """Reductions outside: n0 i k j has FW 3 * 3, n1 i j l has FW 2 * 2, LW 11, LR of T 10."""
    orders = {"n0": ("i", "k", "j"), "n1": ("i", "j", "l"), "n2": ("i", "l")}
    assert Oracle(CHAIN).times(orders, ONES) == {
        "n0": (0, 9, 23),
        "n1": (9, 13, 24),
        "n2": (13, 13, 24),
    }
    found = best(CHAIN, LevelName.OPT2)
    assert (found.latency_cycles, found.dsps, found.points) == (24, 10, 72)


def test_chain_of_tiles_by_hand() -> None:
    """Lanes of 2 x 3 for T and 2 x 2 for U: whole arrays, so only k and j are left as loops."""
    orders = {"n0": ("i", "k", "j"), "n1": ("i", "j", "l"), "n2": ("i", "l")}
    factors = {
        "n0": {"i": 2, "j": 3, "k": 1},
        "n1": {"i": 2, "l": 2, "j": 3},
        "n2": {"l": 2, "i": 2},
    }
    oracle = Oracle(CHAIN)
    # j ends the order of n0, but it is no reduction: II 1; n1 ends in l: II 1
    assert oracle.times(orders, factors) == {"n0": (0, 3, 3), "n1": (3, 3, 3), "n2": (3, 3, 3)}
    assert oracle.dsps(factors) == 5 * 6 + 5 * 12
    assert oracle.schedule(orders, factors).channels == (
        ChannelPlan("T", ChannelKind.FIFO, 1),
        ChannelPlan("U", ChannelKind.FIFO, 1),
    )


def test_coupled_loops_share_their_factor() -> None:
    found = best(CHAIN, LevelName.OPT3, dsp=40)
    assert found.schedule is not None
    # i of all nodes, j of two, l of two, k alone: 2 * 2 * 2 * 3 choices
    assert found.points == 24
    factors = {plan.node: plan.factors for plan in found.schedule.nodes}
    assert factors["n0"]["i"] == factors["n1"]["i"] == factors["n2"]["i"]
    assert factors["n0"]["j"] == factors["n1"]["j"]
    assert factors["n1"]["l"] == factors["n2"]["l"]


def test_node_with_two_consumers_counts_its_run_twice() -> None:
    graph = graph_of(
        {"X": [6]},
        {"T": [6], "Y": [6], "Z": [6]},
        [
            ({"i": 6}, "T[i] = 2.0 * X[i]"),
            ({"i": 6}, "Y[i] = T[i] + 1.0"),
            ({"i": 6}, "Z[i] = T[i] + 2.0"),
        ],
    )
    orders = {node.name: ("i",) for node in graph.nodes}
    assert Oracle(graph).times(orders, ones_of(graph)) == dict.fromkeys(orders, (0, 0, 10))
    assert [edge.channel for edge in graph.edges] == ["T__n1", "T__n2"]


def test_bypass_path_waits_for_the_longer_one() -> None:
    """n2 joins T from n0 and its reversal from n1, which can't stream."""
    graph = graph_of(
        {"X": [4, 5]},
        {"T": [4], "R": [4], "Y": [4]},
        [
            ({"i": 4, "k": 5}, "T[i] += X[i][k]"),
            ({"i": 4}, "R[i] = T[3 - i]"),
            ({"i": 4}, "Y[i] = T[i] + R[i]"),
        ],
    )
    # n0: FW 4 * 4, LW 2 * 4 * 19; n1 starts at lw; n2 at the fw of n1
    orders = {"n0": ("i", "k"), "n1": ("i",), "n2": ("i",)}
    assert Oracle(graph).times(orders, ones_of(graph)) == {
        "n0": (0, 16, 152),
        "n1": (152, 152, 155),
        "n2": (152, 152, 155),
    }
    found = best(graph, LevelName.OPT2)
    # k outside: FW 16, LW 2 * 19
    assert found.latency_cycles == 38 + 3
    assert found.schedule is not None
    assert [c.kind for c in found.schedule.channels] == [
        ChannelKind.PING_PONG,
        ChannelKind.FIFO,
        ChannelKind.FIFO,
    ]


def test_array_with_two_writers_is_a_buffer() -> None:
    graph = graph_of(
        {"X": [3]},
        {"P": [5], "Y": [5]},
        [
            ({"i": 5}, "P[i] = 0.0"),
            ({"i": 3}, "P[i + 1] = X[i]"),
            ({"i": 5}, "Y[i] = P[i]"),
        ],
    )
    found = best(graph, LevelName.OPT5)
    # 3 and 5 iterations share no factor: nothing is unrolled; n2 starts at lw of both
    assert (found.latency_cycles, found.points) == (4 + 4, 1)


@pytest.mark.parametrize("read", ["T[i]", "T[i + 2]", "T[2]"])
def test_part_of_an_array_does_not_stream(read: str) -> None:
    graph = graph_of(
        {"X": [5]}, {"T": [5], "Y": [3]}, [({"i": 5}, "T[i] = X[i]"), ({"i": 3}, f"Y[i] = {read}")]
    )
    found = best(graph, LevelName.OPT2)
    assert found.schedule is not None
    assert found.schedule.channels == (ChannelPlan("T", ChannelKind.PING_PONG),)
    assert found.latency_cycles == 4 + 2


def test_array_that_is_written_in_part_does_not_stream() -> None:
    graph = graph_of(
        {"X": [3]}, {"T": [5], "Y": [3]}, [({"i": 3}, "T[i] = X[i]"), ({"i": 3}, "Y[i] = T[i]")]
    )
    found = best(graph, LevelName.OPT2)
    assert found.schedule is not None
    assert found.schedule.channels == (ChannelPlan("T", ChannelKind.PING_PONG),)


def test_two_steps_may_miss_the_optimum() -> None:
    """Untiled, n0 in order i k j has FW 3 and j k i has FW 4; two lanes of i change that to 2."""
    graph = graph_of(
        {"A": [4, 2], "B": [2, 3]},
        {"T": [4, 3], "Y": []},
        [
            ({"i": 4, "j": 3, "k": 2}, "T[i][j] += A[i][k] * B[k][j]"),
            ({"i": 4, "j": 3}, "Y = max(Y, T[i][j])"),
        ],
    )
    latency = {level: best(graph, level, 10, 2).latency_cycles for level in PAPER_LEVELS}
    assert latency == {
        LevelName.OPT1: 4 * 23 + 0,
        LevelName.OPT2: 3 + 4 * 11,
        LevelName.OPT3: 4 * 11 + 0,
        LevelName.OPT4: 3 + 4 * 5,
        LevelName.OPT5: 2 + 4 * 5,
    }


def test_opt4_keeps_the_orders_that_are_best_untiled() -> None:
    for seed in range(100):
        graph = random_graph(random.Random(seed), nodes=3, max_extent=4)
        untiled, joint = best(graph, LevelName.OPT2), best(graph, LevelName.OPT5, 30, 2)
        steps = best(graph, LevelName.OPT4, 30, 2)
        assert steps.schedule is not None
        orders = {plan.node: plan.order for plan in steps.schedule.nodes}
        assert Oracle(graph).latency(orders, ones_of(graph)) == untiled.latency_cycles
        assert joint.latency_cycles <= steps.latency_cycles <= untiled.latency_cycles
        assert best(graph, LevelName.OPT3, 30, 2).latency_cycles >= joint.latency_cycles


def test_too_large_a_space() -> None:
    with pytest.raises(SolverError) as caught:
        exhaustive(
            CHAIN, level=LEVELS[LevelName.OPT5], dsp_limit=99, tiling_limit=1, max_points=1727
        )
    assert str(caught.value) == (
        "E510 the space of small has 1728 points, more than 1727\n"
        "  hint: use a solver, or a lower level"
    )
    found = exhaustive(
        CHAIN, level=LEVELS[LevelName.OPT5], dsp_limit=99, tiling_limit=1, max_points=1728
    )
    assert found.points == 1728


def test_too_few_dsps() -> None:
    assert best(PRODUCT, LevelName.OPT3, dsp=4) == OracleResult(None, 0, 0, 12)


@pytest.mark.parametrize("seed", range(40))
def test_schedules_can_be_applied(seed: int) -> None:
    graph = random_graph(random.Random(seed), nodes=3, max_extent=6)
    found = best(graph, LevelName.OPT5, dsp=60, tiling_limit=2)
    assert found.schedule is not None
    assert len(apply(graph, found.schedule).channels) == len(graph.edges)


def tiles_in_order(
    node: Node, access: Access, order: tuple[str, ...], factors: dict[str, int], *, final: bool
) -> list[frozenset[tuple[int, ...]]]:
    """Return the elements of each tile in the order of its last, or first, visit."""
    visits: dict[tuple[int, ...], int] = {}
    own = access.iterators()
    ranges = [range(node.trip_counts[loop] // factors[loop]) for loop in order]
    for step, point in enumerate(product(*ranges)):
        at = dict(zip(order, point, strict=True))
        key = tuple(at[loop] for loop in own)
        if final or key not in visits:
            visits[key] = step
    lanes = [range(factors[loop]) for loop in own]
    return [
        frozenset(
            tuple(
                subscript.evaluate(
                    {
                        loop: tile * factors[loop] + lane
                        for loop, tile, lane in zip(own, key, inside, strict=True)
                    }
                )
                for subscript in access.subscripts
            )
            for inside in product(*lanes)
        )
        for key in sorted(visits, key=visits.__getitem__)
    ]


def agree(
    graph: Graph, edge: Edge, orders: dict[str, tuple[str, ...]], factors: dict[str, dict[str, int]]
) -> bool:
    """Return whether both sides walk the array alike, tile by tile, and all of it."""
    producer, consumer = edge.producer, edge.consumer
    written = tiles_in_order(
        graph.node(producer), edge.write, orders[producer], factors[producer], final=True
    )
    read = tiles_in_order(
        graph.node(consumer), edge.reads[0], orders[consumer], factors[consumer], final=False
    )
    return written == read and sum(map(len, read)) == graph.array(edge.array).size_elems


@pytest.mark.parametrize("tiling_limit", [1, 2])
def test_fifos_hand_over_tile_by_tile(tiling_limit: int) -> None:
    """The channels that are FIFOs are those whose sequences agree, with and without tiles."""
    streams = 0
    for seed in range(100):
        rng = random.Random(seed)
        graph = random_graph(rng, nodes=3, max_extent=4)
        schedule = best(graph, LevelName.OPT3, dsp=60, tiling_limit=tiling_limit).schedule
        assert schedule is not None
        orders = {
            node.name: tuple(rng.sample(list(node.trip_counts), len(node.loops)))
            for node in graph.nodes
        }
        tiled = {plan.node: plan.factors for plan in schedule.nodes}
        plans = Oracle(graph).schedule(orders, tiled)
        for edge in graph.edges:
            fifo = plans.channel(edge.channel).kind is ChannelKind.FIFO
            single = len(edge.reads) == 1 and len(graph.writers(edge.array)) == 1
            plain = single and all(
                s.as_iterator() is not None or not s.terms
                for s in (*edge.write.subscripts, *edge.reads[0].subscripts)
            )
            assert fifo == (plain and agree(graph, edge, orders, ones_of(graph)))
            assert not fifo or agree(graph, edge, orders, tiled)
            streams += fifo
    assert streams > 60
