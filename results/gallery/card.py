"""The picture of a card: when each process works and waits, small and without any package."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from streamopt.report.charts import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.sim import ProcessTrace, Trace

ENLARGED = 1.2
"""Where a page has room for it."""
WIDTH, MARGIN, AXIS, TOP = 480.0, 10.0, 24.0, 8.0
ROW, SMALL_ROW, FEW = 30.0, 20.0, 8
"""Heights of rows, where there are a few processes and where there are more."""
LETTER, MOST_LETTERS = 7.4, 18
KINDS = {"work": "w", "stall": "s", "ink": "t", "paper": "p", "grid": "g"}


def card_svg(trace: Trace) -> str:
    """Return the run of a sampled trace as an SVG that is dark on dark pages."""
    processes = trace.processes
    row = ROW if len(processes) <= FEW else SMALL_ROW
    names = [_short(process.name) for process in processes]
    left = MARGIN + LETTER * max(map(len, names)) + 8
    scale = (WIDTH - left - MARGIN) / trace.total_cycles
    height = TOP + row * len(processes) + AXIS
    parts = [f'<rect class="p" width="{WIDTH:g}" height="{height:g}"/>']
    for place, process in enumerate(processes):
        top = TOP + row * place
        words = escape(names[place])
        parts.append(f'<text class="t" x="{MARGIN}" y="{top + row / 2 + 4:g}">{words}</text>')
        for kind, start, end in _spans(process, trace.total_cycles):
            box = f'x="{left + start * scale:.1f}" width="{(end - start) * scale:.1f}"'
            parts.append(f'<rect class="{kind}" {box} y="{top + 4:g}" height="{row - 8:g}"/>')
    floor = TOP + row * len(processes)
    right = WIDTH - MARGIN
    parts.append(f'<path class="g" d="M{left:.1f} {floor:g}H{right:g}"/>')
    parts.append(f'<text class="t" x="{left:.1f}" y="{floor + 16:g}">0</text>')
    last = f"{trace.cycles:,} cycles"
    end = f'text-anchor="end" x="{right:g}" y="{floor + 16:g}"'
    parts.append(f'<text class="t" {end}>{last}</text>')
    shown = f'width="{WIDTH * ENLARGED:g}" height="{height * ENLARGED:g}"'
    size = f'viewBox="0 0 {WIDTH:g} {height:g}" {shown}'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{_style()}\n'
    return head + "\n".join(parts) + "\n</svg>\n"


def _style() -> str:
    font = "font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
    light, dark = (
        " ".join(
            f".{kind} {{ {'stroke' if kind == 'g' else 'fill'}: {getattr(COLOURS[name], side)} }}"
            for name, kind in KINDS.items()
        )
        for side in ("light", "dark")
    )
    media = f"@media (prefers-color-scheme: dark) {{ {dark} }}"
    return f"<style>text {{ {font} }} {light} {media}</style>"


def _short(name: str) -> str:
    half = MOST_LETTERS // 2
    return name if len(name) <= MOST_LETTERS else f"{name[: half - 1]}…{name[-half:]}"


def _spans(process: ProcessTrace, cycles: int) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of every bar: waiting is a span that is mostly that."""
    standing = process.standing_cycles or (0,)
    width = -(-cycles // len(standing))
    for start, end in zip(process.starts, process.ends, strict=False):
        pieces: list[tuple[str, int, int]] = []
        for place in range(start // width, -(-end // width)):
            first, last = max(start, place * width), min(end, (place + 1) * width)
            kind = "s" if 2 * standing[place] > last - first else "w"
            if pieces and pieces[-1][0] == kind:
                first = pieces.pop()[1]
            pieces.append((kind, first, last))
        yield from pieces
