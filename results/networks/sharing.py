"""Rows without a design of their own: they take one that was made for limits no wider."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bounds import Wanted

from streamopt.sweeping.keyed_rows import read_rows
from streamopt.target.device import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from measure import Row

__all__ = ["engine_designs", "right_engines", "shared_design"]

ENGINES = Path(__file__).parents[1] / "engines"

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
        (wanted.cycles(float(row["ours"])), row)
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


def engine_designs() -> Iterator[tuple[Wanted, Row]]:
    """Yield the verified designs of results/engines, each with what it was made for."""
    published = {row["network"]: row for row in read_rows(ENGINES / "published.csv")}
    for row in read_rows(ENGINES / "rows.csv"):
        if row["verified"] != "every bit":
            continue
        of, is_packed = published[row["network"]], row["packed"] != "no"
        clock_ns = float(of["clock_ns"])
        luts = Target.named(of["device"], clock_ns).total.luts
        limits = (int(of["dsps"]), clock_ns, of["device"], "device", luts, is_packed)
        same = {name: row[name] for name in ("dsps", "lut", "bram18", "uram", "dsp_limit")}
        yield (
            Wanted(row["network"], "int8", "latency_cycles", *limits),
            {
                **same,
                "ours": row["cycles"],
                "system": "engine",
                "form": "engine",
                "engine": row["shape"],
                "packed": "yes" if is_packed else "no",
                "verified": "pass",
                "over": "",
                "weights": "streamed",
                "images": "streams",
            },
        )


def right_engines(wanted: Wanted, rows: Iterable[Row]) -> frozenset[str]:
    """Return the shapes of engines for the network and numbers of a row that were verified.

    All tasks of a language model have one network.
    """

    def task(network: str, element: str, packed: bool) -> tuple[object, ...]:
        return network.partition("medium")[:2], element, packed

    known = [
        (task(row["network"], row["element"], row["packed"] == "yes"), row["engine"])
        for row in rows
        if row.get("engine") and row["verified"] == "pass"
    ]
    for of, row in engine_designs():
        known.append((task(of.network, of.element, of.packed), row["engine"]))
    for row in read_rows(ENGINES.parent / "language_models" / "rows.csv"):
        if row["verified"] == "every bit":
            known.append((task("gpt2_medium", "int4", False), row["shape"]))
    for row in read_rows(ENGINES.parent / "float_engines" / "rows.csv"):
        if row["verified"] == "yes" and row["lut_products"] == "no":
            known.append((task(row["network"], "float", False), row["shape"]))
    own = task(wanted.network, wanted.element, wanted.packed)
    return frozenset(shape for of, shape in known if of == own)


def _same_task(one: Wanted, other: Wanted) -> bool:
    names = ("network", "element", "metric", "clock_ns", "device", "part")
    return all(getattr(one, name) == getattr(other, name) for name in names)
