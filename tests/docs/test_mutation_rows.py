"""The faults of results/mutations: each is named, and those that change values are found twice."""

from __future__ import annotations

import csv
from pathlib import Path

ROWS = Path(__file__).parents[2] / "results/mutations/rows.csv"
LEAST_FAULTS = 25
BY_HAND = 16


def test_every_fault_is_caught() -> None:
    with ROWS.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) >= LEAST_FAULTS
    assert sum(row["by_hand"] == "yes" for row in rows) == BY_HAND
    assert [row["fault"] for row in rows if "E728" not in row["emission"]] == []
    changing = [row for row in rows if row["effect"] == "values or hang"]
    assert [row["fault"] for row in changing if not row["other_check"]] == []
