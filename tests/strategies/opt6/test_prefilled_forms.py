"""Forms of the interval's search: rows before the nest, and pools on buffers."""

import pytest

from streamopt.strategies.opt6.choices import prefilled_first
from streamopt.target.device import Target
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import COLUMNS, PREFILL, WINDOWS, rewritten
from tests.support.programs.sketches import program

BUFFERED = (WINDOWS, COLUMNS, PREFILL)


@pytest.mark.parametrize(
    ("columns", "without", "is_tried"), [(10, "", True), (10, COLUMNS, False), (12, "", False)]
)
def test_pools_that_leave_columns_no_lanes_are_tried_on_buffers_too(
    columns: int, without: str, is_tried: bool
) -> None:
    wide, half = columns + 2, columns // 2
    source = program(
        {"x": f"input 6 {wide}", "f": "weight 3 3", "a": f"internal 6 {wide}",
         "t": f"internal 4 {columns}", "y": f"output 2 {half}"},
        {"scale": f"h 6, w {wide}: a[h][w] = x[h][w] * 2",
         "blur": f"h 4, w {columns}, k 3, l 3: t[h][w] += a[h + k][w + l] * f[k][l]",
         "pool": f"h 2, w {half}, m 2, n 2: y[h][w] += t[2 * h + m][2 * w + n]"},
    )  # fmt: skip
    graph = rewritten(canonicalize(source), (WINDOWS,))
    found = prefilled_first([((WINDOWS,), graph)], frozenset({without}), Target.named("u280"))
    names = [own for own, _ in found]
    assert names == [(WINDOWS, PREFILL), *[BUFFERED] * is_tried, (WINDOWS,)]
