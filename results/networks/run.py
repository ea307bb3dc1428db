"""Hold designs of whole networks against the published ones; then the page.

Run ``python results/networks/run.py [--programs WORD,WORD] [--systems WORD,WORD] [--tables T,T]
[--level LEVEL] [--search-seconds S] [--processor-seconds S] [--again] [--bounds] [--packed]``.
Every published row has a row; one that was measured at this commit is left alone unless
``--again``, and rows of the same limits share a design. ``--bounds`` measures nothing. Each design
has a process of its own, which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from bounds import Bound, Wanted, bound_of
from measure import measured
from pages import write_page

from streamopt.sweeping.keyed_rows import measured_commit, read_rows
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused

if TYPE_CHECKING:
    from argparse import Namespace

    from measure import Row

HERE = Path(__file__).parent
KEYS = ("source", "table", "network", "system", "metric")
NOT_COUNTED = "weights not counted"
"""Weights are arguments with as many ports as a design likes, and in no memory of it."""


def wanted_of(published: Row) -> Wanted:
    """Return the part of a row that bounds and designs depend on."""
    names = ("network", "element", "metric", "device", "part")
    network, element, metric, device, part = (published[name] for name in names)
    dsps, clock_ns = int(published["dsps"]), float(published["clock_ns"])
    return Wanted(network, element, metric, dsps, clock_ns, device, part)


def impossible(published: Row, bound: Bound) -> str:
    """Return why a published row can't be, with the arithmetic; empty if it can."""
    wanted = wanted_of(published)
    cycles = wanted.cycles(float(published["published"]))
    is_streamed = published["weights"] == "off chip"
    if not (cycles < bound.left_cycles or (is_streamed and cycles < bound.traffic_cycles)):
        return ""
    return (
        f"{bound.weight_bytes} B of weights off the chip at {bound.bytes_per_cycle:g} B a cycle are"
        f" {bound.traffic_cycles} cycles, {bound.left_cycles} if all memories held weights"
    )


def row_of(published: Row, found: Row, packed: bool) -> Row:
    """Return the row of a published one; ``found`` is empty, says why, or is measured."""
    wanted = wanted_of(published)
    bound = bound_of(wanted)
    least = bound.cycles(packed=packed)
    theirs = float(published["published"])
    ours = _cycles(wanted, found)
    reason = impossible(published, bound)
    status = "impossible" if reason else "short"
    if not reason:
        is_faster = ours <= wanted.cycles(theirs)
        is_fair = not found.get("over") and _within(wanted, found) and found["verified"] == "pass"
        status = "beaten" if is_faster and is_fair else "short"
        reason = "; ".join(filter(None, _reasons(wanted, found, theirs, bound)))
    return {
        **{key: published[key] for key in KEYS},
        "element": wanted.element,
        "dsp_limit": str(wanted.dsps),
        "packed": "yes" if packed else "no",
        "published": published["published"],
        "ours": _number(wanted.of_cycles(ours)) if ours == ours else "",
        "bound": _number(wanted.of_cycles(least)),
        "gap": f"{ours / least - 1:.4f}" if ours == ours else "",
        "status": status,
        "reason": reason,
        **{name: found.get(name, "") for name in ("dsps", "lut", "bram18", "uram", "verified")},
        **{name: found.get(name, "") for name in ("seconds", "level", "proved_gap")},
        **{name: found.get(name, "") for name in ("over", "refused")},
        "compute_bound": _number(wanted.of_cycles(bound.compute_cycles)),
        "packed_bound": _number(wanted.of_cycles(bound.packed_cycles)),
        "traffic_bound": _number(wanted.of_cycles(bound.traffic_cycles)),
        "commit": found.get("commit", ""),
    }


def _cycles(wanted: Wanted, found: Row) -> float:
    """Return the cycles of measurements, or of the row that is there."""
    if found.get("ours"):
        return wanted.cycles(float(found["ours"]))
    return float(found.get("ours_cycles") or "nan")


def _within(wanted: Wanted, found: Row) -> bool:
    return bool(found.get("dsps")) and int(found["dsps"]) <= wanted.dsps


def _reasons(wanted: Wanted, found: Row, theirs: float, bound: Bound) -> list[str]:
    """Return the remarks on a row that can be."""
    said = [found.get("refused", "" if found else "not run")]
    if found.get("over"):
        said.append(f"more than there is of {found['over']}")
    if found.get("dsps") and not _within(wanted, found):
        said.append(f"{found['dsps']} DSPs as built")
    if found.get("dsps"):
        said.append(NOT_COUNTED)
    if found.get("verified") == "fail":
        said.append("not verified")
    if wanted.cycles(theirs) < bound.compute_cycles:
        said.append("published: fewer DSPs than multiplications a cycle, so some are LUTs")
    return said


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1e4 else f"{value:.5g}"


def design(wanted: Wanted, options: Namespace) -> Row:
    """Return a measured design of ours, or why there is none."""
    if wanted.network.startswith("gpt2_medium"):
        reason = "one layer at a time, no cache of keys as state yet"
        return {"refused": reason, "commit": measured_commit(HERE)}
    level = options.level or ("opt5" if wanted.metric == "interval_cycles" else "opt6")
    asked = (wanted, level, options.search_seconds, not options.fast)
    found = measured_or_refused(HERE, options.processor_seconds, measured, *asked)
    if "refused" in found:
        found |= {"refused": f"{level}: {found['refused']}", "level": level}
    return found


def is_wanted(published: Row, options: Namespace) -> bool:
    """Return whether a row is asked for."""
    asked = (("network", options.programs), ("system", options.systems), ("table", options.tables))
    words = ((published[name], text.split(",")) for name, text in asked if text)
    return all(
        value in parts if value == published["table"] else any(part in value for part in parts)
        for value, parts in words
    )


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a network has one in it")
    parser.add_argument("--systems", default="")
    parser.add_argument("--tables", default="")
    parser.add_argument("--level", default="", help="opt6, but opt5 for intervals, if not given")
    add_options(parser, processor_seconds=240.0)
    parser.add_argument("--packed", action="store_true", help="two products of 8 bits a DSP")
    options = parser.parse_args()
    design_once = cache(partial(design, options=options))
    cases = [
        Case(
            tuple(published[key] for key in KEYS),
            is_wanted(published, options),
            partial(design_once, wanted_of(published)),
            partial(row_of, published, packed=options.packed),
        )
        for published in read_rows(HERE / "published.csv")
    ]
    measure_rows(HERE, KEYS, cases, options, partial(print, flush=True))
    write_page(HERE)


if __name__ == "__main__":
    main()
