"""The page of the results and its picture, from the rows alone."""

from __future__ import annotations

import csv
from math import exp, log
from statistics import mean
from typing import TYPE_CHECKING

from keep import HERE, Row, read
from measure import KERNELS
from requirements import TITLES, met

from streamopt.report.charts import SERIES, chart_bytes, new_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["published", "write_pages"]

HEAD = """# Designs of level opt6

`python results/beyond/run.py` measures and writes this page; `--what`, `--programs`, `--bindings`,
`--fits` and `--time-limit` choose, `--verify` compiles the 17 programs' C++ too. Machine, load and
versions of every part are in `environment.json`; every table is a CSV file of the same name.

U280, 3.33 ns, at most 2560 DSPs, all operators counted, at the default effort. *slr*: the shares of
one SLR that the vendor's guideline leaves to a design (`--fit slr`): 2406 DSPs, 304192 LUTs, 434560
FFs, 1075 BRAM18, 256 URAM. *raw*: all of a bare SLR (`--fit raw`), 434560 LUTs, which nobody is
known to have routed. Cycles are simulated, with stalling pipelines; no vendor tool has built one
of these designs. *bound* is multiply-accumulates x 5 over the DSPs. *free*: adders and multipliers
are DSPs or LUTs, as the search decides. *dsp*: a multiply-accumulate takes 5 DSPs. *RTL*: cycles of
the published Stream-HLS designs at opt5 and 2560 DSPs (`results/published`). *processor s* is of
the whole answer, with FIFO sizing.

Two gaps, both against the same bound on the closed form, which has no bursts (O16 of
`models/formulations/opt6.md`): *search gap* is of the least closed form that the search found
within the limits, *gap* is of the design that is returned, the quickest one when simulated. They
differ where bursts make the design of the least closed form the slower one.

The column `commit` of the CSV files says which code a row is of. Rows of the ablation are of an
earlier one than the others, before sums were trees, in a bare SLR; only its column *free binding*
is of the designs above.
"""
KERNELS_HEAD = """## PolyBench at medium size

All 30 kernels of `tests/polybench/kernels` at `MEDIUM_DATASET`, single precision, binding free,
within the guideline's shares of one SLR.
*bound* is what the C text executes: multiply-accumulates x 5 / 2560, or, where those are less than
half of the additions (*operations*), 3 DSPs a multiplication and 2 an addition; or the longest
chain of operations (*chain*), at their latencies with adders of 4 cycles, memory in no time and
sums as trees, where that is more. Sequential nodes
take whole arrays and hand over whole ones, by their dependences; their iterations have an order and
lanes of their own. Verified at medium size, or at MINI where that gave no answer, in double
precision where single precision has no finite error bounds; *unchecked*: nothing is wrong, but some
elements have no finite error bound in either, so that nothing is known of them. `*`: over the
limits.
"""
LARGE_HEAD = """## Far from one SLR

PolyBench at `MEDIUM_DATASET` with the DSPs that Prometheus' designs have, on a whole U280
(`--fit raw-device --lut 700000 --bram18 3632`), on chip arrays.
"""
CONV_HEAD = """## CODO's convolution block

3 x 32 x 32, three 3 x 3 convolutions to 32 channels with ReLU. The others are under CODO's limit
of 900 DSPs, derived from its table II.
"""
MISSING = "-"
PICTURE = "ablation.svg"


def write_pages() -> list[str]:
    """Write README.md and its picture; return what was met, line by line."""
    designs = read("designs")
    verdicts = met(designs, published())
    sections = [HEAD]
    if designs:
        sections += ["## What was to hold\n", *(f"- {line}" for line in verdicts), ""]
    sections += [text for make in SECTIONS for text in make()]
    (HERE / "README.md").write_text("\n".join(sections).rstrip() + "\n", encoding="utf-8")
    return verdicts


def published() -> dict[str, Row]:
    """Return the published designs by program."""
    path = HERE.parent / "published" / "streamhls_rtl_cycles.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {row["program"]: row for row in csv.DictReader(file)}


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)] + [""]


def _ratio(row: Row, over: str = "mac_bound_cycles") -> float | None:
    cycles, bound = row.get("simulated_cycles"), row.get(over)
    return int(cycles) / int(bound) if cycles and bound and int(bound) else None


def _shown(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _geomean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exp(mean(map(log, known))) if known else None


def _gap(row: Row) -> str:
    return "proved" if row["proof"] == "optimal" else f"{100 * float(row['gap']):.1f} %"


def _short(program: str) -> str:
    return program.rpartition("/")[2]


def _designs() -> list[str]:
    text: list[str] = []
    rows, known = read("designs"), published()
    head = ["program", "bound", "cycles", "over bound", "RTL", "of RTL", "DSP", "BRAM18", "URAM"]
    head += ["LUT", "FF", "FIFO edges", "processor s", "search gap", "gap", "verified"]
    for key, title in TITLES.items():
        own = [row for row in rows if (row["fit"], row["binding"]) == key]
        if own:
            lines = [_design_cells(row, known[row["program"]]) for row in own]
            mean_ratio, of_rtl = _geomean(map(_ratio, own)), _geomean(map(_of_rtl, own))
            total = ["geomean", "", "", _shown(mean_ratio), "", _shown(of_rtl), *[""] * 10]
            text += [f"## Designs: {title}\n", *_table(head, [*lines, total])]
    return text


def _large() -> list[str]:
    rows = read("large")
    head = ["kernel", "DSP limit", "cycles", "DSP", "BRAM18", "LUT", "FF", "gap", "processor s"]
    lines = [
        [
            row["program"],
            row["dsp_limit"],
            _cycles(row),
            *(row[column] for column in ("dsps", "bram18", "luts", "ffs")),
            _gap(row),
            row["solve_cpu_seconds"],
        ]
        for row in rows
        if row.get("simulated_cycles")
    ]
    return [LARGE_HEAD, *_table(head, lines)] if lines else []


def _of_rtl(row: Row) -> float | None:
    cycles = row.get("simulated_cycles")
    return int(cycles) / int(published()[row["program"]]["rtl_cycles"]) if cycles else None


def _design_cells(row: Row, rtl: Row) -> list[str]:
    name = _short(row["program"])
    if row.get("refused"):
        return [name, f"refused: {row['refused']}", *[""] * 14]
    return [
        name,
        row["mac_bound_cycles"],
        row["simulated_cycles"],
        _shown(_ratio(row)),
        rtl["rtl_cycles"],
        _shown(_of_rtl(row)),
        *(row[column] for column in ("dsps", "bram18", "uram", "luts", "ffs")),
        f"{row['fifo_edges']} of {row['edges']}",
        row["solve_cpu_seconds"],
        f"{100 * float(row['search_gap']):.1f} %" if row.get("search_gap") else MISSING,
        _gap(row),
        row.get("verified") or MISSING,
    ]


def _ablation() -> list[str]:
    rows = read("ablation")
    if not rows:
        return []
    cells = {(row["program"], row["variant"]): row for row in rows}
    free = {r["program"]: r for r in read("designs") if (r["fit"], r["binding"]) == ("slr", "free")}
    programs = sorted({row["program"] for row in rows})
    variants = _in_order(row["variant"] for row in rows)
    cells |= {(program, "free binding"): row for program, row in free.items()}
    columns = [*variants, *["free binding"] * bool(free)]
    whole = _whole(cells, programs, columns)
    ratios = {column: [_ratio(cells[program, column]) for program in whole] for column in columns}
    lines = [
        [_short(program), *(_cycles(cells.get((program, column), {})) for column in columns)]
        for program in programs
    ]
    means = {column: _geomean(values) for column, values in ratios.items()}
    lines.append(
        [f"geomean over bound, {len(whole)}", *(_shown(means[column]) for column in columns)]
    )
    _draw({column: mean for column, mean in means.items() if mean is not None})
    title = "## Ablation: simulated cycles, binding dsp but where said\n"
    note = "`*`: more than 2560 DSPs, or than the SLR has. Where leaving out a rewrite leaves the"
    note += (
        " same graphs,\nthe row is that of `all`. `none`: no rewrite, tool binding, tiles of 16."
    )
    return [
        title,
        note,
        f"\n![geomean over the bound]({PICTURE})\n",
        *_table(["program", *columns], lines),
    ]


def _whole(
    cells: dict[tuple[str, str], Row], programs: Sequence[str], columns: Sequence[str]
) -> list[str]:
    """Return the programs that have a design in every column, so that means compare."""
    return [
        program
        for program in programs
        if all(cells.get((program, column), {}).get("simulated_cycles") for column in columns)
    ]


def _in_order(names: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(names))
    return sorted(found, key=lambda name: (name != "all", name == "none", found.index(name)))


def _cycles(row: Row) -> str:
    if not row.get("simulated_cycles"):
        return "refused" if row.get("refused") else MISSING
    return row["simulated_cycles"] + ("*" if row["over"] else "")


def _draw(means: dict[str, float]) -> None:
    figure, axes = new_figure(8.0, 1.2 + 0.34 * len(means), "Simulated cycles over the DSP bound")
    names = list(means)[::-1]
    values = [means[name] for name in names]
    ours, other, line = (SERIES[place][0].light for place in (0, 7, 1))
    colours = [ours if name in ("all", "free binding") else other for name in names]
    bars = axes.barh(names, values, color=colours, height=0.66)
    axes.bar_label(bars, fmt="%.2f", padding=4)
    axes.axvline(1.0, color=line, linewidth=1.2)
    axes.set_xlim(0, 1.12 * max(values))
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("geometric mean over the programs; the line is the bound")
    (HERE / PICTURE).write_bytes(chart_bytes(figure, "svg"))


def _levels() -> list[str]:
    rows = read("levels")
    if not rows:
        return []
    cells = {(row["program"], row["level"]): row for row in rows}
    for row in read("designs"):
        cells[row["program"], f"opt6 {row['fit']} {row['binding']}"] = row
    programs = sorted({row["program"] for row in rows})
    columns = sorted({column for _, column in cells})
    lines: list[list[str]] = []
    for program in programs:
        own = [cells.get((program, column), {}) for column in columns]
        rtl = published()[program]["rtl_cycles"]
        lines.append([_short(program), *map(_cycles, own), rtl])
    whole = _whole(cells, programs, columns)
    ratios = [_geomean(_ratio(cells[program, column]) for program in whole) for column in columns]
    published_ratio = _geomean(
        int(published()[program]["rtl_cycles"]) / int(row["mac_bound_cycles"])
        for program in whole
        if (row := cells[program, "opt5"]).get("mac_bound_cycles")
    )
    lines.append([f"geomean over bound, {len(whole)}", *map(_shown, [*ratios, published_ratio])])
    title = "## Levels: simulated cycles\n"
    note = "`*`: more than 2560 DSPs as built, or than the SLR has: opt1 to opt5 count DSPs as the"
    note += " paper does.\n"
    return [title, note, *_table(["program", *columns, "RTL"], lines)]


def _polybench() -> list[str]:
    rows = read("polybench")
    if not rows:
        return []
    head = [
        "kernel",
        "cycles",
        "bound",
        "counts",
        "over bound",
        "sequential",
        "DSP",
        "BRAM18",
        "URAM",
        "LUT",
    ]
    head += ["FIFO edges", "seconds", "gap", "verified"]
    lines = [_kernel_cells(row) for row in rows]
    found = sum(bool(row.get("simulated_cycles")) for row in rows)
    passed = sum(row.get("verified") == "pass" for row in rows)
    medium = sum(row.get("verified") == "pass" and row["verified_size"] == "medium" for row in rows)
    streams = [row for row in rows if row.get("sequential_nodes") == "0"]
    means = [_geomean(map(_over_bound, some)) for some in (streams, rows)]
    counts = (
        f"{found} of {len(KERNELS)} have a design at this size; {passed} are verified, {medium} of"
    )
    counts += (
        f" these at medium size. Geomean over\nthe bound: {_shown(means[0])} for the {len(streams)}"
    )
    counts += f" that stream throughout, {_shown(means[1])} for all.\n"
    return [KERNELS_HEAD, counts, *_table(head, lines)]


def _kernel_bound(row: Row) -> tuple[int, str]:
    """Return the larger of work and chain, and which it is."""
    work, chain = int(row["work_bound_cycles"]), int(row.get("chain_cycles") or 0)
    return (chain, "chain") if chain > work else (work, row["bound_basis"])


def _over_bound(row: Row) -> float | None:
    cycles = row.get("simulated_cycles")
    return int(cycles) / _kernel_bound(row)[0] if cycles else None


def _kernel_cells(row: Row) -> list[str]:
    bound, basis = _kernel_bound(row)
    head = [row["program"], _cycles(row), str(bound), basis]
    if not row.get("simulated_cycles"):
        return [*head, row["refused"], *[""] * 9]
    return [
        *head,
        _shown(_over_bound(row)),
        f"{row['sequential_nodes']} of {row['source_nodes']}",
        *(row[column] for column in ("dsps", "bram18", "uram", "luts")),
        f"{row['fifo_edges']} of {row['edges']}",
        row["search_seconds"],
        _gap(row),
        f"{row['verified']}, {row['verified_size']}",
    ]


def _conv() -> list[str]:
    rows = read("conv")
    if not rows:
        return []
    head = ["design", "cycles", "over bound", "DSP", "BRAM18", "LUT", "FF", "seconds", "verified"]
    lines = [
        [
            f"opt6 {row['fit']} {row['binding']}",
            _cycles(row),
            _shown(_ratio(row)),
            *(row.get(c, MISSING) for c in ("dsps", "bram18", "luts", "ffs", "search_seconds")),
            row.get("verified", row.get("refused", "")),
        ]
        for row in rows
    ]
    path = HERE.parent / "published" / "codo_conv_block.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cells = [row["framework"], row["cycles"], MISSING, row["dsps"] or MISSING]
            lines.append([*cells, *[MISSING] * 5])
    return [CONV_HEAD, *_table(head, lines)]


SECTIONS: tuple[Callable[[], list[str]], ...] = (
    _designs,
    _large,
    _ablation,
    _levels,
    _polybench,
    _conv,
)
