"""Hooks of the site: pages and pictures that are elsewhere in the checkout become pages of it.

The pages of ``docs/`` link to others as they lie in the checkout, so that links also work where the
files are read as files; here they are turned into links of the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from notebook_pages import notebook_page

TOP = Path(__file__).parents[1]
ADDED = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "models/*.md",
    "models/formulations/*.md",
    "solvers/*.md",
    "results/*/*.md",
    "results/*/*.svg",
    "models/gallery/*.*",
    "models/modules/*.py",
    "models/kernels/*/*.c",
    "notebooks/*.ipynb",
    "CITATION.cff",
    "LICENSE",
)
README_OF_THE_SITE = "overview.md"  # a README.md beside index.md would be the same page
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")


FENCED = re.compile(r"(^`{3,4}\w.*?^`{3,4}$)", re.DOTALL | re.MULTILINE)
NOTEBOOKS = {
    f"notebooks/{path.stem}.md": notebook_page(path) for path in TOP.glob("notebooks/*.ipynb")
}


def on_files(files: Files, config: Any) -> Files:
    """Add what is outside ``docs/``."""
    for place, made in NOTEBOOKS.items():
        files.append(File.generated(config, place, content=made.markdown))
    for pattern in ADDED:
        for path in sorted(TOP.glob(pattern)):
            name = path.relative_to(TOP).as_posix()
            place = name if name.endswith(".ipynb") else _in_site(name)
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Put the outputs of a notebook where they belong."""
    made = NOTEBOOKS.get(page.file.src_uri)
    return html if made is None else made.with_outputs(html)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links between files of the checkout into links between pages of the site."""
    here = page.file.src_uri
    source = "README.md" if here == README_OF_THE_SITE else here
    if (TOP / "docs" / here).exists():
        source = f"docs/{here}"

    def turned(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["path"]))
        place = posixpath.relpath(_in_site(target), posixpath.dirname(here) or ".")
        return place + (link["anchor"] or "")

    parts = FENCED.split(markdown)  # every other one is code
    return "".join(
        LINK.sub(turned, part) if place % 2 == 0 else part for place, part in enumerate(parts)
    )


def _in_site(path: str) -> str:
    if (page := f"{path.removesuffix('.ipynb')}.md") in NOTEBOOKS:
        return page
    return README_OF_THE_SITE if path == "README.md" else path.removeprefix("docs/")
