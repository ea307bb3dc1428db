"""The site builds with every warning an error, its links lead somewhere, and it has every name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import streamopt as so

TOP = Path(__file__).parents[2]
NOT_OBJECTS = {"StreamoptError", "__version__"}  # on the page of `streamopt.errors`; a number
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.nightly
def test_site_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "reference" / "deciding.html").exists()
    assert (tmp_path / "results" / "rivals" / "rivals.svg").exists()
    gallery = (tmp_path / "gallery.html").read_text(encoding="utf-8")
    assert gallery.count(".card.svg") == 12
    for notebook in (TOP / "notebooks").glob("*.ipynb"):
        page = (tmp_path / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        assert f'href="{notebook.name}" download' in page
        assert "output-0-of" not in page, "a marker without its output"


@pytest.mark.parametrize(
    "path",
    [
        path
        for pattern in ("*.md", "docs/**/*.md", "models/**/*.md", "results/*/*.md")
        for path in sorted(TOP.glob(pattern))
    ],
    ids=lambda path: str(path.relative_to(TOP)),
)
def test_links_lead_to_files(path: Path) -> None:
    wrong = [
        link
        for link in LINK.findall(path.read_text(encoding="utf-8"))
        if not (path.parent / link).exists()
    ]
    assert not wrong


def test_reference_has_every_public_name() -> None:
    pages = (TOP / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    shown = set(re.findall(r"^::: \S+?\.(\w+)$", text, re.MULTILINE))
    wanted = {*so.__all__} - NOT_OBJECTS
    assert wanted <= shown, wanted - shown


def test_every_page_is_in_the_navigation() -> None:
    listed = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(TOP / "docs").as_posix() for path in (TOP / "docs").rglob("*.md")]
    assert not [page for page in pages if page not in listed]
