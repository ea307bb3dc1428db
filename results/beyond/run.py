"""Measure level opt6: designs, ablation, levels, PolyBench, a convolution block; then the pages.

Run ``python results/beyond/run.py [--what PART,PART] [--programs WORD,WORD] [--time-limit S]
[--bindings free,dsp] [--fits slr,raw] [--verify]``. Rows are written as they come, and replace
those of the same design; ``--what pages`` draws the pages from the rows alone. Every design has a
process of its own.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING

from ablation import VARIANTS, is_same_search
from keep import Row, add, commit, environment
from measure import CONV, KERNELS, PROGRAMS, Asked, measured
from operations import chain_cycles, work_of
from pages import write_pages

import streamopt as so
from streamopt.space.level import BindingChoice
from streamopt.sweeping.limited import GivenUpError, within

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS = ("designs", "large", "ablation", "levels", "polybench", "conv")
LEVELS = ("opt1", "opt2", "opt3", "opt4", "opt5")
TILING_LIMITS = {"residual_block": 8, "dwsconv_block": 8, "multi_head_attention": 1}
"""Of the published experiments, where it isn't 16; levels below opt6 keep them."""

LARGE = {"2mm": 6462, "3mm": 7575}
"""DSPs that designs of Prometheus have for the same kernels, on a whole U55C."""
VERIFY_SECONDS = 600.0
KERNEL_VERIFY_SECONDS = 60.0
SMALLER = ("MINI", "MINI:DOUBLE")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run measures."""

    words: tuple[str, ...]
    bindings: tuple[str, ...]
    fits: tuple[str, ...]
    time_limit_seconds: float | None
    verify: bool

    def of(self, names: tuple[str, ...]) -> list[str]:
        """Return the names that have one of the words in them."""
        return [name for name in names if any(word in name for word in self.words)]

    def asked(self, program: str, space: so.Space, fit: str = "slr") -> Asked:
        """Return what to find for a program."""
        limits, seconds = so.Budget(fit=fit), self.time_limit_seconds
        return Asked(program, space=space, budget=limits, time_limit_seconds=seconds)


def row_of(asked: Asked) -> Row:
    """Return what was measured, or why nothing was."""
    try:
        row = within(asked.patience_seconds, measured, asked)
    except GivenUpError as error:
        row = {"refused": str(error)}
    return row | {"commit": commit()}


def designs(wanted: Wanted) -> None:
    """Find a design of every program for every binding and part of the device."""
    keys = ("program", "fit", "binding")
    for program, fit, binding in product(wanted.of(PROGRAMS), wanted.fits, wanted.bindings):
        asked = wanted.asked(program, so.Space(binding=BindingChoice(binding)), fit)
        if wanted.verify:
            asked = replace(asked, verify_seconds=VERIFY_SECONDS)
        add("designs", keys, dict(zip(keys, (program, fit, binding), strict=True)) | row_of(asked))


def large(wanted: Wanted) -> None:
    """Find designs within limits that are far from those of one SLR."""
    limits = so.Budget(lut=700_000, bram18=3632, fit="raw-device")
    for kernel, dsps in LARGE.items():
        asked = wanted.asked(f"{kernel}.c@MEDIUM", so.Space())
        if kernel in wanted.of(tuple(LARGE)):
            add(
                "large",
                ("program",),
                {"program": kernel} | row_of(replace(asked, dsps=dsps, budget=limits)),
            )


def ablation(wanted: Wanted) -> None:
    """Leave out one dimension after the other, with multiply-accumulates of 5 DSPs."""
    keys = ("program", "variant")
    for program in wanted.of(PROGRAMS):
        whole = row_of(wanted.asked(program, VARIANTS["all"]))
        for variant, space in VARIANTS.items():
            same = is_same_search(program, space)
            row = whole if same else row_of(wanted.asked(program, space))
            add("ablation", keys, {"program": program, "variant": variant, **row})


def levels(wanted: Wanted) -> None:
    """Solve the published levels, and simulate what they give."""
    for program in wanted.of(PROGRAMS):
        tiling = TILING_LIMITS.get(program.rpartition("/")[2], 16)
        for level in LEVELS:
            asked = Asked(program, level, tiling_limit=tiling)
            asked = replace(asked, time_limit_seconds=wanted.time_limit_seconds)
            add(
                "levels", ("program", "level"), {"program": program, "level": level} | row_of(asked)
            )


def polybench(wanted: Wanted) -> None:
    """Find a verified design of every PolyBench kernel at medium size.

    What isn't verified at that size within its time is at a smaller one, for which there is a
    design as well; in double precision where single precision has no finite error bounds.
    """
    for kernel in wanted.of(KERNELS):
        work = work_of(kernel, "MEDIUM")
        bound = {"bound_basis": work.basis, "work_bound_cycles": str(work.bound_cycles)}
        bound["chain_cycles"] = str(chain_cycles(kernel, "MEDIUM"))
        row = _verified_row(wanted, kernel, "MEDIUM")
        tried = f"medium: {row.get('verified', row.get('refused'))}"
        size = "MEDIUM"
        for smaller in SMALLER:
            if row.get("verified") != "pass":
                size, small = smaller, _verified_row(wanted, kernel, smaller)
                row["verified"] = small.get("verified", small.get("refused", ""))
        row |= {"verified_size": size.lower().replace(":", ", "), "tried": tried}
        add("polybench", ("program",), {"program": kernel, **bound, **row})


def _verified_row(wanted: Wanted, kernel: str, size: str) -> Row:
    asked = wanted.asked(f"{kernel}.c@{size}", so.Space())
    return row_of(replace(asked, verify_seconds=KERNEL_VERIFY_SECONDS))


def conv(wanted: Wanted) -> None:
    """Find a verified design of CODO's convolution block for every binding and part."""
    for fit, binding in product(wanted.fits, wanted.bindings):
        asked = wanted.asked(CONV, so.Space(binding=BindingChoice(binding)), fit)
        row = row_of(replace(asked, verify_seconds=VERIFY_SECONDS))
        key = {"program": CONV, "fit": fit, "binding": binding}
        add("conv", tuple(key), {**key, **row})


MEASURES: dict[str, Callable[[Wanted], None]] = {
    "designs": designs,
    "large": large,
    "ablation": ablation,
    "levels": levels,
    "polybench": polybench,
    "conv": conv,
}


def main() -> None:
    """Measure the parts that are asked for, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--what", default=",".join(PARTS), help="parts, or pages alone")
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--bindings", default="free,dsp")
    parser.add_argument("--fits", default="slr,raw")
    parser.add_argument("--time-limit", type=float, help="seconds, instead of the default effort")
    parser.add_argument("--verify", action="store_true", help="the designs too, which takes long")
    options = parser.parse_args()
    words, bindings, fits = (
        tuple(text.split(",")) for text in (options.programs, options.bindings, options.fits)
    )
    wanted = Wanted(words, bindings, fits, options.time_limit, options.verify)
    command = " ".join(["python results/beyond/run.py", *sys.argv[1:]])
    for part in options.what.split(","):
        if part == "pages":
            continue
        started = perf_counter()
        MEASURES[part](wanted)
        environment(part, command, perf_counter() - started)
    for line in write_pages():
        print(line)


if __name__ == "__main__":
    main()
