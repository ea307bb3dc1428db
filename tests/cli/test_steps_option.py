"""``streamopt solve --steps``: decisions of a file are kept, and refused where they can't be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from streamopt.formats.steps_json import write_steps_json
from streamopt.ir.loop_steps import Interchange, Unroll
from tests.support.commands import TOP, run

if TYPE_CHECKING:
    from pathlib import Path

BICG = TOP / "graphs" / "polybench" / "bicg.json"


def test_steps_are_kept(tmp_path: Path) -> None:
    name = json.loads(BICG.read_text())["nodes"][0]["name"]
    loops = [*json.loads(BICG.read_text())["nodes"][0]["loops"]]
    steps = (Interchange(name, *loops), Unroll(name, loops[0], 2))
    (tmp_path / "steps.json").write_text(write_steps_json("bicg", steps))
    run(tmp_path, "solve", BICG, "--steps", "steps.json", "--json")
    plans = json.loads((tmp_path / "bicg.schedule.json").read_text())["nodes"]
    plan = next(plan for plan in plans if plan["node"] == name)
    assert plan["order"] == loops[::-1]
    assert plan["unroll"][loops[0]] == 2
