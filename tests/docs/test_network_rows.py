"""Rows and pages of results/networks and results/prometheus: nothing published is left out."""

from __future__ import annotations

import csv
import sys
from importlib.util import module_from_spec, spec_from_file_location
from math import ceil
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

import streamopt as so

RESULTS = Path(__file__).parents[2] / "results"
STATUSES = {"beaten", "short", "impossible"}


def rows(path: str) -> list[dict[str, str]]:
    with (RESULTS / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(folder: str, name: str) -> Any:
    """Return a script of a measurement, which imports those beside it."""
    sys.path.insert(0, str(RESULTS / folder))
    try:
        spec = spec_from_file_location(f"{folder}_{name}", RESULTS / folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


def test_every_published_figure_of_a_network_has_a_row() -> None:
    keys = ("source", "table", "network", "system", "metric", "published")
    published = {tuple(row[key] for key in keys) for row in rows("networks/published.csv")}
    found = {tuple(row[key] for key in keys) for row in rows("networks/rows.csv")}
    assert found == published
    assert len(found) == 84


def test_every_kernel_of_prometheus_has_a_row_for_one_channel_and_chosen_ones() -> None:
    found = {(row["kernel"], row["channels"]) for row in rows("prometheus/rows.csv")}
    assert len({kernel for kernel, _ in found}) == 12
    assert {kernel for kernel, of in found if of == "board"} == {"2mm", "3mm", "atax", "bicg"}
    assert len(found) == 28


@pytest.mark.parametrize("folder", ["networks", "prometheus"])
def test_a_row_without_a_design_says_why_and_nothing_unverified_has_won(folder: str) -> None:
    for row in rows(f"{folder}/rows.csv"):
        assert row["status"] in STATUSES
        assert row["ours"] or row["reason"]
        if row["status"] == "beaten":
            assert row["verified"] == "pass"
            assert int(row["dsps"]) <= int(row["dsp_limit"])


def test_weights_cross_one_channel_in_more_cycles_than_hida_says_its_perceptron_takes() -> None:
    (row,) = [
        row
        for row in rows("networks/rows.csv")
        if (row["network"], row["system"], row["packed"]) == ("mlp", "HIDA", "no")
    ]
    assert row["status"] == "impossible"
    assert "326973 cycles" in row["reason"]
    assert int(row["published"]) < 326_973


def test_a_networks_gap_is_of_a_design_that_fits_and_was_verified() -> None:
    found = rows("networks/gaps.csv")
    assert len(found) == len(script("networks", "gaps").DSPS)
    for row in found:
        gap = int(row["ours_cycles"]) / int(row["own_bound_cycles"]) - 1
        assert float(row["gap"]) == pytest.approx(gap, abs=1e-4)
        assert int(row["dsps"]) <= int(row["dsps_allowed"])
        assert (row["over"], row["verified"]) == ("", "pass")


@pytest.mark.parametrize("folder", ["networks", "prometheus"])
def test_the_page_is_that_of_the_rows(folder: str, tmp_path: Path) -> None:
    """Otherwise: ``python results/<folder>/run.py --bounds``."""
    for file in (RESULTS / folder).glob("*.csv"):
        copy(file, tmp_path / file.name)
    script(folder, "pages").write_page(tmp_path)
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert page == (RESULTS / folder / "README.md").read_text(encoding="utf-8")


def test_a_product_takes_half_a_dsp_or_luts_where_it_is_packed() -> None:
    bounds = script("networks", "bounds")
    asked = ("resnet18_224", "int8", "interval_cycles", 667, 5.0, "vu9p", "slr")
    plain, within_dsps, within_luts = (
        bounds.bound_of(bounds.Wanted(*asked, luts, packed))
        for luts, packed in ((142_100, False), (667 * 20, True), (142_100, True))
    )
    assert (plain.cycles, within_dsps.cycles) == (3_250_548, 1_625_274)
    # two products in 667 DSPs and 20 LUTs each, one in 40 of the others
    assert within_luts.cycles == ceil(2_168_115_200 / (2 * 667 + (142_100 - 667 * 20) / 40))
    assert plain.traffic_cycles == 121_350
    assert plain.left_cycles == 0


def test_a_time_on_a_board_has_the_clock_of_a_routed_design_and_a_call() -> None:
    engines = script("networks", "engine_rows")
    assert engines.board_ms(2_160_000, so.device("u280", 3.33)) == pytest.approx(10.096)
    assert engines.board_ms(2_160_000, so.device("u280", 5.0)) == pytest.approx(10.896)


def test_an_engine_of_other_numbers_or_that_failed_is_not_known_to_be_right() -> None:
    bounds, sharing = script("networks", "bounds"), script("networks", "sharing")
    wanted = bounds.Wanted("lenet", "int8", "board_ms", 220, 5.0, "u280", "device", 9_000, False)
    row = {"network": "lenet", "element": "int8", "packed": "no", "verified": "pass", "engine": "a"}
    others = ({"packed": "yes"}, {"verified": "fail"}, {"element": "float"}, {"network": "mlp"})
    wrong = [row | other | {"engine": "b"} for other in others]
    assert sharing.right_engines(wanted, [row, *wrong]) == {"a"}


def test_the_quickest_design_of_others_is_shared_whether_less_or_more_is_better() -> None:
    bounds, sharing = script("networks", "bounds"), script("networks", "sharing")
    limits = (900, 4.0, "u280", "device", 9_000, False)
    row = {"dsps": "9", "lut": "9", "verified": "pass", "over": "", "packed": "no"}
    row |= {"dsp_limit": "9", "system": "CODO"}
    for metric, best in (("tokens_s", "20"), ("board_ms", "10")):
        wanted = bounds.Wanted("gpt2_medium_32", "int4", metric, *limits)
        known = [(wanted, row | {"ours": ours}) for ours in ("10", "20")]
        found = sharing.shared_design(wanted, known)
        assert (found["ours"], found["design_of"]) == (best, "CODO 9")
