"""``streamopt simulate`` as a user meets it, and what ``solve`` and ``verify`` say of depths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.commands import TOP, graph, run

if TYPE_CHECKING:
    from pathlib import Path

DESIGN = TOP / "results" / "published" / "designs" / "polybench-gesummv-2560-opt4.json"
OPTIONS = ("--dsp", 40, "--tiling-limit", 2)


def reconvergent() -> dict[str, Any]:
    """Return a graph in which a row is needed again after its sum."""
    return {
        "schema_version": 1,
        "name": "rows",
        "arrays": {
            "x": {"shape": [6, 10], "role": "input"},
            "t": {"shape": [6, 10], "role": "internal"},
            "m": {"shape": [6], "role": "internal"},
            "y": {"shape": [6, 10], "role": "output"},
        },
        "nodes": [
            {"name": "scale", "loops": {"i": 6, "j": 10}, "body": ["t[i][j] = x[i][j] * 2"]},
            {"name": "sum", "loops": {"i": 6, "j": 10}, "body": ["m[i] += t[i][j]"]},
            {"name": "use", "loops": {"i": 6, "j": 10}, "body": ["y[i][j] = t[i][j] - m[i]"]},
        ],
    }


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two.json, its project and the row that solve printed."""
    folder = tmp_path_factory.mktemp("solved")
    (folder / "two.json").write_text(json.dumps(graph()))
    done = run(folder, "solve", "two.json", *OPTIONS, "-o", "made", "--json")
    (folder / "row.json").write_text(done.stdout)
    return folder


def test_simulate_agrees_with_solve(solved: Path) -> None:
    row = json.loads((solved / "row.json").read_text())
    wanted = {"predicted_cycles", "simulated_cycles", "dsps", "bram18", "uram", "lut", "ff"}
    assert wanted <= set(row)
    done = run(solved, "simulate", "two.json", "--schedule", "made/schedule.json", "--json")
    found = json.loads(done.stdout)
    assert {key: found[key] for key in wanted} == {key: row[key] for key in wanted}
    assert [process["name"] for process in found["processes"]] == ["product", "act"]
    assert found["processes"][-1]["end_cycles"] == found["simulated_cycles"]
    assert done.stderr == ""


def test_tables_and_chart(solved: Path) -> None:
    command = ("simulate", "two.json", "--schedule", "made/schedule.json", "--frames", 3)
    done = run(solved, *command, "--gantt", "run.svg")
    for part in ("simulated", "between frames", "waits of 3 frames", "what holds the II", "DSP"):
        assert part in done.stdout
    assert done.stdout.splitlines()[-1] == "wrote run.svg"
    assert (solved / "run.svg").read_bytes().startswith(b"<?xml")


def test_a_published_design_needs_no_schedule(tmp_path: Path) -> None:
    done = run(tmp_path, "simulate", DESIGN, "--device", "xc7z020", "--json")
    found = json.loads(done.stdout)
    assert (found["name"], found["device"]) == ("gesummv", "xc7z020")
    assert "dsps" in found["over"]
    assert "predicted_cycles" not in found
    assert "OVER" in run(tmp_path, "simulate", DESIGN, "--device", "xc7z020").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("two.json",), "E148", "give its schedule as well"),
        (("none.json",), "E141", "No such file"),
        (("two.json", "--schedule", "made/schedule.json", "--gantt", "a.gif"), "E871", ".png"),
        (("two.json", "--schedule", "made/schedule.json", "--frames", "0"), "E802", "1 or more"),
        (("two.json", "--schedule", "made/schedule.json", "--device", "u55"), "E851", "u280"),
        (("two.json", "--schedule", "made/schedule.json", "--clock-ns", "1"), "E855", "3.33 ns"),
        ((TOP / "graphs/polybench/atax.json", "--schedule", "made/schedule.json"), "E301", "two"),
    ],
)
def test_errors_leave_nothing_behind(
    solved: Path, arguments: tuple[object, ...], code: str, words: str
) -> None:
    before = sorted(solved.iterdir())
    done = run(solved, "simulate", *arguments)
    assert done.returncode == 2
    assert code in done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(solved.iterdir()) == before


def test_depths_that_stand_still_are_told_by_simulate_and_verify(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(reconvergent()))
    assert run(tmp_path, "solve", "rows.json", *OPTIONS, "-o", "made", "-q").returncode == 0
    path = tmp_path / "made" / "schedule.json"
    schedule = json.loads(path.read_text())
    for channel in schedule["channels"]:
        channel["depth_elems"] = 1
    path.write_text(json.dumps(schedule))
    for command in (("simulate", "rows.json", "--schedule", path), ("verify", "made")):
        done = run(tmp_path, *command)
        assert done.returncode == 2
        assert "E810 rows stands still after" in done.stderr
        assert "hint: make t__use deeper" in done.stderr


def test_full_depths_and_slack(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(reconvergent()))
    rows = [
        json.loads(run(tmp_path, "solve", "rows.json", *OPTIONS, *more, "--json", "--force").stdout)
        for more in (("--fifo-depths", "full"), (), ("--latency-slack", 0.5))
    ]
    full, least, slack = rows
    assert full["fifo_bits"] == full["full_fifo_bits"] > least["fifo_bits"] >= slack["fifo_bits"]
    assert full["simulated_cycles"] == least["simulated_cycles"]
    assert slack["simulated_cycles"] <= 1.5 * full["simulated_cycles"]
    refused = run(tmp_path, "solve", "rows.json", "--latency-slack", -1, "-o", "never")
    assert "E812" in refused.stderr
    assert not (tmp_path / "never").exists()
