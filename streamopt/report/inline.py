"""Charts as parts of a page: SVG that takes the page's colours and is told to screen readers."""

from __future__ import annotations

import re
from html import escape

from streamopt.report.palette import themed

__all__ = ["inline_svg"]


def inline_svg(svg: bytes, name: str, title: str) -> str:
    """Return a chart of format ``INLINE`` as an element of a page.

    Parameters
    ----------
    name
        Unique on the page; what is defined in the picture gets it as prefix.
    title
        What the picture shows, read aloud in its place.
    """
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style type=\"text/css\">.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\bid=\"([^\"]+)\"", rf'id="{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = re.sub(r"href=\"#([^\"]+)\"", rf'href="#{name}-\1"', text)
    label = f'<svg role="img" aria-labelledby="{name}-title"'
    head, rest = text.split(">", 1)
    title = f'<title id="{name}-title">{escape(title)}</title>'
    return themed(f"{head.replace('<svg', label, 1)}>{title}{rest}")
