"""The page of the results, from the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rows import HERE, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rows import Row

__all__ = ["write_page"]

HEAD = """# Designs of all back ends

`python results/backends/run.py` measures and writes this page: every program at every level, for
every back end and kind of ports that it has, is solved (2560 DSPs, tiles as published), emitted
twice, compiled with `-O2 -Wall -Wextra`, and run at once with FIFOs of the emitted depths on the
inputs of its program, whose interpreter says what is right; then it is simulated cycle by cycle.
`--programs`, `--levels`, `--backends`, `--ports`, `--compiler` and `--time-limit` choose; a run
goes on where another one ended. Rows are in `rows.csv`, machine and versions in
`environment.json`.

The column `commit` says which code a row is of. All are of one before sums were trees (17023ff), so
lines, cycles and verdicts are of the designs before; those of Vitis at opt6 are verified with
today's sums in [results/beyond](../beyond/README.md).
"""
LONG = """*lines a node*: of the whole kernel file over the nodes, movers among them; *longest*: of
the longest function.
"""
MOST_LINES = 60


def write_page() -> None:
    """Write README.md."""
    rows = read()
    lines = [HEAD, *_totals(rows), LONG, *_programs(rows), *_problems(rows)]
    (HERE / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)] + [""]


def _grouped(rows: Iterable[Row], *keys: str) -> dict[tuple[str, ...], list[Row]]:
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _most(rows: Iterable[Row], column: str) -> str:
    return f"{max((float(row[column]) for row in rows if row[column]), default=0.0):g}"


def _counts(rows: Sequence[Row]) -> list[str]:
    return [
        str(len(rows)),
        str(sum(row["verdict"] == "pass" for row in rows)),
        str(sum(row["warnings"] not in ("", "0") for row in rows)),
        str(sum(row["deadlock"] == "yes" for row in rows)),
        str(sum(row["same_bytes"] == "no" for row in rows)),
        _most(rows, "lines_per_node"),
        _most(rows, "longest_node_lines"),
    ]


def _totals(rows: Sequence[Row]) -> list[str]:
    head = ["back end", "ports", "compiler", "designs", "pass", "with warnings", "deadlocks"]
    head += ["other bytes", "most lines a node", "longest", "compile s", "run s"]
    lines = [
        [*key, *_counts(own), _most(own, "compile_seconds"), _most(own, "run_seconds")]
        for key, own in _grouped(rows, "backend", "ports", "compiler").items()
    ]
    return _table(head, sorted(lines))


def _programs(rows: Sequence[Row]) -> list[str]:
    groups = _grouped(rows, "program")
    levels = sorted({row["level"] for row in rows})
    lines: list[list[str]] = []
    for (program,), own in sorted(groups.items()):
        cells: list[str] = []
        for level in levels:
            here = [row for row in own if row["level"] == level]
            passed = sum(row["verdict"] == "pass" for row in here)
            cells.append(f"{passed} of {len(here)}" if here else "-")
        lines.append([program, *cells])
    return ["## Designs that pass\n", *_table(["program", *levels], lines)]


def _problems(rows: Sequence[Row]) -> list[str]:
    found: list[str] = []
    for row in rows:
        name = " ".join(row[key] for key in ("program", "level", "backend", "ports", "compiler"))
        reasons = [row["verdict"]] * (row["verdict"] != "pass")
        reasons += [f"{row['warnings']} warnings"] * (row["warnings"] not in ("", "0"))
        reasons += ["deadlock"] * (row["deadlock"] == "yes")
        reasons += ["other bytes"] * (row["same_bytes"] == "no")
        lines = float(row["lines_per_node"] or 0)
        reasons += [f"{lines:g} lines a node"] * (lines > MOST_LINES)
        found += [f"- {name}: {'; '.join(reasons)}"] * bool(reasons)
    return ["## What does not hold\n", *(found or ["Nothing."])]
