"""README.md, from the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_page"]

HEAD = """# A decode step of GPT-2 as a stream of weights

`python results/decode/run.py` measures and writes this page. A row is a layer of GPT-2 in integers
for one token: matrices of 4-bit weights, activations, keys and values of 8 bits
(`models/modules/gpt2_integers.py`). Arrays are in the HBM of a U280, 32 channels of 64.7 bytes a
cycle at 4.5 ns; two weights share a byte, and a matrix is spread over channels in proportion to its
elements. Offsets of sums, 36,864 bytes that all tokens take, are filled into the chip once. The
schedule is written down (`schedule.py`), not searched for. The C++ is compared with PyTorch in
every bit.

The layer is a spatial pipeline: all matrices stream at once, each for another token, as tokens of
independent texts follow each other every *interval*. *Share* is the bytes of all arrays over what
all 32 channels deliver in an interval, simulated for six frames; *of used* is that of the channels
in use. *Bound* is weights, keys and values over all channels. *Latency* is that of one token
through an empty pipeline.

Measured is one layer. A token of one text passes 24 of them one after another, each of which begins
when the one before has ended: its time is not told by the interval.

"""
COLUMNS = (
    ("features", "features"),
    ("before", "tokens before"),
    ("interval", "interval"),
    ("bound", "bound"),
    ("moved_bytes", "bytes"),
    ("share", "share"),
    ("share_of_used", "of used"),
    ("latency", "latency"),
    ("channels", "channels"),
    ("dsps", "DSPs"),
    ("lut", "LUT"),
    ("bram18", "BRAM18"),
    ("uram", "URAM"),
    ("over", "over"),
    ("verified", "verified"),
    ("refused", "refused"),
)
WORDS = 0


def write_page(folder: Path) -> None:
    """Write README.md beside the rows."""
    rows = read_rows(folder / "rows.csv")
    lines = [[row[name] for name, _ in COLUMNS] for row in rows]
    titles = [title for _, title in COLUMNS]
    section = markdown_section("Layers", titles, lines, words=WORDS)
    (folder / "README.md").write_text(HEAD + section, encoding="utf-8")
