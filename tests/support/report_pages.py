"""Pictures of reports for review, with their sizes and the time in which they open.

``python -m tests.support.report_pages FOLDER`` (`make screenshots`) writes pages and pictures into
a folder, at three widths, in light and dark, and prints a line for each page.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so
from tests.support.chromium import CHROMIUM, browser

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).parents[2]
WIDTHS = (400, 1100, 1900)
DESIGNS = (
    ("graphs/transformers/multi_head_attention.json", "opt6", 2560),
    ("graphs/polybench/3mm.json", "opt5", 2560),
    ("graphs/synthetic/7mm_tree_unbalanced.json", "opt5", 2560),
    ("graphs/cnns/residual_block.json", "opt5", 2560),
    ("graphs/mlps/autoencoder.json", "opt5", 512),
    ("models/gallery/fir.c", "opt5", 64),
)
"""Sources, levels and DSPs: a large one, one with its front, a tree, forks, a chain, one node."""
WITH_FRONT = "3mm"
COMPARED = "graphs/polybench/atax.json"
RIVALS = ("hida", "scalehls", "codo", "pom")
OVERPRINTED = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text')]
      .filter(text => text.textContent.trim() && text.getClientRects().length)
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([word, a], at) => {
      for (const [other, b] of texts.slice(at + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 3) found.push([word, other]);
      }
    });
  }
  return found;
})()"""
"""Pairs of texts of a drawing that lie on each other; letters are lower than their boxes."""
OVERFLOWING = """[...document.querySelectorAll('.graph .box')].flatMap(box => {
  const frame = box.querySelector('rect').getBoundingClientRect();
  return [...box.querySelectorAll('text')].filter(text => {
    const words = text.getBoundingClientRect();
    return words.left < frame.left || words.right > frame.right
      || words.top < frame.top - 1 || words.bottom > frame.bottom + 1;
  }).map(text => text.textContent);
})"""
"""Texts of a graph that leave their boxes."""


def write_pages(folder: Path) -> Iterator[Path]:
    """Write the pages, and yield the path of each."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, level, dsps in DESIGNS:
        name = Path(source).stem
        graph = so.dataflow(so.load(TOP / source))
        front = so.pareto(graph, dsp=dsps) if name == WITH_FRONT else None
        solution = so.solve(graph, dsp=dsps, level=level)
        yield so.report_solution(solution, front=front).write(folder / f"{name}.html")
    rows = so.records(TOP / COMPARED, so.Comparison(strategies=RIVALS))
    yield so.report_rows(rows).write(folder / "comparison.html")


def photograph(pages: list[Path]) -> Iterator[str]:
    """Write the pictures beside their pages, and yield a line about each page."""
    with browser(pages[0].parent / "profile") as tab:
        for page in pages:
            complaints: list[str] = []
            slowest_ms = 0.0
            for width, dark in product(WIDTHS, (False, True)):
                tab.sees(width, 1000, dark=dark)
                tab.open(page)
                slowest_ms = max(slowest_ms, float(tab.does("performance.now()")))
                complaints += [*tab.complaints, *map(str, tab.does(OVERPRINTED))]
                tab.sees(width, int(tab.does("document.documentElement.scrollHeight")), dark=dark)
                theme = "dark" if dark else "light"
                tab.picture(page.with_name(f"{page.stem}_{width}_{theme}.png"))
            said = "; ".join(complaints) or "no complaints"
            yield f"{page.stem}: {page.stat().st_size:,} bytes, {slowest_ms:.0f} ms, {said}"


if __name__ == "__main__":
    assert CHROMIUM, "Chromium isn't installed: apt-get install chromium"
    for line in photograph([*write_pages(Path(sys.argv[1]))]):
        sys.stdout.write(f"{line}\n")
