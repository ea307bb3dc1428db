"""The resources of a design as bars for papers, against the shares that a design may take."""

from typing import Any

from streamopt.report.charts import COLOURS, at_right, chart_bytes, new_figure
from streamopt.report.views.resources import percent, resource_limits
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Fit, Resources

WITHIN, ABOVE, OVER, FRAME = (COLOURS[name].light for name in ("work", "stall", "over", "frame"))


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
    figure, axes = new_figure(8.0, 3.0, f"resources on {device.name}")
    from matplotlib.lines import Line2D  # not before the figure, which tells if it is missing

    region = "an SLR" if device.slrs > 1 else "the device"
    limits = resource_limits(device)
    lines: dict[Fit, tuple[Any, str]] = {
        Fit.SLR: ("-", "guideline"),
        Fit.BOARD: (":", "board, beside its shell"),
    }
    most = 100.0
    for row, kind in enumerate(RESOURCE_WORDS):
        amount, whole = getattr(used, kind), getattr(device.slr, kind)
        share = 100 * amount / whole if whole else 0.0
        most = max(most, share)
        advised = getattr(limits[Fit.SLR][1], kind)
        colour = OVER if amount > whole else ABOVE if amount > advised else WITHIN
        axes.barh(row, share, 0.55, color=colour)
        for fit, (dashes, _) in lines.items():
            if fit in limits and whole:
                at = 100 * getattr(limits[fit][1], kind) / whole
                axes.plot([at, at], [row - 0.4, row + 0.4], color=FRAME, linestyle=dashes)
        at_right(axes, f"{amount:,} ({percent(amount, whole)})" if amount else "none", row)
    axes.set_yticks(range(len(RESOURCE_WORDS)), [*RESOURCE_WORDS.values()])
    axes.set_ylim(len(RESOURCE_WORDS) - 0.4, -0.6)
    axes.set_xlim(0, most)
    axes.set_xlabel(f"% of {region}", loc="right")
    handles = [
        Line2D([], [], color=FRAME, linestyle=dashes, linewidth=1.4, label=words)
        for fit, (dashes, words) in lines.items()
        if fit in limits
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=2, frameon=False)
    return chart_bytes(figure, form)
