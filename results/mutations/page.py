"""The page of the faults, from its rows alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from faults import Effect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["page"]

HEAD = """# Faults that verification finds

`python results/mutations/run.py` solves the programs, writes their projects, and breaks one file of
each as a hand would; `streamopt verify` then has to find the fault and name it. It writes rows.csv
and this page, and fails if a fault stays unseen. Edits find their place by the structure of the
text (`faults.py`), and say so if there is none.

- *Named*: the project is emitted from its graph.json and schedule.json, and each difference is told
  with its file, line and cause (E728). Every fault has to be found so.
- *Otherwise*: the check that finds it with these findings left aside (`--allow-edits`): the rules
  of the vendor's tool (E611 to E625), the compiler, C simulation with FIFOs of the emitted depths
  (tokens, deadlock, order of processes), the values, a second run of the kernel, memory that holds
  a pattern where nobody has written. Every fault that changes values or lets the design hang has to
  be found so too. Hosts are run by the tests, against a mock of XRT.

No vendor tool ran: the effect of a fault on speed, area or a bitstream is expected, not measured.
"""


def page(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the text of the page."""
    checks = Counter(row["other_check"] for row in rows if row["other_check"])
    by_hand = sum(bool(row["by_hand"]) for row in rows)
    effects = Counter(row["effect"] for row in rows)
    programs = {row["project"] for row in rows}
    named = sum(bool(row["emission"]) for row in rows)
    changing = [row for row in rows if row["effect"] == Effect.VALUES]
    seen = sum(bool(row["other_check"]) for row in changing)
    lines = [
        HEAD,
        f"{len(rows)} faults in {len(programs)} projects: {named} named by emission again; of the "
        f"{effects[Effect.VALUES]} that",
        f"change values or hang, {seen} found otherwise too. Marked *: the {by_hand} that a first "
        "trial by hand had, most",
        "of which verification missed then.",
        "",
        "| otherwise found by | faults |",
        "| --- | ---: |",
        *(f"| {check} | {count} |" for check, count in checks.most_common()),
        "",
    ]
    for effect in Effect:
        own = [row for row in rows if row["effect"] == effect]
        lines += [f"## {effect.capitalize()}", "", "| fault | project | named | otherwise |"]
        lines += ["| --- | --- | --- | --- |", *map(_line, own), ""]
    return "\n".join(lines).rstrip() + "\n"


def _line(row: Mapping[str, str]) -> str:
    star = "*" if row["by_hand"] else ""
    said = f": {_short(row['message'])}" if row["message"] else ""
    other = f"{row['other_check']}{said}" if row["other_check"] else "-"
    cells = (f"{row['fault']}{star}", row["project"], _short(row["emission"]) or "**no**", other)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _short(text: str, most: int = 160) -> str:
    text = text.replace("*", "\\*").replace("<", "&lt;").replace("[", "\\[")
    return text if len(text) <= most else f"{text[:most].rstrip()} ..."
