"""A project of a solution is for the device and the clock that this was judged on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamopt as so
from streamopt.pipeline import building
from streamopt.verification.manifest import read_manifest

if TYPE_CHECKING:
    import pytest

    from streamopt.sim import Trace
    from streamopt.target.device import Target

GESUMMV = Path(__file__).parents[2] / "graphs" / "polybench" / "gesummv.json"


def test_a_project_is_for_the_device_of_its_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = so.device("u55c", 4.55)
    found = so.solve(so.load(GESUMMV), level="opt1", budget=so.Budget(device=on))
    found.write(tmp_path / "made")
    settings = read_manifest(tmp_path / "made").settings
    assert (settings["part"], settings["clock_ns"]) == (on.part, on.clock_ns)

    simulated_on: list[Target | None] = []
    simulate = building.simulate

    def listening(graph: Any, schedule: Any, device: Target | None = None) -> Trace:
        simulated_on.append(device)
        return simulate(graph, schedule, device)

    monkeypatch.setattr(building, "simulate", listening)
    assert so.verify(tmp_path / "made").passed
    assert simulated_on == [on]
