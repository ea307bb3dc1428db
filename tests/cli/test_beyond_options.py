"""``--level opt6`` as a user meets it: the table, the record, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.commands import TOP, graph, run

if TYPE_CHECKING:
    from pathlib import Path

GEMM = str(TOP / "graphs" / "polybench" / "gemm.json")


def test_what_opt6_decides_is_shown(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    done = run(tmp_path, "solve", "two.json", "--level", "opt6", "--dsp", 60, "--binding", "tool")
    assert done.returncode == 0, done.stderr
    for words in ("DSPs as built", "of 60", "of 434560", "are FIFOs", "rewrites", "bound to LUTs"):
        assert words in done.stdout
    row = json.loads((tmp_path / "two.schedule.json").read_text())["result"]
    assert row["tiling_limit"] == 1
    assert row["fabric_nodes"] == 0
    assert row["channels"] in (0, 1)
    assert row["built_dsp_used"] == row["dsps"] <= row["built_dsp_limit"] == 60
    assert row["lut_used"] == row["lut"] <= row["lut_limit"]
    assert row["bound_cycles"] <= row["least_found_cycles"] <= row["objective_cycles"]
    assert 0.0 <= row["search_gap"] <= row["gap"]


def test_what_is_for_opt6_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", GEMM, "--without", "fold_copies")
    assert done.returncode == 2
    refused = "error: E407 --without, --binding and --banks have no meaning at opt5\n"
    assert done.stderr.startswith(refused)


def test_fronts_are_of_the_paper(tmp_path: Path) -> None:
    done = run(tmp_path, "pareto", GEMM, "--level", "opt6")
    assert done.returncode == 2
    assert done.stderr.startswith("error: E523 the front is for opt1 to opt5, not for opt6")
