"""Edits of a project: what was written and is no longer so, against the design emitted again."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from streamopt.codegen.design import Design, streamopt_version
from streamopt.errors import Diagnostic, SourceLoc
from streamopt.verification.edits.differences import differences
from streamopt.verification.edits.statements import statements
from streamopt.verification.manifest import Manifest, changed_files

_SHOWN = 20
_HINT = (
    "keep deliberate edits with --allow-edits (values are checked all the same), or write the "
    "project again"
)
_READ_BY_TOOLS = frozenset({".tcl", ".cfg", ".ini", ".h", ".cpp"})


@dataclass(frozen=True, slots=True)
class Edits:
    """Edits of a project."""

    found: tuple[Diagnostic, ...] = ()
    """E728 for each place, the first ones, with a hint at the last one."""
    notes: tuple[str, ...] = ()
    """About files that are as they were written, but not as this version emits them."""
    changed: frozenset[str] = frozenset()
    """Emitted files that mean something else than what is emitted now."""


def edits_of(directory: Path, manifest: Manifest, design: Design) -> Edits:
    """Return where the files of a project differ from what was written.

    Emitted files are compared with those of the design, other files with their digests. A file
    with the digest that it was written with has no edits, even if it is emitted otherwise now.

    Parameters
    ----------
    design
        Emitted again, from the project's own graph and schedule.
    """
    changed = changed_files(directory, manifest)
    emitted = dict(design.files)
    found = [_changed(directory, path) for path in sorted(changed - emitted.keys())]
    untouched, others = list[str](), set[str]()
    is_other = manifest.written.version not in ("", streamopt_version())
    for path, text in emitted.items():
        there = _text(directory / path)
        if there is None and (path in changed or not manifest.written.digests):
            found.append(_changed(directory, path))
            continue
        if there is not None and _same(path, text, there):
            continue
        others.add(path)
        if there is None or (path in manifest.written.digests and path not in changed):
            untouched.append(path)
        elif is_other:
            message = f"the file was changed since streamopt {manifest.written.version} wrote it"
            found.append(Diagnostic("E728", message, SourceLoc(path)))
        else:
            found += differences(path, text, there)
    found += _strays(directory, manifest, emitted)
    if len(found) > _SHOWN:
        message = f"and {len(found) - _SHOWN} more places differ from what was emitted"
        found[_SHOWN:] = [Diagnostic("E728", message)]
    if found:
        found[-1] = replace(found[-1], hint=_HINT)
    return Edits(tuple(found), tuple(_notes(manifest, untouched)), frozenset(others))


def _changed(directory: Path, path: str) -> Diagnostic:
    state = "was changed since the project was written"
    message = f"the file {state if (directory / path).exists() else 'is missing'}"
    return Diagnostic("E728", message, SourceLoc(path))


def _same(path: str, emitted: str, there: str) -> bool:
    if emitted == there:
        return True
    return [s.text for s in statements(path, emitted)] == [s.text for s in statements(path, there)]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _strays(directory: Path, manifest: Manifest, emitted: dict[str, str]) -> Iterator[Diagnostic]:
    """Yield files that were added where emitted ones look for them: ``$(wildcard pre_hls.tcl)``."""
    known = {*emitted, *manifest.written.digests}
    for path in sorted(directory.iterdir()):
        is_read = PurePosixPath(path.name).suffix in _READ_BY_TOOLS and path.name not in known
        by = next((name for name, text in emitted.items() if is_read and path.name in text), None)
        if by is not None:
            message = f"the file was added, and {by} reads it"
            yield Diagnostic("E728", message, SourceLoc(path.name))


def _notes(manifest: Manifest, untouched: list[str]) -> Iterator[str]:
    if untouched:
        listed, this = ", ".join(untouched), streamopt_version()
        by = (
            f"streamopt {manifest.written.version}"
            if manifest.written.version
            else "an earlier streamopt"
        )
        now = "which emits" if manifest.written.version == this else f"and {this} emits"
        yield (
            f"the project is as {by} wrote it, {now} {listed} otherwise now; pragmas and depths "
            "are not compared with the schedule: write it again for that"
        )
