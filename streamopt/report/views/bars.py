"""Bars as HTML: as wide as their reader's page, with words that wrap and lie on nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across a bar, at a share of the axis from 0 to 1; ``kind`` is a class of the page."""

    kind: str
    share: float
    says: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A row."""

    name: str
    kind: str
    """A class of the page: its colour."""
    share: float
    """Of the axis, from 0 to 1; drawn at 1 where it is more."""
    words: tuple[str, ...]
    """Beside the bar, or below it where the page is narrow; lines break between them."""
    marks: tuple[Mark, ...] = ()


def bars_html(
    says: str,
    bars: Sequence[Bar],
    legend: Sequence[tuple[str, str]] = (),
    axis: Sequence[tuple[float, str]] = (),
) -> str:
    """Return bars and their legend of classes and words, as text of a page.

    Tables have the same numbers for those who don't see it, so it is told by ``says`` alone.

    Parameters
    ----------
    axis
        Shares from 0 to 1 and their words, below the bars.
    """
    rows = "\n".join(map(_row, bars))
    if axis:
        ticks = "".join(
            f'<i class="tick" style="left:{_percent(share)}">{escape(words)}</i>'
            for share, words in axis
        )
        rows += f'\n<div class="row axis"><span></span><span class="ticks">{ticks}</span></div>'
    items = "".join(f'<li><i class="{kind}"></i>{escape(words)}</li>' for kind, words in legend)
    below = f'<ul class="legend">{items}</ul>' if items else ""
    kind = "bars points" if axis else "bars"
    return f'<div class="{kind}" role="img" aria-label="{escape(says)}">\n{rows}\n</div>{below}'


def _row(bar: Bar) -> str:
    said = " ".join(f"<b>{escape(words)}</b>" for words in bar.words)
    return (
        f'<div class="row"><span class="name">{escape(bar.name)}</span>'
        f'<span class="track"><i class="fill {bar.kind}" style="width:{_percent(bar.share)}"></i>'
        f'{"".join(_marks(bar))}</span><span class="said">{said}</span></div>'
    )


def _marks(bar: Bar) -> Iterator[str]:
    for mark in bar.marks:
        says = escape(mark.says)
        yield f'<i class="mark {mark.kind}" style="left:{_percent(mark.share)}" title="{says}"></i>'


def _percent(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"
