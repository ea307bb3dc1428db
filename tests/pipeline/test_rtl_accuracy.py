from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copy
from typing import Any

TOP = Path(__file__).parents[2]
DESIGNS = TOP / "results" / "published" / "designs"
SCRIPT = TOP / "results" / "rtl_accuracy" / "run.py"


def judged(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, str(SCRIPT), str(folder), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def test_stored_designs_are_predicted() -> None:
    code, found = judged(DESIGNS)
    assert code == 0
    assert len(found["designs"]) == len(list(DESIGNS.glob("*.json")))
    assert found["mape_source_only"] < 0.003
    assert found["mape_true_ii_depth"] < 0.001
    assert found["ii_rule_hits"] == found["ii_nodes"] == 29


def test_other_designs_run_when_one_is_broken(tmp_path: Path) -> None:
    source = DESIGNS / "polybench-gesummv-2560-opt4.json"
    (tmp_path / "a").mkdir()
    copy(source, tmp_path / "a" / "a.json")
    (tmp_path / "b.json").write_text("{}", encoding="utf-8")
    silent = json.loads(source.read_text(encoding="utf-8"))
    silent["rtl_cycles"] = None
    for node in silent["nodes"]:
        node["vitis"] = None
    silent["kernel"] = "unknown"
    (tmp_path / "c.json").write_text(json.dumps(silent), encoding="utf-8")
    reference = tmp_path / "reference.csv"
    reference.write_text(
        "suite,kernel,framework,opt_level,dsp_limit,rtl_cycles\n"
        "polybench,gesummv,allo,opt4,2560,1\n"
        "polybench,3mm,streamhls,opt4,2560,fail\n"
        "Polybench,gesummv,streamhls,opt4,2560.0,1350\n",
        encoding="utf-8",
    )
    code, found = judged(tmp_path, "--reference", str(reference))
    assert code == 1
    first, broken, third = found["designs"]
    assert first["file"] == "a/a.json"
    assert first["rtl_cycles"] == 1350
    assert broken["error"] == "E142"
    assert (third["error"], third["ii_nodes"]) == ("no RTL cycles", 0)
    assert (
        third["true_ii_depth_cycles"] == third["source_only_cycles"] == first["source_only_cycles"]
    )
