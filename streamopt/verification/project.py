"""Projects on disk: a design with its test data, written as a whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from streamopt.errors import Diagnostic, SourceLoc, VerificationError, reason
from streamopt.files import read_text
from streamopt.ir.program import ElementType, Role
from streamopt.verification.csim.scratch import locked, remove_leftovers
from streamopt.verification.storage import stored
from streamopt.verification.vectors.golden import make_golden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from streamopt.codegen.design import Design
    from streamopt.ir.program import Program
    from streamopt.verification.vectors.golden import Golden

__all__ = [
    "MANIFEST",
    "Manifest",
    "check_replaceable",
    "edits_of",
    "read_manifest",
    "write_data",
    "write_project",
]


MANIFEST = "streamopt-project.json"
"""File that marks a directory as a project of ours."""

_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a project in its directory.

    Attributes
    ----------
    ports
        C++ name by array; data files are called by the C++ name.
    copies
        Original by array that holds the same.
    backend
        Name of the back end that made the design.
    inputs
        How test inputs are drawn, as `streamopt.verification.vectors.inputs` has it.
    settings
        Of the back end, by name.
    """

    graph: str
    top: str
    ports: Mapping[str, str]
    outputs: tuple[str, ...]
    schedule_sha256: str
    seed: int
    copies: Mapping[str, str] = field(default_factory=dict[str, str])
    backend: str = "vitis"
    inputs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the files to compile."""
        return (f"{self.top}.cpp", "testbench.cpp")


def write_project(
    design: Design,
    program: Program,
    directory: Path,
    extra_files: Mapping[str, str | bytes] | None = None,
    seed: int = 0,
    golden: Golden | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Manifest:
    """Write design, test data, manifest and further files into a directory.

    The directory appears complete or stays as it was; an earlier project there is replaced.

    Parameters
    ----------
    program
        The source program that the golden data come from.
    extra_files
        Text or bytes by path inside the project, for instance the graph's source.
    golden
        Test data, instead of what `streamopt.verification.vectors.golden.make_golden` finds.
    settings
        Of the back end, to emit the design again.

    Raises
    ------
    VerificationError
        E720 for a directory that holds anything but a project of ours, E721 for a path that leads
        out of the project or is taken, E723 where the system refuses to write; and what
        `streamopt.verification.vectors.golden.make_golden` raises.
    """
    directory = directory.absolute()
    check_replaceable(directory)
    files = _collect(design, extra_files or {})
    known = {name for name, _ in design.ports}
    outputs = tuple(a.name for a in program.arrays if a.role is Role.OUTPUT and a.name in known)
    if golden is None:
        golden = make_golden(program, seed)
    manifest = Manifest(
        design.name,
        design.top,
        dict(design.ports),
        outputs,
        design.schedule_sha256,
        seed,
        dict(design.copies),
        design.backend,
        golden.asked.texts,
        dict(settings or {}),
    )
    fresh = directory.with_name(f".{directory.name}.{uuid4().hex}.new")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
        with locked(fresh):
            for path, text in files.items():
                (fresh / path).parent.mkdir(parents=True, exist_ok=True)
                (fresh / path).write_bytes(text if isinstance(text, bytes) else text.encode())
            write_data(program, golden, manifest, fresh / "data")
            _write_manifest(manifest, fresh / MANIFEST)
            _swap(fresh, directory)
        leftovers = re.compile(rf"\.{re.escape(directory.name)}\.[0-9a-f]{{32}}\.(new|old)")
        remove_leftovers(directory.parent, leftovers)
    except OSError as error:
        message = f"{directory} can't be written: {reason(error)}"
        hint = "choose a directory that you may write to, on a disk with room"
        raise VerificationError(Diagnostic("E723", message, hint=hint)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return manifest


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a project.

    Raises
    ------
    VerificationError
        E722 if there is none, or none of this version.
    """
    path = directory / MANIFEST
    try:
        document: Any = json.loads(read_text(path))
        if document["schema_version"] != _SCHEMA_VERSION:
            raise ValueError(f"schema version {document['schema_version']}")
        return Manifest(
            graph=str(document["graph"]),
            top=str(document["top"]),
            ports={str(k): str(v) for k, v in cast("dict[Any, Any]", document["ports"]).items()},
            outputs=tuple(map(str, document["outputs"])),
            schedule_sha256=str(document["schedule_sha256"]),
            seed=int(document["seed"]),
            copies={str(k): str(v) for k, v in document.get("copies", {}).items()},
            backend=str(document.get("backend", "vitis")),
            inputs=tuple(map(str, document.get("inputs", ()))),
            settings=dict(document.get("settings", {})),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        message = f"{directory} is not a streamopt project: {_missing(problem)}"
        hint = "give the folder of streamopt solve -o, or write it again"
        raise VerificationError(Diagnostic("E722", message, hint=hint)) from None


def _missing(problem: Exception) -> str:
    """Return the faults of a manifest, in words."""
    match problem:
        case OSError():
            return f"{MANIFEST} can't be read: {reason(problem)}"
        case KeyError():
            return f"{MANIFEST} has no {problem}"
        case _:
            return f"{MANIFEST} is not as streamopt writes it"


def write_data(program: Program, golden: Golden, manifest: Manifest, directory: Path) -> None:
    """Write inputs, golden outputs and tolerances as raw little-endian arrays."""
    directory.mkdir(parents=True, exist_ok=True)

    def write(name: str, values: NDArray[np.float64], element: ElementType) -> None:
        (directory / f"{name}.bin").write_bytes(stored(values, element).tobytes())

    for name, port in manifest.ports.items():
        original = manifest.copies.get(name, name)
        if original in golden.inputs:
            write(port, golden.inputs[original], program.array(original).element)
    for name in manifest.outputs:
        result, port = golden.outputs[name], manifest.ports[name]
        write(f"{port}.golden", result.value, ElementType.DOUBLE)
        write(f"{port}.tolerance", result.bound, ElementType.DOUBLE)


def _collect(design: Design, extra_files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = dict(design.files)
    for path, text in extra_files.items():
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or parts[0] == "data":
            message = f"file '{path}' is not a path inside the project"
            raise VerificationError(Diagnostic("E721", message))
        if path in files or path == MANIFEST:
            message = f"file '{path}' is written by streamopt itself"
            raise VerificationError(Diagnostic("E721", message, hint="choose another name"))
        files[path] = text
    return files


def check_replaceable(directory: Path) -> None:
    """Raise VerificationError (E720) for a path that holds anything but a project of ours."""
    if not directory.exists() and not directory.is_symlink():
        return
    if directory.is_dir() and not directory.is_symlink():
        if not any(directory.iterdir()):
            return
        try:
            read_manifest(directory)
        except VerificationError:
            pass
        else:
            return
    message = f"{directory} exists and is not a streamopt project"
    hint = "choose an empty or new directory"
    raise VerificationError(Diagnostic("E720", message, hint=hint))


def _write_manifest(manifest: Manifest, path: Path) -> None:
    document = {
        "schema_version": _SCHEMA_VERSION,
        "graph": manifest.graph,
        "top": manifest.top,
        "ports": dict(manifest.ports),
        "outputs": list(manifest.outputs),
        "backend": manifest.backend,
        "schedule_sha256": manifest.schedule_sha256,
        "seed": manifest.seed,
        **({"copies": dict(manifest.copies)} if manifest.copies else {}),
        **({"inputs": list(manifest.inputs)} if manifest.inputs else {}),
        **({"settings": dict(manifest.settings)} if manifest.settings else {}),
    }
    text = json.dumps(document, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _swap(fresh: Path, directory: Path) -> None:
    """Put the new directory in place; the old one comes back if that fails."""
    if not directory.exists():
        fresh.rename(directory)
        return
    old = fresh.with_suffix(".old")
    directory.rename(old)
    try:
        fresh.rename(directory)
    except BaseException:
        old.rename(directory)
        raise
    shutil.rmtree(old, ignore_errors=True)


_SHOWN = 20
_MATCHED_LINES = 4000
"""More lines that differ at once are told as one place."""
_HINT = "emit the project again, or verify with --allow-edits if it was changed on purpose"


def edits_of(directory: Path, design: Design) -> tuple[Diagnostic, ...]:
    """Return E728 for each place where a file differs from the design's, the first ones."""
    found: list[Diagnostic] = []
    for path, text in design.files:
        try:
            there = (directory / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            found.append(Diagnostic("E728", "the file is missing", SourceLoc(path)))
            continue
        if there != text:
            found += _edits(path, _lines(text), _lines(there))
    if len(found) > _SHOWN:
        message = f"and {len(found) - _SHOWN} more places differ from what was emitted"
        found[_SHOWN:] = [Diagnostic("E728", message)]
    return (*found[:-1], *(replace(last, hint=_HINT) for last in found[-1:]))


def _lines(text: str) -> list[str]:
    """Return the lines of a file, its comments without their words."""
    return ["//" if _is_comment(line) else line for line in text.splitlines()]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("//") and not line.endswith("\\")


def _edits(path: str, emitted: Sequence[str], there: Sequence[str]) -> Iterator[Diagnostic]:
    same = min(len(emitted), len(there))
    start = next((at for at in range(same) if emitted[at] != there[at]), same)
    end = next(
        (at for at in range(same - start) if emitted[-1 - at] != there[-1 - at]), same - start
    )
    old, new = emitted[start : len(emitted) - end], there[start : len(there) - end]
    blocks = [("replace", 0, len(old), 0, len(new))]
    if len(old) + len(new) <= _MATCHED_LINES:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, first, last, from_, to in blocks:
        if kind != "equal":
            place = SourceLoc(path, line=start + from_ + 1)
            message = f"expected {_shown(old[first:last])}, found {_shown(new[from_:to])}"
            yield Diagnostic("E728", message, place)


def _shown(lines: Sequence[str]) -> str:
    if not lines:
        return "nothing"
    more = f" and {len(lines) - 1} more lines" if len(lines) > 1 else ""
    return f"`{lines[0].strip()}`{more}"
