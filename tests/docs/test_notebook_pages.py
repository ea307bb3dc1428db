"""Notebooks become pages of the site with their outputs as they are stored."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).parents[2]
PNG = {
    "output_type": "display_data",
    "data": {"image/png": "aGk=\n", "text/plain": "<Chart: a run>"},
}
HTML = {"output_type": "execute_result", "data": {"text/html": ["<b>a[0](x)</b>\n", "\n", "c"]}}
PRINTED = {"output_type": "stream", "text": ["1 < 2\n", "\x1b[31mred\x1b[0m"]}


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOP / "docs"))  # pyright: ignore[reportUnknownMemberType]
    return importlib.import_module("notebook_pages")


def written(path: Path, *outputs: dict[str, Any]) -> Path:
    cells = [
        {"cell_type": "markdown", "source": ["# A title\n", "\n", "Some words."]},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": list(outputs)},
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


def test_text_code_and_outputs(pages: Any, tmp_path: Path) -> None:
    page = pages.notebook_page(written(tmp_path / "n_1.ipynb", PNG, HTML, PRINTED))
    assert page.markdown.startswith("# A title\n\n")
    assert "````python\nx = 1\nx\n````" in page.markdown
    html = page.with_outputs("".join(f"<p>{line}</p>" for line in page.markdown.split("\n\n")))
    assert '<img alt="a run" src="data:image/png;base64,aGk=">' in html
    assert "<b>a[0](x)</b>\n\nc</div>" in html
    assert "<pre><code>1 &lt; 2\nred</code></pre>" in html
    assert '<a href="n_1.ipynb" download>' in html
    assert not [marker for marker in page.outputs if marker in html]


@pytest.mark.parametrize("path", sorted((TOP / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_ours_are_pages(path: Path, pages: Any) -> None:
    page = pages.notebook_page(path)
    assert page.markdown.startswith("# ")
    listed = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"notebooks/{path.stem}.md" in listed
