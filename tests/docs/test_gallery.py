"""The gallery's rows are of today's designs, and its pages are of its rows."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from streamopt.sweeping.keyed_rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).parents[2]
GALLERY = TOP / "results" / "gallery"
ROWS = {row["program"]: row for row in read_rows(GALLERY / "rows.csv")}
QUICK = ("fir",)
EXACT = ("simulated_cycles", "dsps", "luts", "bram18", "verified")
MOST_BYTES = 200_000
MODULES = ("card", "measure", "pages", "programs")


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The modules of the folder of the measurement, which are no package."""
    monkeypatch.setattr(sys, "path", [str(GALLERY), *sys.path])
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def test_every_program_has_a_verified_row_and_pictures(scripts: dict[str, Any]) -> None:
    listed = scripts["programs"].listed()
    assert len(listed) == 12
    assert {each.name for each in listed} == ROWS.keys()
    assert {row["verified"] for row in ROWS.values()} == {"pass"}
    assert sum(each.language == "C" for each in listed) > len(listed) / 2
    for each in listed:
        assert each.excerpt().count("\n") > 10
        for kind in ("card", "graph"):
            picture = GALLERY / f"{each.name}.{kind}.svg"
            assert picture.stat().st_size < MOST_BYTES


def test_pages_are_those_of_the_rows(scripts: dict[str, Any]) -> None:
    """Otherwise: ``python results/gallery/run.py --pages``."""
    pages = scripts["pages"]
    assert (GALLERY / "README.md").read_text(encoding="utf-8") == pages.readme()
    assert (TOP / "docs" / "gallery.md").read_text(encoding="utf-8") == pages.cards()


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.nightly) for n in sorted(ROWS)],
)
def test_a_row_is_of_todays_design(name: str, scripts: dict[str, Any], tmp_path: Path) -> None:
    """Searches are limited by work, not by time; so designs are the same on any machine."""
    listed = next(each for each in scripts["programs"].listed() if each.name == name)
    row = scripts["measure"].measured(listed, tmp_path)
    assert {key: row[key] for key in EXACT} == {key: ROWS[name][key] for key in EXACT}
    assert (tmp_path / f"{name}.card.svg").read_text(encoding="utf-8").startswith("<svg")
