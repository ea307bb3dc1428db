"""Projects on disk: a design with its test data, written as a whole or not at all."""

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from streamopt.codegen.design import Design, streamopt_version
from streamopt.errors import Diagnostic, VerificationError, reason
from streamopt.ir.program import ElementType, Program, Role
from streamopt.verification.manifest import (
    MANIFEST,
    Manifest,
    Written,
    digests_in,
    read_manifest,
    write_manifest,
)
from streamopt.verification.scratch import locked, remove_leftovers
from streamopt.verification.storage import stored
from streamopt.verification.vectors.golden import Golden, make_golden


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
            written = Written(streamopt_version(), design.schedule_sha256, digests_in(fresh))
            manifest = replace(manifest, written=written)
            write_manifest(manifest, fresh)
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
