"""Tables of the papers' own figures beside ours: order of the systems, and ratios."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from measured import TITLES, Measured, Row, mean, number

from streamopt.report.text_tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["published_sections"]

CODO_DSPS, HIDA_DSPS, POM_DSPS = "900", "360", "220"
Figures = dict[str, float]
"""By system, how fast it is; more is better."""


def published_sections(found: Measured) -> list[str]:
    """Return the sections."""
    return [_codo(found), _hida(found), _pom(found), _images(found), _search(found)]


def _codo(found: Measured) -> str:
    systems = ("codo", "streamhls", "hida")
    published = _by(found.published["codo_table2"], "program", "speedup")
    ours = {"codo": "codo", "streamhls": "opt5", "hida": "hida"}

    def speed(program: str, system: str) -> float | None:
        cycles = found.value(program, ours[system], CODO_DSPS)
        return 1 / cycles if cycles else None

    text = """Published: how many times as fast as what Vitis HLS makes of the C code (CODO, table
II: 5 ns, less than 900 DSPs). Both columns are over CODO's figure: above 1 is faster than CODO.
Ours are latencies at 900 DSPs as built, 3.33 ns; Stream-HLS is our opt5."""
    why = """Why they differ. *HIDA*: mvt has the 162 DSPs of the ZU3EG's design in both papers, so
that HIDA seems not to have been given more; ours has 900. At the published DSPs ours has the
published interval of mvt (`models/formulations/hida.md`). *CODO*: caps of unrolling were set by
hand for each program in the artifact, and its DSPs are 488 to 848; ours raises the cap to the
limit. The published cycles of atax and mvt are 190 and 195 multiply-accumulates a cycle with 602
and 600 DSPs, which are 120 at 5 DSPs each; ours pays for all, and its DSPs are what limits it.
*3mm*: CODO's estimate doesn't know that a product needs the second matrix as a whole, so trees of
products are slower than it says. *autoencoder*: ours of CODO has 647 of 900 DSPs, as the next
caps have too many. *Convolutions*: the published ones of CODO were edited by hand, and take
elements, shift and compute one after another, which overlaps here; opt5 has the limit of 8 for
tiles that Stream-HLS's own experiments have. gemm as published is reproduced to 12 cycles with its
own factors (`models/formulations/codo.md`)."""
    return _table("CODO's table II", text, published, speed, systems) + f"\n{why}\n"


def _hida(found: Measured) -> str:
    systems = ("hida", "scalehls")
    published = _by(found.published["hida_table7"], "kernel", "samples_per_s")

    def speed(kernel: str, system: str) -> float | None:
        interval = found.value(f"{kernel}/{kernel}", system, HIDA_DSPS, "interval_cycles")
        return 1 / interval if interval else None

    text = """Published: frames a second on a ZU3EG (HIDA, table 7). Both columns are over HIDA's
figure. Ours are intervals on that device at 10 ns and its 360 DSPs."""
    why = """Why they differ. One degree of parallelism for all nests grows until HIDA's limit, so
that its designs have 21 to 357 of 360 DSPs; ScaleHLS explores all divisors as tiles for each nest
and has 250 to 359 where there is anything to decide. On symm, with 354 DSPs against 322, tiles of
each nest's own make 2.7 times the rate. The paper doesn't tell DSPs of ScaleHLS; half of HIDA's
rate on 2mm, 3mm, jacobi-2d and mvt would fit designs whose tasks don't overlap, while here a
frame begins as soon as the first node is free, for all systems. Rows of stencils
were measured before strategies unrolled sequential nodes; now jacobi-2d has 386,490 cycles by HIDA
(published 388,697) and 770,858 by ScaleHLS (777,424), as
`tests/strategies/hida/test_published_intervals.py` checks. HIDA's own intervals are
compared one by one, at the published DSPs, in `models/formulations/hida.md`."""
    return _table("HIDA's table 7", text, published, speed, systems) + f"\n{why}\n"


def _pom(found: Measured) -> str:
    systems = ("pom", "scalehls")
    rows = [row for row in found.published["pom_kernels"] if row["table"] == "III"]
    published = _by(rows, "kernel", "speedup")

    def speed(kernel: str, system: str) -> float | None:
        cycles = found.value(f"{kernel}/{kernel}", system, POM_DSPS)
        return 1 / cycles if cycles else None

    text = """Published: how many times as fast as C code without pragmas, 4096 x 4096, XC7Z020
(POM, table III). Both columns are over POM's figure. Ours are latencies of PolyBench's MEDIUM
sizes on that device at 10 ns and its 220 DSPs as built."""
    why = """Why they differ. POM's nests run one after another and share operators, so that each
may have all 220 DSPs; here every node has operators of its own, and POM is asked again with less
until the design as built keeps the limit: 167 DSPs for gemm, 77 and 74 for 2mm and 3mm. The
published ScaleHLS leaves one nest of 2mm and one of 3mm without tiles at 4096; ours at 180 to 220
does not. bicg is one nest in the paper, where ScaleHLS has an II of 43; a graph has a node for
each array, and that obstacle is gone for all strategies. gesummv: ScaleHLS finds faster designs
here than published (`models/formulations/scalehls.md`). On nests as in the paper, POM has the
published tiles, II and DSPs of gemm, bicg and gesummv (`models/formulations/pom.md`)."""
    return _table("POM's table III", text, published, speed, systems) + f"\n{why}\n"


def _images(found: Measured) -> str:
    rows = [row for row in found.published["pom_kernels"] if row["table"] in ("V", "VII")]
    published = _by(rows, "kernel", "speedup")
    lines: list[list[str]] = []
    for kernel, figures in published.items():
        program = f"pom/{kernel}"
        mine = [row for row in found.as_written if row["program"] == program]
        pom = number(mine[0]["simulated_cycles"]) if mine else None
        cycles = [found.value(program, way) for way in ("scalehls", "hida", "codo", "opt6")]
        theirs = figures.get("scalehls")
        lines.append([
            kernel, f"{figures['pom']:g}", f"{theirs / figures['pom']:.2f}" if theirs else "-",
            *(f"{pom / c:.2f}" if pom and c else "-" for c in cycles),
        ])  # fmt: skip
    columns = ["program", "POM over no pragmas, published", "ScaleHLS, published", "ScaleHLS, ours",
               "HIDA, ours", "CODO, ours", "opt6, ours"]  # fmt: skip
    text = """Speed over POM's (tables V and VII): above 1 is faster than POM. Published at 4096 x
4096 and the 220 DSPs of an XC7Z020, ours at the sizes above and 2560 DSPs; POM is that of loops
as written."""
    why = """Why they differ. blur and edge_detect: POM is 6 and 18 times as fast as ScaleHLS as
published, and 6 and 8 times here. gaussian: with 2560 instead of 220 DSPs ScaleHLS has tiles that
POM, which stops at degrees that bring nothing by its own estimate, doesn't try. Stencils:
published speed-ups are over code without pipelines; a pipeline is most of them, and every strategy
here has one. jacobi_1d and heat_1d take one cycle for both statements in the paper and four here,
jacobi_2d half a cycle and six: an array that a sequential nest updates is one memory of two ports
here, so that three reads take II 2 and five II 3; our first stage fuses only nests without a flow
between them, and skews no loop around two nests. seidel_2d is skewed (by 2 and 1, as the published
skew breaks a dependence), and is three times as fast as the nest as it is written."""
    table = markdown_table(columns, lines, words=1)
    title = "POM's image filters and stencils, published and ours"
    return f"## {title}\n\n{text}\n\n{table}\n{why}\n"


def _search(found: Measured) -> str:
    """Return seconds of the searches that papers print, beside the most of ours."""
    hida = {row["kernel"]: row["compile_seconds"] for row in found.published["hida_kernels"]}
    lines = [
        ["HIDA, table 7", kernel, seconds, _ours_seconds(found, kernel, "hida", HIDA_DSPS)]
        for kernel, seconds in hida.items()
    ]
    for row in found.published["pom_kernels"]:
        if row["seconds"]:
            name, system = row["kernel"], row["framework"]
            ours = _ours_seconds(found, name, system, POM_DSPS)
            lines.append([f"{TITLES[system]}, POM's table III", name, row["seconds"], ours])
    columns = ["figure", "program", "published s", "ours s"]
    text = """Published are of the authors' machines and whole compilers; ours are of the decision
alone, with every budget that was tried, under load. CODO's paper says 0.1 to 0.5 s for the
programs of its table II."""
    return f"## Seconds of the search\n\n{text}\n\n{markdown_table(columns, lines, words=2)}"


def _ours_seconds(found: Measured, kernel: str, system: str, dsps: str) -> str:
    return found.row(f"{kernel}/{kernel}", system, dsps).get("design_seconds") or "-"


def _by(rows: Sequence[Row], key: str, member: str) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    for row in rows:
        found.setdefault(row[key], {})[row["framework"]] = float(row[member])
    return found


def _table(
    title: str,
    text: str,
    published: Mapping[str, Figures],
    speed: Callable[[str, str], float | None],
    systems: Sequence[str],
) -> str:
    """Return a section: speeds over the first system's, and in which order the systems are."""
    first, *others = systems
    lines: list[list[str]] = []
    ratios: dict[tuple[str, str], list[float]] = {}
    for program, theirs in published.items():
        ours = {s: value for s in systems if (value := speed(program, s)) is not None}
        if first not in ours or first not in theirs:
            continue
        cells = [program.rpartition("/")[2]]
        for other in others:
            pair = [
                figures[other] / figures[first] if other in figures else None
                for figures in (theirs, ours)
            ]
            cells += [f"{value:.2f}" if value else "-" for value in pair]
            if None not in pair:
                for name, value in zip(("published", "ours"), pair, strict=True):
                    ratios.setdefault((other, name), []).append(value or 1.0)
        both = [s for s in systems if s in theirs and s in ours]
        lines.append([*cells, _order(theirs, both), _order(ours, both)])
    means = [
        mean(ratios.get((other, name), [])) for other in others for name in ("published", "ours")
    ]
    lines.append(["geometric mean", *means, "", ""])
    columns = ["program"]
    for other in others:
        columns += [f"{TITLES[other]}, published", f"{TITLES[other]}, ours"]
    columns += ["order, published", "order, ours"]
    table = markdown_table(columns, lines, words=1)
    return f"## {title}, published and ours\n\n{text}\n\n{table}"


def _order(figures: Figures, systems: Sequence[str]) -> str:
    """Return the systems, fastest first; ``=`` where they are within 15 %."""
    ranked = sorted(systems, key=lambda system: -figures[system])
    words = [TITLES[ranked[0]]]
    for before, after in pairwise(ranked):
        sign = "=" if figures[before] <= 1.15 * figures[after] else ">"
        words.append(f"{sign} {TITLES[after]}")
    return " ".join(words)
