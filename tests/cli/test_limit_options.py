"""``streamopt solve`` with limits on the design as built: table, file and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.commands import TOP, run

if TYPE_CHECKING:
    from pathlib import Path

BICG = TOP / "graphs" / "polybench" / "bicg.json"


def test_limits_are_shown_and_written(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", BICG, "--lut", 50_000)
    assert "45823 of 50000" in done.stdout
    row = json.loads((tmp_path / "bicg.schedule.json").read_text())["result"]
    assert (row["lut_limit"], row["lut_used"], row["lut"]) == (50_000, 45_823, 45_823)
    assert (row["objective_cycles"], row["bound_cycles"], row["proof"]) == (2131, 2131, "optimal")


def test_fit_takes_the_device(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", BICG, "--fit", "device", "--device", "zu3eg", "--json")
    row = json.loads(done.stdout)
    assert (row["dsp_limit"], row["built_dsp_limit"], row["uram_limit"]) == (288, 288, 0)
    assert row["over"] == ""


def test_what_is_too_little_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", BICG, "--ff", 10)
    assert done.stderr.startswith("error: E405 bicg can't be built with 10 FFs at opt5: ")
    assert done.returncode == 2


def test_negative_limit(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", BICG, "--bram18", -1)
    assert done.stderr == "error: E402 --bram18 is -1\n  hint: give 0 or more\n"


def test_an_unknown_part_is_told_with_all_parts(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", BICG, "--fit", "half")
    assert done.returncode == 2
    assert all(name in done.stderr for name in ("slr", "board", "device", "raw", "raw-device"))
