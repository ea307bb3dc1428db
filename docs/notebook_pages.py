"""Executed notebooks as Markdown: their text, their code, and their outputs as they are stored.

HTML and pictures of outputs stand behind markers while the page is Markdown, so that no rule of
Markdown touches them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

SHOWN = ("text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain")
"""Kinds of outputs, the best first."""
DOWNLOAD = "link-to-the-notebook"
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class NotebookPage:
    """A page of the site.

    Attributes
    ----------
    outputs
        HTML by marker, to be put in the place of paragraphs with the markers.
    """

    markdown: str
    outputs: dict[str, str]

    def with_outputs(self, html: str) -> str:
        """Return the page's HTML with its outputs."""
        for marker, output in self.outputs.items():
            html = html.replace(f"<p>{marker}</p>", output)
        return html


def notebook_page(path: Path) -> NotebookPage:
    """Return the page of a notebook, with a link to the notebook below its heading."""
    document = json.loads(path.read_text(encoding="utf-8"))
    parts: list[str] = []
    outputs: dict[str, str] = {}
    for cell in document["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"````python\n{source}\n````")
        for output in cell["outputs"]:
            marker = f"output-{len(outputs)}-of-{path.stem}".replace("_", "-")
            outputs[marker] = f'<div class="notebook-output">{_html(output)}</div>'
            parts.append(marker)
    outputs[DOWNLOAD] = f'<p><a href="{path.name}" download>Download the notebook</a></p>'
    heading, _, rest = parts[0].partition("\n")
    return NotebookPage("\n\n".join([heading, DOWNLOAD, rest, *parts[1:]]), outputs)


def _html(output: Any) -> str:
    if output["output_type"] == "stream":
        return _text("".join(output["text"]))
    if output["output_type"] == "error":
        return _text("\n".join(output["traceback"]))
    data = output["data"]
    kind = next((kind for kind in SHOWN if kind in data), "text/plain")
    content = "".join(data.get(kind, ""))
    if kind == "image/png":
        says = escape("".join(data.get("text/plain", "")).strip("<>").removeprefix("Chart: "))
        return f'<img alt="{says}" src="data:image/png;base64,{content.strip()}">'
    return _text(content) if kind in ("text/plain", "text/markdown") else content


def _text(text: str) -> str:
    return f"<pre><code>{escape(ANSI.sub('', text))}</code></pre>"
