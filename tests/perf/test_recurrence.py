from __future__ import annotations

import csv
from pathlib import Path

import pytest

from streamopt.ir.element import ElementType
from streamopt.ir.network import Place
from streamopt.perf.pipelines.recurrence import Recurrence, recurrences
from streamopt.perf.pipelines.timings import Reason
from tests.support.networks.one_pipeline import TARGET, memory, operation, pipeline, product, timed

NODES = Path(__file__).parents[2] / "results" / "published" / "streamhls_nodes.csv"


def accumulation(terms: int, distance: int) -> Recurrence:
    additions = (operation("s = add c m"),)
    return Recurrence("C", additions, terms, distance, of_products=True, reassociates=True)


def test_every_published_accumulation() -> None:
    with NODES.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["reduction_unroll"]]
    wrong = [
        row
        for row in rows
        if accumulation(int(row["reduction_unroll"]), int(row["dep_distance"])).ii(TARGET)
        != int(row["vitis_ii"])
    ]
    assert len(rows) == 182
    assert not wrong


@pytest.mark.parametrize(
    ("order", "trips", "lanes", "ii"),
    [
        ("ijk", (32, 32, 16), (8, 8, 8), 12),  # FeedForward opt3, reduction innermost
        ("ijk", (32, 32, 16), (4, 4, 16), 16),
        ("ijk", (32, 32, 16), (4, 4, 4), 12),  # attention opt3
        ("ijk", (32, 32, 16), (4, 4, 2), 4),
        ("ijk", (32, 32, 16), (1, 1, 1), 4),
        ("ikj", (32, 16, 16), (4, 16, 4), 2),  # FeedForward opt4, 16 iterations inside
        ("ikj", (32, 16, 16), (4, 8, 4), 1),
        ("ikj", (8, 64, 10), (1, 4, 1), 2),  # ResMLP, last layer
        ("ikj", (1, 16, 16), (1, 25, 25), 2),  # mvt at 9024 DSPs
        ("kij", (16, 16, 16), (16, 4, 4), 1),
    ],
)
def test_products_of_matrices(
    order: str, trips: tuple[int, int, int], lanes: tuple[int, int, int], ii: int
) -> None:
    named = dict(zip(order, trips, strict=True)), dict(zip(order, lanes, strict=True))
    assert product(order, *named).timing.ii == ii


def row_sum(lanes: int, operator: str, element: ElementType = ElementType.FLOAT) -> int:
    place = f"k * {lanes} + kl == 0"
    one = pipeline(
        {"i": 64, "k": 16},
        {"kl": lanes},
        [
            "read x[kl] a",
            f"write C[i] 0.0 if {place}",
            "read C[i] c",
            "write C[i] s",
        ],
        [f"s = {operator} c a"],
        element,
    )
    return timed(one, memory("C", Place.LOCAL, (64,))).timing.ii


def test_sums_without_products() -> None:
    assert [row_sum(lanes, "add") for lanes in (1, 2, 4, 16)] == [4, 8, 12, 16]


def test_extremes_and_integers_wait_for_nothing() -> None:
    assert row_sum(4, "max") == 1
    assert row_sum(4, "min") == 1
    assert row_sum(4, "add", ElementType.INT32) == 1
    assert row_sum(1, "mul") == 3
    assert row_sum(4, "mul") == 12
    assert row_sum(4, "add", ElementType.INT64) == 1


def test_distance_is_of_the_innermost_reduction_loop() -> None:
    one = pipeline(
        {"k": 3, "i": 5, "h": 7, "j": 1},
        {},
        ["read C[i][j] c", "write C[i][j] s"],
        ["s = add c c"],
    )
    (found,) = recurrences(one)
    assert found.distance == 1 * 1
    one = pipeline(
        {"k": 3, "i": 5, "h": 1, "j": 7}, {}, ["read C[i][j] c", "write C[i][j] s"], ["s = add c 1"]
    )
    (found,) = recurrences(one)
    assert found.distance == 35


def test_no_recurrence_without_a_loop_that_carries_it() -> None:
    one = pipeline({"i": 5}, {"k": 4}, ["read C[i] c", "write C[i] s"], ["s = add c 1"])
    (found,) = recurrences(one)
    assert (found.terms, found.distance, found.ii(TARGET)) == (4, None, 1)


def test_a_value_that_does_not_depend_on_the_read_is_no_recurrence() -> None:
    ports = ["read x v", "write B[k] v if i == 0", "read B[k] b", "write y s"]
    assert not list(recurrences(pipeline({"i": 5, "k": 4}, {}, ports, ["s = add b 1"])))


@pytest.mark.parametrize(
    ("read", "write", "distance"),
    [
        ("A[i - 1]", "A[i]", 1),
        ("A[i + 64]", "A[i]", None),
        ("A[i + j]", "A[i + j]", 7),
        ("A[i * 8 + j]", "A[i * 8 + j]", None),
        ("A[i / 2]", "A[i / 2]", 1),
        ("A[j]", "A[i]", 1),
    ],
)
def test_distances_of_other_subscripts_are_exact_without_lanes(
    read: str, write: str, distance: int | None
) -> None:
    one = pipeline({"i": 8, "j": 8}, {}, [f"read {read} c", f"write {write} s"], ["s = add c 1"])
    (found,) = recurrences(one)
    assert found.distance == distance


def test_the_reason_is_told() -> None:
    found = product("ijk", {"i": 4, "j": 4, "k": 16}, {"i": 1, "j": 1, "k": 4})
    assert found.binding is not None
    assert found.binding.reason is Reason.RECURRENCE
    assert str(found.binding) == "recurrence of C, 4 terms: II 12"
