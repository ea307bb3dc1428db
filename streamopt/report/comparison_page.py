"""The report of a comparison: levels and strategies of other systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil, floor, log10
from typing import NamedTuple

from streamopt.report.charts import COLOURS, at_right, chart_bytes, mark_decades, new_figure
from streamopt.report.log_charts import Roofline, roofline_chart
from streamopt.report.page import Page, Picture, Section, Table
from streamopt.report.proof import Facts, proof_words
from streamopt.report.views.bars import Bar, Mark, bars_html
from streamopt.report.views.resources import percent
from streamopt.target.device import Target, device_names, find_device
from streamopt.target.resources import Fit

AMOUNTS = {"dsps": "dsps", "bram18": "bram18", "uram": "uram", "lut": "luts", "ff": "ffs"}
"""Members of a row, and the resources that they are."""
HEADER = (
    *("way", "own model", "simulated", "faster", "of MAC line"),
    *("DSPs", "BRAM18", "URAM", "LUT", "FF", "proof"),
)
ABOVE = "▲"
"""Beside a share that is above the vendor's guideline."""


def comparison_page(rows: Sequence[Facts]) -> Page:
    """Return the report of the rows of ``compare``, which are all of one graph."""
    done = [row for row in rows if row.get("simulated_cycles")]
    name = str(rows[0].get("name", "")) if rows else ""
    roofline = max((_whole(row, "roofline_cycles") for row in rows), default=0)
    limit = max((_whole(row, "dsp_limit") for row in rows), default=0)
    best = min((_whole(row, "simulated_cycles") for row in done), default=0)
    figures = [("ways", str(len(rows)))]
    if done:
        figures.append(("fewest cycles", f"{best:,}"))
        ways = [_way(row) for row in done if _whole(row, "simulated_cycles") == best]
        figures.append(("by", ", ".join(ways)))
    lead = f"Ways to schedule {name} with {limit:,} DSPs, simulated alike."
    work = roofline * limit
    sections = (
        _cycles(name, rows, done, (roofline, limit)),
        _roofline(done, work, limit),
        *_refused(rows),
    )
    points = [
        {
            "name": _way(row),
            "kind": _kind(row),
            "dsps": _whole(row, "dsps"),
            "cycles": _whole(row, "simulated_cycles"),
        }
        for row in done
    ]
    limits = (("limit", limit),) if limit else ()
    values = {"ways": {"work": work, "limits": limits, "rows": points}}
    return Page(f"{name}: ways compared", lead, tuple(figures), sections, values=values)


def _cycles(
    name: str, rows: Sequence[Facts], done: Sequence[Facts], line: tuple[int, int]
) -> Section:
    """Return the section with every way; ``line`` has cycles and DSPs of the MAC line."""
    roofline, limit = line
    first = _whole(done[0], "simulated_cycles") if done else 0
    bars = [*map(_bar, done)]
    says = f"Simulated cycles of {len(bars)} ways to schedule {name}"
    draw = partial(comparison_chart, f"{name} at {limit:,} DSPs", bars, roofline)
    device = _device(rows)
    cells = tuple(_cells(row, first, device) for row in rows)
    words: tuple[str, ...] = ()
    if device is not None:
        region = "an SLR" if device.slrs > 1 else "the device"
        words = (
            f"Shares are of {region} of {device.name}; {ABOVE} is above the vendor's guideline.",
        )
    table = Table("All ways", HEADER, cells, is_open=True, is_sortable=True)
    drawing = cycles_html(says, bars, roofline) if bars else ""
    return Section(
        "cycles",
        "Cycles",
        words,
        Picture("cycles", draw),
        (table,),
        has_view=bool(drawing),
        drawing=drawing,
    )


def cycles_html(says: str, ways: Sequence[WayBar], roofline: int) -> str:
    """Return the simulated cycles of ways as points on a logarithmic axis, a row each."""
    every = (value for way in ways for value in (way.simulated, way.model, way.measured))
    known = [value for value in (*every, roofline) if value]
    low, high = floor(log10(min(known))), ceil(log10(max(known)))
    low, high = (low, high) if low < high else (low, low + 1)

    def share(value: int) -> float:
        return (log10(value) - low) / (high - low)

    decades = [(share(10**power), f"{10**power:,}") for power in range(low, high + 1)]
    least = min(way.simulated for way in ways)
    bars: list[Bar] = []
    for way in ways:
        marks = [Mark("decade", at, words) for at, words in decades]
        found = (("line", "MACs on busy DSPs", roofline), ("model", "own model", way.model))
        found += (("measured", "measured", way.measured), (way.kind, "simulated", way.simulated))
        marks += [Mark(kind, share(n), f"{words}: {n:,}") for kind, words, n in found if n]
        times = way.simulated / least
        said = f"{times:,.1f} x the fewest" if times > 1 else "the fewest"
        bars.append(Bar(way.name, "none", 0.0, (f"{way.simulated:,}", said), tuple(marks)))
    legend = [("own", "a level of this project"), ("rival", "another system's")]
    legend.append(("mark model", "by its own model"))
    legend += [("mark measured", "measured")] if any(way.measured for way in ways) else []
    legend += [("mark line", "MACs on busy DSPs")] if roofline else []
    step = 2 if len(decades) > 5 else 1  # names of decades keep apart on a narrow page
    axis = [(at, words if n % step == 0 else "") for n, (at, words) in enumerate(decades)]
    return bars_html(says, bars, legend, axis)


def _kind(row: Facts) -> str:
    return "own" if row.get("level") else "rival"


def _device(rows: Sequence[Facts]) -> Target | None:
    """Return the device of the rows; None where they don't say, or it is a user's own file."""
    name = next((str(row["device"]) for row in rows if row.get("device")), "")
    return find_device(name) if name in device_names() else None


def _whole(row: Facts, key: str) -> int:
    return int(float(row.get(key) or 0))


def _way(row: Facts) -> str:
    return str(row.get("level") or row.get("strategy") or "")


def _model(row: Facts) -> int:
    return _whole(row, "objective_cycles") or _whole(row, "estimated_cycles")


class WayBar(NamedTuple):
    """Cycles of a way: simulated, by its own model, and measured; 0 for those it doesn't have."""

    name: str
    simulated: int
    model: int
    measured: int
    kind: str
    """``own`` for a level, ``rival`` for another system's."""


def _bar(row: Facts) -> WayBar:
    measured = _whole(row, "measured_cycles")
    return WayBar(_way(row), _whole(row, "simulated_cycles"), _model(row), measured, _kind(row))


def _cells(row: Facts, first: int, device: Target | None) -> tuple[str, ...]:
    cycles, roofline = _whole(row, "simulated_cycles"), _whole(row, "roofline_cycles")
    if not cycles:
        return (_way(row), *["-"] * 9, "refused")
    proof = "none"
    if row.get("proof"):
        proof = proof_words(row, names_model=False)
    return (
        _way(row),
        f"{_model(row):,}" if _model(row) else "-",
        f"{cycles:,}",
        f"{first / cycles:.1f} x",
        f"{cycles / roofline:.2f} x" if roofline else "-",
        *(_amount(_whole(row, member), kind, device) for member, kind in AMOUNTS.items()),
        proof,
    )


def _amount(amount: int, kind: str, device: Target | None) -> str:
    """Return an amount with its share of a region, and a mark where that is above its guideline."""
    whole = getattr(device.slr, kind) if device is not None else 0
    if device is None or not whole or not amount:
        return f"{amount:,}"
    advised = getattr(device.budget(Fit.SLR), kind)
    mark = f" {ABOVE}" if amount > advised else ""
    return f"{amount:,} ({percent(amount, whole)}){mark}"


def _roofline(done: Sequence[Facts], work: int, limit: int) -> Section:
    designs = tuple((_way(r), _whole(r, "dsps"), _whole(r, "simulated_cycles")) for r in done)
    rivals = frozenset(_way(row) for row in done if _kind(row) == "rival")
    found = Roofline(work, designs, (("limit", limit),) if limit else (), rivals)
    words = "The table above has the numbers."
    picture = Picture("roofline", partial(roofline_chart, found))
    return Section("roofline", "MACs on busy DSPs", (words,), picture, has_view=True)


def _refused(rows: Sequence[Facts]) -> tuple[Section, ...]:
    refused = tuple(
        (_way(row), str(row.get("message", ""))) for row in rows if not row.get("simulated_cycles")
    )
    if not refused:
        return ()
    table = Table("What was refused", ("way", "reason"), refused, is_open=True)
    return (Section("refused", "Refused", tables=(table,)),)


def rows_chart(rows: Sequence[Facts], form: str) -> bytes:
    """Return the chart of a comparison's rows as a file: see `comparison_chart`."""
    done = [row for row in rows if row.get("simulated_cycles")]
    name = str(rows[0].get("name", "")) if rows else ""
    roofline = max((_whole(row, "roofline_cycles") for row in rows), default=0)
    return comparison_chart(name, [*map(_bar, done)], roofline, form)


OWN, RIVAL, MARK, MEASURED, LINE, GRID = (
    COLOURS[name].light for name in ("work", "room", "frame", "write", "stall", "grid")
)
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.42, 8.0, 1.6


def comparison_chart(title: str, ways: Sequence[WayBar], roofline_cycles: int, form: str) -> bytes:
    """Return the chart as a file; the same ways give the same bytes.

    Parameters
    ----------
    roofline_cycles
        Least cycles that the DSPs allow; 0 for none.
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    height = MARGIN_INCHES + ROW_INCHES * len(ways)
    figure, axes = new_figure(WIDTH_INCHES, height, title)
    axes.set_xscale("log")
    marks = (
        ("|", MARK, 16, "by its own model", [way.model for way in ways]),
        ("D", MEASURED, 6, "measured", [way.measured for way in ways]),
        ("o", OWN, 8, "a level of this project", _simulated(ways, "own")),
        ("s", RIVAL, 7, "another system's", _simulated(ways, "rival")),
    )
    for shape, colour, size, words, numbers in marks:
        places = [(number, row) for row, number in enumerate(numbers) if number]
        if places:
            points = zip(*places, strict=True)
            axes.plot(*points, shape, color=colour, markersize=size, label=words)
    if roofline_cycles:
        axes.axvline(roofline_cycles, color=LINE, linestyle="--", label="MACs on busy DSPs")
    for row, way in enumerate(ways):
        at_right(axes, f"{way.simulated:,}", row)
    every = [*(number for *_, numbers in marks for number in numbers), roofline_cycles]
    known = [value for value in every if value] or [1]
    axes.set_xlim(min(known) / 2, max(known) * 2)
    axes.grid(visible=True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_yticks(range(len(ways)), [way.name for way in ways])
    axes.set_ylim(len(ways) - 0.4, -0.6)
    mark_decades(axes.xaxis)
    axes.set_xlabel("cycles", loc="right")
    figure.legend(loc="outside lower left", ncols=4, frameon=False)
    return chart_bytes(figure, form)


def _simulated(ways: Sequence[WayBar], kind: str) -> list[int]:
    return [way.simulated if way.kind == kind else 0 for way in ways]
