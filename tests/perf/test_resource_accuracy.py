"""The command that compares estimates with published designs."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
DESIGNS = TOP / "results" / "published" / "designs"
SCRIPT = TOP / "results" / "resource_accuracy" / "run.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_errors_of_the_stored_designs(tmp_path: Path) -> None:
    done = run(DESIGNS, "--json", "--rows", tmp_path / "rows.csv")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["designs"]) == len(list(DESIGNS.glob("*.json")))
    for variant in ("source_only", "given_timing"):
        assert found[variant]["dsps"]["median"] <= 0.05
        assert found[variant]["bram18"]["median"] <= 0.15
        assert found[variant]["luts"]["median"] <= 0.10
        assert found[variant]["ffs"]["median"] <= 0.10
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["design"] for row in rows} == {path.stem for path in DESIGNS.glob("*.json")}


def test_a_design_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    name = "polybench-gemm-2560-opt5.json"
    (tmp_path / name).write_text((DESIGNS / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    done = run(tmp_path, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [row["design"] for row in found["designs"]] == [name.removesuffix(".json")]
    assert [row["design"] for row in found["errors"]] == ["broken"]
    assert "E1" in done.stderr
