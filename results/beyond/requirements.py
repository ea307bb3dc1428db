"""Whether the designs of the 17 programs are what level opt6 is held to, figure by figure."""

from __future__ import annotations

from math import exp, log
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from keep import Row

__all__ = ["TITLES", "met"]

MOST_RATIOS = {
    ("slr", "free"): (0.95, 1.6),
    ("slr", "dsp"): (1.25, 1.75),
    ("raw", "free"): (1.0, 1.6),
    ("raw", "dsp"): (1.35, 2.2),
}
"""By part and binding: geometric mean and maximum of cycles over the bound that are asked for."""
TITLES = {
    ("slr", "free"): "the guideline's shares of one SLR, operators free",
    ("slr", "dsp"): "the guideline's shares of one SLR, 5 DSPs a multiply-accumulate",
    ("raw", "free"): "all of one SLR, operators free",
    ("raw", "dsp"): "all of one SLR, 5 DSPs a multiply-accumulate",
}
"""Words for what the rows of a part and binding are."""
PROCESSOR_SECONDS = 30.0
GAP = 0.05


def met(rows: Sequence[Row], published: Mapping[str, Row]) -> list[str]:
    """Return one line for each figure that must hold, with what was measured."""
    lines: list[str] = []
    for (fit, binding), (most_mean, most) in MOST_RATIOS.items():
        every = [row for row in rows if (row["fit"], row["binding"]) == (fit, binding)]
        own = [row for row in every if row.get("simulated_cycles")]
        if not own:
            continue
        checks = [
            (f"{len(own)} of {len(published)} programs have a design", _missing(own, published)),
            *_ratio_checks(own, most_mean, most),
            *_rtl_checks(own, published, narrower=fit == "slr" and binding == "dsp"),
            ("within all limits", [_name(row, row["over"]) for row in own if row["over"]]),
            (
                "no clock risk",
                [_name(row, row["clock_risks"]) for row in own if row["clock_risks"] != "0"],
            ),
            (
                f"solved in {PROCESSOR_SECONDS:g} s of processor time",
                [
                    _name(row, f"{row['solve_cpu_seconds']} s")
                    for row in own
                    if float(row["solve_cpu_seconds"]) > PROCESSOR_SECONDS
                ],
            ),
            (f"a search gap of at most {GAP:.0%}, or a proof", _open(own)),
            ("the C++ passes verify", _unverified(own)),
        ]
        for text, against in checks:
            verdict = "met" if not against else f"**not met**: {', '.join(against)}"
            lines.append(f"{fit}, {binding}: {text}: {verdict}")
    return lines


def _name(row: Row, text: str) -> str:
    return f"{row['program'].rpartition('/')[2]} {text}"


def _ratio_checks(own: Sequence[Row], most_mean: float, most: float) -> list[tuple[str, list[str]]]:
    ratios = [int(row["simulated_cycles"]) / int(row["mac_bound_cycles"]) for row in own]
    geomean = exp(mean(map(log, ratios)))
    above = [
        _name(row, f"{ratio:.2f}") for row, ratio in zip(own, ratios, strict=True) if ratio > most
    ]
    return [
        (
            f"geomean over the bound at most {most_mean}, it is {geomean:.3f}",
            [f"{geomean:.3f}"] * (geomean > most_mean),
        ),
        (f"none above {most}, the largest is {max(ratios):.2f}", above),
    ]


def _missing(own: Sequence[Row], published: Mapping[str, Row]) -> list[str]:
    return sorted(set(published) - {row["program"] for row in own})


def _rtl_checks(
    own: Sequence[Row], published: Mapping[str, Row], *, narrower: bool
) -> list[tuple[str, list[str]]]:
    """Return the check against published designs, which have 2560 DSPs, of designs with as many."""
    slower = _slower(own, published)
    return [] if narrower else [("fewer cycles than the published RTL", slower)]


def _slower(own: Sequence[Row], published: Mapping[str, Row]) -> list[str]:
    rtl = {row["program"]: int(published[row["program"]]["rtl_cycles"]) for row in own}
    return [
        _name(row, f"{row['simulated_cycles']} of {rtl[row['program']]}")
        for row in own
        if int(row["simulated_cycles"]) >= rtl[row["program"]]
    ]


def _open(own: Sequence[Row]) -> list[str]:
    return [
        _name(row, f"{float(row['search_gap']):.2%}")
        for row in own
        if row.get("search_gap") and float(row["search_gap"]) > GAP
    ]


def _unverified(own: Sequence[Row]) -> list[str]:
    """Return the designs that failed; those not tried as one item."""
    tried = [row for row in own if row.get("verified")]
    failed = [_name(row, row["verified"]) for row in tried if row["verified"] != "pass"]
    untried = len(own) - len(tried)
    return [*failed, *[f"{untried} not tried"] * bool(untried)]
