"""Hold designs of Prometheus' kernels, arrays in HBM, against the published ones; then the page.

Run ``python results/prometheus/run.py [--programs WORD,WORD] [--channels one,chosen,board]
[--again] [--search-seconds S] [--processor-seconds S] [--fast] [--bounds]``. Every kernel has a row
with one channel of HBM for each array and one with those that the search chooses, and where
Prometheus has a bitstream of one region, one with the limits of ``--fit board``; a row of this
commit is left alone unless ``--again``. ``--bounds`` measures nothing. Each design has a process of
its own, which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from kernels import CHANNELS, bound_of, target
from measure import limits_of, measured
from pages import write_page

from streamopt.sweeping.keyed_rows import read_rows
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused
from streamopt.target.resources import Fit
from streamopt.target.routed import routed_designs

if TYPE_CHECKING:
    from argparse import Namespace

    from measure import Row

HERE = Path(__file__).parent
KEYS = ("kernel", "channels")
REGION = "_1SLR"
"""Of bitstreams in one region."""
BOARD = "prometheus_board"
MEASURED = (
    "ports",
    "milliseconds",
    "dsps",
    "lut",
    "bram18",
    "uram",
    "verified",
    "seconds",
    "proved_gap",
)


def row_of(published: Row, channels: str, found: Row) -> Row:
    """Return the row of a kernel; ``found`` is empty, says why, or is measured."""
    kernel, dsps = _kernel(published), int(published["dsp"])
    theirs = int(published["csynth_latency_cycles"])
    is_board = published["framework"] == BOARD
    bound = bound_of(kernel, *_multiplying(published), channels)
    ours = int(found["ours"]) if found.get("ours") else None
    fits = bool(ours) and not _over(published, found)
    board_milliseconds = _board_milliseconds(published)
    beaten = ours is not None and ours < theirs and fits and found["verified"] == "pass"
    if board_milliseconds and found.get("milliseconds"):
        beaten = beaten and float(found["milliseconds"]) < board_milliseconds
    reason = found.get("refused", "" if found else "not run")
    if ours is not None and fits and bound.cycles >= theirs:
        reason = "the bound alone is as high"
    if ours is not None and not fits:
        reason = f"more than published: {', '.join(_over(published, found))}"
    return {
        "kernel": kernel,
        "channels": channels,
        "dsp_limit": str(target().budget(Fit.BOARD).dsps if is_board else dsps),
        "published": str(theirs),
        "ours": "" if ours is None else str(ours),
        "bound": str(bound.cycles),
        "gap": "" if ours is None else f"{ours / bound.cycles - 1:.4f}",
        "status": "beaten" if beaten else "short",
        "reason": reason,
        **{name: found.get(name, "") for name in MEASURED},
        "published_lut": published["lut"],
        "published_bram18": published["bram18"],
        "published_milliseconds": f"{board_milliseconds:.2f}" if board_milliseconds else "",
        "compute_bound": str(bound.compute_cycles),
        "traffic_bound": str(bound.traffic_cycles),
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def _kernel(published: Row) -> str:
    return published["kernel"].removesuffix(REGION)


def _board_milliseconds(published: Row) -> float:
    """Return the time of a call on the board; 0 for a design that has no bitstream."""
    known = {design.name: design.milliseconds for design in routed_designs()}
    return known[published["kernel"]] if published["framework"] == BOARD else 0.0


def _multiplying(published: Row) -> tuple[int, int]:
    """Return the DSPs and LUTs that a design of ours may take."""
    if published["framework"] == BOARD:
        limits = target().budget(Fit.BOARD)
        return limits.dsps, limits.luts
    return int(published["dsp"]), int(published["lut"])


def _over(published: Row, found: Row) -> list[str]:
    """Return the resources of which a design of ours takes more than the published one."""
    limits = limits_of(published)
    used = {"built_dsp": "dsps"}
    return [name for name, most in limits.items() if int(found[used.get(name, name)]) > most]


def design(published: Row, channels: str, options: Namespace) -> Row:
    """Return a measured design of ours, or why there is none."""
    asked = (_kernel(published), limits_of(published), channels, options.search_seconds)
    seconds = options.processor_seconds
    return measured_or_refused(HERE, seconds, measured, *asked, not options.fast)


def case_of(published: Row, channels: str, options: Namespace) -> Case:
    """Return the row of a kernel, to be measured if it is asked for."""
    kernel, words = _kernel(published), options.programs.split(",")
    is_asked = channels in options.channels.split(",") and any(word in kernel for word in words)
    return Case(
        (kernel, channels),
        is_asked,
        partial(design, published, channels, options),
        partial(row_of, published, channels),
    )


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a kernel has one in it")
    parser.add_argument("--channels", default=",".join(CHANNELS))
    add_options(parser, processor_seconds=300.0)
    options = parser.parse_args()
    every = read_rows(HERE / "published.csv")
    whole = [row for row in every if row["framework"] == "prometheus"]
    region = [row for row in every if row["kernel"].endswith(REGION)]
    pairs = (*product(whole, CHANNELS[:2]), *product(region, CHANNELS[2:]))
    cases = (case_of(*each, options) for each in pairs)
    measure_rows(HERE, KEYS, cases, options, partial(print, flush=True))
    write_page(HERE)


if __name__ == "__main__":
    main()
