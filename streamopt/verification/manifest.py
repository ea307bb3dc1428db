"""The manifest of a project: what it is, and digests of its files as they were written."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from streamopt.errors import Diagnostic, VerificationError, reason
from streamopt.files import read_text

MANIFEST = "streamopt-project.json"
"""File that marks a directory as a project of ours."""
RUN_PROJECT = "project"
"""The project's folder in that of ``streamopt run``."""

_SCHEMA_VERSION = 1
_BINARY = frozenset({".bin", ".npz"})


@dataclass(frozen=True, slots=True)
class Written:
    """How a project was written."""

    version: str = ""
    """Of streamopt; empty if it is older than this entry."""
    schedule_sha256: str = ""
    """Of the schedule that the design implements."""
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    """SHA-256 by path of the files beside the manifest."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a project in its directory."""

    graph: str
    top: str
    ports: Mapping[str, str]
    """C++ name by array; data files are called by the C++ name."""
    outputs: tuple[str, ...]
    seed: int
    copies: Mapping[str, str] = field(default_factory=dict[str, str])
    """Original by array that holds the same."""
    backend: str = "vitis"
    """Name of the back end that made the design."""
    inputs: tuple[str, ...] = ()
    """How test inputs are drawn, as `streamopt.verification.vectors.inputs` has it."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of the back end, by name."""
    written: Written = field(default_factory=Written)
    """How it was written; nothing of an older project."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the files to compile."""
        return (f"{self.top}.cpp", "testbench.cpp")


def project_in(directory: Path) -> Path:
    """Return the project that a folder is, or that the folder of ``streamopt run`` has."""
    inner = directory / RUN_PROJECT
    is_outer = not (directory / MANIFEST).exists() and (inner / MANIFEST).exists()
    return inner if is_outer else directory


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
            ports=_texts(document["ports"]),
            outputs=tuple(map(str, document["outputs"])),
            seed=int(document["seed"]),
            copies=_texts(document.get("copies", {})),
            backend=str(document.get("backend", "vitis")),
            inputs=tuple(map(str, document.get("inputs", ()))),
            settings=dict(document.get("settings", {})),
            written=Written(
                str(document.get("version", "")),
                str(document["schedule_sha256"]),
                _files(_texts(document.get("digests", {}))),
            ),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        message = f"{directory} is not a streamopt project: {_missing(problem)}"
        hint = "give the folder of streamopt solve -o, or write it again"
        raise VerificationError(Diagnostic("E722", message, hint=hint)) from None


def _texts(found: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in cast("dict[Any, Any]", found).items()}


def _files(digests: Mapping[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in digests.items() if path != MANIFEST}


def _missing(problem: Exception) -> str:
    """Return the faults of a manifest, in words."""
    match problem:
        case OSError():
            return f"{MANIFEST} can't be read: {reason(problem)}"
        case KeyError():
            return f"{MANIFEST} has no {problem}"
        case _:
            return f"{MANIFEST} is not as streamopt writes it"


def write_manifest(manifest: Manifest, directory: Path) -> None:
    """Write a manifest into a project's directory."""
    document = {
        "schema_version": _SCHEMA_VERSION,
        "graph": manifest.graph,
        "top": manifest.top,
        "ports": dict(manifest.ports),
        "outputs": list(manifest.outputs),
        "backend": manifest.backend,
        "schedule_sha256": manifest.written.schedule_sha256,
        "seed": manifest.seed,
        **({"copies": dict(manifest.copies)} if manifest.copies else {}),
        **({"inputs": list(manifest.inputs)} if manifest.inputs else {}),
        **({"settings": dict(manifest.settings)} if manifest.settings else {}),
        "version": manifest.written.version,
    }
    document["digests"] = {MANIFEST: _own_digest(document), **manifest.written.digests}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    (directory / MANIFEST).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def digests_in(directory: Path) -> dict[str, str]:
    """Return the digest of every file of a project but its manifest, by path."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): _digest(path) for path in paths}


def changed_files(directory: Path, manifest: Manifest) -> frozenset[str]:
    """Return the files of a project that were changed or taken away since it was written.

    None are known of a project without digests.
    """
    if not manifest.written.digests:
        return frozenset()
    changed = {
        path
        for path, digest in manifest.written.digests.items()
        if _digest(directory / path) != digest
    }
    document: dict[str, Any] = json.loads(read_text(directory / MANIFEST))
    own = _own_digest(document)
    if document.get("digests", {}).get(MANIFEST, own) != own:
        changed.add(MANIFEST)
    return frozenset(changed)


def _own_digest(document: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key != "digests"}
    return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _digest(path: Path) -> str:
    """Return the digest of a file; a text has the same with any ends of lines."""
    try:
        content = path.read_bytes()
    except OSError:
        return ""
    return sha256(
        content if path.suffix in _BINARY else content.replace(b"\r\n", b"\n")
    ).hexdigest()
