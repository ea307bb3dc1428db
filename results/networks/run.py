"""Hold designs of whole networks against the published ones; then the page.

Run ``python results/networks/run.py [--programs WORD,WORD] [--systems WORD,WORD] [--tables T,T]
[--metrics M,M] [--packed yes|no] [--luts published|part] [--weights memory|resident|chosen]
[--images memory|axis] [--level LEVEL] [--search-seconds S] [--processor-seconds S]
[--verify-seconds S] [--form spatial|engine] [--fast] [--kept] [--again] [--bounds]``. Every
published row of 8 bits has two rows: one product in a DSP, and packed or in LUTs; one that was
measured at this commit is left alone unless ``--again``, and rows of the same limits share a
design. The schedules of designs are in ``designs``: ``--kept`` simulates and verifies these,
without a search. ``--bounds`` measures nothing. A design's search, and its verification (none with
``--fast``), have processes of their own, which end when they have used their processor time; an
engine's are one.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from bounds import PACKED, Bound, Wanted, bound_of
from engine_rows import decoder_figures, engine_figures
from measure import NOT_COUNTED, Search, measured, rebuilt, verdict
from pages import write_page
from sharing import engine_designs, right_engines, shared_design

from streamopt.sweeping.keyed_rows import add_row, read_rows, rows_by_key
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused
from streamopt.target.device import Target

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from measure import Row

HERE = Path(__file__).parent
KEYS = ("source", "table", "network", "system", "metric", "packed")
PUBLISHED = KEYS[:-1]
ALL = 10**9
LANGUAGE_MODEL = "gpt2_medium"
FORMS = SPATIAL, ENGINE = "spatial", "engine"
ENGINE_SECONDS = 1200.0
"""Of the search for an engine, and of its verification."""
MEASURED = (
    *("dsps", "lut", "bram18", "uram", "verified", "weights", "seconds", "megabytes"),
    *("level", "over", "refused", "images", "buffer_bytes", "line_buffer_bytes", "design_of"),
    *("form", "engine"),
)


def wanted_of(published: Row, packed: bool, most_luts: int) -> Wanted:
    """Return the part of a row that bounds and designs depend on.

    Parameters
    ----------
    most_luts
        Of the design; 0 for those of the published one.
    """
    names = ("network", "element", "metric", "device", "part")
    network, element, metric, device, part = (published[name] for name in names)
    dsps, clock_ns = int(published["dsps"]), float(published["clock_ns"])
    target = Target.named(device, clock_ns)
    most = (target.slr if part == "slr" else target.total).luts
    luts = min(most, most_luts or int(published["lut"] or most))
    return Wanted(network, element, metric, dsps, clock_ns, device, part, luts, packed)


def impossible(published: Row, wanted: Wanted, bound: Bound) -> str:
    """Return why a published row can't be, with the arithmetic; empty if it can."""
    cycles = wanted.cycles(float(published["published"]))
    if not wanted.packed and cycles < bound.compute_cycles:
        return (
            f"{bound.macs} multiply-accumulates at {bound.products:g} a cycle, each in DSPs of its"
            f" own, are {bound.compute_cycles} cycles"
        )
    is_streamed = published["weights"] == "off chip"
    if not (cycles < bound.left_cycles or (is_streamed and cycles < bound.traffic_cycles)):
        return ""
    return (
        f"{bound.weight_bytes} B of weights off the chip at {bound.bytes_per_cycle:g} B a cycle are"
        f" {bound.traffic_cycles} cycles, {bound.left_cycles} if all memories held weights"
    )


def row_of(published: Row, wanted: Wanted, found: Row) -> Row:
    """Return the row of a published one; ``found`` is empty, says why, or is measured."""
    bound = bound_of(wanted)
    theirs = float(published["published"])
    ours = _cycles(wanted, found, "ours")
    proved = _cycles(wanted, found, "own_bound")
    reason = impossible(published, wanted, bound)
    status = "impossible" if reason else "short"
    if not reason:
        is_faster = ours <= wanted.cycles(theirs)
        is_fair = not found.get("over") and _within(wanted, found) and found["verified"] == "pass"
        status = "beaten" if is_faster and is_fair else "short"
        slow = _slower(ours, wanted.cycles(theirs), proved)
        reason = "; ".join(filter(None, [slow, *_reasons(wanted, found)]))
    return {
        **{key: published[key] for key in PUBLISHED},
        "packed": _word(wanted.packed),
        "element": wanted.element,
        "dsp_limit": str(wanted.dsps),
        "lut_limit": str(wanted.luts),
        "published": published["published"],
        "ours": _number(wanted.of_cycles(ours)) if ours == ours else "",
        "bound": _number(wanted.of_cycles(bound.cycles)),
        "own_bound": _number(wanted.of_cycles(proved)) if proved == proved else "",
        "gap": f"{ours / proved - 1:.4f}" if proved == proved and proved else "",
        "status": status,
        "reason": reason,
        **{name: found.get(name, "") for name in MEASURED},
        "form": found.get("form") or ("spatial" if ours == ours else ""),
        "compute_bound": _number(wanted.of_cycles(bound.compute_cycles)),
        "traffic_bound": _number(wanted.of_cycles(bound.traffic_cycles)),
        "commit": found.get("commit", ""),
    }


def _word(packed: bool) -> str:
    return "yes" if packed else "no"


def _cycles(wanted: Wanted, found: Row, name: str) -> float:
    """Return the cycles of measurements, or of the row that is there."""
    if found.get(name):
        return wanted.cycles(float(found[name]))
    return float(found.get(f"{name}_cycles") or "nan")


def _within(wanted: Wanted, found: Row) -> bool:
    if not found.get("dsps"):
        return False
    return int(found["dsps"]) <= wanted.dsps and int(found["lut"]) <= wanted.luts


def _slower(ours: float, theirs: float, proved: float) -> str:
    """Return what keeps a slower design from the published figure, as far as the search knows."""
    if not ours > theirs:
        return ""
    if proved > theirs:
        return "slower: none of the search's schedules of this form is as fast, as it proved"
    return "slower: the search found none that is as fast, nor proved that there is none"


def _reasons(wanted: Wanted, found: Row) -> list[str]:
    """Return the remarks on a row that can be."""
    said = [found.get("refused", "" if found else "not run")]
    if found.get("over"):
        said.append(f"more than there is of {found['over']}")
    if found.get("dsps") and not _within(wanted, found):
        said.append(f"{found['dsps']} DSPs and {found['lut']} LUTs as built")
    if found.get("verified") == "fail":
        said.append("the C++ computes other bits")
    return said


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1e4 else f"{value:.5g}"


def design(wanted: Wanted, options: Namespace) -> Row:
    """Return a measured design of ours, or why there is none."""
    if wanted.network.startswith(LANGUAGE_MODEL):
        found = decoder(replace(wanted, metric=""), options.search_seconds)
        return found | {"ours": found.get(wanted.metric, "")}
    if options.form == ENGINE:
        return _engine(engine_figures, wanted, options.search_seconds)
    return spatial_design(wanted, options)


@cache
def decoder(wanted: Wanted, search_seconds: float) -> Row:
    """Return an engine of a language model for both of its metrics, or why there is none."""
    return _engine(decoder_figures, wanted, search_seconds)


def _engine(figures: Callable[..., Row], wanted: Wanted, search_seconds: float) -> Row:
    shapes = right_engines(wanted, read_rows(HERE / "rows.csv"))
    return measured_or_refused(HERE, ENGINE_SECONDS, figures, wanted, search_seconds, shapes)


def spatial_design(wanted: Wanted, options: Namespace) -> Row:
    """Return a measured design with hardware for every layer, or why there is none."""
    path = HERE / "designs" / f"{wanted.name}.json"
    if options.kept and path.exists():
        text = path.read_text(encoding="utf-8")
        found = measured_or_refused(HERE, options.processor_seconds, rebuilt, wanted, text)
    else:
        search = Search(options.level, options.search_seconds, options.weights, options.images)
        found = measured_or_refused(HERE, options.processor_seconds, measured, wanted, search)
    if "refused" in found:
        return found | {"refused": f"{options.level}: {found['refused']}", "level": options.level}
    path.parent.mkdir(exist_ok=True)
    path.write_text(text := found.pop("schedule"), encoding="utf-8")
    if not options.fast:
        told = measured_or_refused(HERE, options.verify_seconds, verdict, wanted, text)
        if "refused" in told:
            told["refused"] = f"not verified: {told['refused']}"
        found |= told
    return found


def share(cases: Iterable[tuple[Row, Wanted]]) -> None:
    """Give published rows without a design of ours one that was made for limits no wider.

    One that counts its weights takes the place of one that doesn't.
    """
    rows, cases = rows_by_key(HERE / "rows.csv", KEYS), list(cases)
    known = [(wanted, rows[_key(published, wanted)]) for published, wanted in cases]
    own = [pair for pair in known if _is_counted(pair[1]) and not pair[1]["design_of"]]
    own += engine_designs()
    for published, wanted in cases:
        row = rows[_key(published, wanted)]
        if _is_counted(row) and not row["design_of"]:
            continue
        for each in (wanted, wanted_of(published, wanted.packed, ALL)):
            if found := shared_design(each, own):
                add_row(HERE / "rows.csv", KEYS, row_of(published, each, found))
                break


def _is_counted(row: Row) -> bool:
    """Return whether a row has a design whose weights are counted."""
    return bool(row["ours"]) and row["weights"] != NOT_COUNTED


def _key(published: Row, wanted: Wanted) -> tuple[str, ...]:
    return (*(published[key] for key in PUBLISHED), _word(wanted.packed))


def is_wanted(published: Row, packed: bool, options: Namespace) -> bool:
    """Return whether a row is asked for."""
    asked = (
        *(("network", options.programs), ("system", options.systems)),
        *(("table", options.tables), ("metric", options.metrics)),
    )
    words = ((published[name], text.split(",")) for name, text in asked if text)
    return options.packed in ("", _word(packed)) and all(
        value in parts if value == published["table"] else any(part in value for part in parts)
        for value, parts in words
    )


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a network has one in it")
    parser.add_argument("--systems", default="")
    parser.add_argument("--tables", default="")
    parser.add_argument("--metrics", default="")
    parser.add_argument("--packed", default="", choices=("yes", "no"))
    parser.add_argument("--level", default="opt6")
    parser.add_argument("--luts", default="published", choices=("published", "part"))
    parser.add_argument("--weights", default="chosen", choices=("memory", "resident", "chosen"))
    parser.add_argument("--images", default="axis", choices=("memory", "axis"))
    parser.add_argument("--form", default=SPATIAL, choices=FORMS)
    parser.add_argument("--kept", action="store_true", help="designs that were found before")
    parser.add_argument("--verify-seconds", type=float, default=1200.0)
    add_options(parser, processor_seconds=600.0)
    options = parser.parse_args()
    design_once = cache(partial(design, options=options))
    cases: list[Case] = []
    wanted_rows: list[tuple[Row, Wanted]] = []
    known = rows_by_key(HERE / "rows.csv", KEYS)
    for published in read_rows(HERE / "published.csv"):
        for packed in (False, True) if published["element"] == PACKED else (False,):
            key = (*(published[key] for key in PUBLISHED), _word(packed))
            is_asked = is_wanted(published, packed, options) and not options.bounds
            luts = ALL if is_asked and options.luts == "part" else 0
            if not is_asked and known.get(key, {}).get("commit"):
                luts = int(known[key]["lut_limit"])
            wanted = wanted_of(published, packed, luts)
            measuring, row = partial(design_once, wanted), partial(row_of, published, wanted)
            cases.append(Case(key, is_asked, measuring, row))
            wanted_rows.append((published, wanted))
    measure_rows(HERE, KEYS, cases, options, partial(print, flush=True))
    share(wanted_rows)
    write_page(HERE)


if __name__ == "__main__":
    main()
