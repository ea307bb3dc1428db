"""Arrays read by blocks become an array for each block, or stay."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

HEADS = sketch(
    {"x": "input 3 5", "w": "weight 24 5", "t": "internal 3 24", "s": "internal 2 3 3",
     "y": "output 2 3 4"},
    {"gemm": "i 3, j 24, k 5: t[i][j] += x[i][k] * w[j][k]",
     "score": "h 2, i 3, j 3, k 4: s[h][i][j] += t[i][4 * h + k] * t[j][4 * h + k + 8]",
     "mix": "h 2, i 3, k 4, j 3: y[h][i][k] += s[h][i][j] * t[j][4 * h + k + 16]"},
)  # fmt: skip


def split(source: Program, *names: str) -> Graph:
    graph = rewritten(canonicalize(source), names)
    check_same(source, graph)
    assert rewritten(graph, names) == graph
    return graph


def test_packed_heads_stream() -> None:
    graph = split(HEADS, "split_arrays", "split_loops")
    channels = [access for edge in graph.edges for access in (edge.write, *edge.reads)]
    assert None not in [s.as_iterator() for access in channels for s in access.subscripts]
    assert [edge.array for edge in graph.edges] == ["t_1", "t_2", "t_3", "s"]
    assert [len(edge.reads) for edge in graph.edges] == [1, 1, 1, 1]


@pytest.mark.parametrize("case", range(20))
def test_random_blocks_compute_the_same(case: int) -> None:
    rng = random.Random(case)
    blocks, size, gap = rng.randint(2, 4), rng.randint(2, 4), rng.randint(0, 2)
    total = blocks * (size + gap)
    starts = [n * (size + gap) for n in range(blocks)]
    rng.shuffle(starts)
    value = " + ".join(f"t[j + {start}][i]" for start in starts)
    source = sketch(
        {"x": f"input 3 {total}", "s": f"internal 3 {total}", "t": f"internal {total} 3",
         "y": f"output {size} 3"},
        {"sum": f"i 3, j {total}, k 3: s[i][j] += x[k][j] * x[i][j]",
         "turn": f"j {total}, i 3: t[j][i] = s[i][j] * 2",
         "use": f"j {size}, i 3: y[j][i] = {value}"},
    )  # fmt: skip
    graph = split(source, "split_arrays")
    assert len(graph.nodes) == 2 * blocks + 1
