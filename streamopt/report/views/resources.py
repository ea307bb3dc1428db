"""The resources of a design against every part of the device that it may be held to."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from streamopt.report.views.bars import Bar, Mark, bars_html
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Fit, Resources

_LEGEND = (
    ("within", "within the guideline"),
    ("above", "above it"),
    ("over", "more than there is"),
    ("mark guideline", "guideline"),
)


Limits: TypeAlias = dict[Fit, tuple[str, Resources]]
"""Words and resources of parts of a device."""


def resource_limits(device: Target, channels: Sequence[str] = ()) -> Limits:
    """Return words and resources of the parts of a device, each with another budget.

    Parameters
    ----------
    channels
        To memory off the chip that the design has ports to.
    """
    region = "SLR" if device.slrs > 1 else "device"
    words = {
        Fit.SLR: f"guideline of one {region}",
        Fit.BOARD: "board, beside its shell",
        Fit.DEVICE: "guideline of the device, beside its shell",
        Fit.RAW: f"one whole {region}",
        Fit.RAW_DEVICE: "whole device",
    }
    found: Limits = {}
    for fit, word in words.items():
        budget = device.budget(fit, channels)
        if all(budget != other for _, other in found.values()):
            found[fit] = (word, budget)
    return found


def percent(amount: int, limit: int) -> str:
    """Return an amount as percent of a limit."""
    if not limit:
        return "more than there is" if amount else "0 %"
    share = 100 * amount / limit
    return "< 1 %" if 0 < share < 1 else f"{share:.0f} %"


def share_words(amount: int, limit: int) -> str:
    """Return an amount as percent of a limit, in words."""
    if not limit:
        return "none there" if amount else "-"
    return f"{percent(amount, limit)} of {limit:,}"


def resources_html(used: Resources, device: Target, channels: Sequence[str] = ()) -> str:
    """Return the bars of a design's resources; the axis is one whole region of the device."""
    limits = resource_limits(device, channels)
    bars = [
        _bar(word, getattr(used, kind), {f: getattr(r, kind) for f, (_, r) in limits.items()})
        for kind, word in RESOURCE_WORDS.items()
    ]
    legend = [*_LEGEND]
    if Fit.BOARD in limits:
        legend.append(("mark board", "board, beside its shell"))
    says = f"Resources that the design takes of one SLR of {device.name}"
    return bars_html(says, bars, legend)


def _bar(word: str, amount: int, limits: Mapping[Fit, int]) -> Bar:
    advised = limits[Fit.SLR]
    whole = limits.get(Fit.RAW, advised)
    axis = max(whole, amount, 1)
    kind = "over" if amount > whole else "above" if amount > advised else "within"
    marks = [Mark("guideline", advised / axis, f"guideline: {advised:,}")] if advised else []
    board = limits.get(Fit.BOARD)
    if board:
        marks.append(Mark("board", board / axis, f"board, beside its shell: {board:,}"))
    of = {Fit.RAW: "of an SLR", Fit.SLR: "of its guideline", Fit.BOARD: "beside the shell"}
    if Fit.RAW_DEVICE in limits:
        of[Fit.RAW_DEVICE] = "of the device"
    else:
        of[Fit.RAW] = "of the device"
    parts = [
        f"{percent(amount, limits[fit])} {words}" for fit, words in of.items() if fit in limits
    ]
    words = (f"{amount:,}", *parts) if amount else ("none",)
    return Bar(word, kind, amount / axis, words, tuple(marks))
