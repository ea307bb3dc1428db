"""Rows without a design of their own: they take one that was made for limits no wider."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bounds import Wanted
    from measure import Row

__all__ = ["shared_design"]

OWN = ("own_bound", "gap", "commit", "seconds", "megabytes")
"""Of the row that was measured: a bound holds for its limits, not for wider ones."""


def shared_design(wanted: Wanted, rows: Iterable[tuple[Wanted, Row]]) -> Row:
    """Return measurements of the quickest design of other rows within the limits of a row.

    It runs the same network on the same part at the same clock, is verified, and packs products
    only where the row may. Empty if there is none.

    Parameters
    ----------
    rows
        Those with designs, and what they were made for.
    """
    fitting = [
        (float(row["ours"]), row)
        for of, row in rows
        if _same_task(of, wanted)
        and int(row["dsps"]) <= wanted.dsps
        and int(row["lut"]) <= wanted.luts
        and of.packed <= wanted.packed
        and row["verified"] == "pass"
        and not row["over"]
    ]
    if not fitting:
        return {}
    _, best = min(fitting, key=lambda pair: pair[0])
    of = f"{best['system']} {best['dsp_limit']}{' packed' * (best['packed'] == 'yes')}"
    return {**best, **dict.fromkeys(OWN, ""), "design_of": of}


def _same_task(one: Wanted, other: Wanted) -> bool:
    names = ("network", "element", "metric", "clock_ns", "device", "part")
    return all(getattr(one, name) == getattr(other, name) for name in names)
