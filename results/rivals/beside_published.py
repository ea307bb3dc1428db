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
    why = """Deviations: CODO's paper has caps of unrolling that were set by hand for each program
(2 to 64), ours finds the cap by the limit of DSPs, so that ours spends all 900 where theirs has
488 to 848. The published HIDA designs have arrays as memory ports and were synthesized without
the pragma of dataflow at the top (the artifact), so that their tasks run one after another, and
for the limit of a smaller device; ours has the 900 DSPs and ping-pong buffers. The published
convolutions of CODO were edited by hand, and its generated ones pad wrongly; ours take elements,
shift and compute at the same time, where theirs do one after another."""
    return _table("CODO's table II", text, published, speed, systems) + f"\n{why}\n"


def _hida(found: Measured) -> str:
    systems = ("hida", "scalehls")
    published = _by(found.published["hida_table7"], "kernel", "samples_per_s")

    def speed(kernel: str, system: str) -> float | None:
        interval = found.value(f"{kernel}/{kernel}", system, HIDA_DSPS, "interval_cycles")
        return 1 / interval if interval else None

    text = """Published: frames a second on a ZU3EG (HIDA, table 7). Both columns are over HIDA's
figure. Ours are intervals on that device at 10 ns and its 360 DSPs."""
    return _table("HIDA's table 7", text, published, speed, systems)


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
    return _table("POM's table III", text, published, speed, systems)


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
    table = markdown_table(columns, lines, words=1)
    return f"## POM's image filters and stencils, published and ours\n\n{text}\n\n{table}"


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
