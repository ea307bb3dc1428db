"""Tables as text that other documents take in: CSV, Markdown and LaTeX."""

import csv
import io
from collections.abc import Mapping, Sequence

LATEX_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "×": r"$\times$",
        **{each: f"\\{each}" for each in "&%$#_{}"},
    }
)


def csv_text(rows: Sequence[Mapping[str, str | int | float]]) -> str:
    """Return rows as CSV; nothing for no rows.

    Columns are in the order in which rows name them; a member that a row lacks is empty.
    """
    text = io.StringIO()
    columns = list(dict.fromkeys(member for row in rows for member in row))
    if rows:
        writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """Return a Markdown table; the first ``words`` columns are at the left, the others right.

    A cell's ``|`` is escaped, a line break becomes a space.
    """
    marks = ["---" if place < words else "---:" for place in range(len(columns))]
    lines = [columns, marks, *rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def markdown_section(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, words: int
) -> str:
    """Return a Markdown table under a heading; see `markdown_table`."""
    return f"## {title}\n\n{markdown_table(columns, rows, words=words)}"


def _markdown_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def latex_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", words: int = 1
) -> str:
    r"""Return a LaTeX ``tabular`` with the rules of package booktabs.

    With a caption it stands in a ``table``. What LaTeX gives a meaning to is escaped.
    """
    lines = [" & ".join(cell.translate(LATEX_SPECIAL) for cell in row) for row in rows]
    head = " & ".join(cell.translate(LATEX_SPECIAL) for cell in columns)
    tabular = [
        rf"\begin{{tabular}}{{{'l' * words}{'r' * (len(columns) - words)}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *(rf"{line} \\" for line in lines),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption:
        words_of_it = caption.translate(LATEX_SPECIAL)
        opening = [r"\begin{table}", r"\centering", rf"\caption{{{words_of_it}}}"]
        tabular = [*opening, *tabular, r"\end{table}"]
    return "\n".join(tabular) + "\n"
