"""The resources of a design, as shares of one region of a device and of the whole, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import COLOURS, beside, chart_bytes, new_figure
from streamopt.target.resources import RESOURCE_WORDS

if TYPE_CHECKING:
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

BAR = 0.36
OVER, FRAME = COLOURS["over"].light, COLOURS["frame"].light


def budgets(device: Target) -> tuple[tuple[str, Resources], ...]:
    """Return the budgets of a device: one SLR where there are several, and the whole."""
    whole = ("device", device.total)
    return (("one SLR", device.slr), whole) if device.slrs > 1 else (whole,)


def resource_chart(used: Resources, device: Target, form: str) -> bytes:
    """Return the chart as a file; the same amounts give the same bytes.

    Parameters
    ----------
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    figure, axes = new_figure(7.5, 3.4, f"resources on {device.name}")
    from matplotlib.patches import Patch  # not before the figure, which tells if it is missing

    limits = budgets(device)
    colours = (COLOURS["work"].light, COLOURS["fifo"].light)[-len(limits) :]
    most = 100.0
    for row, kind in enumerate(RESOURCE_WORDS):
        for place, ((_, budget), colour) in enumerate(zip(limits, colours, strict=True)):
            amount, limit = getattr(used, kind), getattr(budget, kind)
            share = 100 * amount / limit if limit else 0.0
            most = max(most, share)
            at = row + BAR * (place - (len(limits) - 1) / 2)
            axes.barh(at, share, BAR * 0.9, color=OVER if share > 100 else colour)
            beside(axes, _words(amount, limit), share, at)
    axes.axvline(100, color=FRAME, linewidth=1, linestyle="--")
    axes.set_yticks(range(len(RESOURCE_WORDS)), [*RESOURCE_WORDS.values()])
    axes.set_ylim(len(RESOURCE_WORDS) - 0.4, -0.6)
    axes.set_xlim(0, most * 1.25)
    axes.set_xlabel("% of what there is", loc="right")
    names = [name for name, _ in limits]
    handles = [Patch(color=c, label=n) for n, c in zip(names, colours, strict=True)]
    if most > 100:
        handles.append(Patch(color=OVER, label="more than there is"))
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False)
    return chart_bytes(figure, form)


def _words(amount: int, limit: int) -> str:
    if not limit:
        return f"{amount:,} (there is none)" if amount else "none"
    share = 100 * amount / limit
    return f"{share:.0f} % of {limit:,}" if share >= 1 or not amount else f"< 1 % of {limit:,}"
