"""Faults in emitted projects, and which check of ``streamopt verify`` finds and names each.

Run ``python results/mutations/run.py [--only WORD] [--pages]``; it writes rows.csv and README.md,
and fails if a fault is not found. ``--only`` measures the faults with a word in name or project
again, and keeps the other rows.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from checks import checked
from editing import NotApplicableError
from faults import FAULTS, Effect
from page import page
from projects import HERE, PROJECTS

import streamopt as so

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faults import Fault

ROWS = HERE / "rows.csv"


def row(fault: Fault, project: Path, top: str) -> dict[str, str]:
    """Return the findings on one fault of a project as it was emitted."""
    with TemporaryDirectory(prefix="mutation-") as folder:
        broken = Path(folder) / "project"
        shutil.copytree(project, broken)
        path = broken / fault.file.format(top=top)
        try:
            path.write_text(fault.edit(path.read_text() if path.exists() else ""))
        except NotApplicableError as problem:
            sys.exit(f"{fault.project}: {fault.name}: {problem}")
        found = checked(fault, broken)
    return {
        "fault": fault.name,
        "project": fault.project,
        "by_hand": "yes" if fault.by_hand else "",
        "effect": fault.effect,
        "file": path.name,
        "emission": found.emission,
        "other_check": found.other,
        "message": found.message,
    }


def is_caught(found: dict[str, str]) -> bool:
    """Return whether a fault is named, and one that changes values is without emission again."""
    return bool(found["emission"]) and (
        found["effect"] != Effect.VALUES or bool(found["other_check"])
    )


def measured(project_name: str, faults: Sequence[Fault]) -> list[dict[str, str]]:
    """Return the rows of some faults of one project."""
    rows: list[dict[str, str]] = []
    with TemporaryDirectory(prefix="mutations-") as folder:
        project = Path(folder) / "project"
        design = PROJECTS[project_name].write(project)
        verdict = so.verify(project)
        if not verdict.passed:
            sys.exit(f"{project_name} is wrong without a fault:\n{verdict}")
        for fault in faults:
            rows.append(row(fault, project, design.top))
            state = "caught" if is_caught(rows[-1]) else "MISSED"
            print(state, *(rows[-1][key] for key in rows[-1] if key != "by_hand"), sep=" | ")
            sys.stdout.flush()
    return rows


def kept() -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows that were measured before, by project and fault."""
    if not ROWS.exists():
        return {}
    with ROWS.open(encoding="utf-8", newline="") as file:
        return {(one["project"], one["fault"]): one for one in csv.DictReader(file)}


def write(found: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Write rows over those of the same faults, and the page; return all."""
    known = kept() | {(one["project"], one["fault"]): one for one in found}
    order = ((fault.project, fault.name) for fault in FAULTS)
    rows = [known[key] for key in order if key in known]
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (HERE / "README.md").write_text(page(rows), encoding="utf-8")
    return rows


def main() -> None:
    """Break projects in all ways, write the rows and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="faults with this word in name or project")
    parser.add_argument("--pages", action="store_true", help="write the page from rows.csv only")
    asked = parser.parse_args()
    word = str(asked.only)
    wanted = [] if asked.pages else [f for f in FAULTS if word in f.name or word in f.project]
    for name in dict.fromkeys(fault.project for fault in wanted):
        write(measured(name, [fault for fault in wanted if fault.project == name]))
    rows = write([])
    missed = [f"{one['project']}: {one['fault']}" for one in rows if not is_caught(one)]
    if missed or len(rows) < len(FAULTS):
        rest = f"; {len(FAULTS) - len(rows)} not measured"
        sys.exit("not caught: " + ("; ".join(missed) or "none") + rest)


if __name__ == "__main__":
    main()
