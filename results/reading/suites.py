"""Kernels of public suites: which are read as they are.

Run ``python results/reading/suites.py CHECKOUTS``, a folder with a clone of each repository by its
name. Each row of suites.csv names a repository, a commit and a kernel; the outcome is written
where the file exists, and the other rows stay as they are.
"""

from __future__ import annotations

import argparse
import csv
import logging
from collections import Counter
from pathlib import Path

import streamopt as so

TABLE = Path(__file__).parent / "suites.csv"


def outcome(path: Path, top: str, parameters: str) -> tuple[str, str]:
    """Return whether a kernel is read, and its nodes or the first problem."""
    pairs = [part.split("=") for part in parameters.split()]
    param = {name: int(value) for name, value in pairs}
    include = [path.parent, path.parent.parent / "common", path.parents[1] / "host"]
    options = so.SourceOptions(top=top or None, param=param, include=include)
    try:
        graph = so.dataflow(so.load(path, options=options))
    except so.StreamoptError as error:
        problem = error.diagnostics[0]
        return "refused", f"{problem.code} {problem.message}"
    return "read", f"{len(graph.nodes)} nodes"


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description="Which kernels of public suites are read.")
    parser.add_argument("checkouts", type=Path)
    checkouts: Path = parser.parse_args().checkouts
    logging.getLogger("streamopt").setLevel(logging.ERROR)
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        path = checkouts / row["repository"].rpartition("/")[2] / row["kernel"]
        if path.exists():
            row["outcome"], row["detail"] = outcome(path, row["top"], row["param"])
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    count = Counter((row["repository"], row["affine"], row["outcome"]) for row in rows)
    for (repository, affine, found), number in sorted(count.items()):
        kind = "affine" if affine == "yes" else "not affine"
        print(f"{repository:45} {kind:11} {found:8} {number:3}")


if __name__ == "__main__":
    main()
