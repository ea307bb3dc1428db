"""Rows of sweeps that are kept say which run measured them, on which versions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "results"
SWEEPS = ("paper", "rivals")


@pytest.mark.parametrize("sweep", SWEEPS)
def test_runs_of_all_rows_are_told(sweep: str) -> None:
    with (RESULTS / sweep / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    told = json.loads((RESULTS / sweep / "environment.json").read_text(encoding="utf-8"))
    assert rows
    assert {row["run"] for row in rows} == {run["run"] for run in told["runs"]}
    assert told["rows"] == told["of"] == len(rows)
