"""The rows of a sweep that have no design, as a section of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.text_tables import markdown_section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["rows_without_design"]


def rows_without_design(rows: Iterable[Mapping[str, str]]) -> str:
    """Return a Markdown section of the rows that are not done, with the reason; "" if none is."""
    lines = [
        [row["program"], row["level"] or row["strategy"], row["dsp_limit"], row["status"],
         row["message"]]
        for row in rows
        if row["status"] != "done"
    ]  # fmt: skip
    columns = ["program", "way", "DSP limit", "status", "reason"]
    return markdown_section("Rows without a design", columns, lines, words=5) if lines else ""
