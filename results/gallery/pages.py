"""README.md and the site's page of cards, from the rows alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from programs import HERE, TOP, listed

from streamopt.sweeping.keyed_rows import read_rows

if TYPE_CHECKING:
    from programs import Listed

Row = dict[str, str]
HEAD = """# Gallery

Twelve programs as their users write them, and the design that one command makes of each. None was
changed for streamopt, and no rule of streamopt knows one of them; three are slow, and say why.

`python results/gallery/run.py` measures and writes this page and the site's: level opt6 at its
default effort, U280 at 3.33 ns, within the shares of one SLR that the vendor's guideline leaves
to a design (`--fit slr`), operands and results on chip, in as many banks as the lanes need. Cycles
are simulated; *µs* are those cycles at 300 MHz. *verified*: the emitted C++ was compiled and its
outputs were those of the program. *proof* is within the closed form of opt6, never of hardware.
*processor s* is the search's. In the pictures, blue is work and amber is waiting. No vendor tool
has built one of these designs. The rows are in `rows.csv`, machine and versions in
`environment.json`, sources and sizes in `programs.toml`.
"""
NAME = re.compile(r"\b\w+(\[[^]]+\])+|(?<![/.\w])[a-zA-Z]\w*_\w+(\.\w+)*(?![/.\w]*\.(c|py))")
PLACE = re.compile(r" \((?=models/)[^()]*\)")
COLUMNS = ("program", "from", "cycles", "µs", "DSP", "LUT", "BRAM", "verified", "proof")
CARDS_HEAD = """---
hide: [navigation, toc]
---

# Gallery

Twelve programs as users write them, each made into a design by one command: `streamopt run`.
Cycles are simulated at 300 MHz on a U280; shares are of one SLR, of which a design may take 80 % of
the DSPs and block RAMs and 70 % of the LUTs. All C++ was compiled and compared with its source;
no vendor tool has built one of these. In the pictures, blue is work and amber is waiting.
[Sources, commands and every number](../results/gallery/README.md).

"""


def write_pages() -> None:
    """Write both pages."""
    (HERE / "README.md").write_text(readme(), encoding="utf-8")
    (TOP / "docs" / "gallery.md").write_text(cards(), encoding="utf-8")


def _rows() -> dict[str, Row]:
    return {row["program"]: row for row in read_rows(HERE / "rows.csv")}


def readme() -> str:
    """Return the page of sources, commands, pictures and numbers."""
    rows = _rows()
    there = [each for each in listed() if each.name in rows]
    table = [_line(COLUMNS), _line(["---", "---", *["---:"] * 5, "---", "---"])]
    table += [_line(_cells(each, rows[each.name])) for each in there]
    sections = [_section(each, rows[each.name]) for each in there]
    return "\n".join([HEAD, *table, "", *sections])


def cards() -> str:
    """Return the site's page: a card a program."""
    rows = _rows()
    made = [_card(each, rows[each.name]) for each in listed() if each.name in rows]
    return f'{CARDS_HEAD}<div class="grid cards" markdown>\n\n{"".join(made)}</div>\n'


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(each: Listed, row: Row) -> list[str]:
    return [
        f"[{each.title}](#{_anchor(each)})",
        each.language,
        _cycles(row),
        _time(row),
        *(_share(row, name) for name in ("dsps", "luts", "bram18")),
        _verified(row),
        _proof(row),
    ]


def _section(each: Listed, row: Row) -> str:
    fence = "c" if each.language == "C" else "python"
    head = ["cycles", "µs", "DSP", "LUT", "FF", "BRAM", "URAM", "processor s", "compile and run s"]
    shares = [
        f"{int(row[name]):,} ({_share(row, name)})"
        for name in ("dsps", "luts", "ffs", "bram18", "uram")
    ]
    seconds = [row["processor_seconds"], row["verify_seconds"]]
    return "\n".join(
        [
            f"## {each.title}\n",
            f"{each.size[0].upper()}{each.size[1:]}, from [{each.path}](../../{each.path}):\n",
            f"```{fence}\n{each.excerpt()}```\n",
            f"```sh\n{each.command}\n```\n",
            f"![When each node of {each.name} works]({each.name}.card.svg)\n",
            f"![The nodes of {each.name} and their channels]({each.name}.graph.svg)\n",
            _line(head),
            _line(["---:"] * len(head)),
            _line([_cycles(row), _time(row), *shares, *seconds]),
            "",
            f"{_told(row['bounded_by'])}.\n",
            f"{_told(row['to_change'])}.\n",
            f"Proof: {_proof(row)}. Verified: {_verified(row)}.\n",
        ]
    )


def _card(each: Listed, row: Row) -> str:
    place = f"../results/gallery/README.md#{_anchor(each)}"
    picture = f"../results/gallery/{each.name}.card.svg"
    lines = [
        f"-   **[{each.title}]({place})** · {each.language}",
        f"[![When each node of {each.name} works]({picture})]({place})",
        f"{each.size[0].upper()}{each.size[1:]}",
        f"**{_cycles(row)} cycles, {_time(row)} µs** · DSP {_share(row, 'dsps')}, "
        f"LUT {_share(row, 'luts')}, BRAM {_share(row, 'bram18')} · verified: {_verified(row)}",
        f"{_told(PLACE.sub('', row['bounded_by'].partition('; ')[0]))}.",
    ]
    return "\n\n    ".join(lines) + "\n\n"


def _told(words: str) -> str:
    """Return a sentence of an explanation as Markdown."""
    return NAME.sub(r"`\g<0>`", words.removesuffix("."))


def _anchor(each: Listed) -> str:
    kept = "".join(c for c in each.title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")


def _cycles(row: Row) -> str:
    return f"{int(row['simulated_cycles']):,}"


def _time(row: Row) -> str:
    microseconds = float(row["microseconds"])
    return f"{microseconds:,.0f}" if microseconds >= 100 else f"{microseconds:.3g}"


def _share(row: Row, name: str) -> str:
    share = 100 * float(row[f"{name}_of_slr"])
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def _verified(row: Row) -> str:
    return "yes" if row["verified"] == "pass" else "no"


def _proof(row: Row) -> str:
    said = int(row["objective_cycles"])
    is_near = abs(said - int(row["simulated_cycles"])) <= 0.01 * said
    apart = "" if is_near else f", which says {said:,} cycles"
    if row["proof"] == "optimal":
        return f"optimal in the opt6 model{apart}"
    return f"gap {100 * float(row['gap']):.2g} % in the opt6 model{apart}"
