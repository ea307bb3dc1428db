"""The code and commands of the README and of the pages in docs/ do what the text says."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from tests.support.code_blocks import RUN, TOP, blocks, pages, run_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [page for page in pages() if any(block.runs for block in blocks(page))]
WITH_NIGHTLY = [page for page in PAGES if any(b.mark == "nightly" for b in blocks(page))]
KNOWN = RUN | {"c", "cpp", "json", "mlir", "sh", "text", "toml"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a checkout, as far as pages read it."""
    for name in ("graphs", "models", "results", "solvers"):
        (tmp_path / name).symlink_to(TOP / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.mark.filterwarnings("default")  # of the libraries that users import
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_blocks_run(page: Path) -> None:
    assert run_page(page, nightly=False) or page in WITH_NIGHTLY


@pytest.mark.nightly
@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", WITH_NIGHTLY, ids=str)
def test_long_blocks_run(page: Path) -> None:
    assert run_page(page, nightly=True)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_block_is_known(page: Path) -> None:
    text = (TOP / page).read_text(encoding="utf-8")
    found = blocks(page)
    assert len(found) == len(re.findall(r"^```\w", text, re.MULTILINE)), "an unnamed fence"
    assert {block.language for block in found} <= KNOWN
    unmarked = [b.line for b in found if b.language == "sh" and b.mark != "not run"]
    assert not unmarked, "say why these lines don't run"


def test_pages_are_many() -> None:
    assert len(PAGES) > 15


@pytest.mark.parametrize(("mark", "runs"), [("", False), ("<!-- continues: x -->\n", True)])
def test_blocks_run_alone_unless_they_continue(tmp_path: Path, mark: str, runs: bool) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```python\nx = 1\n```\n\n{mark}```python\nassert x\n```\n")
    with nullcontext() if runs else pytest.raises(NameError):
        run_page(page, nightly=False)
