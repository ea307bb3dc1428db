"""The digest of all tunings, which tells results of different ones apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.search.labels import clusters
from streamopt.strategies.tuning import tuning_digest

if TYPE_CHECKING:
    import pytest

GRAPHS = Path(__file__).parents[2] / "graphs" / "polybench"


def test_digest_changes_with_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tuning_digest()
    assert before == tuning_digest()
    monkeypatch.setattr(clusters, "TUNING", replace(clusters.TUNING, least_labels=5))
    assert tuning_digest() != before


def test_result_of_the_search_has_the_digest() -> None:
    graph = so.dataflow(so.load(GRAPHS / "gemm.json"))
    assert so.record(so.solve(graph, dsp=200))["tuning"] == tuning_digest()
    assert "tuning" not in so.record(so.solve(graph, dsp=200, effort=so.Effort(solver="cpsat")))
